"""Download the files of a command several at a time, in threads that run pip's downloader."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pip._internal.fast.best_effort import BestEffort
from pip._internal.fast.connections import without_questions
from pip._internal.fast.install_command import stored_wheel, unpacking_for
from pip._internal.fast.switches import command_options, parallel_downloads

if TYPE_CHECKING:
    from pip._internal.fast.session_requests import SessionRequests
    from pip._internal.models.link import Link
    from pip._internal.network.download import Downloader

__all__ = ["batch"]

_Downloaded = Iterable[tuple["Link", tuple[str, str]]]


def batch(
    fn: Callable[..., _Downloaded],
    downloader: Downloader,
    links: Iterable[Link],
    location: str,
) -> _Downloaded:
    """Download files, and yield the path and content type of each.

    :param location: the folder to download them to.
    """
    session = downloader._session
    options = command_options()
    if options is None:
        yield from fn(downloader, links, location)
        return
    left = []
    for link in links:
        stored = stored_wheel(link, session, link.as_hashes())
        if stored is None:
            left.append(link)
        else:
            yield link, (stored, "")
    requests, most = None, parallel_downloads(options)
    if len(left) > 1 and most > 1:
        with BestEffort("downloading in parallel"):
            from pip._internal.fast.session_requests import requests_of

            requests = requests_of(session, most)
    if requests is None:
        yield from fn(downloader, left, location)
    else:
        yield from _together(downloader, requests, most, left, location)


def _together(
    downloader: Downloader,
    requests: SessionRequests,
    most: int,
    links: Sequence[Link],
    location: str,
) -> Iterator[tuple[Link, tuple[str, str]]]:
    from pip._internal.fast.downloads.fetch import Fetch
    from pip._internal.fast.downloads.pool import Pool
    from pip._internal.fast.downloads.progress import CombinedProgress

    session = without_questions(downloader._session)
    fetches = []
    for number, link in enumerate(links):
        # Two files that are on their way may have the same name.
        folder = os.path.join(location, str(number))
        os.mkdir(folder)
        unpacking = unpacking_for(link, session)
        fetches.append(Fetch(session, link, folder, unpacking))
    progress = CombinedProgress(downloader._progress_bar, fetches)
    pool = Pool(requests.sending, most, downloader, fetches, progress)
    with progress:
        pool.start()
        try:
            for fetch in fetches:
                yield fetch.link, pool.finish(fetch)
        finally:
            pool.stop()
