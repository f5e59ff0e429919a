"""Keep the builds of one installation to one backend where that is possible.

What is built for a GPU needs what it depends on in a build for the same backend, and its
requirements do not say so: they name versions. So where the best builds disagree, one
backend is taken for all that have it, and the CPU for the rest. Versions stay as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint
from pip._internal.variants.index.links import LocalVersionWheel, public
from pip._internal.variants.pytorch.backends import (
    CPU,
    Backend,
    BackendKind,
    newest_first,
)
from pip._internal.variants.pytorch.release import LocalVersionRelease
from pip._internal.variants.pytorch.synthetic import backend_of
from pip._internal.variants.selection.agreement import agreed
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.neighbors import Runtime
from pip._internal.variants.selection.ranking import OriginKind

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.ranking import Agreement, Selection
    from pip._internal.variants.selection.run import Run

__all__ = ["OneBackend", "one_backend"]

logger = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class OneBackend:
    """The agreement on one backend."""

    backend: Backend

    def __str__(self) -> str:
        return f"with builds for {self.backend}"

    def order(self, selection: Selection) -> tuple[str, ...]:
        """Put the builds for it first, and behind them those for the CPU.

        Variants proper agree with it if they are for the same major version of CUDA.
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
class _ChosenWheel:
    """A build of the installation.

    :ivar name: of the package and its version, for people.
    :ivar options: the backends that it could be for instead, its own included.
    :ivar is_explicit: whether the user chose just this build.
    :ivar is_indifferent: whether it is for the CPU because no other build of it suits.
    :ivar needs: the other builds that its package depends on.
    """

    name: str
    backend: Backend
    options: frozenset[Backend]
    is_explicit: bool
    is_indifferent: bool = False
    needs: frozenset[NormalizedName] = frozenset()


_ChosenWheels = Mapping["NormalizedName", _ChosenWheel]

#: How well builds go together. Those for the CPU can work with dependencies for a GPU.
_EQUAL, _SOUND, _BROKEN = range(3)


def one_backend(
    resolve_once: Callable[[], RequirementSet],
    resolver: Resolver,
    run: Run,
    preferred: Sequence[Backend],
) -> RequirementSet:
    """Resolve so that the builds of PyTorch's packages are for one backend, if they can.

    :param resolve_once: resolves once.
    :param preferred: the backends that the user named one by one, most preferred first.
    """
    first = resolve_once()
    before, result = _builds(run, resolver), resolver._result
    harmony = _harmony(before)

    def accepted(_: RequirementSet) -> bool:
        after = _builds(run, resolver)
        names = {each.name for each in before.values()}
        are_same = names.issuperset(each.name for each in after.values())
        return are_same and _harmony(after) < harmony

    proposals = _proposals(before, preferred, run.attempt.agreement)
    second = agreed(run, resolve_once, map(OneBackend, proposals), accepted)
    if second is not None:
        logger.info("%s", _explained(before, _builds(run, resolver)))
        return second
    resolver._result = result
    if harmony != _EQUAL:
        level = logging.WARNING if harmony == _BROKEN else logging.INFO
        logger.log(level, "%s", _mixture(before, run))
    return first


def _proposals(
    builds: _ChosenWheels, preferred: Sequence[Backend], agreed: Agreement | None
) -> list[Backend]:
    """Return the backends that would make it better, the best first."""
    now = _harmony(builds)
    options = frozenset[Backend]().union(*(each.options for each in builds.values()))
    ordered = [each for each in preferred if each in options]
    ordered += newest_first(options.difference(ordered))
    promised = {
        each: _promise(builds, each) for each in ordered if _is_part_of(agreed, each)
    }
    better = [each for each, (harmony, _) in promised.items() if harmony < now]
    return sorted(better, key=promised.__getitem__)


def _promise(builds: _ChosenWheels, backend: Backend) -> tuple[int, int]:
    """Return what the agreement on *backend* would come to; the less, the better."""
    then = {}
    for project, build in builds.items():
        taken = next((each for each in (backend, CPU) if each in build.options), None)
        then[project] = replace(build, backend=taken or build.backend)
    harmony = _harmony(then)
    wants_cpu = any(
        each.is_explicit and each.backend == CPU for each in builds.values()
    )
    if backend == CPU and not wants_cpu:
        # A GPU is never given up just to make all equal.
        harmony = max(harmony, _SOUND)
    with_gpu = sum(each.backend == backend != CPU for each in then.values())
    return harmony, -with_gpu


