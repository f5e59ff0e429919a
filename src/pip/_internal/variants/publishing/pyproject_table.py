"""Read the ``[variant]`` table of a ``pyproject.toml``.

Its ``default-priorities`` and ``providers`` are those of the drafts about building
variants, in the form of schema 0.2.0. No draft has a place for what labels stand for;
here ``properties`` maps them, so that every wheel of a release says the same::

    [variant.default-priorities]
    namespace = ["nvidia", "x86_64"]

    [variant.properties]
    cu128 = ["nvidia :: cuda_version_lower_bound :: 12.8"]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pip._internal.console.texts import capital
from pip._internal.utils.compat import tomllib
from pip._internal.variants.core.generations import CURRENT
from pip._internal.variants.core.json_types import shown, wrong_type
from pip._internal.variants.core.properties import InvalidProperty, Property
from pip._internal.variants.publishing.errors import BadProjectTable

__all__ = ["ProjectTable", "read_project_table"]

#: What a provider may say that is for those who build alone.
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
    """What a project says about all its variants.

    :ivar namespaces: the most important first.
    :ivar providers: by namespace, as metadata of schema 0.2.0 describes them.
    :ivar properties: by label.
    """

    path: str = ""
    namespaces: tuple[str, ...] = ()
    providers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    properties: Mapping[str, frozenset[Property]] = field(default_factory=dict)


def read_project_table(path: str) -> ProjectTable:
    """Read the table of a project; an empty one if it has none.

    :raises BadProjectTable: if it cannot be read or has another form.
    """
    try:
        with open(path, "rb") as file:
            document = tomllib.load(file)
    except OSError as error:
        problem = f"It cannot be read: {error.strerror or error}"
        raise BadProjectTable(path, problem, "Name a file with --pyproject") from None
    except RecursionError:
        problem = "It is nested too deeply"
        raise BadProjectTable(path, problem, "Mend it") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        problem = f"It is not TOML: {error}"
        raise BadProjectTable(path, problem, "Mend it") from None
    return _Reader(path).read(document.get("variant", {}))


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path

    def read(self, table: object) -> ProjectTable:
        root = self._object(table, "[variant]")
        known = ("default-priorities", "providers", "properties")
        self._check_keys(root, known, "[variant]")
        priorities = self._object(
            root.get("default-priorities", {}), "[variant.default-priorities]"
        )
        self._check_keys(priorities, ("namespace",), "[variant.default-priorities]")
        namespaces = self._strings(priorities.get("namespace", []), "'namespace'")
        providers: dict[str, dict[str, Any]] = {}
        for namespace, value in self._object(
            root.get("providers", {}), "[variant.providers]"
        ).items():
            what = f"[variant.providers.{namespace}]"
            provider = self._object(value, what)
            self._check_keys(provider, (*sorted(CURRENT.provider), _FOR_BUILDING), what)
            provider = {k: v for k, v in provider.items() if k != _FOR_BUILDING}
            if provider:
                providers[namespace] = provider
        properties = {
            label: frozenset(
                self._property(text, label) for text in self._strings(v, w)
            )
            for label, v in self._object(
                root.get("properties", {}), "[variant.properties]"
            ).items()
            for w in [f"the properties of {shown(label)}"]
        }
        return ProjectTable(self.path, tuple(namespaces), providers, properties)

    def _property(self, text: str, label: str) -> Property:
        try:
            return Property.parse(text)
        except InvalidProperty as error:
            problem = f"The label {shown(label)} has an invalid property: {error}"
            hint = "Write it like 'nvidia :: cuda_version_lower_bound :: 12.8'"
            raise self._bad(problem, hint) from None

    def _check_keys(
        self, table: Mapping[str, Any], known: tuple[str, ...], what: str
    ) -> None:
        for key in table:
            if key not in known:
                hint = _INSTEAD.get(key, f"It may have {', '.join(known)}")
                raise self._bad(f"{what} has the unknown key {shown(key)}", hint)

    def _object(self, value: object, what: str) -> dict[str, Any]:
        self._check_type(value, dict, what)
        assert isinstance(value, dict)
        return value

    def _strings(self, value: object, what: str) -> list[str]:
        self._check_type(value, list, what)
        assert isinstance(value, list)
        for item in value:
            self._check_type(item, str, f"an item of {what}")
        return value

    def _check_type(self, value: object, kind: type, what: str) -> None:
        problem = wrong_type(value, kind, what)
        if problem is not None:
            raise self._bad(capital(problem), "Write a value of the other type")

    def _bad(self, problem: str, hint: str) -> BadProjectTable:
        return BadProjectTable(self.path, problem, hint)
