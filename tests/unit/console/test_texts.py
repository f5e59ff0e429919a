"""Names and texts as they are shown."""

from __future__ import annotations

import pytest

from pip._internal.console.texts import without_credentials


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "No adapter for 'ftp://u:secret@a.example/x', nor for https://secret@b.example.",
            "No adapter for 'ftp://****@a.example/x', nor for https://****@b.example.",
        ),
        # The last one ends it.
        ("404 for https://u:a@secret@a.example/s", "404 for https://****@a.example/s"),
        ("https://u:a secret@[a", "https://****@[a"),
        (
            "x @ git+https://secret@a.example/x@v1",
            "x @ git+https://****@a.example/x@v1",
        ),
        ("a @ https://a.example, b @ https://b.example/", None),
        ("https://a.example/simple/torch@2/ and me@a.example", None),
        ("https://a.example?x=y@z", None),
        ("nothing of the kind", None),
    ],
)
def test_credentials_in_a_sentence(text: str, expected: str | None) -> None:
    assert without_credentials(text) == (text if expected is None else expected)
    assert "secret" not in without_credentials(text, "CREDENTIALS")
