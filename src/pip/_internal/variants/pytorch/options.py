"""The options that turn the bridge to PyTorch's index, and others like it, on.

What their values mean is imported when there are any.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pip._internal.variants.selection.settings import OptionRow, kind

if TYPE_CHECKING:
    from pip._internal.variants.selection.settings import Settings

__all__ = [
    "BACKENDS",
    "CHANNEL",
    "CPUONLY",
    "DEFAULT_URL",
    "INDEX_URL",
    "LTT_VARIABLE",
    "OPTIONS",
    "in_use",
]

#: Where users of light-the-torch keep the backends.
LTT_VARIABLE = "LTT_PYTORCH_COMPUTATION_BACKEND"
DEFAULT_URL = "https://download.pytorch.org/whl"


_VALUES = "pytorch.settings"

BACKENDS = OptionRow(
    "--pytorch-computation-backend",
    dest="pytorch_backends",
    check=kind("backends", _VALUES),
    metavar="LIST",
    help="Take what PyTorch's own index has from there, in builds for one of these: "
    "cpu, xpu, cuNNN such as cu128, rocmX.Y such as rocm6.4; or 'cuda', 'rocm' or 'gpu' "
    "for any build of that kind and never one for the CPU. Several are listed with "
    "commas, most preferred first; 'auto', the default with any other of the options "
    "for that index, takes what suits the target machine.",
)
CPUONLY = OptionRow(
    "--cpuonly",
    help="Take builds for the CPU: the same as --pytorch-computation-backend cpu.",
)
CHANNEL = OptionRow(
    "--pytorch-channel",
    check=kind("channel", _VALUES),
    metavar="CHANNEL",
    help="Take what PyTorch's own index has from this part of it: stable, test or "
    "nightly (which includes pre-releases). The default is stable, or test with --pre.",
)
INDEX_URL = OptionRow(
    "--pytorch-index-url",
    check=kind("index_url", "selection.scoped_indexes"),
    metavar="URL",
    help="Where PyTorch's index or a mirror of it is, with the channels test and "
    "nightly below; '{channel}' in the URL stands for the channel where they are "
    f"elsewhere (default: {DEFAULT_URL}).",
)

OPTIONS = (BACKENDS, CPUONLY, CHANNEL, INDEX_URL)


def in_use(settings: Settings, environ: Mapping[str, str]) -> bool:
    """Tell whether a command that has the options is to use the bridge."""
    if settings.value(BACKENDS, otherwise=False) is False:
        return False
    named = any(settings.value(row) not in (None, False) for row in OPTIONS)
    return named or bool(environ.get(LTT_VARIABLE))
