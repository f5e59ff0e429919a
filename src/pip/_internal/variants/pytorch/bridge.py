"""The bridge to PyTorch's index: what it is for, and what the builds there become."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pip._vendor.packaging.version import Version

from pip._internal.variants.choice.losses import tell_unanswered
from pip._internal.variants.choice.selection import select
from pip._internal.variants.pytorch.backends import AUTO, Backend
from pip._internal.variants.pytorch.index import PUBLISHED, PyTorchIndex
from pip._internal.variants.pytorch.places import Places
from pip._internal.variants.pytorch.settings import Settings
from pip._internal.variants.pytorch.synthetic import Machine, manifest_for
from pip._internal.variants.wheels.links import BuildLink, public

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.machine.chain import Providers

__all__ = ["Bridge", "pins_build"]


class Bridge:
    """PyTorch's index in one run of pip.

    :ivar places: where projects come from.
    """

    def __init__(
        self, context: Context, settings: Settings, index: PyTorchIndex | None = None
    ) -> None:
        self._context = context
        self.settings = settings
        if index is None:
            index = PyTorchIndex(
                context.session,
                settings.base_url,
                self._backends_in_question,
                context.options,
            )
        self.places = Places(context, settings, index)

    def for_build(self, context: Context) -> Bridge:
        """Give the same bridge for what is installed to build something."""
        return Bridge(context, self.settings, self.places.index)

    def environ(self) -> Mapping[str, str]:
        """Give the variables under which a pip in a child process has this bridge."""
        base, channel = self.settings.index_url, self.settings.channel
        return {
            "PIP_PYTORCH_COMPUTATION_BACKEND": ",".join(
                map(str, self.settings.backends or [AUTO])
            ),
            "PIP_CPUONLY": "0",
            "PIP_PYTORCH_CHANNEL": channel.value,
            "PIP_PYTORCH_INDEX_URL": base,
        }

    # What the target is

    def machine(self, providers: Providers) -> Machine:
        """Give what the manifests of builds have to take into account."""
        probe = manifest_for(Machine(), [Backend.parse("cu128")])
        answer = providers.ask(probe, ["nvidia"])["nvidia"]
        # A driver that was asked tells what GPU it has; a user may leave that open.
        told = {feature.name for feature in answer.features}
        return Machine(
            answer.driver,
            "windows" if sys.platform == "win32" else "linux",
            has_capability="sm_arch" in told or answer.driver is not None,
        )

    def _backends_in_question(self) -> Sequence[Backend]:
        if self.settings.backends:
            return self.settings.backends
        providers = self._context.detected
        manifest = manifest_for(self.machine(providers), PUBLISHED)
        selection = select("", manifest, manifest.variants, providers, ())
        tell_unanswered(self._context, "what PyTorch's index has", selection)
        return [Backend.parse(label) for label in selection.ranking.compatible]

    # What its builds become

    def installed(
        self, version: Version, label: str | None, wanted: SpecifierSet
    ) -> tuple[Version, str | None, bool]:
        """Tell of an installed build which release it is of, as the bridge sees it.

        :param label: that was recorded when it was installed.
        :param wanted: what the requirements say of its version.
        :return: the version, the label, and whether its backend is one that the user
            does not want.
        """
        backend = Backend.find(version.local)
        if backend is None:
            return version, label, False
        choice = self.settings.backends
        unwanted = bool(choice) and backend not in choice and not pins_build(wanted)
        return public(version), backend.label, unwanted

    def infos(
        self,
        infos: Callable[[], Iterator[IndexCandidateInfo]],
        project: NormalizedName,
        *,
        pinned: bool,
    ) -> Iterator[IndexCandidateInfo]:
        """Give the builds of one public version as one version.

        :param pinned: whether a requirement names a local version.
        """
        special: set[Version] | None = None
        for version, maker in infos():
            if special is None:
                # Only now upstream has looked for candidates.
                special = self.places.special_versions(project)
            assert isinstance(maker, partial)
            if isinstance(maker.keywords["link"], BuildLink):
                yield public(version), maker
            elif pinned or version not in special:
                yield version, maker


def pins_build(specifier: SpecifierSet) -> bool:
    """Tell whether a requirement names a local version, and so the build."""
    return any(
        each.operator in ("==", "===") and "+" in each.version for each in specifier
    )
