"""Read the ``[variant]`` table of a ``pyproject.toml``.

Its ``default-priorities`` and ``providers`` come from the drafts about building variants,
in the form of schema 0.2.0. No draft has a place for what labels stand for; here that is
under ``properties``, so that all wheels of a release agree::

    [variant.default-priorities]
    namespace = ["nvidia", "x86_64"]

    [variant.properties]
    cu128 = ["nvidia :: cuda_version_lower_bound :: 12.8"]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

from wheel_variants.manifest_values import Kind, Values
from wheel_variants.properties import InvalidProperty, Property
from wheel_variants.publish.documents import CURRENT
from wheel_variants.publish.errors import InvalidProjectTable, said
from wheel_variants.safe_repr import safe_repr

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["ProjectTable", "project_table", "read_project_table"]

#: What a text says is checked elsewhere.
_ANY = Kind("text", lambda _: True)
#: A key of providers that matters for building only.
_FOR_BUILDING = "build-requires"

_INSTEAD = {
    "enable-if": "Use markers in 'requires' instead",
    "install-time": "A static list under 'static-properties' says the same",
    "plugin-use": "A static list under 'static-properties' says the same",
    "feature": "'feature-order' of a provider orders the features of a static list",
    "property": "The order of a static list is that of its values",
    "static-properties": "Move the lists to [variant.providers.NAMESPACE]",
    "variants": "Write the properties of labels under [variant.properties]",
}


@dataclass(frozen=True, slots=True)
class ProjectTable:
    """The ``[variant]`` table of a project.

    :ivar namespaces: the most important first.
    :ivar providers: by namespace, as metadata of schema 0.2.0 describes them.
    :ivar properties: by label.
    """

    path: str = ""
    namespaces: tuple[str, ...] = ()
    providers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    properties: Mapping[str, frozenset[Property]] = field(default_factory=dict)


#: Read if it exists and no other file is named.
_DEFAULT = "pyproject.toml"


def project_table(path: str | None) -> ProjectTable:
    """Read the table of a project; without *path*, of that in the current folder, if any.

    :raises InvalidProjectTable: if it cannot be read or has the wrong form.
    """
    if path is None and not os.path.exists(_DEFAULT):
        return ProjectTable()
    return read_project_table(path or _DEFAULT)


def read_project_table(path: str) -> ProjectTable:
    """Read the table of a project; an empty one if it has none.

    :raises InvalidProjectTable: if it cannot be read or has the wrong form.
    """
    hint = "Fix it"
    try:
        with open(path, "rb") as file:
            document = tomllib.load(file)
        return _Reader(path).read(document.get("variant", {}))
    except OSError as error:
        problem = f"it cannot be read: {said(error)}"
        hint = "Name a file with --pyproject"
    except RecursionError:
        problem = "it is nested too deeply"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        problem = f"it is not TOML: {error}"
    raise InvalidProjectTable(path, problem, hint)


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self._values = Values(self._refuse)
        self._texts = partial(self._values.texts, kind=_ANY, repeated=None)

    def read(self, table: object) -> ProjectTable:
        known = ("default-priorities", "providers", "properties")
        root = self._table(table, "[variant]", known)
        what = "[variant.default-priorities]"
        priorities = self._table(
            root.get("default-priorities", {}), what, ("namespace",)
        )
        namespaces = self._texts(priorities.get("namespace", []), "'namespace'")
        providers: dict[str, dict[str, Any]] = {}
        keys = (*sorted(CURRENT.provider), _FOR_BUILDING)
        described = self._values.table(root.get("providers", {}), "[variant.providers]")
        for namespace, value in described.items():
            provider = self._table(value, f"[variant.providers.{namespace}]", keys)
            provider = {k: v for k, v in provider.items() if k != _FOR_BUILDING}
            if provider:
                providers[namespace] = provider
        listed = self._values.table(root.get("properties", {}), "[variant.properties]")
        properties = {}
        for label, texts in listed.items():
            if isinstance(texts, dict):
                full = f"{label}.{next(iter(texts), '...')}"
                problem = f"[variant.properties] has no list for {safe_repr(label)}"
                hint = f'Quote a label with a dot: "{full}" = [...]'
                raise InvalidProjectTable(self.path, problem, hint)
            properties[label] = frozenset(
                self._property(text, label)
                for text in self._texts(texts, f"the properties of {safe_repr(label)}")
            )
        return ProjectTable(self.path, namespaces, providers, properties)

    def _property(self, text: str, label: str) -> Property:
        try:
            return Property.parse(text)
        except InvalidProperty as error:
            problem = f"the label {safe_repr(label)} has an invalid property: {error}"
            hint = "Write it like 'nvidia :: cuda_version_lower_bound :: 12.8'"
            raise InvalidProjectTable(self.path, problem, hint) from None

    def _table(self, value: object, what: str, known: Sequence[str]) -> dict[str, Any]:
        """Return a table whose keys are all known."""
        table = self._values.table(value, what)
        for key in table:
            if key not in known:
                hint = _INSTEAD.get(key, f"It may have {', '.join(known)}")
                problem = f"{what} has the unknown key {safe_repr(key)}"
                raise InvalidProjectTable(self.path, problem, hint)
        return table

    def _refuse(self, _rule: str, problem: str, _: str | None = None) -> NoReturn:
        hint = "Write a value of the other type"
        raise InvalidProjectTable(self.path, problem, hint)
