"""Which source answers for a namespace."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pip._vendor.wheel_variants.manifest import Manifest
from pip._vendor.wheel_variants.manifest_parser import parse_manifest
from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.providers import nvidia
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.host_file import HostDescription

FORCED = {
    "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION": "12.8",
    "NV_VARIANT_PROVIDER_FORCE_SM_ARCH": "9.0",
}
LINUX = {
    "platform_system": "Linux",
    "platform_machine": "x86_64",
    "python_version": "3.11",
}


def manifest(
    provider: Mapping[str, Any] | None, namespace: str = "nvidia", **more: Any
) -> Manifest:
    content = {
        "default-priorities": {"namespace": [namespace]},
        "variants": {"a": {namespace: {"cuda_version_lower_bound": ["12.8"]}}},
        **more,
    }
    if provider is not None:
        content["providers"] = {namespace: provider}
    return parse_manifest(json.dumps(content).encode())


def chain(
    host: HostDescription | None = None, environ: Mapping[str, str] = FORCED
) -> ProviderChain:
    return ProviderChain(environ=environ, environment=LINUX, hardware=False, host=host)


def is_built_in(requires: Sequence[str], namespace: str = "nvidia") -> bool:
    described = manifest({"requires": requires}, namespace)
    answer = chain().query(described, [namespace])[namespace]
    assert bool(answer.features) != (answer.reason is not None)
    return bool(answer.features)


@pytest.mark.parametrize(
    ("requires", "expected"),
    [
        (["nvidia-variant-provider>=99"], True),
        (["NVIDIA_variant.provider[extra]"], True),
        (["nvidia-variant-provider; extra == ''", "something-more"], True),
        (["somebody-elses-provider"], False),
        (["nvidia-variant-provider-2"], False),
        (["nvidia-variant-provider; platform_system == 'Windows'"], False),
        (["nvidia-variant-provider @ https://example.org/x-1-py3-none-any.whl"], False),
        # Nobody can tell what it stands for.
        (["not a requirement", "nvidia-variant-provider"], False),
        (["nvidia-variant-provider", "x; os_name ~= 'y'"], False),
        (["nvidia-variant-provider; " + "(" * 400], False),
    ],
    ids=lambda each: str(each)[:40],
)
def test_known_packages_are_built_in(requires: Sequence[str], expected: bool) -> None:
    assert is_built_in(requires) == expected


def test_a_known_package_serves_its_own_namespace_only() -> None:
    assert not is_built_in(["nvidia-variant-provider"], "amd")
    assert not is_built_in(["nvidia-variant-provider"], "x86_64")


def test_a_namespace_without_a_named_provider_is_built_in() -> None:
    assert chain().query(manifest(None), ["nvidia"])["nvidia"].features
    assert chain().query(manifest(None, "amd"), ["amd"])["amd"].reason
    unknown = chain().query(manifest(None, "npu"), ["npu"])["npu"]
    assert unknown.reason == "the metadata names no provider for npu"


def test_a_provider_of_no_known_kind_supports_nothing() -> None:
    answer = chain(HOST).query(manifest({}), ["nvidia"])["nvidia"]
    assert not answer.features
    assert answer.reason == (
        "the provider for 'nvidia' has none of 'requires', 'static-properties', "
        "'builtin'"
    )
    builtin = manifest({"builtin": "of_tomorrow"})
    assert not chain(HOST).query(builtin, ["nvidia"])["nvidia"].features


def test_the_user_may_say_that_it_is_built_in() -> None:
    providers = ProviderChain(
        environ=FORCED, environment=LINUX, hardware=False, kinds={"nvidia": "builtin"}
    )
    described = manifest({"requires": ["not a requirement"]})
    assert providers.query(described, ["nvidia"])["nvidia"].features


@pytest.mark.parametrize(
    ("marker", "applies"),
    [
        ("platform_system == 'Linux' or platform_system == 'Windows'", True),
        ("platform_system == 'Windows'", False),
        ("platform_system ==", False),
        ("unheard_of == 'x'", False),
        ("(" * 450 + "platform_system == 'Linux'", False),
    ],
    ids=lambda value: str(value)[:40],
)
def test_enable_if(marker: str, applies: bool) -> None:
    provider = {"requires": ["nvidia-variant-provider"], "enable-if": marker}
    answer = chain().query(manifest(provider), ["nvidia"])["nvidia"]
    assert bool(answer.features) == applies
    assert applies or marker in (answer.reason or "")


def test_an_optional_provider_is_off() -> None:
    provider = {"requires": ["nvidia-variant-provider"], "optional": True}
    assert not chain().query(manifest(provider), ["nvidia"])["nvidia"].features


HOST = HostDescription(
    "machine.json",
    {"nvidia": (SupportedFeature("sm_arch", ("75_real",)),)},
    {},
)


def test_a_host_file_replaces_detection() -> None:
    # It also speaks for providers that are not built in, and for no namespace more.
    for package in ("nvidia-variant-provider", "other"):
        described = manifest({"requires": [package]})
        answer = chain(HOST).query(described, ["nvidia"])["nvidia"]
        assert answer.features == (SupportedFeature("sm_arch", ("75_real",)),)
        assert answer.origin == "machine.json"
    unnamed = chain(HOST).query(manifest(None, "x86_64"), ["x86_64"])["x86_64"]
    assert not unnamed.features
    assert "machine.json" in (unnamed.reason or "")


def test_a_static_list_comes_before_the_host_file() -> None:
    static = manifest({"static-properties": {"sm_arch": ["90_real"]}})
    answer = chain(HOST).query(static, ["nvidia"])["nvidia"]
    assert answer.features == (SupportedFeature("sm_arch", ("90_real",)),)


def test_enable_if_counts_for_a_host_file_too() -> None:
    provider = {"requires": ["a"], "enable-if": "platform_system == 'Windows'"}
    assert not chain(HOST).query(manifest(provider), ["nvidia"])["nvidia"].features


def test_a_provider_that_fails_costs_its_namespace_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def detect(*_: object, **__: object) -> object:
        raise ZeroDivisionError("no GPU")

    monkeypatch.setattr(nvidia, "detect", detect)
    answers = chain().query_all()
    reason = "its provider failed: ZeroDivisionError('no GPU')"
    assert answers["nvidia"].features == ()
    assert answers["nvidia"].reason == reason
    assert answers["nvidia"].warnings[0] == f"nvidia: {reason}"
    assert set(answers) > {"nvidia", "x86_64"}


def test_a_survey_begins_with_the_namespaces_of_a_manifest() -> None:
    static = {"static-properties": {"library": ["mkl"]}}
    described = manifest(static, "blas")
    answers = chain().query_all(described)
    assert next(iter(answers)) == "blas"
    own = chain().query_all(manifest({"static-properties": {"a": ["b"]}}))["nvidia"]
    assert [each.name for each in own.features] == ["a"], "it is not asked twice"
