"""Ask early for what upstream's resolver will ask for next.

The resolver goes from package to package and waits for each page and metadata file in
turn. Which ones these will be is known earlier (see :mod:`.course`), and so they are asked
for at the same time (see :mod:`.early_requests`). Nothing is decided here.

A request that upstream makes whatever comes of the others is made as soon as it is known.
Of those that it may not come to, because what is required may conflict, only a few are
made ahead of it, so that all that is ever asked in vain is these few.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.fast.course import Doubt, foretell
from pip._internal.fast.early_requests import EarlyRequests, NotAnswered
from pip._internal.fast.held_records import emit, holding
from pip._internal.fast.prospects import FETCHED, Conflict, Prospects
from pip._internal.fast.slots import EARLY_REQUESTS
from pip._internal.utils.logging import get_indentation, indent_log

if TYPE_CHECKING:
    import logging

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.fast.early_answers import Answer
    from pip._internal.fast.prospects import Want
    from pip._internal.fast.resolution import Resolving
    from pip._internal.models.link import Link
    from pip._internal.utils.hashes import Hashes

__all__ = ["Foresight", "Lookahead"]

#: So many are foreseen at a time; more would only wait.
_MOST = 32
#: By doubt, how many requests may be ahead of upstream.
#: So where something conflicts, at most five are in vain.
#: Those beyond an unknown candidate are often far away, and keep their places long.
_AHEAD = {Doubt.NONE: 16, Doubt.PAGE: 5, Doubt.PIN: 3}
_T = TypeVar("_T")


class Foresight:
    """Who has a say in what is looked up; this one has none."""

    def pages_of(self, project: NormalizedName, pages: Sequence[str]) -> Sequence[str]:
        """Return the URLs of the pages of a project.

        :param pages: those that upstream looks it up on
        """
        del project
        return pages

    def choose(
        self,
        lookahead: Lookahead,
        project: NormalizedName,
        files: Sequence[tuple[_BaseVersion, Link]],
        hashes: Hashes,
    ) -> Link | None:
        """Return the file that will be taken; see :class:`.prospects.Source`."""
        del lookahead, project, hashes
        return files[0][1] if files else None


class Lookahead:
    """What one run of the resolver will ask for, as far as that can be told.

    :ivar early: makes the requests
    :ivar effort: stops this at the first error
    :ivar is_ahead: whether something is done right now that upstream has not come to
    """

    def __init__(self, resolving: Resolving) -> None:
        """Begin to look ahead of upstream's resolver, wherever it is."""
        self._resolving = resolving
        self.effort = resolving.effort
        self._finder = resolving.factory._finder
        session = self._finder._link_collector.session
        self.early = EARLY_REQUESTS.once(session, EarlyRequests)
        self.early.due, self.early.idle = self._due, self._go_on
        self.early.open()
        self.is_ahead = False
        assert resolving.provider is not None, "it resolves"
        self._prospects = Prospects(resolving.factory, resolving.provider, self)
        foresight = None if resolving.foresee is None else resolving.foresee()
        self._foresight = foresight if isinstance(foresight, Foresight) else Foresight()
        self._preferences: dict[object, Any] = {}
        #: What was asked for, by URL, as long as it is held for upstream.
        self._asked: dict[str, Callable[[], Future[Answer] | None]] = {}
        #: Of that, what upstream has not come to.
        self._ahead_of_upstream: set[str] = set()
        #: What is waited for, and what of it has been answered.
        self._watched: set[Future[Answer]] = set()
        self._seen: weakref.WeakSet[Future[Answer]] = weakref.WeakSet()
        #: What upstream has not left out yet for its Requires-Python, which errors tell.
        self._left_out: dict[NormalizedName, set[str]] = {}
        #: The URLs of the pages of projects that upstream has not come to.
        self._pages: dict[NormalizedName, Sequence[str]] = {}
        #: What upstream would not have said yet, by project, with its indentation.
        self._unsaid: dict[NormalizedName, deque[tuple[int, logging.LogRecord]]] = {}
        #: What becomes of what is logged ahead of upstream.
        self._keep: Callable[[logging.LogRecord], object] = _drop
        #: Whether something may have changed since it was last foretold.
        self._is_stale = True
        self._is_going_on = False

    def close(self) -> None:
        """Stop; what upstream has not asked for by now is forgotten."""
        self.early.close()
        self.early.due, self.early.idle = (lambda _: None), (lambda: None)

    def upstream_went_on(self) -> None:
        """Take note that more may be foreseen than before."""
        self._is_stale = True

    def looked_up(self, project_name: str) -> None:
        """Say what there is to say of a project, now that upstream looks at it."""
        if not self.is_ahead:
            self.upstream_went_on()
            project = canonicalize_name(project_name)
            for indentation, record in self._unsaid.pop(project, ()):
                with indent_log(indentation):
                    emit(deque([record]))
            self._finder._requires_python_skipped |= self._left_out.pop(project, set())
            self._ahead_of_upstream.difference_update(self._pages.pop(project, ()))

    def ahead(
        self, project: NormalizedName, do: Callable[[], _T], *, is_kept: bool
    ) -> _T:
        """Do what upstream will do for a project, with what is here alone.

        :param is_kept: whether what it worked out is kept even if something is not here;
            what is worked out again is said again.
        :raises NotAnswered: if something is not.
        """
        unsaid = self._unsaid.setdefault(project, deque())
        said_before = len(unsaid)
        indented = get_indentation()
        self._keep = lambda record: unsaid.append(
            (get_indentation() - indented, record)
        )
        self.is_ahead = True
        left_out = self._finder._requires_python_skipped
        before = set(left_out)
        try:
            with self.early.answered_only():
                return do()
        except NotAnswered as missing:
            self.watch(missing.future)
            while not is_kept and len(unsaid) > said_before:
                unsaid.pop()
            raise
        finally:
            self.is_ahead = False
            self._keep = _drop
            self._left_out.setdefault(project, set()).update(left_out - before)
            left_out &= before

    def body(self, url: str) -> bytes | None:
        """Return what was answered to an early request; None if nothing was so far.

        :raises Conflict: if it failed.
        """
        future = self._asked.get(url, _nothing)()
        if future is None or not future.done():
            return None
        if future.cancelled() or future.exception() is not None:
            raise Conflict(f"it failed: {url}")
        answer = future.result()
        if not answer.is_good:
            raise Conflict(f"it failed: {url}")
        return answer.body

    def pages_of(self, project: NormalizedName) -> Sequence[str]:
        """Return the URLs of the pages of a project that upstream will ask for.

        :raises Conflict: if upstream would warn of one and not fetch it.
        """
        pages = self._finder.search_scope.get_index_urls_locations(project)
        pages = list(self._foresight.pages_of(project, pages))
        if not all(page.startswith(FETCHED) for page in pages):
            raise Conflict(f"it is not known whether these are fetched: {pages}")
        self._pages[project] = pages
        return pages

    def choose(
        self,
        project: NormalizedName,
        files: Sequence[tuple[_BaseVersion, Link]],
        hashes: Hashes,
    ) -> Link | None:
        """Return the file that upstream will take; None if that cannot be told.

        :raises NotAnswered: if something is not here yet.
        """
        return self._foresight.choose(self, project, files, hashes)

    def watch(self, future: Future[Answer] | None) -> None:
        """Go on with what is foreseen once there is an answer."""
        if future is not None and future not in self._seen:
            self._watched.add(future)

    def ask(self, want: Want) -> None:
        """Make a request early, unless upstream has made it."""
        future = self.early.ask(*want)
        self.watch(future)
        if future is None:
            self._asked[want.url] = _nothing
        else:
            # Once it is taken, nothing is to keep its body.
            self._asked[want.url] = weakref.ref(future)
            self._ahead_of_upstream.add(want.url)

    def _most_ahead(self, doubt: Doubt) -> int:
        """Return how many requests may be ahead of upstream."""
        most = _AHEAD[doubt]
        return most // 2 if doubt and self.early.are_redirected else most

    def _logged(self, record: logging.LogRecord) -> None:
        self._keep(record)

    def _see_answers(self) -> None:
        # Not in a callback, which may come after others know that it is done.
        answered = {future for future in self._watched if future.done()}
        if answered:
            self._watched -= answered
            self._seen.update(answered)
            self._is_stale = True

    def _due(self, future: Future[Answer] | None) -> None:
        if future is not None:
            asked = self._asked
            came_to = {url for url in self._ahead_of_upstream if asked[url]() is future}
            self._ahead_of_upstream -= came_to
        # What it has asked for before has been looked at by now.
        self._is_stale = True

    def _go_on(self) -> None:
        """Ask for what is foreseen by now; called while upstream waits."""
        self._see_answers()
        if self._is_going_on or not self._is_stale or self.effort.is_stopped:
            return
        self._is_going_on, self._is_stale = True, False
        with self.effort:
            self._ask_for_what_comes()
        self._is_going_on = False

    def _ask_for_what_comes(self) -> None:
        foreseen: set[str] = set()
        new = 0
        #: Doubt never ends, so all that is certain is foreseen before what is not.
        certain: set[str] = set()
        doubtful = set(self._ahead_of_upstream)
        with holding(self._logged):
            for want, doubt in foretell(
                self._resolving, self._prospects, self._preferences
            ):
                url = want.url
                if url in foreseen:
                    continue
                foreseen.add(url)
                if doubt is Doubt.NONE and url in doubtful:
                    doubtful.remove(url)
                    certain.add(url)
                if url in self._asked:
                    continue
                new += 1
                ahead = doubtful if doubt else certain
                if len(ahead) < self._most_ahead(doubt):
                    # It is under way while the next page is read.
                    self.ask(want)
                    if url in self._ahead_of_upstream:
                        ahead.add(url)
                if new == _MOST:
                    break


def _nothing() -> None:
    """Return what is held of a request that upstream made itself."""


def _drop(_: logging.LogRecord) -> None:
    """Upstream will log it itself."""
