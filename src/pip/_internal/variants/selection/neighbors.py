"""What packages compute on, and which of them do not go together.

Libraries of two CUDA major versions in one process are trouble, and so is a package for the
CPU alone under one that needs it on a GPU. No property says what a package's neighbors must
be: variants tell by their properties, plain packages by local versions and requirements.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.texts import with_label
from pip._internal.variants.index.links import label_of
from pip._internal.variants.selection.accelerators import (
    accelerators_of,
    uses_accelerator,
)
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.ranking import OriginKind, judge_installed

if TYPE_CHECKING:
    from pip._vendor.packaging.requirements import Requirement
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.wheel_variants.manifest import Manifest

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = [
    "CPU",
    "ComparedBuild",
    "Neighbor",
    "Runtime",
    "chosen_build",
    "chosen_neighbors",
    "contradictions",
    "labels_that_agree",
    "neighbor_of",
    "staying",
]

#: ``cu126`` as a part of a local version, and others for accelerators.
_LOCAL_CUDA = re.compile(r"cu([0-9]{2})[0-9]")
_LOCAL_ROCM = re.compile(r"rocm[0-9].*")
#: Libraries of CUDA with the major version in the name, and without.
_WITH_MAJOR = re.compile(r"nvidia-[a-z0-9-]+-cu([0-9]{2})")
_WITHOUT_MAJOR = frozenset(("cuda-toolkit", "nvidia-cuda-runtime", "nvidia-cublas"))


class Runtime(NamedTuple):
    """What a build computes on, as far as its neighbors must agree with it.

    :ivar namespace: of the accelerator; None for the CPU alone.
    :ivar major: the major version of CUDA; None for anything else.
    """

    namespace: str | None
    major: int | None = None

    def __str__(self) -> str:
        if self.namespace is None:
            return "the CPU alone"
        return "ROCm" if self.major is None else f"CUDA {self.major}"

    def order(self, selection: Selection) -> tuple[str, ...]:
        """Put the labels for it first among those that compete with it.

        Those for the CPU compete only with it.
        """
        labels, manifest = selection.ranking.compatible, selection.manifest
        if manifest is None:
            return labels
        runtimes = {label: _runtime_of(manifest, label) for label in labels}
        if self == CPU:
            return tuple(sorted(labels, key=lambda label: runtimes[label] != CPU))
        fixed = (None, CPU)
        competing = [label for label in labels if runtimes[label] not in fixed]
        ordered = iter(sorted(competing, key=lambda label: runtimes[label] != self))
        return tuple(
            label if runtimes[label] in fixed else next(ordered) for label in labels
        )


CPU = Runtime(None)


class ComparedBuild(NamedTuple):
    """A build whose neighbors are to agree with it.

    :ivar name: of the package and its version, for people.
    :ivar label: of the variant, or what else tells its runtime.
    :ivar possible: what its release has builds for that the target runs.
    :ivar is_free: whether neighbors may differ: pip chose one for the CPU by itself.
    """

    name: str
    label: str
    runtime: Runtime
    possible: frozenset[Runtime]
    is_free: bool = False


class Neighbor(NamedTuple):
    """A package that is, or is to be, installed beside others.

    :ivar title: what it is, for people.
    :ivar build: None if nothing needs to agree with it.
    :ivar uses: whether it uses an accelerator; None if its project has no such builds.
    :ivar needs: the projects that it requires.
    """

    dist: BaseDistribution
    title: str
    build: ComparedBuild | None
    uses: bool | None
    needs: Collection[NormalizedName]

    @property
    def project(self) -> NormalizedName:
        """The normalized name."""
        return self.dist.canonical_name


def chosen_build(release: Release, link: Link) -> ComparedBuild | None:
    """Return the chosen variant at *link*, if its neighbors are to agree with it."""
    label, selection = label_of(link), release.fetch_selection_of(link)
    if label is None or selection is None or selection.manifest is None:
        return None
    runtime = _runtime_of(selection.manifest, label)
    if runtime is None:
        return None
    labels = {label_of(other) for other in release.fetch_ranked()}
    others = labels.intersection(selection.ranking.compatible)
    runtimes = {_runtime_of(selection.manifest, each) for each in others if each}
    possible = frozenset(each for each in runtimes if each is not None) | {runtime}
    is_free = runtime == CPU and release.chosen_by is None
    return ComparedBuild(str(release), label, runtime, possible, is_free)


def neighbor_of(dist: BaseDistribution) -> Neighbor:
    """Return what is known of an installed package, or of a plain one to be installed."""
    build = installed_build(dist)
    label = None if build is None else build.label
    title, needed = f"{dist.raw_name} {dist.raw_version}", _requirements(dist)
    if build is not None and label is not None:
        runtime, source = _runtime_of(build.manifest, label), label
        uses = _uses(build.manifest, label)
    else:
        runtime, source, uses = _told_by_metadata(dist, needed)
    compared = None
    if runtime is not None:
        is_free = runtime == CPU and not (build is not None and build.by_hand)
        compared = ComparedBuild(title, source, runtime, frozenset({runtime}), is_free)
    names = {canonicalize_name(each.name) for each in needed}
    return Neighbor(dist, with_label(title, label), compared, uses, names)


def staying(run: Run, found: Iterable[Candidate]) -> list[BaseDistribution]:
    """Return what is installed, and stays.

    :param found: all candidates that the resolver chose.
    """
    gone = {each.project_name for each in found if not each.is_installed}
    return [dist for name, dist in run.request.dists.items() if name not in gone]


def chosen_neighbors(run: Run, found: Iterable[Candidate]) -> Iterator[Neighbor]:
    """Yield what is known of the packages that are to be installed.

    :param found: all candidates that the resolver chose.
    """
    for candidate in found:
        dist: BaseDistribution | None = vars(candidate).get("dist")
        if candidate.is_installed or dist is None:
            # One with extras stands beside the same one without.
            continue
        link, neighbor = candidate.source_link, neighbor_of(dist)
        label = None if link is None else label_of(link)
        release = run.decisions.release_of(link)
        if link is not None and label is not None and release is not None:
            selection = run.decisions.fetch_selection_of(link)
            uses = None
            # The mode that knows builds by their versions compares them itself.
            if (
                selection is not None
                and selection.manifest
                and not _is_by_version(selection)
            ):
                uses = _uses(selection.manifest, label)
            neighbor = neighbor._replace(
                title=with_label(f"{dist.raw_name} {dist.raw_version}", label),
                build=chosen_build(release, link),
                uses=uses,
            )
        yield neighbor


def contradictions(
    neighbors: Iterable[Neighbor],
) -> Iterator[tuple[Neighbor, Neighbor]]:
    """Yield which packages do not go together, because one is for the CPU alone.

    :return: one that uses an accelerator, and one that does not, of which one needs the
        other. Both are of projects that publish builds for accelerators.
    """
    by_name = {each.project: each for each in neighbors if each.uses is not None}
    for each in by_name.values():
        for name in sorted(by_name.keys() & each.needs):
            other = by_name[name]
            if other.uses != each.uses:
                yield (each, other) if each.uses else (other, each)


def labels_that_agree(
    apart: Sequence[Neighbor], providers: ProviderChain
) -> list[tuple[BaseDistribution, str]]:
    """Return which variants of installed packages would agree with the other packages.

    :param apart: packages that are to agree, and do not.
    :return: packages to replace, each with a label of its version; empty if there are none.
    """
    runtimes = {each.build.runtime for each in apart if each.build is not None}
    for runtime in sorted(runtimes, key=lambda each: each.major or 0, reverse=True):
        found = {
            each.dist: _label_for(runtime, each.dist, providers)
            for each in apart
            if each.build is not None and each.build.runtime != runtime
        }
        labels = [(dist, label) for dist, label in found.items() if label is not None]
        if len(labels) == len(found):
            return labels
    return []


def _label_for(
    runtime: Runtime, dist: BaseDistribution, providers: ProviderChain
) -> str | None:
    """Return the best variant of an installed version for a runtime; None if none is."""
    build = installed_build(dist)
    if build is None:
        return None
    selection = judge_installed(dist.raw_name, build, build.labels, providers)
    labels = selection.ranking.compatible
    fitting = (each for each in labels if _runtime_of(build.manifest, each) == runtime)
    return next(fitting, None)


def _runtime_of(manifest: Manifest, label: str) -> Runtime | None:
    """Return what a variant computes on; None if no neighbor needs to agree with it."""
    variant = manifest.variant(label)
    using = set() if variant is None else accelerators_of(variant)
    if variant is None or len(using) > 1:
        return None
    if "amd" in using:
        return Runtime("amd")
    if "nvidia" in using:
        bounds = variant.features["nvidia"].get("cuda_version_lower_bound", ())
        majors = {value.partition(".")[0] for value in bounds}
        digits = majors.pop() if len(majors) == 1 else ""
        is_major = digits.isdecimal() and len(digits) < 5
        return Runtime("nvidia", int(digits)) if is_major else None
    return CPU if _uses(manifest, label) is False else None


def _uses(manifest: Manifest, label: str) -> bool | None:
    """Return whether a variant uses an accelerator; None if no variant does."""
    if not any(uses_accelerator(manifest, each) for each in manifest.variants):
        return None
    return uses_accelerator(manifest, label)


def _is_by_version(selection: Selection) -> bool:
    origin = selection.origin
    return origin is not None and origin.kind is OriginKind.VERSIONS


def _told_by_metadata(
    dist: BaseDistribution, needed: Iterable[Requirement]
) -> tuple[Runtime | None, str, bool | None]:
    """Return what a plain package computes on, what tells it, and whether it uses a GPU."""
    for part in dist.raw_version.partition("+")[2].split("."):
        cuda = _LOCAL_CUDA.fullmatch(part)
        if cuda is not None:
            return Runtime("nvidia", int(cuda[1])), part, True
        if _LOCAL_ROCM.fullmatch(part):
            return Runtime("amd"), part, True
        if part in ("cpu", "xpu"):
            return None, part, part == "xpu"
    for each in needed:
        major = _major_of(each)
        if major is not None:
            return Runtime("nvidia", major), f"requires {each.name}", None
    return None, "", None


def _requirements(dist: BaseDistribution) -> list[Requirement]:
    """Return what a package requires; nothing if its metadata is invalid."""
    try:
        return list(dist.iter_dependencies())
    except (OSError, ValueError):
        # ``pip check`` itself reports it.
        return []


def _major_of(required: Requirement) -> int | None:
    """Return the CUDA major version of a library that is required, if it is one."""
    name = canonicalize_name(required.name)
    found = _WITH_MAJOR.fullmatch(name)
    if found is not None:
        return int(found[1])
    if name in _WITHOUT_MAJOR:
        for each in required.specifier:
            digits = each.version.partition(".")[0]
            if each.operator in ("==", "~=") and digits.isdecimal() and len(digits) < 4:
                return int(digits)
    return None
