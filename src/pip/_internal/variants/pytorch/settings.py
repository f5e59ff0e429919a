"""What the options and variables that concern PyTorch's index come to."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pip._internal.variants.choice.typed import typed_options
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.pytorch.backends import (
    AUTO,
    CPU,
    Backend,
    InvalidBackend,
    parse_list,
)
from pip._internal.variants.pytorch.devices import NAMESPACES
from pip._internal.variants.pytorch.options import (
    BACKENDS,
    CHANNEL,
    CPUONLY,
    DEFAULT_URL,
    INDEX_URL,
    LTT_VARIABLE,
)

if TYPE_CHECKING:
    import optparse

__all__ = [
    "ANY_BACKEND",
    "Channel",
    "Settings",
    "named_backends",
    "named_channel",
    "settings",
    "valid_url",
]

#: The options that turn the bridge on, and leave the rest to pip.
ANY_BACKEND = (BACKENDS.name, AUTO)

_CHANNEL_FIELD = "{channel}"


class Channel(enum.Enum):
    """A stage of PyTorch's releases."""

    STABLE = "stable"
    TEST = "test"
    NIGHTLY = "nightly"


@dataclass(frozen=True, slots=True)
class Settings:
    """Which builds to take, and from where.

    :ivar backends: those that may be taken, most preferred first; empty: what suits.
    :ivar origin: what names them, None if nothing does.
    :ivar index_url: of all channels, or with a field for the channel.
    """

    backends: tuple[Backend, ...]
    origin: str | None
    channel: Channel
    index_url: str

    @property
    def lacking(self) -> Mapping[str, str]:
        """Give the namespaces of devices that the backends exclude, and why."""
        kinds = {each.kind for each in self.backends}
        if not kinds:
            return {}
        return {
            namespace: f"{self.origin} names no backend for it"
            for kind, namespace in NAMESPACES.items()
            if kind not in kinds
        }

    @property
    def base_url(self) -> str:
        """Give the URL of the channel, without a slash at the end."""
        base, name = self.index_url, self.channel.value
        if _CHANNEL_FIELD in base:
            return base.replace(_CHANNEL_FIELD, name).rstrip("/")
        base = base.rstrip("/")
        return base if self.channel is Channel.STABLE else f"{base}/{name}"


def settings(options: optparse.Values, environ: Mapping[str, str]) -> Settings:
    """Give the settings of a command.

    :raises WrongUse: if the variable of light-the-torch is invalid.
    """
    given = vars(options).get
    backends, origin = _backends(options, environ)
    channel: Channel | None = given(CHANNEL.dest)
    if channel is None:
        channel = Channel.TEST if _wants_prereleases(options) else Channel.STABLE
    url = given(INDEX_URL.dest) or DEFAULT_URL
    return Settings(backends, origin, channel, url)


def _backends(
    options: optparse.Values, environ: Mapping[str, str]
) -> tuple[tuple[Backend, ...], str | None]:
    given = vars(options).get
    typed = {each.row for each in typed_options(options)}
    named: tuple[Backend, ...] | None = given(BACKENDS.dest)
    by_shorthand = bool(given(CPUONLY.dest))
    # What is typed is a word about this command; the configuration is about all.
    if CPUONLY in typed and BACKENDS not in typed:
        named = None
    if named is not None:
        return named, BACKENDS.name
    if by_shorthand:
        return (CPU,), CPUONLY.name
    text = environ.get(LTT_VARIABLE)
    if not text:
        return (), None
    try:
        return parse_list(text), LTT_VARIABLE
    except InvalidBackend as error:
        raise WrongUse(_invalid(LTT_VARIABLE, error)) from None


def _wants_prereleases(options: optparse.Values) -> bool:
    control = vars(options).get("release_control")
    return bool(vars(options).get("pre")) or (
        control is not None and ":all:" in control.all_releases
    )


def named_backends(option: str, value: str) -> tuple[Backend, ...]:
    """Read what an option names.

    :param option: as it was typed; where it was configured, its key.
    :return: most preferred first; empty for what suits.
    :raises ValueError: if *value* is invalid; the message says what is valid.
    """
    try:
        return parse_list(value)
    except InvalidBackend as error:
        raise ValueError(_invalid(f"option {option}", error)) from None


def _invalid(what: str, error: InvalidBackend) -> str:
    return f"{what}: invalid computation backend: {error}"


def named_channel(option: str, value: str) -> Channel:
    """Read the name of a channel.

    :raises ValueError: if there is no such channel; the message says which there are.
    """
    try:
        return Channel(value.strip().lower())
    except ValueError:
        names = ", ".join(channel.value for channel in Channel)
        raise ValueError(
            f"option {option}: invalid channel {value!r}, expected one of {names}"
        ) from None


def valid_url(option: str, value: str) -> str:
    """Check the URL of an index.

    :raises ValueError: if it is none that can be asked.
    """
    url = value.strip()
    if urlsplit(url).scheme not in ("http", "https", "file"):
        raise ValueError(
            f"option {option}: invalid URL {value!r}, expected something like "
            f"{DEFAULT_URL!r}"
        )
    return url
