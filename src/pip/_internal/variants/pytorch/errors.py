"""What goes wrong with PyTorch's index, told in pip's way."""

from __future__ import annotations

from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.errors import VariantError

__all__ = ["PyTorchIndexUnavailable"]


class PyTorchIndexUnavailable(VariantError):
    """What PyTorch's index has cannot be told."""

    reference = "pytorch-index-unavailable"

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(
            f"Cannot use {redact_auth_from_url(url)} as PyTorch's index.",
            [problem.rstrip(".") + "."],
            [
                (
                    "--pytorch-index-url names a mirror. Without the --pytorch-* options, "
                    "--cpuonly and LTT_PYTORCH_COMPUTATION_BACKEND, their environment "
                    "variables and configuration keys, pip does not look there."
                )
            ],
            [
                (
                    "What might be on it is not taken from another index, which anybody may "
                    "have put it on."
                )
            ],
        )
