"""Errors that a developer can fix."""

from __future__ import annotations

__all__ = ["AnchorError", "ForkError"]


class ForkError(Exception):
    """An error during assembly; the message contains a remedy.

    The command line and the build hook both show the message without a traceback.
    """


class AnchorError(ForkError):
    """A seam that does not fit the file.

    :param seam: the file, target and kind of the seam.
    :param problem: the reason why the seam does not fit.
    """

    def __init__(self, seam: str, problem: str) -> None:
        super().__init__(
            f"seam {seam}: {problem}. Compare the function with the release that the "
            "seam was made for (python tools/rebase.py VERSION), then correct "
            "fork/seams.py"
        )
        self.problem = problem
