"""The downloader of a command, in place of upstream's."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pip._internal.console.output import get_logger
from pip._internal.exceptions import HashError
from pip._internal.network.download import Downloader
from pip._internal.parallel.digests import Digests, Verified
from pip._internal.parallel.downloads import replacing, staged
from pip._internal.parallel.downloads.fetch import Fetch
from pip._internal.parallel.downloads.places import make_staging
from pip._internal.parallel.downloads.pool import Pool
from pip._internal.parallel.downloads.progress import CombinedProgress
from pip._internal.parallel.sizes import take_note

if TYPE_CHECKING:
    from optparse import Values

    from pip._internal.models.link import Link
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.parallel.downloads.staging import Staging
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.utils.hashes import Hashes

__all__ = ["ParallelDownloader", "downloads_left", "enable"]

logger = get_logger(__name__)

_Downloaded = tuple["Link", tuple[str, str]]


def enable(preparer: RequirementPreparer, options: Values) -> None:
    """Make the preparer of a command download in parallel."""
    take_note()
    replacing.enable()
    staging = make_staging(options)
    staged.use(staging)
    preparer._download = ParallelDownloader(preparer, staging)


class ParallelDownloader(Downloader):
    """Downloads batches of links in parallel, and single ones as upstream does.

    It yields, raises and logs what upstream's would, in the same order.
    """

    def __init__(self, preparer: RequirementPreparer, staging: Staging | None) -> None:
        super().__init__(preparer._session, preparer._download._progress_bar)
        self._preparer = preparer
        self._staging = staging
        self._expected: dict[Link, Hashes] = {}

    def expect(self, requirements: Iterable[InstallRequirement]) -> None:
        """Note the hashes that the files of requirements must have."""
        for requirement in requirements:
            assert requirement.link, "upstream asks for those that have one"
            try:
                hashes = self._preparer._get_linked_req_hashes(requirement)
            except HashError:
                continue  # Upstream reports it later.
            self._expected[requirement.link] = hashes

    def batch(self, links: Iterable[Link], location: str) -> Iterator[_Downloaded]:
        """Download links; yield each when it is there and its hash has been checked."""
        links = list(links)
        if len(links) < 2:
            yield from super().batch(links, location)
            return
        fetches = [self._fetch(*each, location) for each in enumerate(links)]
        progress = CombinedProgress(self._progress_bar, fetches)
        pool = Pool(self._session, fetches, progress)
        with progress:
            if not pool.start():
                yield from super().batch(links, location)
                return
            try:
                for fetch in fetches:
                    yield fetch.link, pool.finish(fetch) or self._alone(fetch)
            finally:
                pool.stop()

    def _alone(self, fetch: Fetch) -> tuple[str, str]:
        logger.debug("Downloading %s again, alone: %r", fetch.link, fetch.error)
        return self(fetch.link, fetch.folder)

    def _stage(self, file: Verified) -> None:
        if self._staging is not None and file.path.endswith(".whl"):
            self._staging.add(file)

    def _fetch(self, number: int, link: Link, location: str) -> Fetch:
        # Two files that are on their way may have the same name.
        folder = os.path.join(location, str(number))
        os.mkdir(folder)
        digests = Digests.of(self._expected.get(link))
        return Fetch(link, folder, digests, self._stage)


def downloads_left(
    fn: Callable[..., None],
    preparer: RequirementPreparer,
    requirements: Iterable[InstallRequirement],
    **options: Any,
) -> None:
    """Let upstream download and prepare what it has only metadata of so far."""
    if isinstance(preparer._download, ParallelDownloader):
        requirements = list(requirements)
        preparer._download.expect(requirements)
    fn(preparer, requirements, **options)
