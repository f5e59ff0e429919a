"""The sizes of files, as far as index pages tell them (PEP 700)."""

from __future__ import annotations

from typing import Any

from pip._internal.models.link import Link

__all__ = ["SMALL", "listed_size", "note", "take_note"]

#: Bytes; upstream shows the progress of larger downloads.
SMALL = 512 * 1024

#: Bytes of each file on the JSON pages that were read, by URL; None: nobody asks.
_noted: dict[str, int] | None = None


def take_note() -> None:
    """Note the sizes on the JSON pages that are read from here on.

    Upstream drops them when it makes links. That is wrapped only when it is needed,
    since a page may list 10,000 files.
    """
    global _noted
    if _noted is not None:
        return
    _noted = {}
    fn = vars(Link)["from_json"].__func__

    def from_json(
        cls: type[Link], file_data: dict[str, Any], page_url: str
    ) -> Link | None:
        link: Link | None = fn(cls, file_data, page_url)
        if link is not None:
            note(link, file_data)
        return link

    Link.from_json = classmethod(from_json)  # type: ignore[assignment,method-assign]


def note(link: Link, file_data: dict[str, Any]) -> None:
    """Note the size that a JSON page tells of a file, if that is of use."""
    if _noted is not None and type(size := file_data.get("size")) is int:
        _noted[link.url_without_fragment] = size


def listed_size(link: Link) -> int | None:
    """Return the size of a file in bytes; None if it was not noted."""
    return None if _noted is None else _noted.get(link.url_without_fragment)
