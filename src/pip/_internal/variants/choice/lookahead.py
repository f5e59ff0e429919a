"""Foresee which pages, manifests and metadata the resolver will ask for next.

The resolver goes from package to package and waits for each page, manifest and metadata
file in turn. Which ones these will be is known earlier: it looks at the best candidate of
each requirement as soon as it meets that requirement. So once a run has met a variant,
they are asked for early, all at once (see :mod:`.early_requests`). Nothing is decided
here, and a run without variants makes its requests as ever. In the end small wheels, which
upstream would fetch one after the other, are asked for together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.requests.exceptions import RequestException

from pip._internal.console.output import get_logger
from pip._internal.exceptions import PipError
from pip._internal.network.download import Downloader
from pip._internal.network.utils import HEADERS
from pip._internal.parallel.early_entries import METADATA, PAGE, WHEEL
from pip._internal.parallel.early_requests import EarlyRequests, NotAnswered
from pip._internal.parallel.held_records import HeldRecords, emit
from pip._internal.parallel.sizes import SMALL, listed_size, take_note
from pip._internal.variants.choice.places import pages_of
from pip._internal.variants.choice.releases import releases
from pip._internal.variants.choice.verification import is_here
from pip._internal.variants.slots import EARLY_REQUESTS
from pip._internal.variants.wheels.links import label_of
from pip._internal.variants.wheels.sources import MANIFEST, manifest_headers

if TYPE_CHECKING:
    import logging

    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.models.link import Link
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.release import Release

__all__ = ["Lookahead", "asked_together"]

logger = get_logger(__name__)

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
_FETCHED = ("https://", "http://127.0.0.1:", "http://localhost:")
_T = TypeVar("_T")
_Asked = list["Future[Any] | None"]
_Plan = Generator[_Asked, None, None]


class Lookahead:
    """What one resolution will ask for, as far as that can be told."""

    def __init__(
        self, context: Context, factory: Factory, roots: Iterable[InstallRequirement]
    ) -> None:
        """Foresee the requests for *roots*, and for constraints on them."""
        self._context = context
        self._factory = factory
        self._early = EARLY_REQUESTS.once(context.session, EarlyRequests)
        self._early.due = self._leave
        self._early.idle = self._go_on
        self._plans: dict[_Plan, list[Future[Any]]] = {}
        self._plan_of: dict[NormalizedName, _Plan] = {}
        #: Done when upstream comes to another project.
        self._progress: Future[Any] = Future()
        #: What upstream would not have said yet: of pages, and of releases.
        self._unsaid_of_pages: dict[NormalizedName, deque[logging.LogRecord]] = {}
        self._unsaid: dict[NormalizedName, deque[logging.LogRecord]] = {}
        self._is_going_on = False
        self._is_ahead = False
        self._known: set[NormalizedName] = set()
        self._older: set[Release] = set()
        self._constraints: dict[NormalizedName, SpecifierSet] = {}
        self._roots = [ireq for ireq in roots if ireq.req is not None]

    def start(self) -> None:
        """Begin with the requirements of the user."""
        self._early.open()
        take_note()
        for ireq in self._roots:
            if ireq.constraint and ireq.req is not None:
                name = canonicalize_name(ireq.req.name)
                known = self._constraints.get(name, SpecifierSet())
                self._constraints[name] = known & ireq.req.specifier
        self.expect(ireq for ireq in self._roots if not ireq.constraint)

    def close(self) -> None:
        """Stop; what upstream has not asked for by now is forgotten."""
        for plan in self._plans:
            plan.close()
        self._plans.clear()
        self._early.close()
        self._context.early = self._early

    def expect(self, requirements: Iterable[InstallRequirement]) -> None:
        """Foresee the requests for requirements that the resolver is about to meet."""
        for ireq in requirements:
            if ireq.req is None or ireq.link is not None or not ireq.match_markers():
                continue
            project = canonicalize_name(ireq.req.name)
            if project not in self._known:
                self._known.add(project)
                # Upstream may be content with what is installed, and may have fetched
                # some of the pages.
                if (
                    project not in self._factory._installed_dists
                    and project not in self._factory._finder._all_candidates
                ):
                    plan = self._plan_of[project] = self._plan(project, ireq)
                    self._advance(plan)

    def wait_for_upstream(self) -> None:
        """Go on only in upstream's turn with what takes time.

        :raises NotAnswered: ahead of it.
        """
        if self._is_ahead:
            raise NotAnswered(None)

    def looked_up(self, project: NormalizedName) -> None:
        """Say what there is to say of its pages, now that upstream looks at them."""
        emit(self._unsaid_of_pages.pop(project, deque()))
        self._leave_stuck(project)

    def reached(self, project: NormalizedName) -> None:
        """Say what there is to say of a project, now that upstream looks at it."""
        emit(self._unsaid.pop(project, deque()))
        self._leave_stuck(project)
        done, self._progress = self._progress, Future()
        done.set_result(None)

    def refused(self, older: Sequence[Release]) -> None:
        """Foresee that older releases are weighed where a newer one does not suit."""
        for release in older:
            if release not in self._older and not release.lacks_label:
                self._older.add(release)
                self._ask_for_manifests(release)

    def _leave(self, future: Future[Any]) -> None:
        """Drop the plan that waits for a response: upstream is there now."""
        for plan, pending in list(self._plans.items()):
            if future in pending:
                self._drop(plan)

    def _leave_stuck(self, project: NormalizedName) -> None:
        """Drop the plan of a project if it waits for upstream, which is there now."""
        plan = self._plan_of.get(project)
        if plan is not None and self._plans.get(plan) == [self._progress]:
            self._drop(plan)

    def _drop(self, plan: _Plan) -> None:
        del self._plans[plan]
        plan.close()

    def _go_on(self) -> None:
        if self._is_going_on:
            return
        self._is_going_on = True
        try:
            for plan, pending in list(self._plans.items()):
                if all(future.done() for future in pending):
                    del self._plans[plan]
                    self._advance(plan)
        finally:
            self._is_going_on = False

    def _advance(self, plan: _Plan) -> None:
        """Go on with a plan until it has to wait."""
        try:
            for asked in plan:
                pending = [each for each in asked if each is not None]
                if any(not future.done() for future in pending):
                    self._plans[plan] = pending
                    return
        except (PipError, RequestException, OSError) as error:
            # It will come up again when upstream is there, and be told then.
            logger.debug("Cannot look ahead: %r", error)

    def _ahead(
        self, do: Callable[[], _T], unsaid: deque[logging.LogRecord]
    ) -> Generator[_Asked, None, _T]:
        """Do what upstream will do, as soon as it takes only responses that are here.

        Perhaps nobody needs it, so it must neither wait nor fail.

        :param unsaid: gets what is logged.
        """
        held = HeldRecords()
        while True:
            try:
                with held.active(), held.of_this_thread(unsaid.append):
                    self._is_ahead = True
                    with self._early.answered_only():
                        return do()
            except NotAnswered as wanted:
                # Perhaps upstream gets it.
                wait_for = wanted.future or self._progress
            finally:
                self._is_ahead = False
            yield [wait_for]

    def _plan(self, project: NormalizedName, ireq: InstallRequirement) -> _Plan:
        """Ask for all that upstream will ask for to look at the best candidate."""
        assert ireq.req is not None
        finder = self._factory._finder
        pages = pages_of(self._context, finder, project)
        # Upstream would warn of others and not fetch them.
        if not pages or not all(page.startswith(_FETCHED) for page in pages):
            return
        yield [self._early.ask(page, _PAGE_HEADERS, PAGE) for page in pages]
        hashes = ireq.hashes(trust_internet=False)
        specifier = self._constraints.get(project, SpecifierSet()) & ireq.req.specifier
        best = yield from self._ahead(
            lambda: finder.find_best_candidate(project, specifier, hashes),
            self._unsaid_of_pages.setdefault(project, deque()),
        )
        links = [
            (found.version, found.link)
            for found in reversed(best.applicable_candidates)
            if not found.link.is_yanked
        ]
        self._context.settle(
            project, [(version, label_of(link)) for version, link in links]
        )
        for group in releases(self._context, finder, project, links, hashes):
            if group.release is None:
                yield self._ask_for_metadata(group.links[0])
                return
            release = group.release
            if release.lacks_label:
                continue
            yield self._ask_for_manifests(release)
            # Without a manifest the wheels are read, by requests not foreseen here.
            if len(release.manifest_links) < len(release.wheels):
                return
            ranked = yield from self._ahead(
                lambda release=release: release.ranked,  # type: ignore[misc]
                self._unsaid.setdefault(project, deque()),
            )
            if ranked:
                yield self._ask_for_metadata(ranked[0])
                return

    def _ask_for_manifests(self, release: Release) -> list[Future[Any] | None]:
        return [
            self._early.ask(link.url_without_fragment, manifest_headers(link), MANIFEST)
            for link in release.manifest_links
        ]

    def _ask_for_metadata(self, link: Link) -> list[Future[Any] | None]:
        """Ask for what upstream reads the dependencies of a wheel from."""
        preparer = self._factory.preparer
        if is_here(preparer, link):
            return []
        metadata = None if preparer.require_hashes else link.metadata_link()
        if metadata is not None:
            return [self._early.ask(metadata.url_without_fragment, HEADERS, METADATA)]
        if preparer.use_lazy_wheel or not link.is_wheel or not _is_small(link):
            return []
        return [self._early.ask(link.url_without_fragment, HEADERS, WHEEL)]


@contextmanager
def asked_together(
    context: Context, preparer: RequirementPreparer, reqs: Iterable[InstallRequirement]
) -> Iterator[None]:
    """Ask at once for the small wheels of which only the metadata is here.

    What is asked for is what upstream asks for next, whatever comes of it.
    """
    # Another kind of downloader has its own way of fetching several files together.
    if context.early is None or type(preparer._download) is not Downloader:
        yield
        return
    early, context.early = context.early, None
    early.open()
    try:
        for req in reqs:
            link = req.link if req.needs_more_preparation else None
            if link and _is_small(link) and not is_here(preparer, link):
                early.ask(link.url_without_fragment, HEADERS, WHEEL)
        yield
    finally:
        early.close()


def _is_small(link: Link) -> bool:
    """Tell whether a file is known to be small."""
    size = listed_size(link)
    return size is not None and size <= SMALL
