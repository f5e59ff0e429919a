"""Let the builds of one installation agree on CUDA's major version, ROCm or the CPU.

Where the best variants do not go together, and others of the same versions do, the latter
are taken. What stays installed counts as well, and so does a variant for the CPU that the
user chose by hand; one that pip chose binds nothing. PEP 825 orders the variants of each
release alone, so an option turns this off.

Whatever else builds may agree on is tried in the same way, by :func:`agreed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pip._internal.console.output import get_logger
from pip._internal.exceptions import InstallationError
from pip._internal.variants.selection.neighbors import (
    CPU,
    ComparedBuild,
    Neighbor,
    chosen_build,
    chosen_neighbors,
    neighbor_of,
    staying,
)

if TYPE_CHECKING:
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.ranking import Agreement
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = [
    "Agreed",
    "agree_with_installed",
    "agreed",
    "agreed_on_runtime",
    "agreeing",
    "are_mixed",
]

logger = get_logger(__name__)

_Found = TypeVar("_Found")


class Agreed(NamedTuple):
    """The builds of a solution that are to agree, and those of the first solution.

    :ivar installed: those that stay installed.
    """

    before: Sequence[ComparedBuild] = ()
    after: Sequence[ComparedBuild] = ()
    installed: Sequence[ComparedBuild] = ()


def are_mixed(builds: Iterable[ComparedBuild]) -> bool:
    """Return whether builds do not agree on what they compute on."""
    return len({build.runtime for build in builds if not build.is_free}) > 1


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
            logger.debug("No solution for %s: %s", agreement, error)
            continue
        if accepted(found):
            return found
    run.attempt.agreement = before
    return None


def agreed_on_runtime(
    run: Run,
    resolve_once: Callable[[], _Found],
    builds_of: Callable[[_Found], Sequence[ComparedBuild]],
    first: _Found,
    is_as_good: Callable[[_Found], bool] = lambda _: True,
) -> _Found | None:
    """Resolve so that all builds agree on what they compute on.

    :param resolve_once: resolves once more.
    :param first: what was found without an agreement, and mixes them.
    :param is_as_good: whether a solution that has all builds of *first* gives up
        nothing else.
    :return: None if there is no such solution, or the user wants the best of each.
    """
    if run.settings.no_variant_agreement:
        return None
    before = [build for build in builds_of(first) if not build.is_free]
    possible = frozenset.intersection(*(each.possible for each in before))
    if all(each.runtime != CPU for each in before):
        # No accelerator is given up just to make all equal.
        possible -= {CPU}

    def accepted(found: _Found) -> bool:
        after = {each.name: each.runtime for each in builds_of(found)}
        agreement = run.attempt.agreement
        agree = all(after.get(each.name) == agreement for each in before)
        return agree and is_as_good(found)

    proposals = sorted(possible, key=lambda each: each.major or 0, reverse=True)
    return agreed(run, resolve_once, proposals, accepted)


def agreeing(
    resolve_once: Callable[[], RequirementSet],
    resolver: Resolver,
    run: Run,
    first: RequirementSet,
) -> tuple[RequirementSet, Agreed]:
    """Return a solution whose builds agree on what they compute on, else *first*.

    Versions stay as they are.

    :param resolve_once: resolves once more.
    """
    installed: list[ComparedBuild] = []

    def found() -> list[Candidate]:
        assert resolver._result is not None, "it has resolved"
        return list(resolver._result.mapping.values())

    def builds_of(_: RequirementSet) -> list[ComparedBuild]:
        return [*installed, *_builds(chosen_neighbors(run, found()))]

    def has_same_versions(_: RequirementSet) -> bool:
        return all(
            versions.get(each.project_name, each.version) == each.version
            for each in found()
        )

    result, versions = resolver._result, {}
    for each in found():
        versions[each.project_name] = each.version
    chosen = builds_of(first)
    if all(build.is_free for build in chosen):
        return first, Agreed()
    stay = _builds(map(neighbor_of, staying(run, found())))
    if not (are_mixed(stay) or run.settings.upgrade_variants):
        installed = stay
    before = builds_of(first)
    if are_mixed(before):
        second = agreed_on_runtime(
            run, resolve_once, builds_of, first, has_same_versions
        )
        if second is not None:
            return second, Agreed(before, builds_of(second), stay)
        resolver._result = result
    after = chosen if are_mixed(stay) else [*stay, *chosen]
    return first, Agreed(after, after, stay)


def agree_with_installed(run: Run, release: Release) -> Sequence[ComparedBuild]:
    """Let a release that is looked up alone agree with what is installed, if it can.

    :return: the builds that it now agrees with.
    """
    build = chosen_build(release, release.fetch_ranked()[0])
    settings = run.settings
    if build is None or settings.upgrade_variants or settings.no_variant_agreement:
        return []
    stay = [
        each for each in _builds(map(neighbor_of, staying(run, ()))) if not each.is_free
    ]
    runtimes = {each.runtime for each in stay}
    others = build.possible - {build.runtime}
    if build.is_free or len(runtimes) != 1 or not runtimes <= others:
        return []
    (run.attempt.agreement,) = runtimes
    return stay


def _builds(neighbors: Iterable[Neighbor]) -> list[ComparedBuild]:
    return [each.build for each in neighbors if each.build is not None]
