"""Write the pictures of the docs; a test detects outdated ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tools.pictures import columns, rooms

__all__ = ["PICTURES", "main"]

_DOCS = Path(__file__).resolve().parents[2] / "docs"
PICTURES: Mapping[Path, Callable[[], str]] = {
    _DOCS / "architecture.svg": rooms.drawing,
    _DOCS / "choice.svg": columns.choice,
    _DOCS / "four-machines.svg": columns.four_machines,
    _DOCS / "lock.svg": columns.lock,
    _DOCS / "trust.svg": columns.trust,
}


def main() -> int:
    """Write all pictures."""
    for path, draw in PICTURES.items():
        path.write_text(draw(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
