"""What the options and variables that concern PyTorch's index come to.

Loaded when there are any: most runs of pip have none.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pip._internal.variants.errors import InvalidOption, WrongUse
from pip._internal.variants.pytorch.backends import (
    AUTO,
    CPU,
    BackendChoice,
    InvalidBackend,
    parse_choice,
)
from pip._internal.variants.pytorch.description import (
    Gpus,
    IndexDescription,
    shipped,
    shipped_gpus,
)
from pip._internal.variants.pytorch.drivers import NAMESPACES
from pip._internal.variants.pytorch.options import (
    BACKENDS,
    CHANNEL,
    CPUONLY,
    DEFAULT_URL,
    INDEX_URL,
    LTT_VARIABLE,
)

if TYPE_CHECKING:
    from pip._internal.variants.selection.settings import (
        Settings as CommandSettings,
    )

__all__ = [
    "ANY_BACKEND",
    "Channel",
    "PyTorchSettings",
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


def backends(opt: str, value: str) -> BackendChoice:
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
    if not _is_index_url(read):
        raise InvalidOption(
            f"option {opt}: invalid URL {value!r}, expected something like "
            f"{DEFAULT_URL!r}"
        )
    return read


def _is_index_url(url: str) -> bool:
    """Return whether a URL can be an index; its path may contain ``{channel}``."""
    try:
        parts = urlsplit(url)
        # Reading the port checks it.
        _ = parts.port
    except ValueError:
        return False
    if parts.scheme == "file":
        return parts.netloc in ("", "localhost") and "%00" not in url
    return parts.scheme in ("https", "http") and bool(parts.hostname)


@dataclass(frozen=True, slots=True)
class PyTorchSettings:
    """Which builds to take, and from where.

    :ivar backends: those that may be taken.
    :ivar origin: what names them, None if nothing does.
    :ivar index_url: of PyTorch's index: of all channels, or with a field for the channel;
        None for its own.
    :ivar indexes: in the order in which pip looks projects up, PyTorch's last.
    :ivar gpus: the GPUs that the builds on all of them support.
    """

    backends: BackendChoice
    origin: str | None
    channel: Channel
    index_url: str | None
    indexes: tuple[IndexDescription, ...]
    gpus: Gpus

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

    def base_url(self, index: IndexDescription) -> str:
        """Return the URL of the channel of an index, without a slash at the end."""
        name = self.channel.value
        if _CHANNEL_FIELD in index.url:
            return index.url.replace(_CHANNEL_FIELD, name).rstrip("/")
        return f"{index.url}/{name}" if name in index.channels else index.url

    @property
    def pytorch(self) -> IndexDescription:
        """Return what is known of PyTorch's index."""
        return self.indexes[-1]


def settings(given: CommandSettings, environ: Mapping[str, str]) -> PyTorchSettings:
    """Return the settings of a command.

    :raises WrongUse: if the variable of light-the-torch is invalid.
    """
    backends, origin = _backends(given, environ)
    channel: Channel | None = given.value(CHANNEL)
    if channel is None:
        channel = Channel.TEST if given.allows_prereleases else Channel.STABLE
    url: str | None = given.value(INDEX_URL) or None
    return PyTorchSettings(
        backends, origin, channel, url, _indexes(url), shipped_gpus()
    )


def _indexes(url: str | None) -> tuple[IndexDescription, ...]:
    """Return the indexes, PyTorch's last: it has what the other does not have."""
    pytorch, vllm = shipped()
    if url is not None:
        # A machine that needs a mirror of PyTorch's index cannot reach vLLM's.
        return (pytorch.based_at(url),)
    return vllm, pytorch


def _backends(
    given: CommandSettings, environ: Mapping[str, str]
) -> tuple[BackendChoice, str | None]:
    typed = {row for row, _, _ in given.typed}
    named: BackendChoice | None = given.value(BACKENDS)
    by_shorthand = bool(given.value(CPUONLY))
    # What is typed is about this command; the configuration is about all.
    if CPUONLY in typed and BACKENDS not in typed:
        named = None
    if named is not None:
        return named, BACKENDS.name
    if by_shorthand:
        return BackendChoice((CPU,)), CPUONLY.name
    text = environ.get(LTT_VARIABLE)
    if not text:
        return BackendChoice(), None
    try:
        return parse_choice(text), LTT_VARIABLE
    except InvalidBackend as error:
        raise WrongUse(f"{LTT_VARIABLE}: {error}") from None
