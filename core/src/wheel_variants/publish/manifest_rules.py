"""Check metadata by itself: a wheel's ``variant.json`` or the manifest of a release.

The reader of manifests reports what installers act on; the rest is checked here: the form
of schemas and the providers of namespaces (PEP 850).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from wheel_variants import abi_dependency
from wheel_variants.labels import NULL_LABEL
from wheel_variants.manifest import (
    ABI_DEPENDENCY,
    InvalidManifest,
    Manifest,
    Provider,
    ProviderKind,
)
from wheel_variants.manifest_parser import load_json, read_document
from wheel_variants.properties import Property
from wheel_variants.provider_requirements import (
    UnusableProvider,
    applies,
    parse_requirement,
    requirement_applies,
)
from wheel_variants.publish.documents import (
    CURRENT,
    WITHOUT_PROVIDERS,
    Generation,
    named_generation,
)
from wheel_variants.publish.findings import Finding, Findings
from wheel_variants.publish.known_providers import KNOWN_PROVIDERS, doubt_about
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
            _check_providers(manifest, generation, findings)
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


def _check_providers(
    manifest: Manifest, generation: Generation, findings: Findings
) -> None:
    """Check the providers that metadata names, and the properties by them."""
    used = _used(manifest)
    has_providers = "providers" in generation.root
    if not has_providers and used:
        findings.add(
            "no-providers",
            f"Version {generation.version} does not tell who provides "
            f"{', '.join(used)}: uv supports none of that",
            f"Write version {CURRENT.version}",
        )
    elif has_providers:
        _check_coverage(manifest, findings)
    for namespace, own in used.items():
        _check_properties(own, manifest.provider(namespace), generation, findings)
    for provider in manifest.providers.values() if has_providers else ():
        _check_requirements(provider, findings)
        if generation is CURRENT:
            _check_uv(manifest, provider, findings)
        if generation.version == "0.0.3":
            _check_order(manifest, provider, findings)


def _used(manifest: Manifest) -> dict[str, list[Property]]:
    """Return the properties of all variants, each once, by namespace."""
    used: dict[str, dict[Property, None]] = {}
    for variant in manifest.variants.values():
        for each in sorted(variant.properties()):
            used.setdefault(each.namespace, {})[each] = None
    return {namespace: list(properties) for namespace, properties in used.items()}


def _check_coverage(manifest: Manifest, findings: Findings) -> None:
    if "providers" not in manifest.document:
        findings.add("providers", "The key 'providers' is missing", "Add it")
        return
    providers = manifest.document["providers"]
    if not manifest.namespaces or not isinstance(providers, dict):
        # There is another finding about that.
        return
    for namespace in manifest.namespaces:
        if namespace not in manifest.providers and namespace not in providers:
            findings.add(
                "providers",
                f"The namespace {namespace!r} has no provider",
                "Name the package that provides it, or list its values"
                if namespace not in KNOWN_PROVIDERS
                else f"Write {dict(KNOWN_PROVIDERS[namespace].declaration)!r}",
            )
    for namespace in providers:
        if namespace not in manifest.namespaces:
            findings.add(
                "providers",
                f"There is a provider of {shown(namespace)}, which is not in "
                "'default-priorities.namespace'",
                "Add it there, or omit the provider",
            )


def _check_requirements(provider: Provider, findings: Findings) -> None:
    namespace = provider.namespace
    # Whether a marker can be evaluated is the same on all machines.
    environment = {name: str(each) for name, each in default_environment().items()}
    if provider.enable_if is not None:
        try:
            applies(provider.enable_if, namespace, environment)
        except UnusableProvider as error:
            findings.report("enable-if", str(error))
    for text in provider.requires:
        try:
            requirement = parse_requirement(text, namespace)
            requirement_applies(requirement, namespace, environment)
        except UnusableProvider as error:
            findings.report("provider-requires", str(error))
            continue
        what = f"the provider of {shown(namespace)}"
        if requirement.url is not None:
            findings.add(
                "provider-url",
                f"{shown(text)} names an address in {what}: it is not trusted by name",
                "Publish the plugin on the index of the package",
            )
        elif requirement.specifier.is_unsatisfiable():
            findings.add(
                "provider-installable", f"No version satisfies {shown(text)} in {what}"
            )


def _check_order(manifest: Manifest, provider: Provider, findings: Findings) -> None:
    ordered = manifest.feature_order.get(provider.namespace, ())
    names = {feature.name for feature in provider.static}
    if len(names) > 1 and not names <= set(ordered):
        findings.add(
            "static-order",
            "'default-priorities.feature' does not order all features of the provider of "
            f"{shown(provider.namespace)}",
            f"Order them: {sorted(names)!r}",
        )


def _check_uv(manifest: Manifest, provider: Provider, findings: Findings) -> None:
    """Check whether uv uses its own provider; it compares declarations exactly."""
    known, requires = KNOWN_PROVIDERS.get(provider.namespace), provider.requires
    if known is None or known.in_uv is None or not requires:
        return
    stated = manifest.document["providers"][provider.namespace]
    expected = Requirement(known.declaration["requires"][0])
    reason = None
    if len(requires) != 1:
        reason = "it requires more than one package"
    else:
        try:
            found = parse_requirement(requires[0], provider.namespace)
        except UnusableProvider:
            return
        default_api = canonicalize_name(found.name).replace("-", "_")
        expected_api = known.declaration.get("plugin-api", default_api)
        if canonicalize_name(found.name) != canonicalize_name(expected.name):
            reason = f"that is of {expected.name}"
        elif found.extras or found.marker or found.url:
            reason = "its requirement has more than a name and versions"
        elif not found.specifier.contains(Version(known.in_uv), prereleases=True):
            reason = f"that is of version {known.in_uv}, which it excludes"
        elif stated.get("plugin-api", default_api) != expected_api:
            reason = f"that has the entry point {expected_api}"
    if reason is not None:
        findings.add(
            "provider-in-uv",
            f"uv does not take its own provider of {provider.namespace}: {reason}",
            f"Write {dict(known.declaration)!r}",
        )


def _check_properties(
    own: Iterable[Property],
    provider: Provider,
    generation: Generation,
    findings: Findings,
) -> None:
    """Check the properties of a namespace by the values of its provider."""
    is_static = generation is CURRENT and provider.kind is ProviderKind.STATIC
    static = {feature.name: feature.values for feature in provider.static}
    for each in own:
        if provider.builtin == ABI_DEPENDENCY:
            doubt = abi_dependency.doubt_about(each)
            if doubt is not None:
                normalised = canonicalize_name(each.feature).replace("-", "_")
                remedy = None if normalised == each.feature else f"Write {normalised}"
                findings.report("abi-dependency", doubt, remedy)
            continue
        doubt = remedy = None
        if provider.kind in (ProviderKind.PLUGIN, ProviderKind.UNNAMED):
            doubt = doubt_about(each)
        elif is_static and each.value not in static.get(each.feature, ()):
            doubt = "it is not in the provider's static list"
            remedy = "Add the value to the list"
        if doubt is not None:
            problem = f"No machine supports {each}: {doubt}"
            findings.add("never-supported", problem, remedy)
