"""How code lines are counted."""

from __future__ import annotations

import pytest

from tools.code_lines import code_lines


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("", 0),
        ("# a comment\n\nx = 1  # another one\n", 1),
        ('"""A docstring\n\nof three lines."""\n', 0),
        ('def f():\n    """A docstring."""\n    return """text\n\nmore"""\n', 4),
        ("class A:\n    '''One.'''\n\n    async def f(self):\n        'Two.'\n", 2),
        ("f(\n    1,\n\n    # why\n    2,\n)\n", 4),
        ("x = 1; y = 2\n", 1),
    ],
)
def test_code_lines(source: str, count: int) -> None:
    assert code_lines(source) == count
