"""A normal form of Python syntax that is the same on every CPython.

``ast.dump`` and ``ast.unparse`` change between versions; this form keeps only what an
author wrote: node types, fields that carry a value, and constants with their types.
"""

from __future__ import annotations

import ast
import hashlib
import json

__all__ = ["Normal", "fingerprint", "normal_form"]

Normal = str | list["Normal"]

_DROPPED = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
#: What newer versions say of all that has not been written so (3.15: PEP 810).
_UNSAID = {"is_lazy": 0}


def normal_form(node: ast.AST) -> Normal:
    """Return the node as nested lists of strings.

    Positions, contexts, kinds, and fields that are None or empty, or that say what older
    versions leave out, are left out.
    """
    form: list[Normal] = [type(node).__name__]
    for name, value in sorted(ast.iter_fields(node)):
        if isinstance(node, ast.Constant) and name == "value":
            form.append([name, type(value).__name__, _constant(value)])
        elif (
            name in _DROPPED
            or value is None
            or value == []
            or (name in _UNSAID and value == _UNSAID[name])
        ):
            continue
        elif isinstance(node, ast.JoinedStr) and name == "values":
            form.append([name, *_joined(value)])
        elif isinstance(value, list):
            form.append([name, *(_field(item) for item in value)])
        else:
            form.append([name, _field(value)])
    return form


def fingerprint(node: ast.AST) -> str:
    """Return the SHA-256 (hexadecimal) of the node's normal form."""
    return hashlib.sha256(json.dumps(normal_form(node)).encode()).hexdigest()


def _field(value: object) -> Normal:
    if isinstance(value, ast.AST):
        return normal_form(value)
    if value is None:  # A missing key in a dict display: ``{**other}``.
        return "None"
    return [type(value).__name__, str(value)]


def _constant(value: object) -> str:
    # repr() of a string depends on the version's Unicode tables.
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, bytes):
        return value.hex()
    return repr(value)


def _joined(values: list[ast.expr]) -> list[Normal]:
    # How the literal parts of an f-string are split differs between versions.
    forms: list[Normal] = []
    text = ""
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            text += value.value
            continue
        if text:
            forms.append(["text", json.dumps(text)])
            text = ""
        forms.append(normal_form(value))
    if text:
        forms.append(["text", json.dumps(text)])
    return forms
