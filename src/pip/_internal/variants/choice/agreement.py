"""Keep the variants of one installation to one CUDA major version where that is possible.

Libraries of two CUDA major versions in one process are trouble, and no property says what
a package's neighbours must be. So where the best variants mix them, and others of the same
versions do not, the latter are taken. Nothing else is compared, and nothing is given up.
PEP 825 orders the variants of each release alone, so an option turns this off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint
from pip._internal.exceptions import InstallationError
from pip._internal.variants.choice.installed import installed_build
from pip._internal.variants.choice.releases import weighed
from pip._internal.variants.wheels.links import label_of

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.release import Release
    from pip._internal.variants.choice.selection import Selection
    from pip._internal.variants.core.properties import Property

__all__ = [
    "CudaBuild",
    "CudaMajor",
    "agreeing",
    "cuda_build",
    "cuda_major",
    "majors_in_common",
    "mixture",
    "taken",
]

logger = get_logger(__name__)


class CudaMajor(NamedTuple):
    """The agreement on a major version of CUDA."""

    major: int

    def order(self, selection: Selection) -> tuple[str, ...]:
        """Put those for it first among those for CUDA; all others keep their places."""
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
    :ivar majors: those that it could be for instead, its own included.
    """

    name: str
    label: str
    major: int
    majors: frozenset[int]


def cuda_major(properties: Iterable[Property]) -> int | None:
    """Give the CUDA major version that a variant is for.

    :param properties: those that a machine supports, best first.
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


def agreeing(
    run: Callable[[], RequirementSet],
    resolver: Resolver,
    context: Context,
    first: RequirementSet,
    kept: Sequence[BaseDistribution],
) -> RequirementSet:
    """Give a solution whose variants agree on CUDA's major version, else *first*.

    A mixture is warned of, also where the user wants no agreement.

    :param run: resolves once more; the candidates that were looked at are known then.
    :param kept: what stays installed and was chosen among variants.
    """
    builds = _builds(context, first, kept)
    message = mixture(builds)
    if message is None:
        return first
    result, agreed = resolver._result, context.agreement
    for major in majors_in_common(context, builds):
        context.agreement = CudaMajor(major)
        try:
            second = run()
        except InstallationError as error:
            logger.debug("No solution for CUDA %s alone: %s", major, error)
            continue
        if _gives_up_nothing(context, first, second, kept):
            logger.info("%s", taken(major, builds, _builds(context, second, kept)))
            return second
    context.agreement = agreed
    resolver._result = result
    from pip._internal.variants.choice.invocation import again

    apart = ("--no-variant-agreement",)
    retry = again(context.options, "--variant", "PACKAGE=LABEL", without=apart)
    logger.warning("%s", Hint(f"{message}. To choose builds that agree:", retry))
    return first


def majors_in_common(context: Context, builds: Iterable[CudaBuild]) -> Sequence[int]:
    """Give the major versions that all *builds* could agree on, the best first.

    There are none if the user wants the best of each.
    """
    if context.settings.no_variant_agreement:
        return ()
    return sorted(frozenset.intersection(*(b.majors for b in builds)), reverse=True)


def taken(major: int, before: Iterable[CudaBuild], after: Iterable[CudaBuild]) -> str:
    """Say which builds were taken for the sake of an agreement, and how not to."""
    labels = {build.name: build.label for build in before}
    changed = ", ".join(
        f"{build.label} of {build.name} instead of {labels[build.name]}"
        for build in after
        if labels.get(build.name, build.label) != build.label
    )
    return (
        f"Taking {changed}, so that all variants are for CUDA {major} "
        "(--no-variant-agreement takes the best of each)"
    )


def _builds(
    context: Context, requirements: RequirementSet, kept: Iterable[BaseDistribution]
) -> list[CudaBuild]:
    return [
        *_kept(kept),
        *(
            build
            for release, link in _chosen(context, requirements)
            if (build := cuda_build(release, link)) is not None
        ),
    ]


def _kept(dists: Iterable[BaseDistribution]) -> Iterator[CudaBuild]:
    for dist in dists:
        build = installed_build(dist)
        major = None if build is None else cuda_major(build.supported)
        if build is not None and build.label is not None and major is not None:
            name = f"{dist.raw_name} {dist.version}"
            yield CudaBuild(name, build.label, major, frozenset({major}))


def _chosen(
    context: Context, requirements: RequirementSet
) -> Iterator[tuple[Release, Link]]:
    for req in requirements.requirements.values():
        release = weighed(context).release_of(req.link)
        if release is not None and req.link is not None:
            yield release, req.link


def cuda_build(release: Release, link: Link) -> CudaBuild | None:
    """Give the build at *link* if it is for a CUDA version."""
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


def _gives_up_nothing(
    context: Context,
    first: RequirementSet,
    second: RequirementSet,
    kept: Sequence[BaseDistribution],
) -> bool:
    """Tell whether *second* agrees, and has all versions and CUDA builds of *first*."""
    if mixture(_builds(context, second, kept)) is not None:
        return False
    versions = {
        release.project: release.version for release, _ in _chosen(context, first)
    }
    cuda = {build.name for build in _builds(context, first, kept)}
    chosen_again = _chosen(context, second)
    return cuda <= {build.name for build in _builds(context, second, kept)} and all(
        versions.get(release.project, release.version) == release.version
        for release, _ in chosen_again
    )
