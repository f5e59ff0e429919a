"""Find builds that use an accelerator, and violations of requirements."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.index.links import label_of
from pip._internal.variants.selection.installed import installed_build, installed_label
from pip._internal.variants.selection.ranking import judge_installed
from pip._internal.variants.settings import ALL, REQUIRE_ACCELERATOR

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.wheel_variants.manifest import Manifest, Variant

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.providers.result import ProviderResult
    from pip._internal.variants.selection.run import Run

    #: What is installed.
    Dists = Mapping[NormalizedName, BaseDistribution]

#: The namespaces of accelerators.
NAMESPACES = ("nvidia", "amd", "intel", "tpu")


class Cause(enum.Enum):
    """The reason why a package does not use an accelerator, as a clause."""

    #: It is not installed, and is not about to be.
    MISSING = "is not installed"
    #: No manifest describes the wheel, or it is no wheel.
    UNKNOWN = "has no variant metadata, so pip does not know what it uses"
    #: The properties of the variant include none of an accelerator.
    UNUSED = "does not use an accelerator"
    #: The target does not support the installed variant.
    UNSUPPORTED = "is a variant that is not supported"
    #: It uses one, but is older than what it replaces.
    OLDER = "is an older release"


class Unaccelerated(NamedTuple):
    """A package that requires an accelerator but does not use one.

    :ivar version: None if it is missing.
    :ivar label: None if it is not a variant.
    """

    project: NormalizedName
    cause: Cause
    version: str | None = None
    label: str | None = None


def unaccelerated(run: Run, found: Iterable[Candidate]) -> Iterator[Unaccelerated]:
    """Yield packages that would violate ``--require-accelerator``.

    :param found: all candidates that the resolver chose.
    """
    chosen = {each.project_name: each for each in found}
    dists, providers = run.request.dists, run.target.providers
    manifests = {project: _manifests(run, project) for project in chosen}
    # What is configured holds for commands about other packages too.
    is_typed = run.settings.is_typed(REQUIRE_ACCELERATOR.name)
    for project in _required(run.settings.required_accelerators, manifests, providers):
        candidate = chosen.get(project)
        if candidate is not None and not candidate.is_installed:
            cause, label = _judge_link(run, candidate.source_link)
            if cause is not None:
                yield Unaccelerated(project, cause, str(candidate.version), label)
        elif project in dists:
            yield from _judge_dist(dists[project], providers)
        elif is_typed:
            yield Unaccelerated(project, Cause.MISSING)


def unaccelerated_dists(
    names: frozenset[str], dists: Dists, providers: ProviderChain
) -> Iterator[Unaccelerated]:
    """Yield installed packages that violate ``--require-accelerator``.

    :param names: as :class:`.settings.Settings` has them.
    """
    builds = {name: installed_build(dist) for name, dist in dists.items()}
    manifests = {
        name: [build.manifest] for name, build in builds.items() if build is not None
    }
    for project in _required(names, manifests, providers):
        if project in dists:
            yield from _judge_dist(dists[project], providers)
        else:
            yield Unaccelerated(project, Cause.MISSING)


def _required(
    names: frozenset[str],
    manifests: Mapping[NormalizedName, Iterable[Manifest | None]],
    providers: ProviderChain,
) -> list[NormalizedName]:
    """Return the projects that require an accelerator.

    :param manifests: by project, what is known of its variants; :data:`ALL` stands for the
        projects that publish some for the target's accelerators.
    """
    found = {canonicalize_name(name) for name in names - {ALL}}
    if ALL in names:
        vendors = present(providers.query_all())
        for project, known in manifests.items():
            manifests_known = filter(None, known)
            variants = (v for each in manifests_known for v in each.variants.values())
            if any(vendors & accelerators_of(each) for each in variants):
                found.add(project)
    return sorted(found)


def _manifests(run: Run, project: NormalizedName) -> list[Manifest | None]:
    """Return the manifests of a project, reached or installed."""
    manifests = [
        selection.manifest
        for release in run.decisions.reached(project)
        for selection in release.fetch_selections().values()
    ]
    dist = run.request.dists.get(project)
    build = None if dist is None else installed_build(dist)
    return manifests if build is None else [*manifests, build.manifest]


def lost_accelerators(
    run: Run, dists: Dists, found: Iterable[Candidate]
) -> Iterator[tuple[BaseDistribution, str, Unaccelerated]]:
    """Yield installed accelerator variants that would be replaced.

    That is something that uses none, or an older release.

    :param dists: what is installed.
    :param found: all candidates that the resolver chose.
    :return: the distribution, its label, and what replaces it.
    """
    for candidate in found:
        dist = dists.get(candidate.project_name)
        if candidate.is_installed or dist is None:
            continue
        build = installed_build(dist)
        if build is None or build.label is None:
            continue
        if not uses_accelerator(build.manifest, build.label):
            continue
        cause, label = _judge_link(run, candidate.source_link)
        if cause is None and candidate.version < dist.version:
            cause = Cause.OLDER
        if cause is not None:
            name, version = candidate.project_name, str(candidate.version)
            yield dist, build.label, Unaccelerated(name, cause, version, label)


def _judge_dist(
    dist: BaseDistribution, providers: ProviderChain
) -> Iterator[Unaccelerated]:
    """Yield why an installed package does not use an accelerator."""
    build, label = installed_build(dist), installed_label(dist)
    if build is None or label is None:
        cause = Cause.UNKNOWN
    elif not uses_accelerator(build.manifest, label):
        cause = Cause.UNUSED
    else:
        selection = judge_installed(dist.raw_name, build, [label], providers)
        if label in selection.ranking.compatible:
            return
        cause = Cause.UNSUPPORTED
    yield Unaccelerated(dist.canonical_name, cause, str(dist.version), label)


def _judge_link(run: Run, link: Link | None) -> tuple[Cause | None, str | None]:
    """Return the label of a file, and why it uses no accelerator, if so."""
    label = None if link is None else label_of(link)
    selection = None if link is None else run.decisions.fetch_selection_of(link)
    if label is None or selection is None or selection.manifest is None:
        return Cause.UNKNOWN, label
    labels = [label]
    release = run.decisions.release_of(link)
    if run.overrides.may_take_several and release is not None:
        labels = release.labels
    if any(uses_accelerator(selection.manifest, each) for each in labels):
        return None, label
    return Cause.UNUSED, label


def present(answers: Mapping[str, ProviderResult]) -> set[str]:
    """Return the namespaces of the target's accelerators.

    :param answers: what it supports, by namespace.
    """
    return {
        namespace
        for namespace, answer in answers.items()
        # ROCm may be installed without a GPU.
        if _is_accelerator(
            namespace, (e.values for e in answer.features if e.name != "rocm_version")
        )
    }


def _is_accelerator(namespace: str, values: Iterable[Sequence[str]]) -> bool:
    """Return whether supported features belong to an accelerator.

    ``tpu :: present :: false`` means that there is none.
    """
    return namespace in NAMESPACES and any(tuple(each) != ("false",) for each in values)


def uses_accelerator(manifest: Manifest, label: str) -> bool:
    """Return whether a variant has properties of an accelerator."""
    variant = manifest.variant(label)
    return variant is not None and bool(accelerators_of(variant))


def accelerators_of(variant: Variant) -> set[str]:
    """Return the namespaces of the accelerators that a variant uses."""
    return {
        namespace
        for namespace, features in variant.features.items()
        if _is_accelerator(namespace, features.values())
    }
