"""What a wheel on PyTorch's index is built for, as far as its name and place tell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pip._internal.variants.pytorch.backends import CPU, Backend, is_special_build
from pip._internal.variants.wheels.links import BuildLink, label_of

if TYPE_CHECKING:
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.models.link import Link

__all__ = ["as_build", "have_builds", "is_special"]


def have_builds(links: Iterable[Link]) -> bool:
    """Tell whether any of the files of a project is built for one backend."""
    return any(Backend.find(_local_version(link.filename)) for link in links)


def _local_version(filename: str) -> str | None:
    # Thousands of names are looked at: they are not parsed any further than needed.
    parts = filename.split("-", 2)
    return parts[1].partition("+")[2] or None if len(parts) == 3 else None


def as_build(link: Link, source: str, *, by_place: bool) -> Link:
    """Make a wheel for one backend a variant, labelled with it.

    :param source: names where such labels have a meaning.
    :param by_place: whether a wheel without a local version is for the backend that its
        folder is named after, and for the CPU otherwise.
    """
    if not link.is_wheel or label_of(link) is not None:
        return link
    local = _local_version(link.filename)
    backend = Backend.find(local)
    if local is None and by_place:
        backend = Backend.find(link.path.split("/")[-2]) or CPU
    return link if backend is None else BuildLink.of(link, backend.label, source)


def is_special(candidate: InstallationCandidate) -> bool:
    """Tell whether a wheel is a build of a backend that only an exact pin takes."""
    local = candidate.version.local
    return local is not None and is_special_build(local)
