"""The options that turn the bridge to PyTorch's index on.

What their values mean is imported when there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pip._internal.variants.choice.settings import OptionRow

if TYPE_CHECKING:
    from pip._internal.variants.choice.settings import Settings

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


def _checked_by(name: str) -> Callable[[str, str], object]:
    def check(opt: str, value: str) -> object:
        from pip._internal.variants.errors import InvalidOption
        from pip._internal.variants.pytorch import option_values

        try:
            return getattr(option_values, name)(opt, value)
        except ValueError as error:
            raise InvalidOption(str(error)) from None

    return check


def _url(opt: str, value: str) -> str:
    url = value.strip()
    if urlsplit(url).scheme not in ("http", "https", "file"):
        from pip._internal.variants.errors import InvalidOption

        raise InvalidOption(
            f"option {opt}: invalid URL {value!r}, expected something like "
            f"{DEFAULT_URL!r}"
        )
    return url


BACKENDS = OptionRow(
    "--pytorch-computation-backend",
    dest="pytorch_backends",
    where=("install",),
    check=_checked_by("named_backends"),
    metavar="LIST",
    default=None,
    repeated="any",
    help="Take what PyTorch's own index has from there, in builds for one of these: "
    "cpu, xpu, cuNNN such as cu128, rocmX.Y such as rocm6.4. Several are listed with "
    "commas, most preferred first; 'auto', the default with any other of the options "
    "for that index, takes what suits the target machine.",
)
CPUONLY = OptionRow(
    "--cpuonly",
    dest="cpuonly",
    where=("install",),
    repeated="any",
    help="Take builds for the CPU: the same as the option before with the value cpu.",
)
CHANNEL = OptionRow(
    "--pytorch-channel",
    dest="pytorch_channel",
    where=("install",),
    check=_checked_by("named_channel"),
    metavar="CHANNEL",
    default=None,
    repeated="any",
    help="Take what PyTorch's own index has from this part of it: stable, test or "
    "nightly (which includes pre-releases). The default is stable, or test with --pre.",
)
INDEX_URL = OptionRow(
    "--pytorch-index-url",
    dest="pytorch_index_url",
    where=("install",),
    check=_url,
    metavar="URL",
    default=None,
    repeated="any",
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
