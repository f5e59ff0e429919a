"""Judge metadata by itself: ``variant.json``, or the manifest of a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pip._vendor.packaging._variants import NULL_LABEL, is_valid_label

from pip._internal.variants.manifest import ABI_DEPENDENCY, InvalidManifest, Manifest
from pip._internal.variants.manifest_parser import load_json, parse_document
from pip._internal.variants.properties import (
    Property,
    is_valid_feature_name,
    is_valid_namespace,
)
from pip._internal.variants.publishing.generations import (
    CURRENT,
    WITHOUT_PROVIDERS,
    Generation,
    generation_with_key,
    named_generation,
)
from pip._internal.variants.publishing.json_types import (
    check_keys,
    is_object,
    is_text_list,
    shown,
)
from pip._internal.variants.publishing.property_rules import check_values
from pip._internal.variants.publishing.provider_rules import check_providers
from pip._internal.variants.publishing.rules import Finding, Findings

__all__ = ["CheckedManifest", "check_document", "check_manifest"]


@dataclass(frozen=True, slots=True)
class CheckedManifest:
    """Metadata, and what is wrong with it.

    :ivar document: the JSON object; None if it is none.
    :ivar manifest: what installers make of it; None if they refuse it.
    """

    findings: tuple[Finding, ...]
    document: Mapping[str, Any] | None = None
    manifest: Manifest | None = None


def check_manifest(data: bytes, subject: str) -> CheckedManifest:
    """Judge the bytes of a manifest or of a wheel's ``variant.json``.

    :param subject: what to call it.
    """
    findings = Findings(subject)
    try:
        document = load_json(data)
    except InvalidManifest as error:
        findings.add("manifest-json", str(error), "Write JSON in UTF-8, each key once")
        return CheckedManifest(tuple(findings))
    return check_document(document, subject)


def check_document(document: object, subject: str) -> CheckedManifest:
    """Judge metadata that was read from JSON or is about to be written."""
    findings = Findings(subject)
    if not is_object(document, "the document", findings):
        return CheckedManifest(tuple(findings))
    generation = _check_schema(document, findings)
    _check_root_keys(document, generation, findings)
    namespaces = _check_namespaces(document, generation, findings)
    stated = _check_variants(document, generation, findings)
    _check_coverage(namespaces, stated, generation, findings)
    check_providers(document, generation, namespaces, stated, findings)
    manifest = None
    try:
        manifest = parse_document(document)
    except InvalidManifest as error:
        if not findings.errors:
            findings.add("manifest-types", f"Installers refuse it: {error}")
    return CheckedManifest(tuple(findings), document, manifest)


def _check_schema(document: Mapping[str, Any], findings: Findings) -> Generation:
    """Give the generation to judge the document by."""
    schema = document.get("$schema")
    generation = named_generation(schema) if isinstance(schema, str) else None
    if generation is None:
        found = "is missing" if schema is None else f"is {shown(schema)}"
        findings.add(
            "manifest-schema",
            f"$schema {found}, which names no version of the format",
            f"Write {CURRENT.schema}",
        )
        return CURRENT if "providers" in document else WITHOUT_PROVIDERS
    if generation.replaced_by is not None:
        findings.add(
            "draft-schema",
            f"It is of version {generation.version}, a draft that was replaced",
            f"Build the wheels anew with version {generation.replaced_by}",
        )
    return generation


def _check_root_keys(
    document: Mapping[str, Any], generation: Generation, findings: Findings
) -> None:
    known = generation.root | {"$schema"}
    for key in document:
        if key not in known:
            other = generation_with_key(key)
            findings.add(
                "manifest-keys",
                f"The key {shown(key)} is not one of version {generation.version}",
                f"Leave it out, or write version {other.version}"
                if other is not None and key in other.root
                else "Leave it out",
            )
    for key in sorted(generation.required - set(document)):
        findings.add("manifest-keys", f"The key {key!r} is missing", "Add it")


def _check_namespaces(
    document: Mapping[str, Any], generation: Generation, findings: Findings
) -> tuple[str, ...] | None:
    """Give the ordered namespaces; None if they cannot be told."""
    priorities = document.get("default-priorities")
    if priorities is None:
        return None
    if not is_object(priorities, "'default-priorities'", findings):
        return None
    check_keys(priorities, generation.priorities, "'default-priorities'", findings)
    namespaces = priorities.get("namespace")
    what = "'default-priorities.namespace'"
    if namespaces is None or namespaces == []:
        state = "missing" if namespaces is None else "empty"
        findings.add("namespaces", f"{what} is {state}", "List the namespaces in order")
        return None
    if not is_text_list(namespaces, what, findings):
        return None
    for namespace in namespaces:
        if not is_valid_namespace(namespace):
            findings.add("property", f"Invalid namespace {shown(namespace)} in {what}")
    if len(set(namespaces)) != len(namespaces):
        findings.add("namespaces", f"{what} repeats a namespace: {namespaces!r}")
    return tuple(namespaces)


def _check_variants(
    document: Mapping[str, Any], generation: Generation, findings: Findings
) -> dict[str, tuple[Property, ...]]:
    """Give the properties by label, as far as they are valid."""
    variants = document.get("variants")
    if variants is None or not is_object(variants, "'variants'", findings):
        return {}
    if not variants:
        findings.add("manifest-types", "'variants' lists no variant")
    stated: dict[str, tuple[Property, ...]] = {}
    for label, properties in variants.items():
        _check_label(label, generation, findings)
        stated[label] = tuple(_check_variant(label, properties, findings))
    for label, own in stated.items():
        if label == NULL_LABEL and own:
            listed = ", ".join(map(str, own))
            findings.add(
                "null-variant",
                f"The null variant has properties: {listed}",
                "Give the variant another label",
            )
        if label != NULL_LABEL and variants[label] == {}:
            findings.add(
                "other-null",
                f"The variant {shown(label)} has no properties",
                "Label it null, which installers put after all others",
            )
    _check_twins(stated, findings)
    return stated


def _check_label(label: str, generation: Generation, findings: Findings) -> None:
    limit = generation.label_length
    if not is_valid_label(label):
        findings.add(
            "label",
            f"Invalid label {shown(label)}",
            "Use lower-case letters, digits, _ and . only",
        )
    elif limit is not None and len(label) > limit:
        findings.add(
            "label",
            f"The label {label!r} has more than {limit} characters, the most that "
            f"version {generation.version} allows",
        )
    if label in (".", ".."):
        findings.add(
            "label-path",
            f"The label {label!r} cannot be the name of a file or folder",
            "Give it letters or digits too",
        )


def _check_variant(
    label: str, properties: object, findings: Findings
) -> list[Property]:
    stated: list[Property] = []
    what = f"the variant {shown(label)}"
    if not is_object(properties, what, findings):
        return stated
    for namespace, features in properties.items():
        if not is_valid_namespace(namespace):
            findings.add("property", f"Invalid namespace {shown(namespace)} in {what}")
        if not is_object(features, f"{what}: {namespace}", findings):
            continue
        if not features:
            findings.add("property", f"{namespace} has no feature in {what}")
        for feature, values in features.items():
            if not is_valid_feature_name(feature):
                findings.add("property", f"Invalid feature {shown(feature)} in {what}")
            where = f"{what}: {namespace} :: {feature}"
            if is_text_list(values, where, findings):
                check_values(values, where, findings)
                if values != sorted(values):
                    findings.add(
                        "unsorted-values", f"The values are not sorted in {where}"
                    )
                stated += (Property(namespace, feature, value) for value in values)
    return stated


def _check_twins(
    stated: Mapping[str, tuple[Property, ...]], findings: Findings
) -> None:
    first: dict[frozenset[Property], str] = {}
    for label, properties in sorted(stated.items()):
        other = first.setdefault(frozenset(properties), label)
        if other != label and properties:
            findings.add(
                "same-properties",
                f"The labels {other!r} and {label!r} have the same properties, so that "
                f"{other!r} is always preferred",
            )


def _check_coverage(
    namespaces: tuple[str, ...] | None,
    stated: Mapping[str, tuple[Property, ...]],
    generation: Generation,
    findings: Findings,
) -> None:
    if namespaces is None:
        return
    for label, properties in stated.items():
        for namespace in dict.fromkeys(each.namespace for each in properties):
            # Version 0.0.3 took this one for granted.
            implied = namespace == ABI_DEPENDENCY and generation.version == "0.0.3"
            if namespace not in namespaces and not implied:
                findings.add(
                    "namespaces",
                    f"The variant {label!r} uses the namespace {namespace!r}, which "
                    "'default-priorities.namespace' lacks",
                    "Add it to the list, in the same place in every wheel",
                )
