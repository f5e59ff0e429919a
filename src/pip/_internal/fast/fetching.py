"""Fetch the files of a command when all that are left to fetch are known.

Large ones are fetched several at a time and unpacked meanwhile, small ones are asked for
together. What does so is loaded when there is something to fetch.
"""

from __future__ import annotations

import optparse
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from pip._internal.fast.best_effort import BestEffort
from pip._internal.fast.digests import is_whole
from pip._internal.fast.sizes import SMALL, listed_size
from pip._internal.fast.slots import COMMAND_OPTIONS
from pip._internal.fast.switches import (
    is_fast,
    keeps_unpacked,
    parallel_downloads,
)

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement

__all__ = ["is_here", "preparer_made", "wheels_due"]


def preparer_made(
    fn: Callable[..., RequirementPreparer],
    cls: type[Any],
    temp_build_dir: Any,
    options: optparse.Values,
    **parts: Any,
) -> RequirementPreparer:
    """Let the files of a command be fetched faster, unless it shall be slow."""
    preparer = fn(cls, temp_build_dir, options, **parts)
    if is_fast(options):
        COMMAND_OPTIONS.set(preparer, options)
        if keeps_unpacked(options):
            from pip._internal.fast.unpacked import using

            using.begin(preparer, options)
    return preparer


def wheels_due(
    fn: Callable[..., None],
    preparer: RequirementPreparer,
    reqs: Iterable[InstallRequirement],
    *args: Any,
    **kwargs: Any,
) -> None:
    """Fetch what is left, of which stock pip would fetch one file after the other."""
    reqs = list(reqs)
    options = COMMAND_OPTIONS.of(preparer, optparse.Values)
    if options is None:
        return fn(preparer, reqs, *args, **kwargs)
    with _unpacked(options, reqs):
        left = _left(preparer, reqs)
        faster: AbstractContextManager[None] = nullcontext()
        with BestEffort("downloading in parallel"):
            faster = _faster(preparer, options, reqs, left)
        with faster:
            return fn(preparer, reqs, *args, **kwargs)


def _unpacked(
    options: optparse.Values,
    reqs: list[InstallRequirement],
) -> AbstractContextManager[None]:
    """Return what takes from the cache what lies unpacked there, before all else."""
    if not keeps_unpacked(options):
        return nullcontext()
    from pip._internal.fast.unpacked import using

    return using.prepared(reqs)


def _left(
    preparer: RequirementPreparer, reqs: Iterable[InstallRequirement]
) -> list[InstallRequirement]:
    """Return the requirements of which upstream downloads the files next."""
    return [
        req
        for req in reqs
        if req.link and req.needs_more_preparation and not is_here(preparer, req.link)
    ]


def is_here(preparer: RequirementPreparer, link: Link) -> bool:
    """Tell whether a file may be there from an earlier download, and be used."""
    folder = preparer.download_dir
    return folder is not None and os.path.exists(os.path.join(folder, link.filename))


def _known_size(req: InstallRequirement) -> int:
    """Return the bytes of a file; 0 if nobody knows."""
    if req.local_file_path is not None:
        return os.path.getsize(req.local_file_path)
    return listed_size(req.link) or 0 if req.link else 0


def _faster(
    preparer: RequirementPreparer,
    options: optparse.Values,
    reqs: list[InstallRequirement],
    left: list[InstallRequirement],
) -> AbstractContextManager[None]:
    """Return what makes upstream faster while it fetches what is *left*."""
    if parallel_downloads(options) < 2:
        return nullcontext()
    paths = ((req, req.local_file_path or "") for req in reqs)
    here = [req for req, path in paths if path.endswith(".whl") and is_whole(path)]
    is_small = sum(map(_known_size, [*here, *left])) <= SMALL and all(
        map(_known_size, left)
    )
    if not is_small or "parallel-downloads" in options.features_enabled:
        from pip._internal.fast.downloads import downloader

        downloader.enable(preparer, options, left, here)
        return nullcontext()
    from pip._internal.fast.together import asked_together

    return asked_together(preparer._session, left)
