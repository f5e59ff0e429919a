"""What a provider answers when it is asked for its namespace."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from pip._vendor.wheel_variants.properties import SupportedFeature

__all__ = [
    "NOT_THIS_MACHINE",
    "BuiltinProvider",
    "Device",
    "ProviderResult",
    "Source",
    "no_result",
]

#: The reason why nothing of this machine is supported by the target.
NOT_THIS_MACHINE = "another machine is the target: this one is not asked"


class Source(enum.Enum):
    """The step of the provider chain that decided, in order."""

    DISABLED = "disabled"
    #: Its provider is optional, and not enabled.
    OPTIONAL = "optional"
    #: Its provider is not for this environment (before PEP 850).
    CONDITION = "enable-if"
    STATIC = "static"
    #: The user said that the target has no such devices.
    DECLARED = "declared"
    HOST = "host"
    BUILTIN = "built-in"
    PLUGIN = "plugin"
    #: None of them applies.
    NONE = "none"


class Device(NamedTuple):
    """All GPUs of one kind that the target has.

    :ivar name: what tells the kind, for people: ``"compute capability 9.0"``.
    :ivar feature: the feature that says which code these GPUs run.
    :ivar values: the supported values of that feature, for these GPUs alone.
    :ivar number: how many there are.
    """

    name: str
    feature: str
    values: tuple[str, ...]
    number: int = 1

    def __str__(self) -> str:
        return self.name if self.number == 1 else f"{self.name} ({self.number} GPUs)"


class ProviderResult(NamedTuple):
    """The supported features of one namespace and how they were found.

    :ivar features: most preferred first; empty if nothing is supported.
    :ivar origin: what answered, in a few words for people, such as
        ``"NVIDIA driver"`` or ``"NV_VARIANT_PROVIDER_FORCE_SM_ARCH"``.
    :ivar reason: why *features* is empty or lacks something a user may miss, in
        one sentence without a final period; ``None`` if there is nothing to say.
    :ivar warnings: why nobody could answer who should have been able to, one sentence
        each without a final period (an invalid override variable, a driver that
        hangs, a plugin that fails). The caller tells the user.
    :ivar unusable: why a device that is there does not count, and what the user can do, in
        one sentence without a final period; said where a build leaves that device idle.
    :ivar hidden_by: the environment variable that hides every device, if one does.
    :ivar remedies: what to do about that, likewise, beside what the warnings say.
    :ivar untrusted: packages whose code would have to run for an answer, which the user
        does not trust.
    :ivar answered: False if nobody who knows was asked, or could answer: empty
        *features* do not mean then that nothing is supported.
    :ivar driver: the version of the driver that answered, if one did and told it.
    :ivar seconds: how long it took, if that was measured.
    :ivar source: which step of the chain answered.
    :ivar devices: the visible GPUs, the preferred ones first; empty if they are unknown.
    """

    features: tuple[SupportedFeature, ...] = ()
    origin: str = ""
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()
    untrusted: tuple[str, ...] = ()
    answered: bool = True
    driver: str | None = None
    seconds: float | None = None
    source: Source = Source.NONE
    unusable: str | None = None
    devices: tuple[Device, ...] = ()
    hidden_by: str | None = None

    def values(self, feature: str) -> tuple[str, ...]:
        """Return the supported values of a feature, best first."""
        return next((e.values for e in self.features if e.name == feature), ())

    @property
    def several_devices(self) -> tuple[Device, ...]:
        """The visible GPUs if there are several, of one kind or more."""
        number = sum(each.number for each in self.devices)
        return self.devices if number > 1 else ()

    @property
    def is_lacking(self) -> bool:
        """Tell whether trust or a repair would add to it."""
        return bool(self.untrusted or self.warnings)


def no_result(reason: str, **details: Any) -> ProviderResult:
    """Return the answer for a namespace about which nobody could say anything."""
    return ProviderResult(reason=reason, answered=False, **details)


class BuiltinProvider(Protocol):
    """The contract of a built-in provider: a module with these two names.

    The module of a namespace, in ``providers/``, is imported on first use.
    """

    #: Names, normalised, under which this provider is known on package indexes.
    PACKAGES: frozenset[str]

    def detect(self, environ: Mapping[str, str], *, hardware: bool) -> ProviderResult:
        """Tell what this machine supports.

        Called at most once a run. Starts no process, opens no connection, imports
        nothing heavy before there is reason to, and never raises: whatever goes
        wrong is an empty answer with a reason. Returns within 100 ms, or within
        two seconds if a driver library hangs.

        :param environ: the environment variables to read overrides from.
        :param hardware: whether this machine may be asked. If not (another machine
            is the target), only the documented override variables in *environ*
            count, being the user's own word.
        """
