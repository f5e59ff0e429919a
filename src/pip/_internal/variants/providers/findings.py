"""What a provider finds, step by step, and why it does not find more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.providers.result import (
    NOT_THIS_MACHINE,
    Device,
    ProviderResult,
)

__all__ = ["Findings", "NotDetected", "forced", "require_this_machine"]

T = TypeVar("T")


class NotDetected(Exception):
    """A feature is absent; the text is the reason.

    :ivar warnings: what the user should hear of it.
    :ivar unusable: see :class:`ProviderResult`, also for *hidden_by*.
    """

    def __init__(
        self,
        reason: str,
        *warnings: str,
        unusable: str | None = None,
        hidden_by: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.warnings = warnings
        self.unusable = unusable
        self.hidden_by = hidden_by

    @classmethod
    def hidden(cls, devices: str, variable: str, value: str) -> NotDetected:
        """Return the error for devices that an environment variable hides.

        :param devices: what they are, as in "hides every NVIDIA GPU".
        """
        reason = f"{variable} hides every {devices}: {value!r}"
        return cls(reason, unusable=reason, hidden_by=variable)


class Findings:
    """The features that were found, where they were found, and why others were not."""

    def __init__(self) -> None:
        self._features: list[SupportedFeature] = []
        self._origins: list[str] = []
        self._reasons: list[str] = []
        self._warnings: list[str] = []
        self._unusable: str | None = None
        self._devices: tuple[Device, ...] = ()
        self._hidden_by: str | None = None

    def attempt(self, ask: Callable[[], tuple[T, str]]) -> T | None:
        """Try to find something, and note where it was found or why it was not.

        :param ask: returns what it has found and where, or raises :exc:`NotDetected`.
        :return: None if it was not found.
        """
        try:
            found, origin = ask()
        except NotDetected as absent:
            self.note(str(absent))
            self._warnings += absent.warnings
            self._unusable = self._unusable or absent.unusable
            self._hidden_by = self._hidden_by or absent.hidden_by
            return None
        self._origins.append(origin)
        return found

    def note(self, reason: str) -> None:
        """Note why something was not found."""
        self._reasons.append(reason)

    def note_unusable(self, reason: str) -> None:
        """Note why a device that is there does not count."""
        self.note(reason)
        self._unusable = reason

    def add(self, feature: str, values: Iterable[str]) -> None:
        """Add a feature, unless it has no value."""
        if found := tuple(values):
            self._features.append(SupportedFeature(feature, found))

    def add_devices(
        self, feature: str, found: Iterable[tuple[str, Iterable[str]]]
    ) -> None:
        """Add GPUs, each with its kind and the values of the feature that it supports."""
        devices: dict[str, Device] = {}
        for name, values in found:
            known = devices.get(name)
            number = 1 if known is None else known.number + 1
            devices[name] = Device(name, feature, tuple(values), number)
        self._devices += tuple(devices.values())

    def answer(self, driver: str | None = None) -> ProviderResult:
        """Return all that was found."""
        return ProviderResult(
            features=tuple(self._features),
            origin=", ".join(dict.fromkeys(filter(None, self._origins))),
            reason="; ".join(dict.fromkeys(self._reasons)) or None,
            warnings=tuple(self._warnings),
            unusable=self._unusable,
            hidden_by=self._hidden_by,
            driver=driver,
            devices=self._devices,
        )


def forced(
    environ: Mapping[str, str],
    variable: str,
    parse: Callable[[str], T | None],
    expected: str,
) -> tuple[T, str] | None:
    """Return the value of an override variable, and the variable's name.

    :param parse: returns None if the text is invalid.
    :param expected: describes valid texts, with an example.
    :return: None if the variable is not set.
    :raises NotDetected: if its value is invalid.
    """
    text = environ.get(variable, "").strip()
    if not text:
        return None
    value = parse(text)
    if value is None:
        raise NotDetected(
            f"{variable} is invalid",
            f"{variable} is ignored and nothing detected in its place: expected "
            f"{expected}, got {text!r}",
        )
    return value, variable


def require_this_machine(hardware: bool) -> None:
    """Go on only if this machine may be asked.

    :raises NotDetected: if it may not.
    """
    if not hardware:
        raise NotDetected(NOT_THIS_MACHINE)
