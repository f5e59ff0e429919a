"""Ask for small wheels together where upstream would fetch one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pip._internal.network.download import Downloader
from pip._internal.network.utils import HEADERS
from pip._internal.parallel.early_entries import WHEEL
from pip._internal.parallel.sizes import SMALL, listed_size
from pip._internal.variants.choice.context import context_of
from pip._internal.variants.choice.verification import is_here

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement

__all__ = ["is_small", "wheels_due"]


def wheels_due(
    fn: Callable[..., None],
    preparer: RequirementPreparer,
    reqs: Iterable[InstallRequirement],
    *args: Any,
    **kwargs: Any,
) -> None:
    """Fetch the wheels of which only the metadata is here, the small ones together.

    What is asked for is what upstream asks for next, whatever comes of it.
    """
    context = context_of(preparer.finder)
    # Another kind of downloader has its own way of fetching several files together.
    is_upstream_s = type(preparer._download) is Downloader
    if context is None or context.early is None or not is_upstream_s:
        fn(preparer, reqs, *args, **kwargs)
        return
    early, context.early = context.early, None
    reqs = list(reqs)
    early.open()
    try:
        for req in reqs:
            link = req.link if req.needs_more_preparation else None
            if link and is_small(link) and not is_here(preparer, link):
                early.ask(link.url_without_fragment, HEADERS, WHEEL)
        fn(preparer, reqs, *args, **kwargs)
    finally:
        early.close()


def is_small(link: Link) -> bool:
    """Tell whether a file is known to be small."""
    size = listed_size(link)
    return size is not None and size <= SMALL
