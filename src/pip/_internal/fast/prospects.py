"""What upstream will find for a requirement, from what is here already.

Nothing is decided here: each question is put to upstream's own functions, which answer
from what was fetched early or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, cast

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.fast.early_entries import METADATA, PAGE, Kind
from pip._internal.fast.early_requests import NotAnswered
from pip._internal.fast.fetching import is_here
from pip._internal.fast.told import distribution
from pip._internal.network.utils import HEADERS
from pip._internal.resolution.resolvelib.base import Constraint
from pip._internal.resolution.resolvelib.requirements import ExplicitRequirement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.provider import PipProvider
    from pip._internal.utils.hashes import Hashes

__all__ = ["FETCHED", "Conflict", "Found", "Prospect", "Prospects", "Source", "Want"]

#: How upstream asks for index pages.
_PAGE_HEADERS = {
    "Accept": ", ".join(
        [
            "application/vnd.pypi.simple.v1+json",
            "application/vnd.pypi.simple.v1+html; q=0.1",
            "text/html; q=0.01",
        ]
    )
}
#: How the URLs begin of pages that upstream fetches without a warning.
FETCHED = ("https://", "http://127.0.0.1:", "http://localhost:")
_T = TypeVar("_T")


class Conflict(Exception):
    """Upstream cannot go on as foreseen: something does not suit, or went wrong."""


class Want(NamedTuple):
    """A request that upstream will make."""

    url: str
    headers: Mapping[str, str]
    kind: Kind


class Found:
    """What a requirement will be fulfilled with; stands for upstream's candidate.

    :ivar name: with the extras, as the resolver names it
    :ivar dist: its metadata
    """

    def __init__(
        self,
        name: str,
        project: NormalizedName,
        version: _BaseVersion,
        dist: BaseDistribution,
        extras: frozenset[str],
    ) -> None:
        self.name = name
        self.project_name = project
        self.version = version
        self.dist = dist
        self.extras = extras


class Source(Protocol):
    """What was fetched early."""

    def ahead(
        self, project: NormalizedName, do: Callable[[], _T], *, is_kept: bool
    ) -> _T:
        """Do what upstream will do for a project, with what is here alone.

        :param is_kept: whether what it worked out is kept even if something is not here.
        :raises NotAnswered: if something is not.
        """

    def body(self, url: str) -> bytes | None:
        """Return what was answered to an early request; None if nothing was so far.

        :raises Conflict: if it failed.
        """

    def pages_of(self, project: NormalizedName) -> Sequence[str]:
        """Return the URLs of the pages of a project that upstream will ask for."""

    def choose(
        self,
        project: NormalizedName,
        files: Sequence[tuple[_BaseVersion, Link]],
        hashes: Hashes,
    ) -> Link | None:
        """Return the file that upstream will take; None if that cannot be told.

        :param files: those that suit, the best first
        :raises NotAnswered: if something is not here yet.
        """


class Prospect:
    """What upstream will find for one identifier, under all that is required of it.

    :ivar wants: the requests for it, as far as they are known
    :ivar is_certain: whether it is known that there is something
    :ivar found: what it will be, None while that is not known
    """

    def __init__(
        self,
        prospects: Prospects,
        name: str,
        ireqs: Sequence[InstallRequirement],
        constraint: Constraint,
    ) -> None:
        self._of = prospects
        self._name = name
        specifier, hashes = constraint.specifier, constraint.hashes
        extras: set[str] = set()
        for ireq in ireqs:
            assert ireq.req is not None, "what is looked up has a name"
            specifier &= ireq.req.specifier
            hashes &= ireq.hashes(trust_internet=False)
            extras.update(map(canonicalize_name, ireq.extras))
        assert ireqs[0].req is not None
        self._project = canonicalize_name(ireqs[0].req.name)
        self._specifier, self._hashes = specifier, hashes
        self._extras = frozenset(extras)
        self._is_foreseeable = not constraint.links
        self._file: tuple[_BaseVersion, Link] | None = None
        self.wants: list[Want] = []
        self.is_certain = False
        self.found: Found | None = None

    def look(self) -> None:
        """Find out more, if there is more to know by now.

        :raises Conflict: if upstream will find nothing.
        """
        if self.found is not None or not self._is_foreseeable:
            return
        installed = self._of.installed(self._project, self._specifier)
        if installed is not None and self._of.keeps_installed(self._name):
            self._take(installed.version, installed)
            return
        if self._file is None:
            self._look_for_file()
        if self._file is not None:
            version, link = self._file
            if installed is not None and installed.version >= version:
                self._take(installed.version, installed)
            else:
                self._look_for_metadata(version, link)

    def _look_for_file(self) -> None:
        finder, source = self._of.factory._finder, self._of.source
        project = self._project
        if project not in finder._all_candidates:
            if not self.wants:
                headers = self._of.page_headers(project)
                self.wants = [
                    Want(url, headers, PAGE) for url in source.pages_of(project)
                ]
            if any(source.body(want.url) is None for want in self.wants):
                return
        try:
            best = source.ahead(
                project,
                lambda: finder.find_best_candidate(
                    project, self._specifier, self._hashes
                ),
                is_kept=False,
            )
            found = [
                (each.version, each.link)
                for each in reversed(best.applicable_candidates)
                if not each.link.is_yanked
            ]
            if not found:
                raise Conflict(f"nothing suits {self._name}")
            self.is_certain = True
            link = source.ahead(
                project,
                lambda: source.choose(project, found, self._hashes),
                is_kept=True,
            )
        except NotAnswered:
            return
        self._file = next((each for each in found if each[1] is link), None)
        # What upstream does about a file that nobody can tell is not foreseen.
        self._is_foreseeable = self._file is not None

    def _look_for_metadata(self, version: _BaseVersion, link: Link) -> None:
        factory = self._of.factory
        candidate = factory._link_candidate_cache.get(link)
        if candidate is not None:
            self._take(version, candidate.dist)
            return
        metadata = link.metadata_link()
        if (
            link in factory._build_failures
            or metadata is None
            or is_here(factory.preparer, link)
            or not link.url.startswith(FETCHED)
        ):
            self._is_foreseeable = False
            return
        want = Want(metadata.url_without_fragment, HEADERS, METADATA)
        if want not in self.wants:
            self.wants.append(want)
        dist = self._of.dist(link, metadata, self._project)
        if dist is None:
            return
        if dist.canonical_name != self._project or dist.version != version:
            raise Conflict(f"the metadata is of another release: {want.url}")
        self._take(version, dist)

    def _take(self, version: _BaseVersion, dist: BaseDistribution) -> None:
        self.is_certain = True
        self.found = self._of.found(
            self._name, self._project, version, dist, self._extras
        )


class Prospects:
    """What upstream will find for each requirement, and what that requires in turn."""

    def __init__(self, factory: Factory, provider: PipProvider, source: Source) -> None:
        self.factory = factory
        self.source = source
        self._provider = provider
        self._known: dict[object, tuple[Prospect, object]] = {}
        self._found: dict[tuple[str, int], Found] = {}
        self._required: dict[Found, Sequence[Requirement]] = {}
        #: By link; upstream reads another one from the same file.
        self._dists: dict[Link, BaseDistribution] = {}

    def prospect(
        self, name: str, requirements: Iterable[Requirement]
    ) -> Prospect | Found | None:
        """Return what upstream will find.

        :param name: with extras
        :param requirements: all of that name, and of the same project without extras
        :return: None if that cannot be told
        """
        ireqs = []
        for requirement in requirements:
            candidate, ireq = requirement.get_candidate_lookup()
            if candidate is not None:
                return self.found_in(name, candidate)
            if ireq is not None:
                ireqs.append(ireq)
        if not ireqs:
            return None
        # Upstream makes equal texts into one requirement.
        key = name, *{id(each.req): None for each in ireqs}
        if key not in self._known:
            constraint = self._provider.constraints.get(name.partition("[")[0])
            made = Prospect(self, name, ireqs, constraint or Constraint.empty())
            self._known[key] = made, ireqs
        return self._known[key][0]

    def found_in(self, name: str, candidate: Candidate) -> Found | None:
        """Return what stands for a candidate of upstream's, or of ours."""
        # One with extras stands upon one without.
        base = vars(candidate).get("base", candidate)
        dist = self._dists.get(vars(base).get("_link")) or vars(base).get("dist")
        if dist is None:
            return None
        extras = _extras_in(name)
        return self.found(name, base.project_name, base.version, dist, extras)

    def found(
        self,
        name: str,
        project: NormalizedName,
        version: _BaseVersion,
        dist: BaseDistribution,
        extras: frozenset[str],
    ) -> Found:
        """Return the one object for it."""
        key = name, id(dist)
        if key not in self._found:
            self._found[key] = Found(name, project, version, dist, extras)
        return self._found[key]

    def dist(
        self, link: Link, metadata: Link, project: NormalizedName
    ) -> BaseDistribution | None:
        """Return what the metadata of a file says; None if it is not here yet.

        :raises HashMismatch: if upstream will refuse it.
        """
        if link not in self._dists:
            body = self.source.body(metadata.url_without_fragment)
            if body is None:
                return None
            hashes = metadata.as_hashes()
            if hashes:
                # Whatever else is sent, upstream refuses.
                hashes.check_against_chunks(iter([body]))
            self._dists[link] = distribution(body, link.filename, project)
        return self._dists[link]

    def installed(
        self, project: NormalizedName, specifier: SpecifierSet
    ) -> BaseDistribution | None:
        """Return what is installed of a project, if it would do."""
        dist = self.factory._installed_dists.get(project)
        if dist is None or self.factory.force_reinstall:
            return None
        return dist if specifier.contains(dist.version, prereleases=True) else None

    def page_headers(self, project: NormalizedName) -> Mapping[str, str]:
        """Return how upstream asks for the pages of a project."""
        if self.factory._finder.refresh_package.isdisjoint((":all:", project)):
            return _PAGE_HEADERS
        return {**_PAGE_HEADERS, "Cache-Control": "max-age=0"}

    def keeps_installed(self, name: str) -> bool:
        """Tell whether upstream rather keeps what is installed than upgrade it."""
        strategy = self._provider._upgrade_strategy
        if strategy == "only-if-needed":
            requested = self._provider._user_requested
            return name not in requested and name.partition("[")[0] not in requested
        return strategy != "eager"

    def required_by(self, found: Found) -> Sequence[Requirement]:
        """Return what upstream will take its dependencies for.

        :raises Conflict: if it does not run here, or wants what only a download tells.
        """
        if found not in self._required:
            self._required[found] = list(self._requirements(found))
        return self._required[found]

    def _requirements(self, found: Found) -> Iterator[Requirement]:
        factory, dist = self.factory, found.dist
        extras = found.extras.intersection(dist.iter_provided_extras())
        if found.extras:
            project = found.project_name
            base = self.found(project, project, found.version, dist, frozenset())
            yield ExplicitRequirement(cast("Candidate", base))
        else:
            python = factory.make_requires_python_requirement(dist.requires_python)
            if python is not None and python.get_candidate_lookup() == (None, None):
                raise Conflict(f"{found.name} does not run on this Python")
        if self._provider._ignore_dependencies:
            return
        for each in dist.iter_dependencies(extras):
            if each.url:
                raise Conflict(f"{found.name} needs what is at {each.url}")
            yield from factory.make_requirements_from_spec(str(each), None, extras)


def _extras_in(name: str) -> frozenset[str]:
    _, _, extras = name.rstrip("]").partition("[")
    return frozenset(extras.split(",") if extras else ())
