"""Output of pip: folded lines without control characters and passwords."""

from __future__ import annotations

import re

#: Credentials in a URL, unless they are hidden already.
_CREDENTIALS = re.compile(
    r"(?<=://)(?!CREDENTIALS@|(?:[^/?#\s:@]*:)?\*{4}@)[^/?#\s]*(?=@\S)"
)


def printable(text: str) -> str:
    """Return *text* with escapes for characters that a terminal must not receive.

    Some of these characters control the terminal; others end a line, or cannot be written.
    Credentials in URLs are hidden, because users may type a URL for any option.
    """
    text = _CREDENTIALS.sub("****", text)
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
