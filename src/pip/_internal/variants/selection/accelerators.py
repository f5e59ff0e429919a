"""Find builds that use an accelerator, and violations of ``--require-accelerator``."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.index.links import label_of
from pip._internal.variants.selection.installed import installed_build, installed_label
from pip._internal.variants.selection.ranking import judge_installed
from pip._internal.variants.settings import ALL

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.wheel_variants.manifest import Manifest, Variant

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.providers.result import ProviderResult
    from pip._internal.variants.selection.run import Run

    #: The installed packages, by name.
    Dists = Mapping[NormalizedName, BaseDistribution]

#: The namespaces of accelerators.
NAMESPACES = ("nvidia", "amd", "intel", "tpu")


class UnusedCause(enum.Enum):
    """The reason why a package does not use an accelerator, as a clause."""

    #: The package is not installed.
    MISSING = "is not installed"
    #: No manifest describes the wheel, or the file is not a wheel.
    UNKNOWN = "has no variant metadata, so pip does not know if it uses an accelerator"
    #: The variant has no property of an accelerator.
    UNUSED = "does not use an accelerator"
    #: The target does not support the installed variant.
    UNSUPPORTED = "is an unsupported variant"
    #: The new version uses an accelerator, but is older than the installed version.
    OLDER = "is an older release"


class Unaccelerated(NamedTuple):
    """A package that requires an accelerator but does not use one.

    :ivar version: the version; None if the package is missing.
    :ivar label: the label; None if the package is not a variant.
    """

    project: NormalizedName
    cause: UnusedCause
    version: str | None = None
    label: str | None = None


def unaccelerated(run: Run) -> Iterator[Unaccelerated]:
    """Yield packages that would violate ``--require-accelerator``."""
    chosen = {each.project_name: each for each in run.solution}
    dists, providers = run.request.dists, run.target.providers
    manifests = {project: _manifests(run, project) for project in chosen}
    for project in _required(run.settings.required_accelerators, manifests, providers):
        candidate = chosen.get(project)
        if candidate is not None and not candidate.is_installed:
            cause, label = _judge_link(run, _file_of(candidate))
            if cause is not None:
                yield Unaccelerated(project, cause, str(candidate.version), label)
        elif project in dists:
            yield from _judge_dist(dists[project], providers)


def unaccelerated_dists(
    names: frozenset[str], dists: Iterable[BaseDistribution], providers: ProviderChain
) -> Iterator[Unaccelerated]:
    """Yield installed packages that violate ``--require-accelerator``.

    :param names: the value of :attr:`.Settings.required_accelerators`.
    """
    by_name = {dist.canonical_name: dist for dist in dists}
    builds = {name: installed_build(dist) for name, dist in by_name.items()}
    manifests = {
        name: [build.manifest] for name, build in builds.items() if build is not None
    }
    for project in _required(names, manifests, providers):
        if project in by_name:
            yield from _judge_dist(by_name[project], providers)
        else:
            yield Unaccelerated(project, UnusedCause.MISSING)


def _required(
    names: frozenset[str],
    manifests: Mapping[NormalizedName, Iterable[Manifest]],
    providers: ProviderChain,
) -> list[NormalizedName]:
    """Return the projects that require an accelerator.

    :param names: normalized names; :data:`ALL` stands for projects with variants for the
        target's accelerators.
    :param manifests: the known manifests of each project.
    """
    found = {canonicalize_name(name) for name in names - {ALL}}
    if ALL in names:
        vendors = present(providers.query_all())
        for project, known in manifests.items():
            variants = (v for each in known for v in each.variants.values())
            if any(vendors & accelerators_of(each) for each in variants):
                found.add(project)
    return sorted(found)


def _manifests(run: Run, project: NormalizedName) -> list[Manifest]:
    """Return the manifests of a project's considered releases and of its installed build."""
    manifests = [
        selection.manifest
        for release in run.decisions.reached(project)
        for selection in release.fetch_selections().values()
    ]
    dist = run.request.dists.get(project)
    build = None if dist is None else installed_build(dist)
    return manifests if build is None else [*manifests, build.manifest]


def lost_accelerators(
    run: Run, dists: Dists
) -> Iterator[tuple[BaseDistribution, str, Unaccelerated]]:
    """Yield accelerator variants that the solution would downgrade or replace.

    Each distribution comes with its label and its replacement.

    :param dists: the installed packages.
    """
    for candidate in run.solution:
        dist = dists.get(candidate.project_name)
        if candidate.is_installed or dist is None:
            continue
        build = installed_build(dist)
        if build is None or build.label is None:
            continue
        if not uses_accelerator(build.manifest, build.label):
            continue
        cause, label = _judge_link(run, _file_of(candidate))
        if cause is None and candidate.version < dist.version:
            cause = UnusedCause.OLDER
        if cause is not None:
            name, version = candidate.project_name, str(candidate.version)
            yield dist, build.label, Unaccelerated(name, cause, version, label)


def _judge_dist(
    dist: BaseDistribution, providers: ProviderChain
) -> Iterator[Unaccelerated]:
    """Yield the reason why an installed package does not use an accelerator."""
    build, label = installed_build(dist), installed_label(dist)
    if build is None or label is None:
        cause = UnusedCause.UNKNOWN
    elif not uses_accelerator(build.manifest, label):
        cause = UnusedCause.UNUSED
    else:
        selection = judge_installed(dist.raw_name, build, [label], providers)
        if label in selection.ranking.compatible:
            return
        cause = UnusedCause.UNSUPPORTED
    yield Unaccelerated(dist.canonical_name, cause, str(dist.version), label)


def _file_of(candidate: Candidate) -> Link | None:
    """Return the file of a candidate: for a source, the wheel that pip has cached."""
    base: Candidate = vars(candidate).get("base", candidate)
    requirement = base.get_install_requirement()
    return None if requirement is None else requirement.link


def _judge_link(run: Run, link: Link | None) -> tuple[UnusedCause | None, str | None]:
    """Return why a file uses no accelerator, or None, and the label of the file."""
    label = None if link is None else label_of(link)
    selection = None if link is None else run.decisions.fetch_selection_of(link)
    if label is None or selection is None:
        return UnusedCause.UNKNOWN, label
    labels = [label]
    release = run.decisions.release_of(link)
    if run.overrides.may_take_several and release is not None:
        chosen = run.overrides.applying_labels(release.project, release.labels)
        labels = chosen or release.labels
    if any(uses_accelerator(selection.manifest, each) for each in labels):
        return None, label
    return UnusedCause.UNUSED, label


def present(answers: Mapping[str, ProviderResult]) -> set[str]:
    """Return the namespaces of the target's accelerators.

    :param answers: the supported features, by namespace.
    """
    return {
        namespace
        for namespace, answer in answers.items()
        # A machine may have ROCm but no GPU.
        if _is_accelerator(
            namespace, (e.values for e in answer.features if e.name != "rocm_version")
        )
    }


def _is_accelerator(namespace: str, values: Iterable[Sequence[str]]) -> bool:
    """Return whether supported features belong to an accelerator.

    ``tpu :: present :: false`` means that the machine has no TPU.
    """
    return namespace in NAMESPACES and any(tuple(each) != ("false",) for each in values)


def uses_accelerator(manifest: Manifest, label: str) -> bool:
    """Return whether a variant has properties of an accelerator."""
    return bool(accelerators_of(manifest.variant(label)))


def accelerators_of(variant: Variant) -> set[str]:
    """Return the namespaces of the accelerators that a variant uses."""
    return {
        namespace
        for namespace, features in variant.features.items()
        if _is_accelerator(namespace, features.values())
    }
