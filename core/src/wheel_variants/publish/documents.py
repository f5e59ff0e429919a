"""Metadata documents: the versions of the format, and how publishers write them.

Replaced versions are included: releases in these formats are published, and are judged by
the rules of their time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wheel_variants.properties import Property

__all__ = [
    "CURRENT",
    "SCHEMA_VERSIONS",
    "SchemaVersion",
    "WITHOUT_PROVIDERS",
    "make_document",
    "named_schema_version",
    "to_json",
]

_VERSION = re.compile(r"v([0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9})")
#: Keys come in this order; other keys follow, and the variants come last.
_FIRST_KEYS = ("$schema", "default-priorities", "providers", "static-properties")


@dataclass(frozen=True, slots=True)
class SchemaVersion:
    """A version of the format.

    :ivar pep: the folder of its schema; empty for drafts.
    :ivar root: keys of the document beside ``$schema``.
    :ivar priorities: keys of ``default-priorities``.
    :ivar provider: keys of a provider.
    :ivar label_length: how long a label may be; None for any length.
    :ivar replaced_by: the version to write instead, if this one is outdated.
    """

    version: str
    pep: str
    root: frozenset[str]
    priorities: frozenset[str] = frozenset({"namespace"})
    provider: frozenset[str] = frozenset()
    label_length: int | None = None
    replaced_by: str | None = None

    @property
    def schema(self) -> str:
        """The value of ``$schema``."""
        return f"https://variants-schema.wheelnext.dev/{self.pep}v{self.version}.json"


_ALWAYS = frozenset({"default-priorities", "variants"})
_WITH_PROVIDERS = _ALWAYS | {"providers"}
_WITH_LISTS = _WITH_PROVIDERS | {"static-properties"}
_ORDERS = frozenset({"namespace", "feature", "property"})
_PLUGIN = frozenset({"requires", "plugin-api", "optional"})
_USE, _TIME = (
    _PLUGIN | {"enable-if", "plugin-use"},
    _PLUGIN | {"enable-if", "install-time"},
)
_STATIC = _PLUGIN | {"static-properties", "feature-order", "builtin"}

#: By version.
SCHEMA_VERSIONS: Mapping[str, SchemaVersion] = {
    each.version: each
    for each in (
        SchemaVersion("0.0.2", "", _WITH_PROVIDERS, _ORDERS, _USE, 16, "0.2.0"),
        SchemaVersion("0.0.3", "", _WITH_LISTS, _ORDERS, _TIME, 16, "0.2.0"),
        SchemaVersion("0.1.0", "peps/825/", _ALWAYS, _ORDERS, frozenset(), 16, "0.1.1"),
        SchemaVersion("0.1.1", "peps/825/", _ALWAYS),
        SchemaVersion("0.2.0", "peps/850/", _WITH_PROVIDERS, provider=_STATIC),
    )
}

#: What is written unless the user wants another one.
CURRENT = SCHEMA_VERSIONS["0.2.0"]
#: The format of PEP 825 alone.
WITHOUT_PROVIDERS = SCHEMA_VERSIONS["0.1.1"]


def named_schema_version(schema: str) -> SchemaVersion | None:
    """Return the generation that a schema's URL names, whatever the host."""
    found = _VERSION.findall(schema)
    return SCHEMA_VERSIONS.get(found[-1]) if found else None


def make_document(
    schema_version: SchemaVersion,
    namespaces: Sequence[str],
    providers: Mapping[str, Mapping[str, Any]],
    label: str,
    properties: Iterable[Property],
) -> dict[str, Any]:
    """Return metadata that describes one variant.

    :param namespaces: the most important first.
    :param providers: by namespace; left out if the generation has none.
    """
    nested: dict[str, dict[str, list[str]]] = {}
    for each in sorted(set(properties)):
        values = nested.setdefault(each.namespace, {}).setdefault(each.feature, [])
        values.append(each.value)
    document: dict[str, Any] = {
        "$schema": schema_version.schema,
        "default-priorities": {"namespace": list(namespaces)},
    }
    if "providers" in schema_version.root:
        document["providers"] = {each: dict(providers[each]) for each in namespaces}
    return {**document, "variants": {label: nested}}


def to_json(document: Mapping[str, Any]) -> bytes:
    """Return metadata as JSON; equal documents give equal bytes."""
    keys = [key for key in _FIRST_KEYS if key in document]
    keys += sorted(set(document) - {*keys, "variants"})
    ordered = {key: document[key] for key in keys}
    if isinstance(ordered.get("providers"), dict):
        ordered["providers"] = dict(sorted(ordered["providers"].items()))
    ordered["variants"] = dict(sorted(document["variants"].items()))
    return f"{json.dumps(ordered, indent=2)}\n".encode("ascii")
