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
from pip._internal.console.texts import Hint
from pip._internal.exceptions import InstallationError
from pip._internal.variants.index.links import label_of
from pip._internal.variants.selection.catalogue import decisions_of
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
    "cuda_build",
    "cuda_major",
    "mixture",
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


def mixture(builds: Sequence[CudaBuild]) -> str | None:
    """Say which variants are for different CUDA major versions, if any are."""
    if len({build.major for build in builds}) < 2:
        return None
    listed = ", ".join(
        f"{build.name} ({build.label}) is for CUDA {build.major}"
        for build in sorted(builds, key=lambda build: (-build.major, build.name))
    )
    return f"Variants for different CUDA versions come together: {listed}"


def agreed(
    run: Run,
    resolve_once: Callable[[], _Found],
    agreements: Iterable[Agreement],
    accepted: Callable[[_Found], str | None],
) -> _Found | None:
    """Resolve with one agreement after the other until what is found is accepted.

    :param resolve_once: resolves once more; the candidates that were looked at are known by now.
    :param accepted: says what was changed, to tell the user; None to refuse it.
    :return: None if nothing is accepted; then nothing is agreed on that was not before.
    """
    before = run.agreement
    for agreement in agreements:
        run.agreement = agreement
        try:
            found = resolve_once()
        except InstallationError as error:
            logger.debug("No solution %s: %s", agreement, error)
            continue
        changed = accepted(found)
        if changed is not None:
            logger.info("%s", changed)
            return found
    run.agreement = before
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

    def accepted(found: _Found) -> str | None:
        after = builds_of(found)
        names = {each.name for each in after}
        if mixture(after) is not None or not names.issuperset(b.name for b in before):
            return None
        return _taken(before, after) if is_as_good(found) else None

    return agreed(
        run, resolve_once, map(CudaMajor, sorted(majors, reverse=True)), accepted
    )


def agreeing(
    resolve_once: Callable[[], RequirementSet],
    resolver: Resolver,
    run: Run,
    first: RequirementSet,
    kept: Sequence[BaseDistribution],
) -> RequirementSet:
    """Return a solution whose variants agree on CUDA's major version, else *first*.

    Versions stay as they are. It warns of a mixture even if the user wants no agreement.

    :param resolve_once: resolves once more.
    :param kept: what stays installed and was chosen among variants.
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

    message = mixture(builds_of(first))
    if message is None:
        return first
    result = resolver._result
    second = agreed_on_cuda(run, resolve_once, builds_of, first, has_same_versions)
    if second is not None:
        return second
    resolver._result = result
    from pip._internal.variants.selection.invocation import again

    apart = ("--no-variant-agreement",)
    retry = again(run.options, "--variant", "PACKAGE=LABEL", without=apart)
    logger.warning("%s", Hint(f"{message}. To choose builds that agree:", retry))
    return first


def _taken(before: Iterable[CudaBuild], after: Sequence[CudaBuild]) -> str:
    """Say which builds were taken for the sake of an agreement, and how not to."""
    labels = {build.name: build.label for build in before}
    changed = ", ".join(
        f"{build.label} of {build.name} instead of {labels[build.name]}"
        for build in after
        if labels.get(build.name, build.label) != build.label
    )
    return (
        f"Taking {changed}, so that all variants are for CUDA {after[0].major} "
        "(--no-variant-agreement takes the best of each)"
    )


def _kept(dists: Iterable[BaseDistribution]) -> Iterator[CudaBuild]:
    for dist in dists:
        build = installed_build(dist)
        major = None if build is None else cuda_major(build.supported)
        if build is not None and build.label is not None and major is not None:
            name = f"{dist.raw_name} {dist.version}"
            yield CudaBuild(name, build.label, major, frozenset({major}))


def _chosen(run: Run, requirements: RequirementSet) -> Iterator[tuple[Release, Link]]:
    for req in requirements.requirements.values():
        release = decisions_of(run).release_of(req.link)
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
