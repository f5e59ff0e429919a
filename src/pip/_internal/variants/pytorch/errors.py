"""What goes wrong with PyTorch's index, told in pip's way."""

from __future__ import annotations

import optparse

from pip._internal.console.texts import Hint
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.choice.invocation import again
from pip._internal.variants.errors import VariantError
from pip._internal.variants.pytorch.options import INDEX_URL

__all__ = ["PyTorchIndexUnavailable"]


class PyTorchIndexUnavailable(VariantError):
    """What PyTorch's index has cannot be told."""

    reference = "pytorch-index-unavailable"

    def __init__(self, url: str, problem: str, options: optparse.Values) -> None:
        super().__init__(
            f"Cannot use {redact_auth_from_url(url)} as PyTorch's index.",
            [problem.rstrip(".") + "."],
            [
                Hint("A mirror may have it:", again(options, INDEX_URL.name, "URL")),
                (
                    "Without the --pytorch-* options, --cpuonly and "
                    "LTT_PYTORCH_COMPUTATION_BACKEND, their environment variables and "
                    "configuration keys, pip does not look there."
                ),
            ],
            [
                (
                    "What might be on it is not taken from another index, which anybody may "
                    "have put it on."
                )
            ],
        )
