"""What the options and variables that concern PyTorch's index come to.

Loaded when there are any: most runs of pip have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pip._internal.variants.errors import InvalidOption, WrongUse
from pip._internal.variants.pytorch.backends import (
    AUTO,
    CPU,
    NAMESPACES,
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
from pip._internal.variants.pytorch.options import (
    BACKENDS,
    CHANNEL,
    CPUONLY,
    INDEX_URL,
    LTT_VARIABLE,
)

if TYPE_CHECKING:
    from pip._internal.variants.selection.settings import (
        Settings as CommandSettings,
    )

__all__ = [
    "ANY_BACKEND",
    "CHANNELS",
    "NIGHTLY",
    "PyTorchSettings",
    "backends",
    "channel",
    "settings",
]

#: The options that turn the bridge on, and leave the rest to pip.
ANY_BACKEND = (BACKENDS.name, AUTO)

_CHANNEL_FIELD = "{channel}"


#: The stages of PyTorch's releases.
CHANNELS = STABLE, TEST, NIGHTLY = "stable", "test", "nightly"


def backends(opt: str, value: str) -> BackendChoice:
    """Read which backends are named.

    :param opt: as it was typed; where it was configured, its key.
    :raises InvalidOption: if *value* is invalid.
    """
    try:
        return parse_choice(value)
    except InvalidBackend as error:
        raise InvalidOption(f"option {opt}: {error}") from None


def channel(opt: str, value: str) -> str:
    """Read the name of a channel.

    :raises InvalidOption: if there is no such channel.
    """
    read = value.strip().lower()
    if read not in CHANNELS:
        raise InvalidOption(
            f"option {opt}: invalid channel {value!r}, expected one of "
            f"{', '.join(CHANNELS)}"
        )
    return read


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
    channel: str
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
        if _CHANNEL_FIELD in index.url:
            return index.url.replace(_CHANNEL_FIELD, self.channel)
        is_below = self.channel in index.channels
        return f"{index.url}/{self.channel}" if is_below else index.url

    @property
    def pytorch(self) -> IndexDescription:
        """Return what is known of PyTorch's index."""
        return self.indexes[-1]


def settings(given: CommandSettings, environ: Mapping[str, str]) -> PyTorchSettings:
    """Return the settings of a command.

    :raises WrongUse: if the variable of light-the-torch is invalid.
    """
    backends, origin = _backends(given, environ)
    default = TEST if given.allows_prereleases else STABLE
    channel: str = given.value(CHANNEL) or default
    url: str | None = given.value(INDEX_URL) or None
    *others, pytorch = shipped()
    if url is not None:
        # A machine that needs a mirror of PyTorch's index cannot reach vLLM's.
        others, pytorch = [], replace(pytorch, url=url.rstrip("/"))
    return PyTorchSettings(
        *(backends, origin, channel, url, (*others, pytorch)), shipped_gpus()
    )


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
