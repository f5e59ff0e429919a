"""The options that turn the bridge to PyTorch's index on.

What their values mean is imported when there are any.
"""

from __future__ import annotations

import optparse
from collections.abc import Callable, Mapping
from functools import partial

from pip._internal.variants.choice.options import VariantOption

__all__ = [
    "BACKENDS_OPTION",
    "CPUONLY_OPTION",
    "DEFAULT_URL",
    "LTT_VARIABLE",
    "URL_OPTION",
    "cpuonly",
    "in_use",
    "pytorch_channel",
    "pytorch_computation_backend",
    "pytorch_index_url",
]

BACKENDS_OPTION = "--pytorch-computation-backend"
CPUONLY_OPTION = "--cpuonly"
URL_OPTION = "--pytorch-index-url"
#: Where users of light-the-torch keep the backends.
LTT_VARIABLE = "LTT_PYTORCH_COMPUTATION_BACKEND"
DEFAULT_URL = "https://download.pytorch.org/whl"

_DESTINATIONS = (
    *("pytorch_backends", "cpuonly"),
    *("pytorch_channel", "pytorch_index_url"),
)


def in_use(options: optparse.Values, environ: Mapping[str, str]) -> bool:
    """Tell whether a command that has the options is to use the bridge."""
    given = vars(options)
    if _DESTINATIONS[0] not in given:
        return False
    named = any(given.get(each) not in (None, False) for each in _DESTINATIONS)
    return named or bool(environ.get(LTT_VARIABLE))


def _checked_by(name: str) -> Callable[[optparse.Option, str, str], object]:
    def check(option: optparse.Option, opt: str, value: str) -> object:
        from pip._internal.variants.errors import InvalidOption
        from pip._internal.variants.pytorch import settings

        try:
            return getattr(settings, name)(opt, value)
        except ValueError as error:
            raise InvalidOption(str(error)) from None

    return check


class PyTorchOption(VariantOption):
    """An option of the bridge, which may have a value of one of its own kinds."""

    TYPES = (*VariantOption.TYPES, "backends", "channel", "pytorch_url")
    TYPE_CHECKER = VariantOption.TYPE_CHECKER.copy()
    TYPE_CHECKER["backends"] = _checked_by("named_backends")
    TYPE_CHECKER["channel"] = _checked_by("named_channel")
    TYPE_CHECKER["pytorch_url"] = _checked_by("valid_url")


pytorch_computation_backend: Callable[..., optparse.Option] = partial(
    PyTorchOption,
    BACKENDS_OPTION,
    dest="pytorch_backends",
    type="backends",
    metavar="LIST",
    default=None,
    help="Take what PyTorch's own index has from there, in builds for one of these: "
    "cpu, xpu, cuNNN such as cu128, rocmX.Y such as rocm6.4. Several are listed with "
    "commas, most preferred first; 'auto', the default with any other of the options "
    "for that index, takes what suits the target machine.",
)

cpuonly: Callable[..., optparse.Option] = partial(
    PyTorchOption,
    CPUONLY_OPTION,
    dest="cpuonly",
    action="store_true",
    default=False,
    help="Take builds for the CPU: the same as the option before with the value cpu.",
)

pytorch_channel: Callable[..., optparse.Option] = partial(
    PyTorchOption,
    "--pytorch-channel",
    dest="pytorch_channel",
    type="channel",
    metavar="CHANNEL",
    default=None,
    help="Take what PyTorch's own index has from this part of it: stable, test or "
    "nightly (which includes pre-releases). The default is stable, or test with --pre.",
)

pytorch_index_url: Callable[..., optparse.Option] = partial(
    PyTorchOption,
    URL_OPTION,
    dest="pytorch_index_url",
    type="pytorch_url",
    metavar="URL",
    default=None,
    help="Where PyTorch's index or a mirror of it is, with the channels test and "
    "nightly below; '{channel}' in the URL stands for the channel where they are "
    f"elsewhere (default: {DEFAULT_URL}).",
)
