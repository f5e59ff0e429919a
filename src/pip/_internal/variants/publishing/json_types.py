"""Find out whether the parts of a JSON or TOML document have the types they should."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeGuard

from pip._internal.variants.publishing.rules import Findings
from pip._internal.variants.publishing.texts import capital

__all__ = ["check_keys", "is_boolean", "is_object", "is_text", "is_text_list", "shown"]

_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def is_object(
    value: object, what: str, findings: Findings
) -> TypeGuard[dict[str, Any]]:
    """Tell whether *value* is an object, and report that if not."""
    return _is(dict, value, what, findings)


def is_text(value: object, what: str, findings: Findings) -> TypeGuard[str]:
    """Tell whether *value* is a string, and report that if not."""
    return _is(str, value, what, findings)


def is_boolean(value: object, what: str, findings: Findings) -> TypeGuard[bool]:
    """Tell whether *value* is true or false, and report that if not."""
    return _is(bool, value, what, findings)


def is_text_list(value: object, what: str, findings: Findings) -> TypeGuard[list[str]]:
    """Tell whether *value* is a list of strings, and report that if not."""
    if not _is(list, value, what, findings):
        return False
    assert isinstance(value, list)
    return all(_is(str, item, f"an item of {what}", findings) for item in value)


def check_keys(
    value: Mapping[str, Any], known: Collection[str], what: str, findings: Findings
) -> None:
    """Report the keys of an object that are not *known*."""
    for key in value:
        if key not in known:
            findings.add(
                "manifest-keys",
                f"{capital(what)} has the key {shown(key)}, which means nothing there",
                "Leave it out",
            )


def shown(value: object) -> str:
    """Write a value so that no terminal obeys it, and not at any length."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _is(kind: type, value: object, what: str, findings: Findings) -> bool:
    if type(value) is kind:
        return True
    found = _KINDS.get(type(value), f"a {type(value).__name__}")
    findings.add("manifest-types", f"{capital(what)} is {found}, not {_KINDS[kind]}")
    return False
