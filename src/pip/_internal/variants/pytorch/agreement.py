"""Select builds for one backend in each installation, if possible.

A build for a GPU needs its dependencies in builds for the same backend, but its requirements
only name versions. So if the best builds disagree, pip selects one backend for all projects
that have it, and the CPU for the rest. Versions do not change.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.packaging.version import InvalidVersion

from pip._internal.console.texts import Hint
from pip._internal.variants.index.links import LocalVersionWheel, public
from pip._internal.variants.output.invocation import for_upgrade
from pip._internal.variants.pytorch.backends import (
    CPU,
    Backend,
    BackendKind,
    newest_first,
)
from pip._internal.variants.pytorch.options import ANY_BACKEND
from pip._internal.variants.pytorch.release import LocalVersionRelease
from pip._internal.variants.pytorch.synthetic import backend_of
from pip._internal.variants.selection.agreement import Runtime, agreed, requirements_of
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.ranking import OriginKind

if TYPE_CHECKING:
    from optparse import Values

    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.variants.selection.mode import ResolveOnce
    from pip._internal.variants.selection.overrides import Versions
    from pip._internal.variants.selection.ranking import Agreement, Selection
    from pip._internal.variants.selection.run import Run


@dataclass(frozen=True, slots=True)
class OneBackend:
    """An agreement on one backend."""

    backend: Backend

    def __str__(self) -> str:
        return f"with wheels for {self.backend}"

    def order(self, selection: Selection) -> tuple[str, ...]:
        """Return the compatible labels, with the backend's label first and the CPU's next.

        If the labels come from a manifest, labels for the CUDA major version of the backend come
        first instead (:meth:`.Runtime.order`). For backends other than CUDA, the order of these
        labels does not change.
        """
        labels = selection.ranking.compatible
        origin = selection.origin
        if origin is not None and origin.kind is OriginKind.VERSIONS:
            first = (self.backend.label, CPU.label)
            return tuple(
                sorted(labels, key=lambda each: [each != one for one in first])
            )
        if self.backend.kind is BackendKind.CUDA:
            return Runtime("nvidia", self.backend.version[0]).order(selection)
        return labels


@dataclass(frozen=True, slots=True)
class _Build:
    """A build in an installation.

    :ivar name: the package and its version, as a requirement.
    :ivar backend: the backend of the build.
    :ivar options: the possible backends, including the backend of the build.
    :ivar needs: the projects that the package depends on.
    :ivar is_explicit: whether the user selected this specific build.
    """

    name: str
    backend: Backend
    options: frozenset[Backend]
    needs: frozenset[NormalizedName]
    is_explicit: bool = False


_Builds = Mapping["NormalizedName", _Build]


def one_backend(
    resolve_once: ResolveOnce, run: Run, preferred: Sequence[Backend]
) -> RequirementSet:
    """Resolve with builds for one backend, if possible.

    :param resolve_once: a function that resolves once.
    :param preferred: the backends that the user named individually, most preferred first.
    """
    first = resolve_once()
    before, result = _builds(run), run.resolver._result
    if len({each.backend for each in before.values()}) < 2:
        return first

    def accepted(_: RequirementSet) -> bool:
        after = _builds(run)
        names = {each.name for each in before.values()}
        are_same = names.issuperset(each.name for each in after.values())
        return are_same and _flaws(after) < _flaws(before)

    proposals = _proposals(before, preferred, run.attempt.agreement)
    second = agreed(run, resolve_once, map(OneBackend, proposals), accepted)
    if second is not None:
        after = _builds(run)
        changed = ", ".join(
            f"'{after[project].backend}' of {build.name} instead of '{build.backend}'"
            for project, build in before.items()
            if project in after and after[project].backend != build.backend
        )
        text = f"Choosing {changed}, so that the packages match"
        run.reporter.log_once(logging.INFO, text)
        return second
    run.resolver._result = result
    # pip itself chooses a CPU build only for lack of a build that matches.
    if _are_broken(before) or any(
        build.is_explicit or needed.is_explicit for build, needed in _unlike(before)
    ):
        listed = (f"{each.name} ({each.backend})" for each in before.values())
        names = (each.name for each in before.values())
        hint = Hint(
            f"These packages are for different backends: {', '.join(listed)}. To "
            "choose again for all of these packages:",
            for_upgrade(run.settings.options, *names),
        )
        run.reporter.warn(hint)
    return first


def _proposals(
    builds: _Builds, preferred: Sequence[Backend], agreed: Agreement | None
) -> list[Backend]:
    """Return the backends that would improve the solution, best first."""
    options = frozenset[Backend]().union(*(each.options for each in builds.values()))
    ordered = dict.fromkeys([*preferred, *newest_first(options)])
    found = {}
    for backend in ordered:
        then = {}
        for project, build in builds.items():
            first = (backend, CPU, build.backend)
            taken = next(each for each in first if each in build.options)
            then[project] = replace(build, backend=taken)
        if backend in options and _is_part_of(agreed, backend):
            found[backend] = _flaws(then)
    better = [each for each, flaws in found.items() if flaws < _flaws(builds)]
    return sorted(better, key=found.__getitem__)


def _is_part_of(agreed: Agreement | None, backend: Backend) -> bool:
    if not isinstance(agreed, Runtime) or backend.kind is not BackendKind.CUDA:
        return True
    return backend.version[0] == agreed.major


def _unlike(builds: _Builds) -> Iterator[tuple[_Build, _Build]]:
    """Yield each build for another backend than a build that it needs, with that build."""
    for build in builds.values():
        for project in build.needs & builds.keys():
            if builds[project].backend != build.backend:
                yield build, builds[project]


def _are_broken(builds: _Builds) -> bool:
    """Return whether some builds are incompatible with each other.

    CPU builds can work with dependencies for a GPU.
    """
    return len({each.backend for each in builds.values()} - {CPU}) > 1 or any(
        build.backend != CPU for build, _ in _unlike(builds)
    )


def _flaws(builds: _Builds) -> tuple[bool, bool, int]:
    """Return a score for the conflicts between builds; lower is better.

    A solution with fewer GPU builds is never better, unless the user chose the CPU for a build.
    """
    with_gpu = sum(each.backend != CPU for each in builds.values())
    wants_cpu = any(
        each.is_explicit and each.backend == CPU for each in builds.values()
    )
    return _are_broken(builds), wants_cpu and with_gpu > 0, -with_gpu


def _builds(run: Run) -> _Builds:
    """Return the builds of a solution, for projects with several backends.

    Includes installed packages that need one of these builds.
    """
    versions = {each.project_name: each.version for each in run.solution}
    found: dict[NormalizedName, _Build] = {}
    for each in run.solution:
        # A candidate with extras accompanies the same candidate without extras.
        dist = vars(each).get("dist")
        build = None if dist is None else _build(run, dist, each.source_link, versions)
        if build is not None:
            found[each.project_name] = build
    for project, dist in run.request.dists.items():
        # Old packages may have invalid versions.
        with suppress(InvalidVersion):
            build = None if project in versions else _build(run, dist, None, versions)
            if build is not None and not build.needs.isdisjoint(found):
                found[project] = build
    return found


def _build(
    run: Run, dist: BaseDistribution, link: Link | None, versions: Versions
) -> _Build | None:
    """Return a build, or None if all backends of the project share one build.

    :param link: the file; None for an installed package.
    :param versions: the versions of the solution.
    """
    release = run.decisions.release_of(link)
    name = f"{dist.canonical_name}=={public(dist.version)}"
    needs = frozenset(
        project
        for each in requirements_of(dist)
        if (project := canonicalize_name(each.name)) in versions
        and each.specifier.contains(versions[project], prereleases=True)
    )
    if not isinstance(link, LocalVersionWheel) or not isinstance(
        release, LocalVersionRelease
    ):
        # Installed, or from a URL or an index that the user named
        backend = backend_of(dist.version, None if link else installed_build(dist))
        if backend is None:
            return None
        return _Build(name, backend, frozenset({backend}), needs, link is not None)
    if set(release.labels) == {CPU.label} and not release.pinned:
        # The project has no GPU builds.
        return None
    ranked = release.fetch_ranked()
    options = (each.label for each in ranked if isinstance(each, LocalVersionWheel))
    return _Build(
        *(name, Backend.parse(link.label), frozenset(map(Backend.parse, options))),
        *(needs, release.is_explicit),
    )


def different_backends(
    dists: Iterable[BaseDistribution], options: Values
) -> Iterator[str]:
    """Yield installed builds that need another build of a dependency."""
    builds = {}
    for dist in dists:
        with suppress(InvalidVersion):
            backend = backend_of(dist.version, installed_build(dist))
            if backend is not None:
                builds[dist.canonical_name] = (dist, backend)
    for dist, backend in builds.values():
        for needed in requirements_of(dist):
            other, its_backend = builds.get(
                canonicalize_name(needed.name), (dist, backend)
            )
            if its_backend != backend != CPU:
                names = (
                    f"{each.raw_name}=={public(each.version)}" for each in (dist, other)
                )
                yield Hint(
                    f"{dist.raw_name} {dist.version} needs '{other.raw_name}' for "
                    f"{backend}, but {other.raw_name} {other.version} is installed. To "
                    "install matching wheels:",
                    for_upgrade(options, *ANY_BACKEND, *names),
                )
