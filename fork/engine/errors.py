"""Errors that a person can act on."""

from __future__ import annotations

__all__ = ["AnchorError", "ForkError"]


class ForkError(Exception):
    """Say that the fork cannot be assembled: what is wrong, where, and what to do.

    Shown without a traceback, by the command line and by the build hook alike.
    """


class AnchorError(ForkError):
    """Say that a seam does not fit the file.

    :param seam: file, target and kind of the seam.
    :param problem: what does not fit.
    """

    def __init__(self, seam: str, problem: str) -> None:
        super().__init__(
            f"seam {seam}: {problem}. Compare the function with the release that the "
            "seam was made for (python tools/rebase.py VERSION), then correct "
            "fork/seams.py"
        )
        self.problem = problem
