"""Find functions with too many branches.

Ruff (C901) checks this, too, but radon counts branches differently.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from radon.complexity import cc_visit

__all__ = ["LIMIT", "above", "main"]

LIMIT = 15
ROOT = Path(__file__).resolve().parents[1]


def above(paths: Sequence[Path]) -> Iterator[tuple[str, int]]:
    """Yield the functions above the limit as ``path::name``, with their complexity."""
    for path in paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            name = file.relative_to(ROOT).as_posix()
            # Assertions are not branches.
            for block in cc_visit(file.read_text(encoding="utf-8"), no_assert=True):
                if block.letter != "C" and block.complexity > LIMIT:
                    yield f"{name}::{block.fullname}", block.complexity


def main() -> int:
    """Check all code of the project, and return 1 if a function is too complex."""
    places = ("src", "carrier", "core", "fork", "tools", "tests", "noxfile.py")
    found = sorted(above([ROOT / place for place in places]))
    for name, complexity in found:
        print(f"{name}: too complex ({complexity} > {LIMIT})", file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
