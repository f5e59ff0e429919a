"""Write metadata documents, in the schema versions that publishers can use."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wheel_variants.properties import Property

__all__ = [
    "CURRENT",
    "DRAFTS",
    "SCHEMA_VERSIONS",
    "SchemaVersion",
    "WITHOUT_PROVIDERS",
    "make_document",
    "named_version",
    "to_json",
]

_VERSION = re.compile(r"v([0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class SchemaVersion:
    """A schema version that is not obsolete.

    :ivar pep: the PEP that defines the version.
    :ivar provider: the keys of a provider; empty if the version has no providers.
    """

    version: str
    pep: int
    provider: frozenset[str] = frozenset()

    @property
    def schema(self) -> str:
        """The value of ``$schema``."""
        folder = f"https://variants-schema.wheelnext.dev/peps/{self.pep}"
        return f"{folder}/v{self.version}.json"

    @property
    def root(self) -> frozenset[str]:
        """The keys of a document."""
        keys = frozenset({"$schema", "default-priorities", "variants"})
        return keys | {"providers"} if self.provider else keys


_PLUGIN = {"requires", "plugin-api", "optional"}
_STATIC = {"static-properties", "feature-order", "builtin"}
#: The default version.
CURRENT = SchemaVersion("0.2.0", 850, frozenset(_PLUGIN | _STATIC))
#: The version of PEP 825, without PEP 850.
WITHOUT_PROVIDERS = SchemaVersion("0.1.1", 825)
#: The supported schema versions, by version number.
SCHEMA_VERSIONS = {each.version: each for each in (CURRENT, WITHOUT_PROVIDERS)}
#: Obsolete versions.
DRAFTS = ("0.0.2", "0.0.3", "0.1.0")


def named_version(schema: str) -> str | None:
    """Return the version in the URL of a schema, on any host, or None."""
    found = _VERSION.findall(schema)
    return found[-1] if found else None


def make_document(
    schema_version: SchemaVersion,
    namespaces: Sequence[str],
    providers: Mapping[str, Mapping[str, Any]],
    label: str,
    properties: Iterable[Property],
) -> dict[str, Any]:
    """Return the metadata of one variant.

    :param namespaces: the namespaces, most important first.
    :param providers: the providers by namespace; omitted if the schema version has no
        providers.
    """
    nested: dict[str, dict[str, list[str]]] = {}
    for each in sorted(set(properties)):
        values = nested.setdefault(each.namespace, {}).setdefault(each.feature, [])
        values.append(each.value)
    document: dict[str, Any] = {
        "$schema": schema_version.schema,
        "default-priorities": {"namespace": list(namespaces)},
    }
    if schema_version.provider:
        document["providers"] = {each: dict(providers[each]) for each in namespaces}
    return {**document, "variants": {label: nested}}


def to_json(document: Mapping[str, Any]) -> bytes:
    """Serialize metadata as JSON; equal documents give equal bytes."""
    return f"{json.dumps(document, indent=2, sort_keys=True)}\n".encode("ascii")
