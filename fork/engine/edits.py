"""Apply edits to a source file."""

from __future__ import annotations

from dataclasses import dataclass

from fork.engine.errors import ForkError

__all__ = ["Edit", "apply"]


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that replaces ``old`` at byte offset ``start`` with ``new``.

    If ``old`` is empty, ``new`` is exactly one whole line, inserted at the start of a line.
    """

    start: int
    old: bytes
    new: bytes


def apply(data: bytes, edits: list[Edit], path: str) -> bytes:
    """Return the edited file.

    :raises ForkError: if edits overlap.
    """
    pieces: list[bytes] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        if edit.start < position:
            raise ForkError(
                "two seams edit the same place; make them one in fork/seams.py. "
                f"File: {path!r}"
            )
        pieces += [data[position : edit.start], edit.new]
        position = edit.start + len(edit.old)
    return b"".join([*pieces, data[position:]])
