"""The pictures are drawn from what there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.pictures.__main__ import PICTURES
from tools.pictures.rooms import layers


@pytest.mark.parametrize("path", PICTURES, ids=lambda each: str(each.stem))
def test_they_are_up_to_date(path: Path) -> None:
    """``python -m tools.pictures`` writes them anew."""
    assert path.read_text(encoding="utf-8") == PICTURES[path]()


def test_packages_are_above_what_they_import() -> None:
    rows = [[name for _, name, _ in row] for row in layers()]
    at = {name: place for place, names in enumerate(rows) for name in names}
    assert at["variants/hooks"] < at["variants/locks"] < at["variants/output"]
    assert at["variants/locks"] == at["variants/pytorch"] == at["variants/scoped"]
    assert at["variants/output"] < at["variants/selection"] < at["fast"]
