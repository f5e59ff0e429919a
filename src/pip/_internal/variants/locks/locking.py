"""Resolve what is to be locked with each build of each package in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pip._internal.console.output import get_logger
from pip._internal.variants.choice import reasons
from pip._internal.variants.choice.release import Release
from pip._internal.variants.choice.releases import weighed
from pip._internal.variants.errors import BuildConflict, Loss
from pip._internal.variants.locks.conditions import Build, Run
from pip._internal.variants.wheels.links import label_of

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.choice.context import Context

__all__ = ["Locking", "LockingRelease"]

logger = get_logger(__name__)


class LockingRelease(Release):
    """A release of which all builds are locked, one after the other."""

    builds_in_turn = True

    def __init__(
        self,
        context: Context,
        project: NormalizedName,
        version: _BaseVersion,
        links: Sequence[Link],
        sources: Sequence[str],
        locking: Locking,
    ) -> None:
        super().__init__(context, project, version, links, sources)
        self.locking = locking

    @cached_property
    def source(self) -> str | None:
        """Give the source whose variants are locked: the first that has any."""
        for source, selection in self.selections.items():
            if selection.ranking.compatible:
                return source
        return None

    @cached_property
    def builds(self) -> tuple[Build, ...]:
        """Give the builds to lock, the least demanding one last; none without variants.

        Labels chosen by hand narrow them.
        """
        if self.source is None:
            return ()
        selection = self.selections[self.source]
        labels = sorted(
            selection.ranking.compatible,
            key=lambda label: (not selection.properties(label), label),
        )
        wanted = self._context.labels_for(self.project)
        if not wanted:
            wanted = list(filter(self.has_label, self._context.labels_for_all()))
        if not wanted:
            plain = [None] if any(map(_is_plain_wheel, self.links)) else []
            return tuple(Build(self.project, label) for label in [*labels, *plain])
        if not set(wanted) <= set(labels):
            return ()
        return tuple(Build(self.project, label) for label in labels if label in wanted)

    @property
    def ranked(self) -> list[Link]:
        """Give the links of the build that this run is about; of any if it has none."""
        self.reached = True
        self.tell_losses()
        if self.source is None:
            chosen = self.chosen_label is not None
            return [link for link in self.links if not chosen and not label_of(link)]
        build = self.locking.choice.get(self.project)
        builds = [build] if build in self.builds else reversed(self.builds)
        return [link for each in builds for link in self.links_of(each)]

    def links_of(self, build: Build) -> list[Link]:
        """Give the wheels of a build, the best for this platform first."""
        if build.label is None:
            return list(filter(_is_plain_wheel, self.links))
        assert self.source is not None, "it has variants"
        wheels = self.wheels[self.source]
        return [link for link in wheels if label_of(link) == build.label]


def _is_plain_wheel(link: Link) -> bool:
    return link.is_wheel and label_of(link) is None


class Locking:
    """Which build of each package the current run takes, and what runs have found.

    :ivar choice: the builds to take; of other packages, the least demanding one.
    :ivar exploring: whether a first run has succeeded, so that a failure concerns just
        the builds of :attr:`choice`.
    :ivar runs: what was found so far.
    :ivar left_out: builds that cannot be locked beside the rest.
    """

    def __init__(self) -> None:
        self.choice: Mapping[str, Build] = {}
        self.exploring = False
        self.runs: list[Run] = []
        self.left_out: set[Build] = set()
        self.releases: dict[str, LockingRelease] = {}
        self._versions: dict[str, dict[str, None]] = {}

    def preferred(
        self,
        infos: Callable[[], Iterator[IndexCandidateInfo]],
        project: NormalizedName,
    ) -> Iterator[IndexCandidateInfo]:
        """Put versions first that an earlier run took: the fewer versions, the better.

        A package with variants keeps to its one version.
        """
        seen = list(self._versions.get(project, ()))
        if project in self.releases:
            return (info for info in infos() if str(info[0]) in seen)
        if not seen:
            return infos()

        def place(info: IndexCandidateInfo) -> int:
            version = str(info[0])
            return seen.index(version) if version in seen else len(seen)

        return iter(sorted(infos(), key=place))

    def observe(self, context: Context, resolver: Resolver) -> Run:
        """Take down what a run found."""
        assert resolver._result is not None, "it has resolved"
        result: Any = resolver._result
        versions: dict[str, str] = {}
        labels: dict[str, str | None] = {}
        for node, candidate in result.mapping.items():
            link: Link | None = candidate.source_link
            if link is None:
                # The interpreter, which is no package.
                continue
            versions[node] = str(candidate.version)
            self._versions.setdefault(candidate.project_name, {})[versions[node]] = None
            release = weighed(context).release_of(link)
            if isinstance(release, LockingRelease) and release.builds:
                labels[candidate.project_name] = label_of(link)
                self.releases[candidate.project_name] = release
        children = {
            parent: frozenset(versions.keys() & set(result.graph.iter_children(parent)))
            for parent in (None, *versions)
        }
        run = Run(versions, labels, children)
        self.runs.append(run)
        return run

    def explore(
        self,
        context: Context,
        resolver: Resolver,
        resolve: Callable[[], RequirementSet],
        found: Callable[[RequirementSet], None],
    ) -> None:
        """Resolve with each build of each package that any run comes to.

        :param resolve: resolves once with the builds of :attr:`choice`.
        :param found: gets what each run found.

        :raises InstallationError: if not even the least demanding builds can be had.
        """
        found(resolve())
        self.observe(context, resolver)
        self.exploring = True
        while (target := self._untaken()) is not None:
            build, origin = target
            problem = "nothing that is locked needs it then"
            for choice in self._choices(build, origin):
                self.choice = choice
                try:
                    requirements = resolve()
                except BuildConflict as error:
                    problem = str(error)
                    continue
                found(requirements)
                if build in self.observe(context, resolver).builds:
                    break
            else:
                self.left_out.add(build)
                context.cost(self._left_out(build, problem))

    def _left_out(self, build: Build, problem: str) -> Loss:
        name = reasons.build_name(self.releases[build.project], build.label)
        return Loss(
            name,
            problem,
            f"Leaving {name} out of the lock file: {problem}",
            follows="locks the others",
            hints=["Name the builds to lock: --variant PACKAGE=LABEL, once for each"],
        )

    def _untaken(self) -> tuple[Build, Run] | None:
        """Give a build that no run has taken yet, and a run that could have."""
        done = self.left_out.union(*(run.builds for run in self.runs))
        for run in self.runs:
            for project in sorted(run.labels):
                for build in self.releases[project].builds:
                    if build not in done:
                        return build, run
        return None

    def _choices(self, wanted: Build, origin: Run) -> Sequence[Mapping[str, Build]]:
        """Give what to try to have a build taken: with others of its label, or alone."""
        taken = {build.project: build for build in origin.builds}
        alone = {**taken, wanted.project: wanted}
        alike = {
            project: build
            for project in taken
            for build in self.releases[project].builds
            if build.label == wanted.label and build not in self.left_out
        }
        together = {**taken, **alike}
        return [alone] if together == alone else [together, alone]
