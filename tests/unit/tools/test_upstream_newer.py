"""Which release of upstream's pip is news."""

from __future__ import annotations

import pytest

from tools.upstream_newer import newer


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ([], None),
        (["26.3", "26.2", "9.0.3"], None),
        (["26.3", "26.3.1", "26.4"], "26.4"),
        (["26.10", "26.9"], "26.10"),
        (["27.0b1", "26.4.dev0"], None),
        (["26.3.post1"], "26.3.post1"),
        (["not-a-version", "26.3.1"], "26.3.1"),
    ],
)
def test_the_newest_final_release(versions: list[str], expected: str | None) -> None:
    assert newer(versions, "26.3") == expected
