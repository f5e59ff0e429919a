"""Compare what downloads need with what is free, before the first of them begins.

Only what is needed for certain counts, as far as the index tells: a wheel takes its size
where it is downloaded to, and at least as much again where it is installed. What upstream
may do without does not stop a command: what a cache on a disk of its own has no space for,
it does not keep.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pip._internal.console import printable
from pip._internal.exceptions import InstallationError
from pip._internal.network.cache import SafeFileCache
from pip._internal.parallel.sizes import listed_size
from pip._internal.parallel.space import device_of, existing
from pip._internal.parallel.target import installed_to
from pip._internal.utils.misc import format_size

if TYPE_CHECKING:
    from optparse import Values

    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement

__all__ = ["Need", "NoSpace", "check_needs", "check_space"]


_PACKAGES = "for packages at least"
_ELSEWHERE = "set TMPDIR to a folder on another disk"


class Need(NamedTuple):
    """What is needed in one folder.

    :ivar size: in bytes
    :ivar for_what: in words
    :ivar way_out: how it is not needed there; empty if nothing helps
    """

    folder: str
    size: int
    for_what: str
    way_out: str = ""


class NoSpace(InstallationError):
    """What a command needs is more than what is free.

    :param lacks: of each disk with too little space, what is needed there, and how many
        bytes are free.
    """

    def __init__(self, lacks: Sequence[tuple[Sequence[Need], int]]) -> None:
        self.lacks = lacks
        lines = ["There is too little space for what is to be downloaded:"]
        for needs, free in lacks:
            lines += (
                f"  {os.path.abspath(need.folder)}: {format_size(need.size)} are needed {need.for_what}"
                for need in needs
            )
            in_all = format_size(sum(need.size for need in needs))
            on_one = f"; {in_all} in all" if len(needs) > 1 else ""
            lines[-1] += f"{on_one}, and {format_size(free)} are free"
        ways = [need.way_out for needs, _ in lacks for need in needs if need.way_out]
        lines.append(f"{', or '.join(dict.fromkeys(['Make space', *ways]))}.")
        super().__init__("\n".join(map(printable, lines)))


def check_space(
    preparer: RequirementPreparer,
    options: Values,
    left: Sequence[InstallRequirement],
) -> None:
    """Compare what a command needs with what is free.

    :param left: of which the files are to be downloaded
    :raises NoSpace: it is too little
    """
    remote = [req for req in left if req.link and not req.link.is_file]
    needs = [Need(tempfile.gettempdir(), _size(remote), "for downloads", _ELSEWHERE)]
    if preparer.download_dir is not None:
        needs.append(Need(preparer.download_dir, _size(left), "to keep the files"))
    else:
        # What is replaced makes space.
        new = _size(req for req in left if not req.should_reinstall)
        needs += _needs_of_packages(options, new)
    disks = {device_of(need.folder) for need in needs}
    # On the disk of the downloads, the cache has links to them.
    disks.discard(device_of(tempfile.gettempdir()))
    if options.cache_dir and device_of(options.cache_dir) in disks:
        size = _size(req for req in remote if not _is_cached(preparer, req))
        needs.append(
            Need(options.cache_dir, size, "for the cache", "add --no-cache-dir")
        )
    check_needs(needs)


def _needs_of_packages(options: Values, size: int) -> Iterator[Need]:
    scheme = installed_to(options)
    if scheme is not None:
        yield Need(scheme.platlib, size, _PACKAGES)
        return
    temporary, target = tempfile.gettempdir(), options.target_dir
    yield Need(temporary, size, "for packages before they are moved", _ELSEWHERE)
    if device_of(target) != device_of(temporary):
        yield Need(target, size, _PACKAGES)


def _size(reqs: Iterable[InstallRequirement]) -> int:
    return sum(
        listed_size(link) or 0 for link in {req.link for req in reqs if req.link}
    )


def _is_cached(preparer: RequirementPreparer, req: InstallRequirement) -> bool:
    """Tell whether the cache has a file already, or will not keep it."""
    assert req.link, "it is about to be downloaded"
    url = req.link.url_without_fragment
    adapter: Any = preparer._session.get_adapter(url)
    cache = getattr(adapter, "cache", None)
    if not isinstance(cache, SafeFileCache):
        return True
    path = cache._get_cache_path(adapter.controller.cache_url(url))
    return os.path.exists(f"{path}.body")


def check_needs(needs: Iterable[Need]) -> None:
    """Compare what is needed with what is free on each disk.

    :raises NoSpace: it is too little
    """
    disks: dict[int | None, list[Need]] = {}
    for need in needs:
        if need.size:
            disks.setdefault(device_of(need.folder), []).append(need)
    found = ((here, _free(here[0].folder)) for here in disks.values())
    lacks = [
        (here, free)
        for here, free in found
        if free is not None and sum(need.size for need in here) > free
    ]
    if lacks:
        raise NoSpace(lacks)


def _free(folder: str) -> int | None:
    """Return the bytes that are free in a folder; None if nobody knows."""
    try:
        usage = shutil.disk_usage(existing(folder))
    except OSError:
        return None
    # Some file systems do not tell.
    return usage.free if usage.total else None
