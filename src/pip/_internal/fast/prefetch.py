"""Prefetch the index pages and metadata files that the resolver will need.

The resolver requests one page or metadata file at a time. This module starts with the
user's requirements, finds the best file of each project, and continues with the
dependencies of that file, breadth first. It runs only while pip waits for a response, and
uses stock pip's finder. It decides nothing: pip uses a prefetched response only when pip's
own code requests that URL.
"""

from __future__ import annotations

import importlib.metadata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from os import PathLike
from typing import TYPE_CHECKING

from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.fast import session_requests
from pip._internal.fast.optional_work import BestEffort, diverting_logs, emit
from pip._internal.metadata.importlib import Distribution
from pip._internal.network.utils import HEADERS

if TYPE_CHECKING:
    import logging
    from pathlib import Path

    from pip._vendor.packaging.requirements import Requirement
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version
    from pip._vendor.requests import PreparedRequest

    from pip._internal.fast.answers import Buffered
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.resolver import Resolver

    #: Suitable files, best first, each with its version.
    Files = Sequence[tuple[Version, Link]]

#: The maximum number of requirements to follow, because hostile metadata may list many.
_MAX_REQUIREMENTS = 20_000
#: The maximum number of searches for the best file of a project, as requirements are added.
_MAX_LOOKS = 3


class LookaheadPolicy:
    """A policy for prefetching; the base class prefetches what stock pip would request."""

    def pages_of(self, project: NormalizedName, pages: Sequence[str]) -> Sequence[str]:
        """Return the URLs of the pages of a project.

        :param pages: the URLs that stock pip uses.
        """
        del project
        return pages

    def choose(
        self, prefetch: Prefetch, project: NormalizedName, files: Files
    ) -> Link | None:
        """Return the file that the resolver will choose, or None if unknown.

        :raises NotAnswered: if a response has not arrived yet.
        """
        del prefetch, project
        return files[0][1] if files else None


class _Project:
    """A project that the resolver may need.

    :ivar specifier: the required versions so far.
    :ivar extras: the required extras so far.
    :ivar waits: the number of pending responses for the project.
    :ivar version: the version of the best file so far.
    :ivar dist: the metadata of that version.
    """

    def __init__(self, name: NormalizedName, specifier: SpecifierSet) -> None:
        self.name = name
        self.specifier = specifier
        self.extras: set[NormalizedName] = set()
        self.waits = 0
        self.looks = 0
        self.version: Version | None = None
        self.dist: BaseDistribution | None = None
        self.pages: list[str] = []
        #: The log records, emitted when the resolver reaches the project.
        self.records: deque[logging.LogRecord] = deque()
        #: The files that the finder skipped because of Requires-Python, for error messages.
        self.left_out: set[str] = set()


