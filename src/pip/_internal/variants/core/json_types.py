"""What a value of a JSON or TOML document is, and how to show it."""

from __future__ import annotations

__all__ = ["shown", "wrong_type"]

_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def wrong_type(value: object, kind: type, what: str) -> str | None:
    """Say that *value* is not of a type, in the rest of a sentence; None if it is.

    :param what: what to call it.
    """
    if type(value) is kind:
        return None
    found = _KINDS.get(type(value), f"a {type(value).__name__}")
    return f"{what} is {found}, not {_KINDS[kind]}"


def shown(value: object) -> str:
    """Write a value so that no terminal obeys it, and not at any length."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