def _is_part_of(agreed: Agreement | None, backend: Backend) -> bool:
    if not isinstance(agreed, Runtime) or backend.kind is not BackendKind.CUDA:
        return True
    return backend.version[0] == agreed.major


def _harmony(builds: _ChosenWheels) -> int:
    """Return how well builds go together; the less, the better."""
    is_broken = any(
        builds[project].backend != build.backend != CPU
        for build in builds.values()
        for project in build.needs
    )
    backends = {each.backend for each in builds.values() if not each.is_indifferent}
    if is_broken or len(backends - {CPU}) > 1:
        return _BROKEN
    return _SOUND if len(backends) > 1 else _EQUAL


def _builds(run: Run, resolver: Resolver) -> _ChosenWheels:
    """Return what would be installed then, as far as there are builds for several.

    What is installed and needs one of these builds is included.
    """
    assert resolver._result is not None, "it has resolved"
    chosen = resolver._result.mapping.values()
    versions = {each.project_name: each.version for each in chosen}
    # A candidate with extras stands beside the same one without.
    dists = [(vars(each).get("dist"), each.source_link) for each in chosen]
    staying = {k: v for k, v in run.request.dists.items() if k not in versions}
    found, needs = {}, {}
    for dist, link in (*dists, *((dist, None) for dist in staying.values())):
        build = None if dist is None else _build(run, dist, link)
        if dist is None or build is None:
            continue
        project = dist.canonical_name
        needs[project] = _needed(dist, versions, is_chosen=link is not None)
        found[project] = build
    for project in staying:
        if project in found and needs[project].isdisjoint(found):
            del found[project]
    return {
        project: replace(build, needs=frozenset(needs[project] & found.keys()))
        for project, build in found.items()
    }


def _needed(
    dist: BaseDistribution,
    versions: Mapping[NormalizedName, Version],
    *,
    is_chosen: bool,
) -> set[NormalizedName]:
    """Return the projects among *versions* that a package needs, in just these versions."""
    return {
        name
        for each in dist.iter_dependencies()
        if (name := canonicalize_name(each.name)) in versions
        # The resolver has compared the versions of what it chose.
        and (is_chosen or each.specifier.contains(versions[name], prereleases=True))
    }


def _build(run: Run, dist: BaseDistribution, link: Link | None) -> _ChosenWheel | None:
    """Return what is known of a build; None if there is one for all backends.

    :param link: None if it is installed.
    """
    release = run.decisions.release_of(link)
    if not isinstance(link, LocalVersionWheel) or not isinstance(
        release, LocalVersionRelease
    ):
        # Installed, or of a URL or an index that the user named.
        recorded = None if link else installed_build(dist)
        backend = backend_of(dist.version, recorded)
        if backend is None:
            return None
        name = f"{dist.canonical_name} {public(dist.version)}"
        return _ChosenWheel(name, backend, frozenset({backend}), link is not None)
    if set(release.labels) == {CPU.label} and not release.pinned:
        # There is no GPU in it at all.
        return None
    choice = release.wanted.choice
    is_named = len(choice.items) == len(choice.named) == 1
    is_explicit = release.pinned or release.chosen_label is not None or is_named
    options = frozenset(
        Backend.parse(each.label)
        for each in release.fetch_ranked()
        if isinstance(each, LocalVersionWheel)
    )
    return _ChosenWheel(
        *(str(release), Backend.parse(link.label), options, is_explicit),
        is_indifferent=options == {CPU} and not is_explicit,
    )


def _explained(before: _ChosenWheels, after: _ChosenWheels) -> str:
    changed = ", ".join(
        f"{after[project].backend} of {build.name} instead of {build.backend}"
        for project, build in before.items()
        if project in after and after[project].backend != build.backend
    )
    return f"Taking {changed}, so that the builds go together"


def _mixture(builds: _ChosenWheels, run: Run) -> str:
    from pip._internal.variants.output.invocation import for_upgrade

    listed = ", ".join(f"{build.name} ({build.backend})" for build in builds.values())
    named = [
        build.name.replace(" ", "==")
        if any(mode.needs_pin(project) for mode in run.modes)
        else project
        for project, build in builds.items()
    ]
    return Hint(
        f"Builds for different backends come together: {listed}. To take builds anew "
        "for all of them:",
        for_upgrade(run.settings.options, *named),
    )
