"""Judge what metadata says of the providers of its namespaces (PEP 850)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.packaging.version import Version

from pip._internal.variants.manifest import ABI_DEPENDENCY
from pip._internal.variants.properties import Property, is_valid_feature_name
from pip._internal.variants.publishing.generations import CURRENT, Generation
from pip._internal.variants.publishing.json_types import (
    check_keys,
    is_boolean,
    is_object,
    is_text,
    is_text_list,
    shown,
)
from pip._internal.variants.publishing.known_providers import KNOWN_PROVIDERS
from pip._internal.variants.publishing.property_rules import (
    check_abi_dependencies,
    check_known_properties,
    check_static_properties,
    check_values,
)
from pip._internal.variants.publishing.rules import Findings
from pip._internal.variants.publishing.texts import capital

__all__ = ["check_providers", "requirements_of"]

_ENTRY_POINT = re.compile(
    r"(?!\d)\w+(\.(?!\d)\w+)*(:(?!\d)\w+(\.(?!\d)\w+)*)?", re.ASCII
)
_KINDS = ("requires", "static-properties", "builtin")
_VARIANT_MARKER = re.compile(r"\bvariant_(label|properties|features|namespaces)\b")


def check_providers(
    document: Mapping[str, Any],
    generation: Generation,
    namespaces: tuple[str, ...] | None,
    stated: Mapping[str, tuple[Property, ...]],
    findings: Findings,
) -> None:
    """Judge the providers of a document, and the properties by them.

    :param namespaces: those that the document ranks; None if that cannot be told.
    :param stated: the properties by label.
    """
    used = tuple(dict.fromkeys(each for own in stated.values() for each in own))
    providers = document.get("providers")
    if "providers" not in generation.root:
        if used:
            findings.add(
                "no-providers",
                f"Version {generation.version} does not tell who provides "
                f"{', '.join(dict.fromkeys(each.namespace for each in used))}: uv "
                "supports none of that",
                f"Write version {CURRENT.version}",
            )
        providers = None
    if providers is None or not is_object(providers, "'providers'", findings):
        check_known_properties(used, findings)
        return
    _check_coverage(providers, generation, namespaces, findings)
    for namespace, provider in providers.items():
        what = f"the provider of {shown(namespace)}"
        own = [each for each in used if each.namespace == namespace]
        if not is_object(provider, what, findings):
            continue
        check_keys(provider, generation.provider, what, findings)
        if "optional" in provider:
            is_boolean(provider["optional"], f"'optional' of {what}", findings)
        _check_plugin(provider, what, findings)
        if generation is CURRENT:
            _check_kind(provider, what, findings)
            _check_uv(namespace, provider, findings)
            if "static-properties" in provider:
                _check_static(provider, what, own, findings)
                continue
        if _check_builtin(namespace, provider, own, what, findings):
            continue
        if generation is CURRENT or _is_asked(provider):
            check_known_properties(own, findings)


def requirements_of(
    document: Mapping[str, Any],
) -> Iterator[tuple[str, Requirement]]:
    """Give the valid requirements of plugins, with their namespaces."""
    providers = document.get("providers")
    for namespace, provider in providers.items() if isinstance(providers, dict) else ():
        if isinstance(provider, dict) and _is_asked(provider):
            for text in provider.get("requires") or ():
                # If it is none, the rule provider-requires reports it.
                if (requirement := _parsed(text)) is not None:
                    yield namespace, requirement


def _parsed(text: object) -> Requirement | None:
    try:
        return Requirement(text) if isinstance(text, str) else None
    except (InvalidRequirement, RecursionError):
        return None


def _is_asked(provider: Mapping[str, Any]) -> bool:
    """Tell whether the plugin is asked when the wheel is installed (drafts)."""
    return (
        provider.get("install-time") is not False
        and provider.get("plugin-use", "all") == "all"
    )


def _check_coverage(
    providers: Mapping[str, Any],
    generation: Generation,
    namespaces: tuple[str, ...] | None,
    findings: Findings,
) -> None:
    if namespaces is None:
        return
    for namespace in namespaces:
        if namespace not in providers:
            findings.add(
                "providers",
                f"The namespace {namespace!r} has no provider",
                "Say which package provides it, or list its values"
                if namespace not in KNOWN_PROVIDERS
                else f"Write {dict(KNOWN_PROVIDERS[namespace].declaration)!r}",
            )
    for namespace in providers:
        if namespace not in namespaces:
            findings.add(
                "providers",
                f"There is a provider of {shown(namespace)}, which is not in "
                "'default-priorities.namespace'",
                "Add it there, or leave the provider out",
            )


def _check_kind(provider: Mapping[str, Any], what: str, findings: Findings) -> None:
    kinds = [kind for kind in _KINDS if kind in provider]
    if len(kinds) != 1:
        findings.add(
            "provider-kind",
            f"{capital(what)} has "
            f"{' and '.join(map(repr, kinds)) or 'nothing'} of {', '.join(_KINDS)}",
            "State one of them",
        )
    if "plugin-api" in provider and "requires" not in provider:
        findings.add(
            "provider-api", f"'plugin-api' is stated without 'requires' in {what}"
        )
    if provider.get("requires") == []:
        findings.add("provider-requires", f"'requires' is empty in {what}")


def _check_plugin(provider: Mapping[str, Any], what: str, findings: Findings) -> None:
    requires = provider.get("requires")
    if requires is not None and is_text_list(
        requires, f"'requires' of {what}", findings
    ):
        for text in requires:
            _check_requirement(text, what, findings)
    api = provider.get("plugin-api")
    if (
        api is not None
        and is_text(api, f"'plugin-api' of {what}", findings)
        and _ENTRY_POINT.fullmatch(api) is None
    ):
        findings.add(
            "provider-api",
            f"{shown(api)} is no entry point in {what}",
            "Write it like package.module:Class",
        )


def _check_requirement(text: str, what: str, findings: Findings) -> None:
    requirement = _parsed(text)
    if requirement is None:
        findings.add(
            "provider-requires", f"{shown(text)} is no dependency specifier in {what}"
        )
        return
    if _VARIANT_MARKER.search(str(requirement.marker or "")):
        findings.add(
            "provider-requires",
            f"{shown(text)} depends on the variant in {what}, which is not chosen yet",
            "Leave the marker out",
        )
    if requirement.url is not None:
        findings.add(
            "provider-url",
            f"{shown(text)} names an address in {what}: it is not trusted by name",
            "Publish the plugin on the index of the package",
        )
    elif requirement.specifier.is_unsatisfiable():
        findings.add(
            "provider-installable",
            f"No version satisfies {shown(text)} in {what}",
        )


def _check_uv(namespace: str, provider: Mapping[str, Any], findings: Findings) -> None:
    """Judge whether uv takes what it brings along, which it compares exactly."""
    known = KNOWN_PROVIDERS.get(namespace)
    requires = provider.get("requires")
    if known is None or known.in_uv is None or not isinstance(requires, list):
        return
    expected = Requirement(known.declaration["requires"][0])
    reason = None
    if len(requires) != 1:
        reason = "it requires more than one package"
    elif (found := _parsed(requires[0])) is None:
        return
    else:
        default_api = canonicalize_name(found.name).replace("-", "_")
        expected_api = known.declaration.get("plugin-api", default_api)
        if canonicalize_name(found.name) != canonicalize_name(expected.name):
            reason = f"that is of {expected.name}"
        elif found.extras or found.marker or found.url:
            reason = "its requirement has more than a name and versions"
        elif not found.specifier.contains(Version(known.in_uv), prereleases=True):
            reason = f"that is of version {known.in_uv}, which it excludes"
        elif provider.get("plugin-api", default_api) != expected_api:
            reason = f"that has the entry point {expected_api}"
    if reason is not None:
        findings.add(
            "provider-in-uv",
            f"uv does not take its own provider of {namespace}: {reason}",
            f"Write {dict(known.declaration)!r}",
        )


def _check_static(
    provider: Mapping[str, Any], what: str, own: list[Property], findings: Findings
) -> None:
    static = provider["static-properties"]
    if not is_object(static, f"'static-properties' of {what}", findings):
        return
    valid: dict[str, list[str]] = {}
    for feature, values in static.items():
        where = f"{what}: {shown(feature)}"
        if not is_valid_feature_name(feature):
            findings.add("property", f"Invalid feature {shown(feature)} in {what}")
        if is_text_list(values, where, findings):
            check_values(values, where, findings)
            valid[feature] = values
    if not static:
        findings.add("provider-static", f"The static list is empty in {what}")
    order = provider.get("feature-order")
    if order is None:
        if len(static) > 1:
            findings.add(
                "provider-static",
                f"'feature-order' is missing in {what}, which has {len(static)} features",
                f"Order them: {sorted(static)!r}",
            )
    elif is_text_list(order, f"'feature-order' of {what}", findings) and (
        not order or sorted(order) != sorted(static)
    ):
        findings.add(
            "provider-static",
            f"'feature-order' of {what} does not name each feature once: "
            f"{shown(order)}",
        )
    check_static_properties(own, valid, findings)


def _check_builtin(
    namespace: str,
    provider: Mapping[str, Any],
    own: list[Property],
    what: str,
    findings: Findings,
) -> bool:
    """Judge a provider that installers bring along; tell whether it is one."""
    builtin = provider.get("builtin")
    if builtin is None:
        if namespace != ABI_DEPENDENCY:
            return False
    elif is_text(builtin, f"'builtin' of {what}", findings) and (
        builtin != ABI_DEPENDENCY
    ):
        findings.add(
            "provider-builtin",
            f"No installer is known to bring {shown(builtin)} along, as {what} expects",
        )
        return True
    check_abi_dependencies(own, findings)
    return True
