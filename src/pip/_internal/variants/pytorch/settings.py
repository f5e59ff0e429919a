"""What the options and variables that concern PyTorch's index come to.

Loaded when there are any: most runs of pip have none.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pip._internal.variants.errors import InvalidOption, WrongUse
from pip._internal.variants.pytorch.backends import (
    AUTO,
    CPU,
    Choice,
    InvalidBackend,
    parse_choice,
)
from pip._internal.variants.pytorch.description import (
    Description,
    InvalidDescription,
    is_index_url,
)
from pip._internal.variants.pytorch.descriptions import Added, read, shipped
from pip._internal.variants.pytorch.drivers import NAMESPACES
from pip._internal.variants.pytorch.options import (
    ADD_INDEX,
    BACKENDS,
    CHANNEL,
    CPUONLY,
    DEFAULT_URL,
    INDEX_URL,
    LTT_VARIABLE,
)

if TYPE_CHECKING:
    from pip._internal.variants.choice.settings import Settings as CommandSettings

__all__ = [
    "ANY_BACKEND",
    "Channel",
    "Settings",
    "added_index",
    "backends",
    "channel",
    "settings",
    "url",
]

#: The options that turn the bridge on, and leave the rest to pip.
ANY_BACKEND = (BACKENDS.name, AUTO)

_CHANNEL_FIELD = "{channel}"


class Channel(enum.Enum):
    """A stage of PyTorch's releases."""

    STABLE = "stable"
    TEST = "test"
    NIGHTLY = "nightly"


def backends(opt: str, value: str) -> Choice:
    """Read which backends are named.

    :param opt: as it was typed; where it was configured, its key.
    :raises InvalidOption: if *value* is invalid.
    """
    try:
        return parse_choice(value)
    except InvalidBackend as error:
        raise InvalidOption(f"option {opt}: {error}") from None


def channel(opt: str, value: str) -> Channel:
    """Read the name of a channel.

    :raises InvalidOption: if there is no such channel.
    """
    try:
        return Channel(value.strip().lower())
    except ValueError:
        names = ", ".join(channel.value for channel in Channel)
        raise InvalidOption(
            f"option {opt}: invalid channel {value!r}, expected one of {names}"
        ) from None


def url(opt: str, value: str) -> str:
    """Read the URL of an index.

    :raises InvalidOption: if it is none.
    """
    read = value.strip()
    if not is_index_url(read):
        raise InvalidOption(
            f"option {opt}: invalid URL {value!r}, expected something like "
            f"{DEFAULT_URL!r}"
        )
    return read


def added_index(opt: str, value: str) -> Added:
    """Read the description of an index.

    :raises InvalidOption: if it cannot be read, or is none.
    """
    try:
        return read(value)
    except InvalidDescription as error:
        raise InvalidOption(
            f"option {opt}: {value!r} describes no index of builds: {error}"
        ) from None


@dataclass(frozen=True, slots=True)
class Settings:
    """Which builds to take, and from where.

    :ivar backends: those that may be taken.
    :ivar origin: what names them, None if nothing does.
    :ivar index_url: of PyTorch's index: of all channels, or with a field for the channel;
        None for its own.
    :ivar added: descriptions that the user added.
    :ivar indexes: in the order in which projects are looked up there, PyTorch's last.
    """

    backends: Choice
    origin: str | None
    channel: Channel
    index_url: str | None
    added: tuple[Added, ...]
    indexes: tuple[Description, ...]

    @property
    def lacking(self) -> Mapping[str, str]:
        """Return the namespaces of devices that the backends exclude, and why."""
        if not self.backends:
            return {}
        kinds = self.backends.kinds
        return {
            namespace: f"{self.origin} names no backend for it"
            for kind, namespace in NAMESPACES.items()
            if kind not in kinds
        }

    def base_url(self, index: Description) -> str:
        """Return the URL of the channel of an index, without a slash at the end."""
        name = self.channel.value
        if _CHANNEL_FIELD in index.url:
            return index.url.replace(_CHANNEL_FIELD, name).rstrip("/")
        return f"{index.url}/{name}" if name in index.channels else index.url

    @property
    def pytorch(self) -> Description:
        """Return what is known of PyTorch's index."""
        return self.indexes[-1]


def settings(given: CommandSettings, environ: Mapping[str, str]) -> Settings:
    """Return the settings of a command.

    :raises WrongUse: if the variable of light-the-torch is invalid.
    """
    backends, origin = _backends(given, environ)
    channel: Channel | None = given.value(CHANNEL)
    if channel is None:
        channel = Channel.TEST if given.allows_prereleases else Channel.STABLE
    url: str | None = given.value(INDEX_URL) or None
    added: tuple[Added, ...] = tuple(given.value(ADD_INDEX) or ())
    return Settings(backends, origin, channel, url, added, _indexes(url, added))


def _indexes(url: str | None, added: Iterable[Added]) -> tuple[Description, ...]:
    """Return the indexes of builds, PyTorch's last: it has what none of the others has.

    A description that was added stands for one of that name that comes with pip.
    """
    pytorch, *others = shipped()
    gpus = pytorch.gpus
    own = {each.description.name.casefold(): each.description for each in added}
    pytorch = own.pop(pytorch.name.casefold(), pytorch)
    if url is not None:
        # Who has a mirror of the one reaches no others, or describes them.
        pytorch, others = pytorch.based_at(url), []
    others = [each for each in others if each.name.casefold() not in own]
    return tuple(
        replace(each, gpus=replace(each.gpus, otherwise=gpus))
        for each in (*own.values(), *others, pytorch)
    )


def _backends(
    given: CommandSettings, environ: Mapping[str, str]
) -> tuple[Choice, str | None]:
    typed = {row for row, _, _ in given.typed}
    named: Choice | None = given.value(BACKENDS)
    by_shorthand = bool(given.value(CPUONLY))
    # What is typed is about this command; the configuration is about all.
    if CPUONLY in typed and BACKENDS not in typed:
        named = None
    if named is not None:
        return named, BACKENDS.name
    if by_shorthand:
        return Choice((CPU,)), CPUONLY.name
    text = environ.get(LTT_VARIABLE)
    if not text:
        return Choice(), None
    try:
        return parse_choice(text), LTT_VARIABLE
    except InvalidBackend as error:
        raise WrongUse(f"{LTT_VARIABLE}: {error}") from None
