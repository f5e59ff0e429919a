"""Check metadata by itself: a wheel's ``variant.json`` or the manifest of a release.

The reader of manifests reports what installers act on; the rest is checked here: the form
of schemas and the providers of namespaces (PEP 850).
"""

from __future__ import annotations

from collections.abc import Iterable
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
    named_schema_version,
)
from wheel_variants.publish.findings import Finding, Findings
from wheel_variants.publish.known_providers import (
    KNOWN_PROVIDERS,
    KnownProvider,
    doubt_about,
)
from wheel_variants.publish.proofs import needs_line
from wheel_variants.rules import Effect
from wheel_variants.safe_repr import safe_repr

__all__ = ["CheckedManifest", "check_manifest"]


@dataclass(frozen=True, slots=True)
class CheckedManifest:
    """Metadata, and the rules that it breaks.

    :ivar document: the JSON object; None if there is none.
    :ivar manifest: the parsed metadata; None if installers refuse it.
    """

    findings: tuple[Finding, ...]
    document: dict[str, Any] | None = None
    manifest: Manifest | None = None

    @property
    def has_errors(self) -> bool:
        """Whether a finding must be fixed."""
        return any(finding.is_error for finding in self.findings)


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
        _Checker(manifest, findings).check(is_refused=is_refused)
    return CheckedManifest(
        tuple(findings),
        document if isinstance(document, dict) else None,
        None if is_refused else manifest,
    )


