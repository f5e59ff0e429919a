"""The check for words that the texts of this project avoid."""

from __future__ import annotations

from tools.words import problems


def test_words_are_found_across_lines_and_cases() -> None:
    text = "Likewise, it runs\nin place\nof pip.\n"
    assert [number for number, _ in problems(text, is_code=False)] == [1, 2]


def test_openings_of_docstrings() -> None:
    code = '"""Tell it."""\n\n\ndef run() -> None:\n    """Run it; say nothing."""\n'
    ((number, problem),) = problems(code, is_code=True)
    assert (number, problem) == (1, "a docstring begins with 'Tell'")
    assert not list(problems("Tell it.", is_code=False))
