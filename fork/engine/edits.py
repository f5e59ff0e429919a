"""Apply edits to a source file, and reverse them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from fork.engine.errors import ForkError

__all__ = ["Edit", "apply", "reverse"]


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


def reverse(data: bytes, edits: list[Edit], path: str) -> bytes:
    """Remove the edits from a file by searching for their texts.

    :raises ForkError: if the number of copies of an added text differs from the number
        added.
    """
    lines = Counter(edit.new for edit in edits if not edit.old)
    kept: list[bytes] = []
    removed: Counter[bytes] = Counter()
    for line in data.splitlines(keepends=True):
        if line in lines:
            removed[line] += 1
        else:
            kept.append(line)
    for line, count in lines.items():
        _expect(removed[line], count, line, path)
    data = b"".join(kept)
    replaced = Counter((edit.old, edit.new) for edit in edits if edit.old)
    for (old, new), count in replaced.items():
        _expect(data.count(new), count, new, path)
        data = data.replace(new, old)
    return data


def _expect(found: int, expected: int, text: bytes, path: str) -> None:
    if found != expected:
        raise ForkError(
            f"reverse check: {text.decode().strip()!r} was added {expected}x but stands "
            f"{found}x in the result: upstream already has this text. Change the seam in "
            f"fork/seams.py so that its text is only ours. File: {path!r}"
        )
