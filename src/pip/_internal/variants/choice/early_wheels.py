"""Ask for small wheels together where upstream would fetch one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pip._internal.network.download import Downloader
from pip._internal.network.utils import HEADERS
from pip._internal.parallel.early_entries import WHEEL
from pip._internal.parallel.sizes import SMALL, listed_size
from pip._internal.variants.choice.verification import is_here

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.choice.context import Context

__all__ = ["asked_together", "is_small"]


@contextmanager
def asked_together(
    context: Context, preparer: RequirementPreparer, reqs: Iterable[InstallRequirement]
) -> Iterator[None]:
    """Ask for the small ones of the wheels of which only the metadata is here.

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
            if link and is_small(link) and not is_here(preparer, link):
                early.ask(link.url_without_fragment, HEADERS, WHEEL)
        yield
    finally:
        early.close()


def is_small(link: Link) -> bool:
    """Tell whether a file is known to be small."""
    size = listed_size(link)
    return size is not None and size <= SMALL
