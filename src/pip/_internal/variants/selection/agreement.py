"""Keep the variants of one installation to one CUDA major version where that is possible.

Libraries of two CUDA major versions in one process are trouble, and no property says what
a package's neighbours must be. So where the best variants mix them, and others of the same
versions do not, the latter are taken. Nothing else is compared, and nothing is given up.
PEP 825 orders the variants of each release alone, so an option turns this off.

Whatever else builds may agree on is tried in the same way, by :func:`agreed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pip._internal.console.output import get_logger
from pip._internal.exceptions import InstallationError
from pip._internal.variants.index.links import label_of
from pip._internal.variants.selection.installed import installed_build

if TYPE_CHECKING:
    from pip._vendor.wheel_variants.properties import Property

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.ranking import Agreement, Selection
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = [
    "CudaBuild",
    "CudaMajor",
    "agreed",
    "agreed_on_cuda",
    "agreeing",
    "are_mixed",
    "cuda_build",
    "cuda_major",
]

logger = get_logger(__name__)

_Found = TypeVar("_Found")


class CudaMajor(NamedTuple):
    """The agreement on a major version of CUDA."""

    major: int

    def __str__(self) -> str:
        return f"for CUDA {self.major} alone"

    def order(self, selection: Selection) -> tuple[str, ...]:
        """Put the labels for it first among those for CUDA; others keep their places."""
        labels = selection.ranking.compatible
        majors = {label: cuda_major(selection.properties(label)) for label in labels}
        cuda = [label for label in labels if majors[label] is not None]
        ordered = iter(sorted(cuda, key=lambda label: majors[label] != self.major))
        return tuple(
            label if majors[label] is None else next(ordered) for label in labels
        )


class CudaBuild(NamedTuple):
    """A variant that is for a CUDA version.

    :ivar name: of the package and its version, for people.
    :ivar majors: all that it could be for, its own included.
    """

    name: str
    label: str
    major: int
    majors: frozenset[int]


def cuda_major(properties: Iterable[Property]) -> int | None:
    """Return the CUDA major version that a variant is for.

    :param properties: those that the machine supports, best first.
    """
    for each in properties:
        if (each.namespace, each.feature) == ("nvidia", "cuda_version_lower_bound"):
            digits = each.value.partition(".")[0]
            return int(digits) if digits.isdecimal() and len(digits) < 5 else None
    return None


def are_mixed(builds: Iterable[CudaBuild]) -> bool:
    """Return whether variants are for different CUDA major versions."""
    return len({build.major for build in builds}) > 1


def agreed(
    run: Run,
    resolve_once: Callable[[], _Found],
    agreements: Iterable[Agreement],
    accepted: Callable[[_Found], bool],
) -> _Found | None:
    """Resolve with one agreement after the other until what is found is accepted.

    :param resolve_once: resolves once more; the candidates that were looked at are known by now.
    :param accepted: whether to take what was found.
    :return: None if nothing is accepted; then nothing is agreed on that was not before.
    """
    before = run.attempt.agreement
    for agreement in agreements:
        run.attempt.agreement = agreement
        try:
            found = resolve_once()
        except InstallationError as error:
            logger.debug("No solution %s: %s", agreement, error)
            continue
        if accepted(found):
            return found
    run.attempt.agreement = before
    return None


def agreed_on_cuda(
    run: Run,
    resolve_once: Callable[[], _Found],
    builds_of: Callable[[_Found], Sequence[CudaBuild]],
    first: _Found,
    is_as_good: Callable[[_Found], bool] = lambda _: True,
) -> _Found | None:
    """Resolve so that all builds for CUDA are for one major version of it.

    :param resolve_once: resolves once more.
    :param first: what was found without an agreement, and mixes them.
    :param is_as_good: whether a solution with all CUDA builds of *first* gives up
        nothing else.
    :return: None if there is no such solution, or the user wants the best of each.
    """
    if run.settings.no_variant_agreement:
        return None
    before = builds_of(first)
    majors = frozenset.intersection(*(each.majors for each in before))

    def accepted(found: _Found) -> bool:
        after = builds_of(found)
        names = {each.name for each in after}
        has_all = names.issuperset(each.name for each in before)
        return has_all and not are_mixed(after) and is_as_good(found)

    return agreed(
        run, resolve_once, map(CudaMajor, sorted(majors, reverse=True)), accepted
    )


def agreeing(
    resolve_once: Callable[[], RequirementSet],
    resolver: Resolver,
    run: Run,
    first: RequirementSet,
    kept: Sequence[BaseDistribution],
) -> tuple[RequirementSet, Sequence[CudaBuild], Sequence[CudaBuild]]:
    """Return a solution whose variants agree on CUDA's major version, else *first*.

    Versions stay as they are.

    :param resolve_once: resolves once more.
    :param kept: what stays installed and was chosen among variants.
    :return: and the variants for CUDA of *first*, and of the solution.
    """
    versions = {release.project: release.version for release, _ in _chosen(run, first)}

    def builds_of(found: RequirementSet) -> list[CudaBuild]:
        chosen = (cuda_build(*each) for each in _chosen(run, found))
        return [*_kept(kept), *(build for build in chosen if build is not None)]

    def has_same_versions(found: RequirementSet) -> bool:
        return all(
            versions.get(release.project, release.version) == release.version
            for release, _ in _chosen(run, found)
        )

    before, result = builds_of(first), resolver._result
    if not are_mixed(before):
        return first, before, before
    second = agreed_on_cuda(run, resolve_once, builds_of, first, has_same_versions)
    if second is not None:
        return second, before, builds_of(second)
    resolver._result = result
    return first, before, before


def _kept(dists: Iterable[BaseDistribution]) -> Iterator[CudaBuild]:
    for dist in dists:
        build = installed_build(dist)
        major = None if build is None else cuda_major(build.supported)
        if build is not None and build.label is not None and major is not None:
            name = f"{dist.raw_name} {dist.version}"
            yield CudaBuild(name, build.label, major, frozenset({major}))


def _chosen(run: Run, requirements: RequirementSet) -> Iterator[tuple[Release, Link]]:
    for req in requirements.requirements.values():
        release = run.decisions.release_of(req.link)
        if release is not None and req.link is not None:
            yield release, req.link


def cuda_build(release: Release, link: Link) -> CudaBuild | None:
    """Return the build at *link* if it is for a CUDA version."""
    label, selection = label_of(link), release.selection_of(link)
    if label is None or selection is None:
        return None
    major = cuda_major(selection.properties(label))
    if major is None:
        return None
    others = {label_of(other) for other in release.ranked}
    majors = {
        its_major
        for other in selection.ranking.compatible
        if other in others
        and (its_major := cuda_major(selection.properties(other))) is not None
    }
    return CudaBuild(str(release), label, major, frozenset(majors))
