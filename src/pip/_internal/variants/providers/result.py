"""Results of providers, and the findings of built-in providers."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from pip._vendor.wheel_variants.properties import SupportedFeature

T = TypeVar("T")

#: Environment variables.
Environ = Mapping[str, str]

#: Bytes; the files of real systems have a few thousand.
_MAX_SIZE = 64 * 1024
#: The reason for empty results if the target is not this machine.
NOT_THIS_MACHINE = "the target is another machine"


def system_file(path: str) -> str:
    """Return the text of a file of the system; empty if it is missing or unreadable."""
    try:
        with open(path, "rb") as file:
            return file.read(_MAX_SIZE).decode("utf-8", "replace")
    except OSError:
        return ""


class Source(enum.Enum):
    """The sources in the provider chain, in order."""

    DISABLED = "disabled"
    #: The provider is optional, and not enabled.
    OPTIONAL = "optional"
    #: The provider is not for this environment (before PEP 850).
    CONDITION = "enable-if"
    STATIC = "static"
    #: The user declared that the target has no such devices.
    DECLARED = "declared"
    HOST = "host"
    BUILTIN = "built-in"
    PLUGIN = "plugin"
    #: No source applies.
    NONE = "none"


class Device(NamedTuple):
    """All GPUs of one kind in the target.

    :ivar name: the kind, for messages: ``"compute capability 9.0"``.
    :ivar feature: the feature that determines the code for these GPUs.
    :ivar values: the supported values of that feature, for these GPUs only.
    :ivar number: the number of GPUs of this kind.
    """

    name: str
    feature: str
    values: tuple[str, ...]
    number: int = 1

    def __str__(self) -> str:
        return self.name if self.number == 1 else f"{self.name} ({self.number} GPUs)"


class ProviderResult(NamedTuple):
    """The supported features of one namespace, and their source.

    :ivar features: the features, most preferred first; empty if nothing is supported.
    :ivar origin: the source in a few words, for messages, such as ``"NVIDIA driver"`` or
        ``"NV_VARIANT_PROVIDER_FORCE_SM_ARCH"``.
    :ivar reason: why *features* is empty or lacks an expected feature, in one sentence
        without a final period; None if there is no reason.
    :ivar warnings: the faults that prevented a result (an invalid override variable, a driver
        that hangs, a plugin that fails), one sentence each without a final period. The caller
        reports them.
    :ivar untrusted: the untrusted packages whose code pip would have to run.
    :ivar answered: whether a source knew the answer; if False, empty *features* do not mean
        that nothing is supported.
    :ivar driver: the version of the driver, if known.
    :ivar source: the step of the chain that returned the result.
    :ivar unusable: why pip ignores a device of the machine, and what the user can do, in one
        sentence without a final period; shown if a build leaves that device unused.
    :ivar devices: the visible GPUs, most preferred first; empty if unknown.
    :ivar hidden_by: the environment variable that hides every device, if any.
    """

    features: tuple[SupportedFeature, ...] = ()
    origin: str = ""
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    untrusted: tuple[str, ...] = ()
    answered: bool = True
    driver: str | None = None
    source: Source = Source.NONE
    unusable: str | None = None
    devices: tuple[Device, ...] = ()
    hidden_by: str | None = None

    def values(self, feature: str) -> tuple[str, ...]:
        """Return the supported values of a feature, best first."""
        return next((e.values for e in self.features if e.name == feature), ())

    @property
    def several_devices(self) -> tuple[Device, ...]:
        """The visible GPUs; empty if there are fewer than two."""
        number = sum(each.number for each in self.devices)
        return self.devices if number > 1 else ()

    @property
    def is_lacking(self) -> bool:
        """Whether trusting or repairing a provider would add features."""
        return bool(self.untrusted or self.warnings)


def no_result(reason: str, **details: Any) -> ProviderResult:
    """Return the result for a namespace without an answer."""
    return ProviderResult(reason=reason, answered=False, **details)


class NotDetected(Exception):
    """A feature is not detected; the message is the reason.

    :ivar warning: the warning for the user, if any.
    :ivar unusable: see :class:`ProviderResult`.
    :ivar hidden_by: see :class:`ProviderResult`.
    """

    def __init__(
        self,
        reason: str,
        *,
        warning: str | None = None,
        unusable: str | None = None,
        hidden_by: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.warning = warning
        self.unusable = unusable
        self.hidden_by = hidden_by

    @classmethod
    def hidden(cls, devices: str, variable: str, value: str) -> NotDetected:
        """Create the error for devices hidden by an environment variable.

        :param devices: the name of the devices, as in "hides every NVIDIA GPU".
        """
        reason = f"{variable} hides every {devices}: {value!r}"
        return cls(reason, unusable=reason, hidden_by=variable)


class DriverFault(NotDetected):
    """A driver is installed but fails, which the user can fix."""


class Findings:
    """Detected features with their sources, and the reasons for missing features."""

    def __init__(self, advice: str = "") -> None:
        """Create empty findings.

        :param advice: the advice for the user if a driver fails.
        """
        self._advice = advice
        self._features: list[SupportedFeature] = []
        self._origins: list[str] = []
        self._reasons: list[str] = []
        self._warnings: list[str] = []
        self._devices: tuple[Device, ...] = ()
        self.driver: str | None = None
        self.unusable: str | None = None
        self.hidden_by: str | None = None

    def attempt(self, ask: Callable[[], tuple[T, str]]) -> T | None:
        """Try to detect a feature, and record its source, or the reason for the failure.

        :param ask: a function that returns a value and its source, or raises
            :exc:`NotDetected`.
        :return: the value; None if not detected.
        """
        try:
            found, origin = ask()
        except NotDetected as absent:
            self.note(str(absent))
            if isinstance(absent, DriverFault):
                self._warnings.append(f"{absent}, {self._advice}")
            if absent.warning is not None:
                self._warnings.append(absent.warning)
            self.unusable = self.unusable or absent.unusable
            self.hidden_by = self.hidden_by or absent.hidden_by
            return None
        self._origins.append(origin)
        return found

    def note(self, reason: str) -> None:
        """Record why a feature was not detected."""
        self._reasons.append(reason)

    def add(self, feature: str, values: Iterable[str]) -> None:
        """Add a feature if it has values."""
        if found := tuple(values):
            self._features.append(SupportedFeature(feature, found))

    def add_devices(
        self, feature: str, found: Iterable[tuple[str, Iterable[str]]]
    ) -> None:
        """Add GPUs with their kinds and supported values."""
        devices: dict[str, Device] = {}
        for name, values in found:
            known = devices.get(name)
            number = 1 if known is None else known.number + 1
            devices[name] = Device(name, feature, tuple(values), number)
        self._devices = tuple(devices.values())

    def answer(self) -> ProviderResult:
        """Return the findings as a result."""
        return ProviderResult(
            features=tuple(self._features),
            origin=", ".join(dict.fromkeys(filter(None, self._origins))),
            reason="; ".join(dict.fromkeys(self._reasons)) or None,
            warnings=tuple(self._warnings),
            unusable=self.unusable,
            hidden_by=self.hidden_by,
            driver=self.driver,
            devices=self._devices,
        )


def forced(
    environ: Environ, variable: str, parse: Callable[[str], T | None], expected: str
) -> tuple[T, str] | None:
    """Return the value of an override variable, and the variable's name.

    :param parse: a function that parses a text, or returns None if the text is invalid.
    :param expected: a description of valid texts, with an example.
    :return: the value and the name; None if the variable is not set.
    :raises NotDetected: if the value is invalid.
    """
    text = environ.get(variable, "").strip()
    if not text:
        return None
    value = parse(text)
    if value is None:
        raise NotDetected(
            f"{variable} is invalid",
            warning=f"{variable} is invalid, so pip ignores that feature: expected {expected}, "
            f"got {text!r}",
        )
    return value, variable


def require_this_machine(hardware: bool) -> None:
    """Raise an error unless detection on this machine is allowed.

    :raises NotDetected: if *hardware* is false.
    """
    if not hardware:
        raise NotDetected(NOT_THIS_MACHINE)
