"""Refuse functions that branch too much: radon counts conditions, ruff statements."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from radon.complexity import cc_visit

__all__ = ["LIMIT", "KNOWN", "above", "main"]

LIMIT = 15
ROOT = Path(__file__).resolve().parents[1]
#: Functions that are above it still. The list only shrinks.
KNOWN = ROOT / "tools/complex.txt"


def above(paths: Sequence[Path]) -> Iterator[tuple[str, int]]:
    """Yield the functions above the limit, ``path::name``, and how complex they are."""
    for path in paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            name = file.relative_to(ROOT).as_posix()
            # Assertions are no branches.
            for block in cc_visit(file.read_text(encoding="utf-8"), no_assert=True):
                if block.letter != "C" and block.complexity > LIMIT:
                    yield f"{name}::{block.fullname}", block.complexity


def main() -> int:
    """Check all code of the project; the status tells if any is to be changed."""
    known = set(KNOWN.read_text(encoding="utf-8").split())
    places = ("src", "fork", "tools", "tests", "noxfile.py")
    found = dict(above([ROOT / place for place in places]))
    for name in sorted(found.keys() - known):
        print(f"{name}: too complex ({found[name]} > {LIMIT})", file=sys.stderr)
    for name in sorted(known - found.keys()):
        print(f"{name}: take it out of {KNOWN.name}", file=sys.stderr)
    return int(found.keys() != known)


if __name__ == "__main__":
    sys.exit(main())
