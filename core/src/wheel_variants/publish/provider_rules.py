"""Check the providers that metadata names for its namespaces (PEP 850)."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from wheel_variants import abi_dependency
from wheel_variants.manifest import (
    ABI_DEPENDENCY,
    Manifest,
    Provider,
    ProviderKind,
)
from wheel_variants.properties import Property
from wheel_variants.provider_requirements import (
    UnusableProvider,
    applies,
    parse_requirement,
    requirement_applies,
)
from wheel_variants.publish.documents import CURRENT, Generation
from wheel_variants.publish.findings import Findings
from wheel_variants.publish.known_providers import KNOWN_PROVIDERS, doubt_about
from wheel_variants.shown import shown

__all__ = ["check_providers"]


def check_providers(
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
