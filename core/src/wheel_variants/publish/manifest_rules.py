"""Check the metadata of variants: ``variant.json`` in a wheel, or a release manifest.

The parser reports problems that affect installers. This module checks the rest: the
schema and the providers of namespaces (PEP 850).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from packaging.markers import default_environment
from packaging.utils import canonicalize_name

from wheel_variants import abi_dependency
from wheel_variants.labels import NULL_LABEL
from wheel_variants.manifest import (
    ABI_DEPENDENCY,
    InvalidManifest,
    Manifest,
    Provider,
    ProviderKind,
)
from wheel_variants.manifest_parser import load_json, parse_document
from wheel_variants.properties import Property
from wheel_variants.provider_requirements import (
    UnusableProvider,
    applies,
    parse_requirement,
    requirement_applies,
)
from wheel_variants.publish.documents import (
    CURRENT,
    DRAFTS,
    SCHEMA_VERSIONS,
    WITHOUT_PROVIDERS,
    named_version,
)
from wheel_variants.publish.findings import Finding, FindingList
from wheel_variants.publish.known_providers import DECLARATIONS, unsupported_reason
from wheel_variants.publish.proofs import needs_line
from wheel_variants.rules import Effect
from wheel_variants.safe_repr import safe_repr

__all__ = ["CheckedManifest", "check_manifest"]


@dataclass(frozen=True, slots=True)
class CheckedManifest:
    """Metadata, and the rules that it breaks.

    :ivar manifest: the parsed metadata; None if installers refuse it.
    """

    findings: tuple[Finding, ...]
    manifest: Manifest | None = None


def check_manifest(data: bytes, subject: str) -> CheckedManifest:
    """Check the bytes of a manifest or of a wheel's ``variant.json``.

    :param subject: the name of the manifest in findings.
    """
    findings = FindingList(subject)
    try:
        document = load_json(data)
    except InvalidManifest as error:
        is_json = error.rule != "manifest-json"
        remedy = None if is_json else "Write JSON in UTF-8 without repeated keys"
        findings.add(error.rule, str(error), remedy)
        return CheckedManifest(tuple(findings))
    manifest = parse_document(document, findings.add)
    is_refused = any(each.rule.effect is Effect.REFUSED for each in findings)
    if manifest.document:
        _Checker(manifest, findings).check(is_refused=is_refused)
    return CheckedManifest(tuple(findings), None if is_refused else manifest)


class _Checker:
    """A check of the rules that the parser does not report."""

    def __init__(self, manifest: Manifest, findings: FindingList) -> None:
        self.manifest, self.document = manifest, manifest.document
        self.add = findings.add
        self.named = named_version(manifest.schema or "")
        self.is_draft = self.named in DRAFTS
        # If $schema is missing, the keys determine the version.
        guessed = CURRENT if "providers" in self.document else WITHOUT_PROVIDERS
        self.schema_version = SCHEMA_VERSIONS.get(self.named or "", guessed)

    def check(self, *, is_refused: bool) -> None:
        """Check all rules; for refused metadata, check only rules with certain results."""
        if self.is_draft:
            self.add(
                "draft-schema",
                f"The schema version {self.named} is an obsolete draft",
                f"Build the wheels again with schema version {CURRENT.version}",
            )
        else:
            self._check_keys()
            if self.named not in SCHEMA_VERSIONS and not is_refused:
                problem = "'$schema' is missing"
                if "$schema" in self.document:
                    schema = safe_repr(self.manifest.schema)
                    problem = f"'$schema' names an unknown version: {schema}"
                self.add("schema-version", problem, f"Write {CURRENT.schema}")
        for label in sorted({".", ".."} & self.manifest.variants.keys()):
            problem = f"Label {label!r} cannot be used as a file or folder name"
            self.add("label-path", problem, "Add letters or digits to the label")
        if not is_refused:
            # The readable parts of refused metadata may be misleading.
            self._check_variants()
            self._check_providers()

    def _check_keys(self) -> None:
        """Report unknown keys."""
        document, own = self.document, self.schema_version
        for key in sorted(set(document) - own.root):
            problem = f"Schema version {own.version} has no key {safe_repr(key)}"
            is_new = key in CURRENT.root
            other = f", or use schema version {CURRENT.version}" if is_new else ""
            self.add("manifest-keys", problem, f"Remove the key{other}")
        priorities, providers = map(document.get, ("default-priorities", "providers"))
        tables = [("'default-priorities'", priorities, frozenset({"namespace"}))]
        if own.provider and isinstance(providers, dict):
            tables += [
                (f"The provider for {safe_repr(namespace)}", provider, own.provider)
                for namespace, provider in providers.items()
            ]
        for what, table, known in tables:
            for key in table if isinstance(table, dict) else ():
                if key not in known:
                    problem = f"{what} has the unknown key {safe_repr(key)}"
                    self.add("manifest-keys", problem, "Remove the key")

    def _check_variants(self) -> None:
        first: dict[frozenset[Property], str] = {}
        by_needs: dict[frozenset[Property], str] = {}
        for label, variant in sorted(self.manifest.variants.items()):
            if not variant.features and label != NULL_LABEL:
                problem = f"Variant {safe_repr(label)} has no properties"
                remedy = "Change the label to 'null', which installers rank last"
                self.add("other-null", problem, remedy)
            other = first.setdefault(variant.properties(), label)
            if other != label and variant.features:
                self.add(
                    "same-properties",
                    f"Labels {other!r} and {label!r} have the same properties, so "
                    f"installers always choose {other!r}",
                )
            else:
                self._check_gpus(label, variant.properties(), by_needs)
            for namespace, features in variant.features.items():
                for feature, values in features.items():
                    if list(values) != sorted(values):
                        where = f"'{namespace} :: {feature}' in variant"
                        problem = (
                            f"The values of {where} {safe_repr(label)} are unsorted"
                        )
                        self.add("unsorted-values", problem)

    def _check_gpus(
        self,
        label: str,
        properties: frozenset[Property],
        by_needs: dict[frozenset[Property], str],
    ) -> None:
        """Check that the GPUs distinguish variants for one CUDA version."""
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
            f"Labels {other!r} and {label!r} run on the same machines, with any GPU",
            "List the GPUs that each label supports under [variant.properties] in "
            "pyproject.toml, and build the wheels again: "
            f"{needs_line(label, properties)}",
        )

    def _check_providers(self) -> None:
        """Check the providers of namespaces, and the values of properties."""
        used: dict[str, dict[Property, None]] = {}
        for variant in self.manifest.variants.values():
            for each in sorted(variant.properties()):
                used.setdefault(each.namespace, {})[each] = None
        if self.is_draft:
            pass
        elif self.schema_version.provider:
            self._check_coverage()
        elif used:
            version = self.schema_version.version
            self.add(
                "no-providers",
                f"Schema version {version} has no providers, so uv does not support "
                f"{', '.join(used)}",
                f"Use schema version {CURRENT.version}",
            )
        for namespace, properties in used.items():
            self._check_properties(properties, self.manifest.provider(namespace))
        for provider in self.manifest.providers.values():
            self._check_requirements(provider)

    def _check_coverage(self) -> None:
        namespaces = self.manifest.namespaces
        if "providers" not in self.document:
            self.add("providers", "Missing key 'providers'", "Add the key")
            return
        for namespace in namespaces:
            if namespace not in self.manifest.providers:
                problem = f"Namespace {namespace!r} has no provider"
                remedy = "Name the provider package, or list the supported values"
                if namespace in DECLARATIONS:
                    remedy = f"Write {DECLARATIONS[namespace]!r}"
                self.add("providers", problem, remedy)
        for namespace in self.document["providers"]:
            if namespace not in namespaces:
                self.add(
                    "providers",
                    f"Namespace {safe_repr(namespace)} has a provider, but is not in "
                    "'default-priorities.namespace'",
                    "Add the namespace there, or remove the provider",
                )

    def _check_requirements(self, provider: Provider) -> None:
        namespace = provider.namespace
        what = f"the provider for {safe_repr(namespace)}"
        # A marker that can be evaluated here can be evaluated on all machines.
        environment = {name: str(each) for name, each in default_environment().items()}
        if provider.enable_if is not None:
            try:
                applies(provider.enable_if, namespace, environment)
            except UnusableProvider as error:
                self.add("enable-if", str(error))
        for text in provider.requires:
            try:
                requirement = parse_requirement(text, namespace)
                requirement_applies(requirement, namespace, environment)
            except UnusableProvider as error:
                self.add("provider-requires", str(error))
                continue
            if requirement.url is not None:
                self.add(
                    "provider-url",
                    f"{safe_repr(text)} in {what} is a URL, but users trust plugins by "
                    "name",
                    "Publish the plugin on the index of the package",
                )
            elif requirement.specifier.is_unsatisfiable():
                problem = f"No version satisfies {safe_repr(text)} in {what}"
                self.add("provider-installable", problem)

    def _check_properties(
        self, properties: Iterable[Property], provider: Provider
    ) -> None:
        """Check the properties of a namespace against the values of its provider."""
        is_static = not self.is_draft and provider.kind is ProviderKind.STATIC
        static = {feature.name: feature.values for feature in provider.static}
        for each in properties:
            doubt = remedy = None
            if provider.builtin == ABI_DEPENDENCY:
                wrong = abi_dependency.ignored_reason(each)
                if wrong is not None:
                    name = canonicalize_name(each.feature).replace("-", "_")
                    remedy = None if name == each.feature else f"Write {name}"
                    self.add("abi-dependency", wrong, remedy)
            elif provider.kind in (ProviderKind.PLUGIN, ProviderKind.UNNAMED):
                doubt = unsupported_reason(each)
            elif is_static and each.value not in static.get(each.feature, ()):
                doubt = "the value is not in the provider's static list"
                remedy = "Add the value to the list"
            if doubt is not None:
                problem = f"No machine supports '{each}': {doubt}"
                self.add("never-supported", problem, remedy)
