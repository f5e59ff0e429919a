"""Select and rank the compatible wheels of a release.

A :class:`Selection` is the decision about the wheels that one source lists for one
release. It never changes.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.abi_dependency import requirements
from pip._vendor.wheel_variants.manifest import Manifest
from pip._vendor.wheel_variants.ordering import Mismatch, Ranking, rank, supported_of
from pip._vendor.wheel_variants.preferences import Preference
from pip._vendor.wheel_variants.properties import Property, SupportedProperties

from pip._internal.variants.providers.chain import ProviderChain, supported
from pip._internal.variants.providers.result import Device, ProviderResult

if TYPE_CHECKING:
    from pip._internal.variants.selection.installed_records import InstalledBuild


class OriginKind(enum.Enum):
    """The kind of source of a manifest."""

    #: A file that the index or folder of the wheels lists.
    INDEX = "index"
    #: The wheels themselves.
    WHEELS = "wheels"
    #: A file that the user named.
    FILE = "file"
    #: A lock file.
    LOCK = "lock"
    #: The local versions of the wheels, each of which identifies a build.
    VERSIONS = "versions"


class Origin(NamedTuple):
    """The source of a manifest.

    :ivar location: the URL or path, without credentials; for a manifest from wheels, that of
        their index or folder.
    :ivar missing: the reason why the index does not provide the manifest, or None.
    """

    kind: OriginKind
    location: str
    missing: str | None = None

    def __str__(self) -> str:
        if self.kind is OriginKind.WHEELS:
            return f"from the wheels on {self.location} ({self.missing})"
        if self.kind is OriginKind.VERSIONS:
            return f"from the local versions on {self.location}"
        return self.location


class Selection(NamedTuple):
    """The compatible labels of a release on one source, and the rejected labels.

    :ivar source: the page or folder that lists the wheels.
    :ivar manifest: the manifest; empty if there is no usable one.
    :ivar ranking: the compatible, rejected and unknown labels.
    :ivar problem: why there is no usable manifest; None if there is one.
    :ivar answers: the supported features of each namespace that the wheels use.
    :ivar origin: the source of the manifest, if there is one.
    :ivar preferences: the user's preferences, the strongest first.
    """

    source: str
    manifest: Manifest
    ranking: Ranking
    problem: str | None = None
    answers: Mapping[str, ProviderResult] = MappingProxyType({})
    preferences: Sequence[Preference] = ()
    origin: Origin | None = None

    @property
    def supported(self) -> SupportedProperties:
        """The supported properties in the queried namespaces."""
        return supported(self.answers)

    def properties(self, label: str) -> tuple[Property, ...]:
        """Return the supported properties of a variant, best first."""
        variant = self.manifest.variant(label)
        return supported_of(self.manifest, variant, self.supported, self.preferences)

    def declared(self, label: str) -> tuple[Property, ...]:
        """Return all declared properties of a variant, in order."""
        return tuple(sorted(self.manifest.variant(label).properties()))

    def required(self, label: str | None) -> list[Requirement]:
        """Return the requirements of a variant on other packages (PEP 850)."""
        needed = [] if label is None else requirements(self.manifest, label)
        return list(map(Requirement, needed))

    def devices_left_out(self, label: str) -> list[Device]:
        """Return the GPUs that a variant for several GPUs does not support."""
        return [
            device
            for namespace, features in self.manifest.variant(label).features.items()
            if namespace in self.answers
            for device in self.answers[namespace].devices
            if device.feature in features
            and not set(device.values).intersection(features[device.feature])
        ]

    @property
    def for_all_devices(self) -> list[str]:
        """The compatible variants that support all GPUs, best first.

        Variants that do not declare GPUs are left out.
        """
        answers = self.answers
        devices = [(name, each) for name in answers for each in answers[name].devices]
        return [
            label
            for label in self.ranking.compatible
            if any(
                each.feature in self.manifest.variant(label).features.get(name, ())
                for name, each in devices
            )
            and not self.devices_left_out(label)
        ]

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels, compatible labels first."""
        ranking = self.ranking
        return (*ranking.compatible, *ranking.rejected, *ranking.unknown)

    @property
    def is_changed_by_preferences(self) -> bool:
        """Whether the user's preferences changed the best variant."""
        if not self.preferences:
            return False
        without = rank(self.manifest, self.supported, self.labels)
        return self.ranking.compatible[:1] != without.compatible[:1]

    def known_mismatches(self, label: str) -> tuple[Mismatch, ...]:
        """Return the known reasons why the target cannot run a variant."""
        return tuple(
            mismatch
            for mismatch in self.ranking.rejected.get(label, ())
            if (answer := self.answers.get(mismatch.feature.namespace)) is not None
            and answer.answered
        )


class Agreement(Protocol):
    """A property that all builds in an installation should have in common, if possible."""

    def order(self, selection: Selection) -> tuple[str, ...]:
        """Return the compatible labels, with labels that agree first."""


def select(
    source: str,
    manifest: Manifest,
    labels: Iterable[str],
    providers: ProviderChain,
    preferences: Sequence[Preference],
    *,
    project: str | None = None,
    origin: Origin | None = None,
) -> Selection:
    """Decide about the wheels with *labels*; query only used namespaces.

    :param project: the normalized name of the wheels' project, if known.
    """
    labels = tuple(labels)
    used: dict[str, None] = {}
    for label in labels:
        used |= dict.fromkeys(manifest.variant(label).features)
    answers = providers.query(manifest, used, project)
    ranking = rank(manifest, supported(answers), labels, preferences)
    selection = Selection(
        *(source, manifest, ranking, None, answers, preferences, origin)
    )
    labels = ranking.compatible
    several = any(len(each.devices) > 1 for each in answers.values())
    if several and not preferences and labels and selection.devices_left_out(labels[0]):
        # Variants with code for all GPUs come first.
        labels = tuple(dict.fromkeys([*selection.for_all_devices, *labels]))
        return selection._replace(ranking=ranking._replace(compatible=labels))
    return selection


def judge_installed(
    name: str,
    build: InstalledBuild,
    labels: Iterable[str],
    providers: ProviderChain,
    preferences: Sequence[Preference] = (),
) -> Selection:
    """Decide again about an installed build, from its record.

    :param name: the name of the project.
    :param labels: the labels of the release to check.
    :param providers: the provider chain of the environment's machine.
    """
    return select(
        *(name, build.manifest, labels, providers, preferences),
        project=canonicalize_name(name),
    )


def without_manifest(source: str, labels: Iterable[str], problem: str) -> Selection:
    """Reject all variant wheels of a source without a usable manifest."""
    nothing = Manifest((), {}, {})
    return Selection(source, nothing, Ranking((), {}, tuple(labels)), problem)
