"""Options of the bridge to PyTorch's index."""

from __future__ import annotations

from pip._internal.variants.settings import OptionRow, lazy_check

#: The variable for the backends of light-the-torch.
LTT_VARIABLE = "LTT_PYTORCH_COMPUTATION_BACKEND"
#: The warning if the options have no effect.
VARIANTS_OFF = (
    "Variants are off, so pip does not use PyTorch's index: the --pytorch-* options, "
    f"--cpuonly and {LTT_VARIABLE} have no effect"
)

_VALUES = "pytorch.settings"

BACKENDS = OptionRow(
    "--pytorch-computation-backend",
    dest="pytorch_backends",
    check=lazy_check("backends", _VALUES),
    metavar="LIST",
    help="From PyTorch's index, install the projects it provides, as wheels for this "
    "backend: cpu, xpu, cuNNN such as cu128, rocmX.Y such as rocm6.4; or "
    "'cuda', 'rocm' or 'gpu' for any wheel of that kind, never a CPU wheel. "
    "Separate several with commas, most preferred first. 'auto' chooses the "
    "best backend of the target machine. With any other option for this index, "
    "the default is 'auto'.",
)
CPUONLY = OptionRow(
    "--cpuonly",
    help="Install CPU wheels from PyTorch's index, like --pytorch-computation-backend "
    "cpu.",
)
CHANNEL = OptionRow(
    "--pytorch-channel",
    check=lazy_check("channel", _VALUES),
    metavar="CHANNEL",
    help="Use this channel of PyTorch's index: stable, test, or nightly with "
    "pre-releases (default: stable, or test with --pre).",
)
INDEX_URL = OptionRow(
    "--pytorch-index-url",
    check=lazy_check("index_url", "selection.scoped_indexes"),
    metavar="URL",
    help="Use PyTorch's index or a mirror of it at this URL. pip appends the channel "
    "(test or nightly), or replaces '{channel}' with it (default: "
    "https://download.pytorch.org/whl).",
)

OPTIONS = (BACKENDS, CPUONLY, CHANNEL, INDEX_URL)
#: The options that turn on the bridge with its defaults.
ANY_BACKEND = (BACKENDS.name, "auto")
