"""Read the ``[variant]`` table of a ``pyproject.toml``.

``default-priorities`` and ``providers`` come from the drafts about building variants, in
the form of schema 0.2.0. No draft defines the properties of labels; here they are under
``properties``, so that all wheels of a release agree::

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

from wheel_variants.labels import is_valid_label
from wheel_variants.manifest_values import TextKind, Values
from wheel_variants.properties import InvalidProperty, Property
from wheel_variants.publish.documents import CURRENT
from wheel_variants.publish.errors import InvalidProjectTable, os_reason
from wheel_variants.safe_repr import safe_repr

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["ProjectTable", "read_project_table"]

#: Other code checks the content of these texts.
_ANY = TextKind("text", lambda _: True)
#: A key of providers for builds only.
_FOR_BUILDING = "build-requires"

_INSTEAD = {
    "enable-if": "Use markers in 'requires' instead",
    "install-time": "Use a static list under 'static-properties' instead",
    "plugin-use": "Use a static list under 'static-properties' instead",
    "feature": "To rank features, use 'feature-order' of a provider with a static list",
    "property": "To rank values, order the static list of the provider; to state the "
    "properties of labels, use [variant.properties]",
    "static-properties": "Move the lists to [variant.providers.NAMESPACE]",
    "variants": "Move the properties of labels to [variant.properties]",
}


@dataclass(frozen=True, slots=True)
class ProjectTable:
    """The ``[variant]`` table of a project.

    :ivar namespaces: the namespaces, most important first.
    :ivar providers: the providers by namespace, in the form of schema 0.2.0.
    :ivar properties: the properties by label.
    """

    path: str = ""
    namespaces: tuple[str, ...] = ()
    providers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    properties: Mapping[str, frozenset[Property]] = field(default_factory=dict)


#: The default file, if it exists.
_DEFAULT = "pyproject.toml"


def read_project_table(path: str | None) -> ProjectTable:
    """Read the table of a project, which is empty if there is none.

    :param path: None for ``pyproject.toml`` in the current folder, if that file exists.
    :raises InvalidProjectTable: if the file cannot be read or the table is invalid.
    """
    if path is None and not os.path.exists(_DEFAULT):
        return ProjectTable()
    path, hint = path or _DEFAULT, "Fix the file"
    try:
        with open(path, "rb") as file:
            document = tomllib.load(file)
        return _TableReader(path).read(document.get("variant", {}))
    except OSError as error:
        problem = f"cannot read the file: {os_reason(error)}"
        hint = "Specify another file with --pyproject"
    except RecursionError:
        problem = "nested too deeply"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        problem = f"not valid TOML: {error}"
    raise InvalidProjectTable(path, problem, hint)


class _TableReader:
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
            provider.pop(_FOR_BUILDING, None)
            if provider:
                providers[namespace] = provider
        listed = self._values.table(root.get("properties", {}), "[variant.properties]")
        properties = {}
        for label, texts in listed.items():
            if isinstance(texts, dict):
                full = f"{label}.{next(iter(texts), '...')}"
                problem = (
                    f"{safe_repr(label)} in [variant.properties] is a table, not a list"
                )
                hint = f'If the label contains a dot, quote it: "{full}" = [...]'
                raise InvalidProjectTable(self.path, problem, hint)
            if not is_valid_label(label):
                problem = (
                    f"[variant.properties] has the invalid label {safe_repr(label)}"
                )
                hint = "Use lowercase letters, digits, '_' and '.', as in 'cu128'"
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
            problem = f"label {safe_repr(label)} has an invalid property: {error}"
            hint = "Write a property as 'nvidia :: cuda_version_lower_bound :: 12.8'"
            raise InvalidProjectTable(self.path, problem, hint) from None

    def _table(self, value: object, what: str, known: Sequence[str]) -> dict[str, Any]:
        """Return a table after checking that all keys are known."""
        table = self._values.table(value, what)
        for key in table:
            if key not in known:
                hint = _INSTEAD.get(key, f"Known keys: {', '.join(known)}")
                problem = f"{what} has the unknown key {safe_repr(key)}"
                raise InvalidProjectTable(self.path, problem, hint)
        return table

    def _refuse(self, _rule: str, problem: str, _: str | None = None) -> NoReturn:
        hint = "Write a value of the expected type"
        raise InvalidProjectTable(self.path, problem, hint)
