"""The pictures are drawn from what there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.pictures.__main__ import PICTURES


@pytest.mark.parametrize("path", PICTURES, ids=lambda each: str(each.stem))
def test_they_are_up_to_date(path: Path) -> None:
    """``python -m tools.pictures`` writes them anew."""
    assert path.read_text(encoding="utf-8") == PICTURES[path]()
