"""Write the pictures of the documents; a test tells if one is out of date."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tools.pictures import choice, choices, locked, rooms, times, trust

__all__ = ["PICTURES", "main"]

_DOCS = Path(__file__).resolve().parents[2] / "docs"
PICTURES: Mapping[Path, Callable[[], str]] = {
    _DOCS / "architecture.svg": rooms.drawing,
    _DOCS / "choice.svg": choice.drawing,
    _DOCS / "four-machines.svg": choices.drawing,
    _DOCS / "lock.svg": locked.drawing,
    _DOCS / "trust.svg": trust.drawing,
    _DOCS / "benchmarks" / "chart.svg": times.drawing,
}


def main() -> int:
    """Write all of them."""
    for path, draw in PICTURES.items():
        path.write_text(draw(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