class _Metadata(importlib.metadata.Distribution):
    """A distribution with only its metadata file."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read_text(self, filename: str) -> str | None:
        """Return the text of a file, or None if the file does not exist."""
        return self._text if filename == "METADATA" else None

    def locate_file(self, path: str | PathLike[str]) -> Path:
        """Raise an error: there are no files."""
        raise NotImplementedError(path)

    @cached_property
    def metadata(self) -> importlib.metadata.PackageMetadata:
        """The parsed metadata, cached."""
        return super().metadata


class Prefetch:
    """A prefetcher for one run of the resolver.

    :param roots: the user's requirements and constraints.
    :ivar roots: the user's requirements, without constraints and requirements with a URL.
    """

    def __init__(
        self,
        resolver: Resolver,
        roots: Iterable[InstallRequirement],
        requests: session_requests.SessionRequests,
        policy: LookaheadPolicy,
    ) -> None:
        self.requests = requests
        requests.on_response = self._go_on
        self._resolver = resolver
        self._finder = resolver.factory.preparer.finder
        self._policy = policy
        self._projects: dict[NormalizedName, _Project] = {}
        self._constraints: dict[NormalizedName, SpecifierSet] = {}
        self._named: set[NormalizedName] = set()
        self._queue: deque[Callable[[], None]] = deque()
        self._left = _MAX_REQUIREMENTS
        self.roots: list[Requirement] = []
        for root in roots:
            if root.req is None or root.link or not root.match_markers():
                continue
            name = canonicalize_name(root.req.name)
            if root.constraint:
                constraint = self._constraints.get(name, SpecifierSet())
                self._constraints[name] = constraint & root.req.specifier
            else:
                self._named.add(name)
                self.roots.append(root.req)

    def require(self, requirements: Iterable[Requirement]) -> None:
        """Prefetch the pages and metadata that the resolver needs for *requirements*."""
        self._require(requirements)
        self._go_on()

    def _require(self, requirements: Iterable[Requirement]) -> None:
        with BestEffort("prefetching"):
            for requirement in requirements:
                self._left -= 1
                if self._left < 0:
                    self._queue.clear()
                    return
                if not requirement.url:
                    self._add(requirement)

    def reached(self, name: NormalizedName) -> None:
        """Emit log records of a project that the resolver reached; continue prefetching.

        Prefetched pages of the project count as used from now on.
        """
        project = self._projects.get(name)
        if project is not None and not self.requests.is_ahead:
            emit(project.records)
            self._finder._requires_python_skipped |= project.left_out
            project.left_out = set()
            for page in project.pages:
                self.requests.claim(page)
            self._go_on()

    def ask(
        self,
        name: NormalizedName,
        url: str,
        headers: Mapping[str, str],
        limit: int,
        request: PreparedRequest | None = None,
    ) -> None:
        """Prefetch a response of at most *limit* bytes for a project."""
        project = self._projects.get(name)
        if project is None:
            self.requests.prefetch(url, headers, limit)
            return
        then = partial(self._arrived, project)
        project.waits += self.requests.prefetch(
            url, headers, limit, then, request=request
        )

    def _add(self, requirement: Requirement) -> None:
        name = canonicalize_name(requirement.name)
        project = self._projects.get(name)
        if project is None:
            constraint = self._constraints.get(name, SpecifierSet())
            project = self._projects[name] = _Project(name, constraint)
            self._queue.append(partial(self._look, project))
        project.specifier &= requirement.specifier
        found = project.version
        if found is not None and not requirement.specifier.contains(
            str(found), prereleases=True
        ):
            project.version = project.dist = None
            self._queue.append(partial(self._look, project))
        extras = {*map(canonicalize_name, requirement.extras)} - project.extras
        if extras:
            project.extras |= extras
            self._queue.append(partial(self._follow, project, extras))

    def _go_on(self) -> None:
        while self._queue and self.requests.has_room:
            with BestEffort("prefetching for a project"):
                self._queue.popleft()()

    def _arrived(self, project: _Project, _: Buffered | None) -> None:
        project.waits -= 1
        if not project.waits:
            self._queue.append(partial(self._look, project))
        self._go_on()

    def _look(self, project: _Project) -> None:
        """Find the best file of a project, and prefetch the file's metadata."""
        installed = self._installed(project)
        if installed is not None and self._is_kept(project):
            self._found(project, installed)
            return
        project.looks += 1
        if project.waits or project.looks > _MAX_LOOKS:
            return
        try:
            with self._reading_ahead(project):
                best = self._finder.find_best_candidate(project.name, project.specifier)
                files = [
                    (each.version, each.link)
                    for each in reversed(best.applicable_candidates)
                    if not each.link.is_yanked
                ]
                link = self._policy.choose(self, project.name, files)
        except session_requests.NotAnswered as missing:
            if missing.request is not None:
                project.looks -= 1
                self._ask_for_pages(project, missing.request)
            return
        version = next((each for each, its_link in files if its_link is link), None)
        if version is None or link is None:
            return
        if installed is not None and installed.version >= version:
            self._found(project, installed)
            return
        project.version = version
        self._ask_for_metadata(project, link)

    def _ask_for_metadata(self, project: _Project, link: Link) -> None:
        metadata = link.metadata_link()
        if metadata is not None:
            url = metadata.url_without_fragment
            read = partial(self._read, project, metadata)
            self.requests.prefetch(url, HEADERS, session_requests.MAX_METADATA, read)

    @contextmanager
    def _reading_ahead(self, project: _Project) -> Iterator[None]:
        """Restrict a project's search to prefetched responses, and store log records."""
        said = {record.getMessage() for record in project.records}
        skipped = self._finder._requires_python_skipped
        before = set(skipped)

        def keep(record: logging.LogRecord) -> None:
            # Log each message once, even if a step runs again.
            if record.getMessage() not in said:
                project.records.append(record)

        try:
            with diverting_logs(keep), self.requests.reading_ahead():
                yield
        finally:
            project.left_out |= skipped - before
            skipped &= before

    def _ask_for_pages(self, project: _Project, request: PreparedRequest) -> None:
        """Prefetch the index pages of a project."""
        url, name = str(request.url), project.name
        pages = self._finder.search_scope.get_index_urls_locations(name)
        pages = list(self._policy.pages_of(name, pages))
        if request.method == "GET":
            # The request may also be for a manifest, or the target of a redirect.
            pages = pages if url in pages else [url]
            # Upstream has checked only this page: others may be on insecure hosts.
            pages = [x for x in pages if x == url or not x.lower().startswith("http:")]
            project.pages += pages
            # The session adds the credentials and cookies of each page.
            kept, sent = ("Accept", "Cache-Control"), request.headers
            headers = {each: str(sent[each]) for each in kept if each in sent}
            for page in pages:
                same = request if page == url else None
                self.ask(name, page, headers, session_requests.MAX_PAGE, same)

    def _read(self, project: _Project, metadata: Link, answer: Buffered | None) -> None:
        """Read the metadata of the best file of a project."""
        if answer is None or answer.status != 200:
            return
        with BestEffort("reading prefetched metadata"):
            if metadata.has_hash:
                metadata.as_hashes().check_against_chunks(iter([answer.body]))
            dist = Distribution(_Metadata(answer.body.decode()), None, None)
            if dist.canonical_name == project.name and dist.version == project.version:
                self._found(project, dist)
        self._go_on()

    def _found(self, project: _Project, dist: BaseDistribution) -> None:
        project.version, project.dist = dist.version, dist
        self._queue.append(partial(self._follow, project, project.extras))

    def _follow(self, project: _Project, extras: Iterable[NormalizedName]) -> None:
        """Prefetch the dependencies of a project."""
        dist = project.dist
        if dist is None or self._resolver.ignore_dependencies:
            return
        self._left -= len(dist.metadata.get_all("Requires-Dist", ()))
        provided = {*map(canonicalize_name, dist.iter_provided_extras())}
        self._require(dist.iter_dependencies(provided.intersection(extras)))

    def _installed(self, project: _Project) -> BaseDistribution | None:
        """Return the installed distribution of a project if pip may keep it, or None."""
        factory = self._resolver.factory
        dist = factory._installed_dists.get(project.name)
        if dist is None or factory.force_reinstall:
            return None
        is_right = project.specifier.contains(str(dist.version), prereleases=True)
        return dist if is_right else None

    def _is_kept(self, project: _Project) -> bool:
        """Return whether the resolver keeps the installed version of a project."""
        strategy = self._resolver.upgrade_strategy
        if strategy == "only-if-needed":
            return project.name not in self._named
        return strategy != "eager"
