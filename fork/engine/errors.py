"""Errors that a developer can fix."""

from __future__ import annotations

__all__ = ["AnchorError", "ForkError"]


class ForkError(Exception):
    """The fork cannot be assembled; the message contains a remedy.

    Shown without a traceback, by the command line and by the build hook alike.
    """


class AnchorError(ForkError):
    """A seam does not fit the file.

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
