"""Download several files of a command at a time, in threads that run pip's downloader."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pip._internal.fast.install_command import stored_wheel
from pip._internal.fast.optional_work import BestEffort
from pip._internal.fast.switches import command_options, parallel_downloads

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.network.download import Downloader

_Downloaded = Iterable[tuple["Link", tuple[str, str]]]


def batch(
    fn: Callable[..., _Downloaded],
    downloader: Downloader,
    links: Iterable[Link],
    location: str,
) -> _Downloaded:
    """Download files, and yield the path and content type of each.

    :param location: the folder to download the files to.
    """
    options = command_options()
    if options is None:
        yield from fn(downloader, links, location)
        return
    left = []
    for link in links:
        stored = stored_wheel(link, link.as_hashes())
        if stored is None:
            left.append(link)
        else:
            yield link, (stored, "")
    pool, most = None, parallel_downloads(options)
    if len(left) > 1 and most > 1:
        with BestEffort("downloading in parallel"):
            from pip._internal.fast.download_pool import Pool

            pool = Pool(downloader, most, left, location)
    if pool is None:
        yield from fn(downloader, left, location)
    else:
        yield from pool.download()
