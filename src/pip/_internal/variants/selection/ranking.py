"""Decide which wheels of one release suit the target, and in which order.

A :class:`Selection` is the decision about the wheels that one source lists for one
release; it is made once and then only read.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.manifest import Manifest, Variant
from pip._vendor.wheel_variants.ordering import Mismatch, Ranking, rank, supported_of
from pip._vendor.wheel_variants.preferences import Preference
from pip._vendor.wheel_variants.properties import Property, SupportedProperties

from pip._internal.variants.providers.chain import ProviderChain, supported
from pip._internal.variants.providers.result import Device, ProviderResult

if TYPE_CHECKING:
    from pip._internal.variants.selection.installed_records import InstalledBuild

__all__ = [
    "Agreement",
    "Origin",
    "OriginKind",
    "Selection",
    "judge_installed",
    "select",
    "without_manifest",
]


class OriginKind(enum.Enum):
    """What kind of place a manifest comes from."""

    #: A file that the index or folder of the wheels lists.
    INDEX = "index"
    #: The wheels themselves.
    WHEELS = "wheels"
    #: A file that the user named.
    FILE = "file"
    #: A lock file.
    LOCK = "lock"
    #: The versions of the wheels, each of which names its build.
    VERSIONS = "versions"


class Origin(NamedTuple):
    """Where a manifest comes from.

    :ivar location: its address or path, without credentials; that of the index or folder
        if it comes from the wheels.
    :ivar missing: why it does not come from the index, if it does not.
    """

    kind: OriginKind
    location: str
    missing: str | None = None

    def __str__(self) -> str:
        if self.kind is OriginKind.WHEELS:
            return f"from the wheels on {self.location}, since {self.missing}"
        if self.kind is OriginKind.VERSIONS:
            return f"from the local versions on {self.location}"
        return self.location


class Selection(NamedTuple):
    """Which labels of a release on one source the target can run, and why not others.

    :ivar source: the page or directory that lists the wheels.
    :ivar manifest: None if there is none that can be used.
    :ivar problem: why there is none.
    :ivar answers: what each namespace that the wheels use was found to support.
    :ivar origin: where the manifest comes from, if there is one.
    :ivar preferences: what the user put before all else, the strongest first.
    """

    source: str
    manifest: Manifest | None
    ranking: Ranking
    problem: str | None = None
    answers: Mapping[str, ProviderResult] = MappingProxyType({})
    preferences: Sequence[Preference] = ()
    origin: Origin | None = None

    @property
    def supported(self) -> SupportedProperties:
        """Return what the target supports in the namespaces that were asked."""
        return supported(self.answers)

    def properties(self, label: str) -> tuple[Property, ...]:
        """Return the properties of a variant that the target supports, best first."""
        variant = None if self.manifest is None else self.manifest.variant(label)
        if self.manifest is None or variant is None:
            return ()
        return supported_of(self.manifest, variant, self.supported, self.preferences)

    def declared(self, label: str) -> tuple[Property, ...]:
        """Return all properties of a variant, as its manifest has them, in order."""
        variant = None if self.manifest is None else self.manifest.variant(label)
        return () if variant is None else tuple(sorted(variant.properties()))

    def devices_left_out(self, label: str) -> list[Device]:
        """Return the GPUs of the target that a variant has no code for."""
        variant = None if self.manifest is None else self.manifest.variant(label)
        return [] if variant is None else left_out(variant, self.answers)

    @property
    def for_all_devices(self) -> list[str]:
        """The variants that run and have code for all GPUs of the target, best first."""
        if self.manifest is None:
            return []
        labels = self.ranking.compatible
        return _with_code_for_all(labels, self.manifest, self.answers)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return all labels that were decided about, the compatible ones first."""
        ranking = self.ranking
        return (*ranking.compatible, *ranking.rejected, *ranking.unknown)

    @property
    def is_swayed(self) -> bool:
        """Tell whether the user's preferences changed which variant comes first."""
        if self.manifest is None or not self.preferences:
            return False
        without = rank(self.manifest, self.supported, self.labels)
        return self.ranking.compatible[:1] != without.compatible[:1]

    def known_mismatches(self, label: str) -> tuple[Mismatch, ...]:
        """Say why the target cannot run a variant, as far as that could be told."""
        return tuple(
            mismatch
            for mismatch in self.ranking.rejected.get(label, ())
            if (answer := self.answers.get(mismatch.feature.namespace)) is not None
            and answer.answered
        )


class Agreement(Protocol):
    """What all builds of an installation are to have in common, if they can."""

    def order(self, selection: Selection) -> tuple[str, ...]:
        """Order the compatible labels so that those that agree come first."""


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
    """Decide about the wheels with *labels*; only the namespaces they use are asked.

    :param project: normalised name of what they are wheels of, if that is known.
    """
    labels = tuple(labels)
    used: dict[str, None] = {}
    for label in labels:
        variant = manifest.variant(label)
        if variant is not None:
            used |= dict.fromkeys(variant.features)
    answers = providers.query(manifest, used, project)
    ranking = rank(manifest, supported(answers), labels, preferences)
    if not preferences and any(len(each.devices) > 1 for each in answers.values()):
        ranking = _for_all_devices(ranking, manifest, answers)
    return Selection(
        source,
        manifest,
        ranking,
        answers=answers,
        preferences=preferences,
        origin=origin,
    )


def left_out(variant: Variant, answers: Mapping[str, ProviderResult]) -> list[Device]:
    """Return the GPUs that a variant has no code for, although it has for others."""
    return [
        device
        for namespace, features in variant.features.items()
        if namespace in answers
        for device in answers[namespace].devices
        if device.feature in features
        and not set(device.values).intersection(features[device.feature])
    ]


def _for_all_devices(
    ranking: Ranking, manifest: Manifest, answers: Mapping[str, ProviderResult]
) -> Ranking:
    """Put the variants with code for all GPUs first, if the best one leaves some out."""
    labels = ranking.compatible
    best = manifest.variant(labels[0]) if labels else None
    if best is None or not left_out(best, answers):
        return ranking
    first = _with_code_for_all(labels, manifest, answers)
    return ranking._replace(compatible=tuple(dict.fromkeys([*first, *labels])))


def _with_code_for_all(
    labels: Iterable[str], manifest: Manifest, answers: Mapping[str, ProviderResult]
) -> list[str]:
    """Return the variants that say which GPUs they have code for, and leave none out."""
    return [
        label
        for label in labels
        if (variant := manifest.variant(label)) is not None
        and _names_devices(variant, answers)
        and not left_out(variant, answers)
    ]


def _names_devices(variant: Variant, answers: Mapping[str, ProviderResult]) -> bool:
    """Whether a variant says which GPUs it has code for."""
    return any(
        device.feature in variant.features.get(namespace, ())
        for namespace, answer in answers.items()
        for device in answer.devices
    )


def judge_installed(
    name: str,
    build: InstalledBuild,
    labels: Iterable[str],
    providers: ProviderChain,
    preferences: Sequence[Preference] = (),
) -> Selection:
    """Decide anew about an installed build, by what was recorded; there is no request.

    :param name: of the project.
    :param labels: of its release, those to decide about.
    :param providers: of the machine that the environment is for.
    """
    return select(
        *(name, build.manifest, labels, providers, preferences),
        project=canonicalize_name(name),
    )


def without_manifest(source: str, labels: Iterable[str], problem: str) -> Selection:
    """Refuse all variant wheels of a source, whose manifest cannot be used."""
    return Selection(source, None, Ranking((), {}, tuple(labels)), problem)
