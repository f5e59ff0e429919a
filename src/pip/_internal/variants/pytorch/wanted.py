"""Which backends a user wants builds for, on the target of a run."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from pip._internal.variants.pytorch.backends import (
    NAMESPACES,
    Backend,
    BackendGroup,
    newest_first,
)
from pip._internal.variants.pytorch.synthetic import (
    Machine,
    manifest_for,
    manifest_of_choice,
)
from pip._internal.variants.selection.accelerators import present
from pip._internal.variants.selection.ranking import select

if TYPE_CHECKING:
    from pip._vendor.wheel_variants.manifest import Manifest

    from pip._internal.variants.providers.result import ProviderResult
    from pip._internal.variants.pytorch.settings import PyTorchSettings
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.run import Run

__all__ = ["WantedBackends", "suiting"]


class WantedBackends:
    """What the settings of a run come to on its target, which is asked where they leave it open.

    :ivar choice: what the user names; nothing, if what suits the target is wanted.
    """

    def __init__(self, run: Run, settings: PyTorchSettings) -> None:
        self._run, self.settings = run, settings
        self.choice = settings.backends

    def manifest(self, backends: Iterable[Backend], *, pinned: bool) -> Manifest:
        """Return the manifest of a release that has builds for *backends*.

        :param pinned: whether a requirement names one of them.
        """
        offered = list(backends)
        if pinned:
            return manifest_of_choice(offered, offered)
        if self.choice:
            return manifest_of_choice(self.among(offered), offered)
        return manifest_for(self._machine(), offered, self.settings.gpus)

    def _machine(self) -> Machine:
        """Return what the manifests of builds have to take into account."""
        answer = self.nvidia()
        # A driver that was asked tells what GPU it has; a user may leave that open.
        told = {feature.name for feature in answer.features}
        system = self._run.target.detected.environment["sys_platform"]
        return Machine(
            answer.driver,
            "windows" if system == "win32" else "linux",
            has_capability="sm_arch" in told or answer.driver is not None,
            is_tegra=self._run.target.detected.tegra() is not None,
        )

    def nvidia(self) -> ProviderResult:
        """Return what the target supports of the namespace ``nvidia``."""
        cuda = Backend.parse("cu128")
        probe = manifest_for(Machine(), [cuda], self.settings.gpus)
        return self._run.target.detected.query(probe, ["nvidia"])["nvidia"]

    def among(self, backends: Iterable[Backend]) -> list[Backend]:
        """Return what the user wants, most preferred first.

        Backends that are named are wanted whatever there is, and no machine is asked. Of
        a group those are wanted that suit the target; all of them, if it has no device
        of theirs, as where an image for other machines is built.

        :param backends: which there are.
        """
        offered = list(backends)
        found: dict[Backend, None] = {}
        for item in self.choice.items:
            if isinstance(item, BackendGroup):
                found |= dict.fromkeys(self._of_group(item, offered))
            else:
                found[item] = None
        return list(found)

    def _of_group(
        self, group: BackendGroup, offered: Iterable[Backend]
    ) -> list[Backend]:
        members = [each for each in offered if each in group]
        if members and self._has_device:
            return suiting(self.selection(members))
        return newest_first(members)

    @cached_property
    def _has_device(self) -> bool:
        """Tell whether the target has a device that a group of the user's is for."""
        items = self.choice.items
        groups = (each for each in items if isinstance(each, BackendGroup))
        kinds = {kind for each in groups for kind in each.kinds}
        probe = manifest_for(
            Machine(),
            [each for each in self.settings.pytorch.backends if each.kind in kinds],
            self.settings.gpus,
        )
        namespaces = [NAMESPACES[kind] for kind in sorted(kinds)]
        answers = self._run.target.detected.query(probe, namespaces)
        return bool(present(answers))

    def selection(self, backends: Iterable[Backend]) -> Selection:
        """Rank builds for *backends* by what suits the target."""
        manifest = manifest_for(self._machine(), backends, self.settings.gpus)
        return select("", manifest, manifest.variants, self._run.target.detected, ())


def suiting(selection: Selection) -> list[Backend]:
    """Return the backends that suit, best first."""
    return [Backend.parse(label) for label in selection.ranking.compatible]
