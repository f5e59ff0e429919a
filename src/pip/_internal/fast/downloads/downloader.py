"""The downloader of a command, in place of upstream's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from pip._internal.exceptions import HashError, HashMismatch
from pip._internal.fast.digests import Digests, Verified
from pip._internal.fast.downloads import atomic_upgrade, staged
from pip._internal.fast.downloads.arrival import Arrival
from pip._internal.fast.downloads.fetch import Fetch
from pip._internal.fast.downloads.places import make_staging
from pip._internal.fast.downloads.pool import Pool
from pip._internal.fast.downloads.progress import CombinedProgress
from pip._internal.fast.session_requests import SessionRequests
from pip._internal.fast.slots import SESSION_REQUESTS
from pip._internal.fast.switches import parallel_downloads
from pip._internal.network.download import Downloader

if TYPE_CHECKING:
    from optparse import Values

    from pip._vendor.requests import Response

    from pip._internal.fast.downloads.staging import Staging
    from pip._internal.models.link import Link
    from pip._internal.network.download import _FileDownload
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.utils.hashes import Hashes

__all__ = ["ParallelDownloader", "enable"]

_Downloaded = tuple["Link", tuple[str, str]]


def enable(
    preparer: RequirementPreparer,
    options: Values,
    left: Iterable[InstallRequirement],
    here: Iterable[InstallRequirement],
) -> None:
    """Make the preparer of a command download in parallel.

    :param left: what it downloads next
    :param here: of which wheels are here, and were checked if they had to be
    """
    atomic_upgrade.enable()
    staging = make_staging(options)
    staged.use(staging)
    most = parallel_downloads(options)
    preparer._download = made = ParallelDownloader(preparer, staging, most)
    made.expect(left)
    made.unpack(here)


class ParallelDownloader(Downloader):
    """Downloads batches of links in parallel, and single ones as upstream does.

    It yields the same files as stock pip's. Of several failures, it raises one.
    """

    def __init__(
        self, preparer: RequirementPreparer, staging: Staging | None, most: int
    ) -> None:
        super().__init__(preparer._session, preparer._download._progress_bar)
        self._preparer = preparer
        self._staging = staging
        self._most = most
        self._expected: dict[Link, Hashes] = {}
        #: Of the file that is downloaded alone.
        self._arrival: Arrival | None = None

    def expect(self, requirements: Iterable[InstallRequirement]) -> None:
        """Note the hashes that the files of requirements must have."""
        for requirement in requirements:
            assert requirement.link, "upstream asks for those that have one"
            try:
                hashes = self._preparer._get_linked_req_hashes(requirement)
            except HashError:
                continue  # Upstream reports it later.
            self._expected[requirement.link] = hashes

    def unpack(self, requirements: Iterable[InstallRequirement]) -> None:
        """Unpack those wheels that are large, and here."""
        if self._staging is None:
            return
        for requirement in requirements:
            self._staging.add(Verified.unchecked(requirement.local_file_path or ""))

    def batch(self, links: Iterable[Link], location: str) -> Iterator[_Downloaded]:
        """Download links; yield each when it is there and its hash has been checked."""
        links = list(links)
        if len(links) < 2:
            for link in links:
                yield link, self._one(link, location)
            return
        fetches = [self._fetch(*each, location) for each in enumerate(links)]
        progress = CombinedProgress(self._progress_bar, fetches)
        requests = SESSION_REQUESTS.once(
            self._session, lambda session: SessionRequests(session, self._most)
        )
        pool = Pool(self._session, requests, self._most, fetches, progress, self._alone)
        with progress:
            if not pool.start():
                yield from super().batch(links, location)
                return
            try:
                for fetch in fetches:
                    yield fetch.link, pool.finish(fetch)
            finally:
                pool.stop()

    def _alone(self, fetch: Fetch) -> tuple[str, str]:
        return self(fetch.link, fetch.folder)

    def _one(self, link: Link, location: str) -> tuple[str, str]:
        """Download a file as upstream does, and unpack it meanwhile."""
        self._arrival = arrival = self._arrival_of(link)
        try:
            path, content_type = self(link, location)
        except BaseException:
            arrival.begin_again()
            raise
        finally:
            self._arrival = None
        with suppress(HashMismatch):  # Upstream reports it.
            arrival.check(path)
        return path, content_type

    def _process_response(self, download: _FileDownload, resp: Response) -> None:
        if self._arrival is not None:
            self._arrival.watch(download, lambda _: None)
        super()._process_response(download, resp)

    def _fetch(self, number: int, link: Link, location: str) -> Fetch:
        # Two files that are on their way may have the same name.
        folder = os.path.join(location, str(number))
        os.mkdir(folder)
        return Fetch(link, folder, self._arrival_of(link))

    def _arrival_of(self, link: Link) -> Arrival:
        digests = Digests.of(self._expected.get(link))
        return Arrival(digests, self._staging)
