"""How large files are, as far as an index tells before they are asked for (PEP 700)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pip._internal.variants import seams

if TYPE_CHECKING:
    from pip._internal.models.link import Link

__all__ = ["SMALL", "listed_size", "take_note"]

#: Bytes; of what is larger, upstream shows how its download gets on.
SMALL = 512 * 1024


def take_note() -> None:
    """Take note of the sizes on the JSON pages that are read from here on."""
    if seams.SIZES is None:
        seams.SIZES = {}


def listed_size(link: Link) -> int | None:
    """Give the size of a file in bytes; None if it was not noted."""
    return None if seams.SIZES is None else seams.SIZES.get(link.url_without_fragment)
