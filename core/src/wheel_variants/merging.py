"""Merge the manifests of one release (PEP 825, "Metadata consistency").

Each wheel describes its own label; all wheels together make the manifest of the release.
Pure: no I/O.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Any

from wheel_variants.manifest import Manifest
from wheel_variants.manifest_parser import schema_version

__all__ = ["Disagreement", "Subject", "disagreements", "merge"]


class Subject(enum.Enum):
    """A subject on which manifests of one release can disagree."""

    NAMESPACES = "namespaces"
    PROPERTIES = "properties"
    #: Installers use the first definition; publishers should keep all of them the same.
    PROVIDERS = "providers"
    #: Installers use the first schema.
    SCHEMAS = "schemas"


class Disagreement(ValueError):
    """Two manifests of one release contradict each other.

    :ivar names: the names of both manifests.
    :ivar problem: the contradiction, as a predicate without the names.
    """

    def __init__(self, subject: Subject, names: tuple[str, str], problem: str) -> None:
        super().__init__(f"{names[0]} and {names[1]} {problem}")
        self.subject = subject
        self.names = names
        self.problem = problem


def merge(manifests: Mapping[str, Manifest]) -> Manifest:
    """Merge manifests of one release; their order does not matter.

    :param manifests: the manifests by name, at least one.
    :raises Disagreement: if the manifests order namespaces differently, or give different
        properties to one label.
    """
    for disagreement in disagreements(manifests):
        if disagreement.subject in (Subject.NAMESPACES, Subject.PROPERTIES):
            raise disagreement
    # The longest list of namespaces starts with each shorter list.
    ordered = _longest_first(manifests)
    merged = manifests[ordered[0]]
    for name in ordered[1:]:
        manifest = manifests[name]
        merged = merged._replace(
            variants={**manifest.variants, **merged.variants},
            providers={**manifest.providers, **merged.providers},
            feature_order={**manifest.feature_order, **merged.feature_order},
            value_order={**manifest.value_order, **merged.value_order},
            document=_merge_documents(manifest.document, merged.document),
        )
    return merged


def disagreements(manifests: Mapping[str, Manifest]) -> Iterator[Disagreement]:
    """Find the contradictions between manifests of one release.

    If several manifests differ in the same way, only the first of them is named.

    :param manifests: the manifests by name.
    """
    ordered = _longest_first(manifests)
    longest = manifests[ordered[0]].namespaces
    known = {longest[:length] for length in range(len(longest) + 1)}
    seen: dict[tuple[Subject, str], list[tuple[str, Any]]] = {}
    for name in ordered:
        manifest = manifests[name]
        if manifest.namespaces not in known:
            known.add(manifest.namespaces)
            problem = "rank namespaces differently: "
            problem += f"{list(longest)!r} and {list(manifest.namespaces)!r}"
            yield Disagreement(Subject.NAMESPACES, (ordered[0], name), problem)
        properties = (
            (Subject.PROPERTIES, label, variant.properties())
            for label, variant in manifest.variants.items()
        )
        providers = ((Subject.PROVIDERS, *each) for each in manifest.providers.items())
        schema = (Subject.SCHEMAS, "", manifest.schema)
        for subject, key, value in (*properties, *providers, schema):
            others = seen.setdefault((subject, key), [])
            if any(value == other for _, other in others):
                continue
            others.append((name, value))
            first, expected = others[0]
            if first != name:
                problem = {
                    Subject.PROPERTIES: f"give label {key!r} different properties",
                    Subject.PROVIDERS: f"describe the provider for {key!r} differently",
                }.get(subject, f"use different schemas: {expected!r} and {value!r}")
                yield Disagreement(subject, (first, name), problem)


def _longest_first(manifests: Mapping[str, Manifest]) -> list[str]:
    """Sort names so that merging always gives the same result."""
    return sorted(manifests, key=lambda name: (-len(manifests[name].namespaces), name))


def _merge_documents(
    other: Mapping[str, Any], first: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Merge the tables of two documents; *first* takes precedence."""
    merged = {**other, **first}
    for key in ("variants", "providers", "static-properties"):
        if isinstance(other.get(key), dict) and isinstance(first.get(key), dict):
            merged[key] = {**other[key], **first[key]}
    schemas = [each["$schema"] for each in (other, first) if "$schema" in each]
    if schemas:
        # Older schemas lack keys of newer schemas, such as providers.
        merged["$schema"] = max(schemas, key=schema_version)
    return merged
