"""Ask at once for the small wheels that upstream would fetch one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pip._internal.network.download import Downloader
from pip._internal.network.utils import HEADERS
from pip._internal.parallel.early_entries import WHEEL
from pip._internal.parallel.early_requests import EarlyRequests
from pip._internal.parallel.sizes import SMALL, listed_size
from pip._internal.parallel.slots import EARLY_REQUESTS

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement

__all__ = ["asked_together", "is_here", "is_small"]


@contextmanager
def asked_together(
    preparer: RequirementPreparer, reqs: Iterable[InstallRequirement]
) -> Iterator[None]:
    """Ask at once for the small wheels of which only the metadata is here.

    What is asked for is what upstream asks for next, whatever comes of it.
    """
    early = EARLY_REQUESTS.of(preparer._session, EarlyRequests)
    # Another kind of downloader has its own way of fetching several files together.
    if early is None or type(preparer._download) is not Downloader:
        yield
        return
    early.due, early.idle = (lambda _: None), (lambda: None)
    early.open()
    try:
        for req in reqs:
            link = req.link if req.needs_more_preparation else None
            if link and is_small(link) and not is_here(preparer, link):
                early.ask(link.url_without_fragment, HEADERS, WHEEL)
        yield
    finally:
        early.close()


def is_here(preparer: RequirementPreparer, link: Link) -> bool:
    """Tell whether a file may be there from an earlier download, and be used."""
    folder = preparer.download_dir
    return folder is not None and os.path.exists(os.path.join(folder, link.filename))


def is_small(link: Link) -> bool:
    """Tell whether a file is known to be small."""
    size = listed_size(link)
    return size is not None and size <= SMALL
