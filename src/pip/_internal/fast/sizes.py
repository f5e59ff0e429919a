"""The sizes of files, as far as index pages tell them (PEP 700)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pip._internal.models.link import Link

__all__ = ["LARGE", "SMALL", "listed_size", "note"]

#: Bytes; upstream shows the progress of larger downloads.
SMALL = 512 * 1024
#: Bytes of a wheel; smaller ones are unpacked sooner than a thread begins.
LARGE = 100_000

#: Bytes of each file on the JSON pages that were read, by URL. Upstream drops them when it
#: makes links.
_NOTED: dict[str, int] = {}


def note(link: Link, file_data: dict[str, Any]) -> None:
    """Note the size that a JSON page tells of a file, if it does."""
    if type(size := file_data.get("size")) is int:
        _NOTED[link.url_without_fragment] = size


def listed_size(link: Link) -> int | None:
    """Return the size of a file in bytes; None if it was not noted."""
    return _NOTED.get(link.url_without_fragment)