class _Checker:
    """Checks what the reader of manifests does not report."""

    def __init__(self, manifest: Manifest, findings: Findings) -> None:
        self.manifest, self.document = manifest, manifest.document
        self.add, self.report = findings.add, findings.report
        # Without its schema, a document is judged by its keys.
        guessed = CURRENT if "providers" in self.document else WITHOUT_PROVIDERS
        self.named = named_schema_version(manifest.schema or "")
        self.schema_version = self.named or guessed
        self.version = self.schema_version.version

    def check(self, *, is_refused: bool) -> None:
        """Check everything; of refused metadata only what is certain."""
        if self.named is None and not is_refused:
            problem = "'$schema' is missing"
            if "$schema" in self.document:
                schema = safe_repr(self.manifest.schema)
                problem = f"'$schema' names no version that exists: {schema}"
            self.add("schema-version", problem, f"Write {CURRENT.schema}")
        if self.schema_version.replaced_by is not None:
            self.add(
                "draft-schema",
                f"It is of version {self.version}, a draft that was replaced",
                f"Build the wheels again with version {self.schema_version.replaced_by}",
            )
        self._check_keys()
        for label in self.manifest.variants:
            self._check_label(label)
        if not is_refused:
            # The readable parts of refused metadata may mean something else.
            self._check_variants()
            self._check_providers()

    def _check_keys(self) -> None:
        """Report keys that have no meaning where they are."""
        document, schema_version = self.document, self.schema_version
        for key in sorted(set(document) - schema_version.root - {"$schema"}):
            problem = f"The key {safe_repr(key)} is not one of version {self.version}"
            is_new = key in CURRENT.root
            other = f", or write version {CURRENT.version}" if is_new else ""
            self.add("manifest-keys", problem, f"Omit it{other}")
        priorities, providers = map(document.get, ("default-priorities", "providers"))
        tables = [("'default-priorities'", priorities, schema_version.priorities)]
        if "providers" in schema_version.root and isinstance(providers, dict):
            tables += [
                (
                    f"The provider of {safe_repr(namespace)}",
                    provider,
                    schema_version.provider,
                )
                for namespace, provider in providers.items()
            ]
        for what, table, known in tables:
            for key in table if isinstance(table, dict) else ():
                if key not in known:
                    has = f"{what} has the key {safe_repr(key)}"
                    problem = f"{has}, which means nothing there"
                    self.add("manifest-keys", problem, "Omit it")

    def _check_label(self, label: str) -> None:
        limit = self.schema_version.label_length
        if limit is not None and len(label) > limit:
            self.add(
                "label-length",
                f"The label {safe_repr(label)} has more than {limit} characters, the most "
                f"that version {self.version} allows",
            )
        if label in (".", ".."):
            problem = f"The label {label!r} cannot be the name of a file or folder"
            self.add("label-path", problem, "Give it letters or digits too")

    def _check_variants(self) -> None:
        first: dict[frozenset[Property], str] = {}
        by_needs: dict[frozenset[Property], str] = {}
        for label, variant in sorted(self.manifest.variants.items()):
            if not variant.features and label != NULL_LABEL:
                problem = f"The variant {safe_repr(label)} has no properties"
                remedy = "Label it null, which installers put after all others"
                self.add("other-null", problem, remedy)
            other = first.setdefault(variant.properties(), label)
            if other != label and variant.features:
                self.add(
                    "same-properties",
                    f"The labels {other!r} and {label!r} have the same properties, so "
                    f"that {other!r} is always preferred",
                )
            else:
                self._check_gpus(label, variant.properties(), by_needs)
            for namespace, features in variant.features.items():
                for feature, values in features.items():
                    if list(values) != sorted(values):
                        where = f"{safe_repr(label)}: {namespace} :: {feature}"
                        problem = f"The values are not sorted in the variant {where}"
                        self.add("unsorted-values", problem)

    def _check_gpus(
        self,
        label: str,
        properties: frozenset[Property],
        by_needs: dict[frozenset[Property], str],
    ) -> None:
        """Check that of builds for one CUDA, GPUs decide, and not just their order."""
        providers = self.manifest.providers
        static = {
            name
            for name, each in providers.items()
            if each.kind is ProviderKind.STATIC and name != "nvidia"
        }
        needs = frozenset(each for each in properties if each.namespace not in static)
        features = {each.feature for each in needs if each.namespace == "nvidia"}
        other = by_needs.setdefault(needs, label)
        if other == label or "sm_arch" in features or not features:
            return
        self.add(
            "gpus-stated",
            f"The labels {other!r} and {label!r} need the same of a machine, whatever GPU "
            "it has",
            "List the GPUs that each has code for in pyproject.toml under "
            f"[variant.properties], and build them again: {needs_line(label, properties)}",
        )

    def _check_providers(self) -> None:
        """Check the providers of namespaces, and properties by their values."""
        used: dict[str, dict[Property, None]] = {}
        for variant in self.manifest.variants.values():
            for each in sorted(variant.properties()):
                used.setdefault(each.namespace, {})[each] = None
        has_providers = "providers" in self.schema_version.root
        if has_providers:
            self._check_coverage()
        elif used:
            self.add(
                "no-providers",
                f"Version {self.version} does not tell who provides {', '.join(used)}: "
                "uv supports none of that",
                f"Write version {CURRENT.version}",
            )
        for namespace, properties in used.items():
            self._check_properties(properties, self.manifest.provider(namespace))
        for provider in self.manifest.providers.values() if has_providers else ():
            self._check_requirements(provider)
            if self.schema_version is CURRENT:
                self._check_uv(provider)
            if self.version == "0.0.3":
                self._check_order(provider)

    def _check_coverage(self) -> None:
        namespaces = self.manifest.namespaces
        if "providers" not in self.document:
            self.add("providers", "The key 'providers' is missing", "Add it")
            return
        providers = self.document["providers"]
        if not namespaces or not isinstance(providers, dict):
            # There is another finding about that.
            return
        for namespace in namespaces:
            if namespace not in self.manifest.providers and namespace not in providers:
                problem = f"The namespace {namespace!r} has no provider"
                known = KNOWN_PROVIDERS.get(namespace)
                remedy = "Name the package that provides it, or list its values"
                if known is not None:
                    remedy = f"Write {dict(known.declaration)!r}"
                self.add("providers", problem, remedy)
        for namespace in providers:
            if namespace not in namespaces:
                self.add(
                    "providers",
                    f"There is a provider of {safe_repr(namespace)}, which is not in "
                    "'default-priorities.namespace'",
                    "Add it there, or omit the provider",
                )

    def _check_requirements(self, provider: Provider) -> None:
        namespace, what = (
            provider.namespace,
            f"the provider of {safe_repr(provider.namespace)}",
        )
        # Whether a marker can be evaluated is the same on all machines.
        environment = {name: str(each) for name, each in default_environment().items()}
        if provider.enable_if is not None:
            try:
                applies(provider.enable_if, namespace, environment)
            except UnusableProvider as error:
                self.report("enable-if", str(error))
        for text in provider.requires:
            try:
                requirement = parse_requirement(text, namespace)
                requirement_applies(requirement, namespace, environment)
            except UnusableProvider as error:
                self.report("provider-requires", str(error))
                continue
            if requirement.url is not None:
                self.add(
                    "provider-url",
                    f"{safe_repr(text)} names an address in {what}: it is not trusted by name",
                    "Publish the plugin on the index of the package",
                )
            elif requirement.specifier.is_unsatisfiable():
                problem = f"No version satisfies {safe_repr(text)} in {what}"
                self.add("provider-installable", problem)

    def _check_order(self, provider: Provider) -> None:
        ordered = self.manifest.feature_order.get(provider.namespace, ())
        names = {feature.name for feature in provider.static}
        if len(names) > 1 and not names <= set(ordered):
            self.add(
                "static-order",
                "'default-priorities.feature' does not order all features of the provider "
                f"of {safe_repr(provider.namespace)}",
                f"Order them: {sorted(names)!r}",
            )

    def _check_uv(self, provider: Provider) -> None:
        """Check whether uv uses its own provider."""
        known = KNOWN_PROVIDERS.get(provider.namespace)
        if known is None or known.in_uv is None or not provider.requires:
            return
        stated = self.document["providers"][provider.namespace]
        reason = _why_not_in_uv(known, known.in_uv, provider, stated.get("plugin-api"))
        if reason is not None:
            self.add(
                "provider-in-uv",
                f"uv does not take its own provider of {provider.namespace}: {reason}",
                f"Write {dict(known.declaration)!r}",
            )

    def _check_properties(
        self, properties: Iterable[Property], provider: Provider
    ) -> None:
        """Check the properties of a namespace by the values of its provider."""
        is_static = (
            self.schema_version is CURRENT and provider.kind is ProviderKind.STATIC
        )
        static = {feature.name: feature.values for feature in provider.static}
        for each in properties:
            doubt = remedy = None
            if provider.builtin == ABI_DEPENDENCY:
                wrong = abi_dependency.doubt_about(each)
                if wrong is not None:
                    name = canonicalize_name(each.feature).replace("-", "_")
                    remedy = None if name == each.feature else f"Write {name}"
                    self.report("abi-dependency", wrong, remedy)
            elif provider.kind in (ProviderKind.PLUGIN, ProviderKind.UNNAMED):
                doubt = doubt_about(each)
            elif is_static and each.value not in static.get(each.feature, ()):
                doubt = "it is not in the provider's static list"
                remedy = "Add the value to the list"
            if doubt is not None:
                problem = f"No machine supports {each}: {doubt}"
                self.add("never-supported", problem, remedy)


def _why_not_in_uv(
    known: KnownProvider, version: str, provider: Provider, api: str | None
) -> str | None:
    """Return why uv does not use its own provider; it compares declarations exactly."""
    if len(provider.requires) != 1:
        return "it requires more than one package"
    try:
        found = parse_requirement(provider.requires[0], provider.namespace)
    except UnusableProvider:
        # There is another finding about that.
        return None
    expected = Requirement(known.declaration["requires"][0]).name
    default_api = canonicalize_name(found.name).replace("-", "_")
    expected_api = known.declaration.get("plugin-api", default_api)
    if canonicalize_name(found.name) != canonicalize_name(expected):
        return f"that is of {expected}"
    if found.extras or found.marker or found.url:
        return "its requirement has more than a name and versions"
    if not found.specifier.contains(Version(version), prereleases=True):
        return f"that is of version {version}, which it excludes"
    if (api or default_api) != expected_api:
        return f"that has the entry point {expected_api}"
    return None
