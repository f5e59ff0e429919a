"""Keep what is installed where a build of the chosen releases runs with it.

The best build of an extension may be for another version of the package that it extends
than the installed one. To have it, pip would replace what the user has not mentioned, and
maybe gigabytes of it. So if a lesser build of the same release runs with what is installed,
pip takes that one and tells the user of the better pair.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.output import get_logger
from pip._internal.exceptions import PipError
from pip._internal.resolution.resolvelib.reporter import logger as reporter
from pip._internal.variants.index.links import label_of, public

if TYPE_CHECKING:
    from pip._vendor.packaging.requirements import Requirement
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.metadata import BaseDistribution
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = ["KeepingSolution", "Kept", "keep_installed"]

logger = get_logger(__name__)


class _RequiringVariant(NamedTuple):
    """A chosen build, and which version it wants of what would be replaced."""

    release: Release
    label: str
    wanted: Requirement


class Kept(NamedTuple):
    """What is installed, and would be replaced for the sake of some builds alone.

    :ivar other_version: what would replace it.
    """

    dist: BaseDistribution
    other_version: object
    builds: list[_RequiringVariant]

    @property
    def name(self) -> NormalizedName:
        """Return its normalised name."""
        return self.dist.canonical_name

    def __str__(self) -> str:
        return f"{self.dist.raw_name} {self.dist.version}"

    def satisfies(self, wanted: Requirement) -> bool:
        """Tell whether the installed version is what is wanted, if it is about it."""
        return canonicalize_name(wanted.name) != self.name or wanted.specifier.contains(
            self.dist.version, prereleases=True
        )


class KeepingSolution(NamedTuple):
    """A solution that keeps what is installed, if there is one.

    :ivar kept: what would be replaced otherwise. Other builds may yet be taken.
    :ivar replaced: what could not be kept.
    """

    found: RequirementSet
    kept: Sequence[Kept] = ()
    replaced: Sequence[Kept] = ()


def keep_installed(
    solve: Callable[[], RequirementSet],
    resolver: Resolver,
    run: Run,
    first: RequirementSet,
    roots: Iterable[InstallRequirement],
) -> KeepingSolution:
    """Return a solution that keeps what is installed, else *first*.

    All else keeps its version.

    :param solve: resolves once.
    :param roots: what the user asked for, constraints included.
    """
    keeper = _Keeper(resolver, run, roots)
    moved = keeper.moved(first)
    if not moved:
        return KeepingSolution(first)
    before, agreement = resolver._result, run.attempt.agreement
    for kept, names in keeper.attempts(moved):
        try:
            with _trying(run, names):
                second = solve()
        except PipError as error:
            logger.debug("No solution that keeps %s: %s", ", ".join(names), error)
        else:
            if keeper.changed_nothing_else(kept, names):
                gone = [
                    each._replace(other_version=keeper.version(each.name))
                    for each in moved
                    if each not in kept and each.name in second.requirements
                ]
                return KeepingSolution(second, kept, gone)
        resolver._result, run.attempt.agreement = before, agreement
    run.attempt.kept = frozenset()
    return KeepingSolution(first, replaced=moved)


@contextmanager
def _trying(run: Run, names: frozenset[NormalizedName]) -> Iterator[None]:
    run.attempt.kept, run.attempt.is_trying = names, True
    reporter.addFilter(_is_no_news)
    try:
        yield
    finally:
        reporter.removeFilter(_is_no_news)
        run.attempt.is_trying = False


def _is_no_news(record: logging.LogRecord) -> bool:
    """Let what upstream says of conflicts pass at the level of debugging alone."""
    return record.levelno < logging.INFO


class _Keeper:
    """What a solution would replace, and what might keep it.

    Make it as soon as the solution is found: later ones are compared with that.
    """

    def __init__(
        self, resolver: Resolver, run: Run, roots: Iterable[InstallRequirement]
    ) -> None:
        self._resolver = resolver
        self._run = run
        self._limits = [each for each in roots if each.constraint and each.req]
        self._before: Any = resolver._result

    def version(self, name: NormalizedName) -> Version:
        """Return the version of a project in the last solution."""
        result: Any = self._resolver._result
        version: Version = result.mapping[name].version
        return version

    def moved(self, found: RequirementSet) -> list[Kept]:
        """Return what would be replaced for the sake of chosen builds, and nothing else."""
        if self._resolver.factory.force_reinstall:
            return []
        moved: dict[NormalizedName, Kept] = {}
        extensions = set()
        for requirement in found.requirements.values():
            link = requirement.source_link
            release = self._run.decisions.release_of(link)
            label = None if link is None else label_of(link)
            if link is None or release is None or label is None:
                continue
            for dist, wanted in release.replaced(link):
                each = moved.setdefault(
                    dist.canonical_name,
                    Kept(dist, self.version(dist.canonical_name), []),
                )
                each.builds.append(_RequiringVariant(release, label, wanted))
                extensions.add(release.project)
        return [
            each
            for each in moved.values()
            if not self._must_go(each, extensions)
            and all(each.satisfies(limit.req) for limit in self._limits if limit.req)
        ]

    def _must_go(self, moved: Kept, extensions: set[NormalizedName]) -> bool:
        """Tell whether anything but the builds of *extensions* wants another version."""
        for name, criterion in self._before.criteria.items():
            if name.partition("[")[0] != moved.name:
                continue
            for requirement, parent in criterion.information:
                # With extras it needs itself without them.
                own = extensions | {moved.name}
                if parent is not None and parent.project_name in own:
                    continue
                ireq = requirement.get_candidate_lookup()[1]
                if requirement.project_name == moved.name and (
                    ireq is None
                    or not ireq.specifier.contains(moved.dist.version, prereleases=True)
                ):
                    return True
        return False

    def attempts(
        self, moved: list[Kept]
    ) -> Iterator[tuple[list[Kept], frozenset[NormalizedName]]]:
        """Yield what of *moved* to keep, and the names of all that is to stay."""
        names = frozenset(each.name for each in moved)
        yield moved, names.union(self._unmoved())
        yield moved, names
        if len(moved) > 1:
            yield from (([each], frozenset([each.name])) for each in moved)

    def _unmoved(self) -> Iterator[NormalizedName]:
        """Yield what the first solution leaves as it is, and another one may not."""
        for name, dist in self._run.request.dists.items():
            found = self._before.mapping.get(name)
            if found is None or found.version == dist.version:
                yield name

    def changed_nothing_else(
        self, kept: Sequence[Kept], names: Iterable[NormalizedName]
    ) -> bool:
        """Return whether a solution differs in nothing but *kept* and what that changes.

        :param names: of all that is to stay installed.
        """
        before, after = self._before, cast("Any", self._resolver._result)
        extensions = {build.release.project for each in kept for build in each.builds}
        stay = {name: self._run.request.dists[name].version for name in names}
        stay |= {name: public(before.mapping[name].version) for name in extensions}
        if any(
            public(after.mapping[name].version) != public(version)
            for name, version in stay.items()
            if name in after.mapping
        ):
            return False
        changed = {*extensions, *(each.name for each in kept)}
        seen: set[str | None] = set()
        left: list[str | None] = [None]
        while left:
            node = left.pop()
            if node in seen:
                continue
            seen.add(node)
            if node is None or node.partition("[")[0] not in changed:
                left.extend(before.graph.iter_children(node))
        return all(
            before.mapping[node].version == after.mapping[node].version
            for node in seen & before.mapping.keys() & after.mapping.keys()
            if node is not None and node.partition("[")[0] not in changed
        )
