"""Check metadata by itself: a wheel's ``variant.json`` or the manifest of a release.

The reader of manifests reports what installers act on; the rest is checked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wheel_variants.labels import NULL_LABEL
from wheel_variants.manifest import InvalidManifest, Manifest
from wheel_variants.manifest_parser import load_json, read_document
from wheel_variants.properties import Property
from wheel_variants.publish.documents import (
    CURRENT,
    WITHOUT_PROVIDERS,
    Generation,
    named_generation,
)
from wheel_variants.publish.findings import Finding, Findings
from wheel_variants.publish.provider_rules import check_providers
from wheel_variants.rules import Effect
from wheel_variants.shown import shown

__all__ = ["CheckedManifest", "check_manifest"]


@dataclass(frozen=True, slots=True)
class CheckedManifest:
    """Metadata, and the rules that it breaks.

    :ivar document: the JSON object; None if there is none.
    :ivar manifest: the parsed metadata; None if installers refuse it.
    """

    findings: tuple[Finding, ...]
    document: Mapping[str, Any] | None = None
    manifest: Manifest | None = None


def check_manifest(data: bytes, subject: str) -> CheckedManifest:
    """Check the bytes of a manifest or of a wheel's ``variant.json``.

    :param subject: its name in findings.
    """
    findings = Findings(subject)
    try:
        document = load_json(data)
    except InvalidManifest as error:
        is_json = error.rule != "manifest-json"
        remedy = None if is_json else "Write JSON in UTF-8, each key once"
        findings.report(error.rule, str(error), remedy)
        return CheckedManifest(tuple(findings))
    manifest = read_document(document, findings.report)
    is_refused = any(each.rule.effect is Effect.REFUSED for each in findings)
    if manifest.document:
        generation = _check_schema(manifest, findings, is_refused=is_refused)
        _check_keys(document, generation, findings)
        for label in manifest.variants:
            _check_label(label, generation, findings)
        if not is_refused:
            # The readable parts of refused metadata may mean something else.
            _check_variants(manifest, findings)
            check_providers(manifest, generation, findings)
    return CheckedManifest(
        tuple(findings),
        document if isinstance(document, dict) else None,
        None if is_refused else manifest,
    )


def _check_schema(
    manifest: Manifest, findings: Findings, *, is_refused: bool
) -> Generation:
    """Return the generation whose rules apply."""
    schema = manifest.schema
    generation = named_generation(schema or "")
    if generation is None:
        problem = "'$schema' is missing"
        if "$schema" in manifest.document:
            problem = f"'$schema' names no version that exists: {shown(schema)}"
        if not is_refused:
            findings.add("schema-version", problem, f"Write {CURRENT.schema}")
        return CURRENT if "providers" in manifest.document else WITHOUT_PROVIDERS
    if generation.replaced_by is not None:
        findings.add(
            "draft-schema",
            f"It is of version {generation.version}, a draft that was replaced",
            f"Build the wheels again with version {generation.replaced_by}",
        )
    return generation


def _check_keys(
    document: Mapping[str, Any], generation: Generation, findings: Findings
) -> None:
    """Report keys that have no meaning where they are."""
    for key in sorted(set(document) - generation.root - {"$schema"}):
        problem = f"The key {shown(key)} is not one of version {generation.version}"
        other = f", or write version {CURRENT.version}" if key in CURRENT.root else ""
        findings.add("manifest-keys", problem, f"Omit it{other}")
    priorities, providers = map(document.get, ("default-priorities", "providers"))
    tables = [("'default-priorities'", priorities, generation.priorities)]
    if "providers" in generation.root and isinstance(providers, dict):
        tables += [
            (f"The provider of {shown(namespace)}", provider, generation.provider)
            for namespace, provider in providers.items()
        ]
    for what, table, known in tables:
        for key in table if isinstance(table, dict) else ():
            if key not in known:
                problem = f"{what} has the key {shown(key)}, which means nothing there"
                findings.add("manifest-keys", problem, "Omit it")


def _check_variants(manifest: Manifest, findings: Findings) -> None:
    first: dict[frozenset[Property], str] = {}
    for label, variant in sorted(manifest.variants.items()):
        if not variant.features and label != NULL_LABEL:
            findings.add(
                "other-null",
                f"The variant {shown(label)} has no properties",
                "Label it null, which installers put after all others",
            )
        other = first.setdefault(variant.properties(), label)
        if other != label and variant.features:
            problem = (
                f"The labels {other!r} and {label!r} have the same properties, so that "
                f"{other!r} is always preferred"
            )
            findings.add("same-properties", problem)
        for namespace, features in variant.features.items():
            for feature, values in features.items():
                if list(values) != sorted(values):
                    where = f"{shown(label)}: {namespace} :: {feature}"
                    problem = f"The values are not sorted in the variant {where}"
                    findings.add("unsorted-values", problem)


def _check_label(label: str, generation: Generation, findings: Findings) -> None:
    limit = generation.label_length
    if limit is not None and len(label) > limit:
        findings.add(
            "label-length",
            f"The label {shown(label)} has more than {limit} characters, the most that "
            f"version {generation.version} allows",
        )
    if label in (".", ".."):
        findings.add(
            "label-path",
            f"The label {label!r} cannot be the name of a file or folder",
            "Give it letters or digits too",
        )
