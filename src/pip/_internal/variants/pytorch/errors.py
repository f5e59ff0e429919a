"""What goes wrong with PyTorch's index, told in pip's way."""

from __future__ import annotations

from pip._vendor.rich.text import Text

from pip._internal.exceptions import DiagnosticPipError
from pip._internal.utils.misc import redact_auth_from_url

__all__ = ["PyTorchIndexUnavailable"]


class PyTorchIndexUnavailable(DiagnosticPipError):
    """What PyTorch's index has cannot be told."""

    reference = "pytorch-index-unavailable"

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(
            message=Text(f"Cannot use {redact_auth_from_url(url)} as PyTorch's index."),
            context=Text(problem.rstrip(".") + "."),
            note_stmt=Text(
                "What might be on it is not taken from another index, which anybody may "
                "have put it on."
            ),
            hint_stmt=Text(
                "--pytorch-index-url names a mirror. Without the --pytorch-* options, "
                "--cpuonly and LTT_PYTORCH_COMPUTATION_BACKEND, their environment "
                "variables and configuration keys, pip does not look there."
            ),
        )
