"""How a decision is told: each line of ``pip variants explain``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from pip._vendor.packaging.version import Version
from pip._vendor.wheel_variants.manifest_parser import parse_manifest
from pip._vendor.wheel_variants.preferences import Preference
from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.commands.explain import manifest_lines
from pip._internal.variants.output import hosts
from pip._internal.variants.output.skipped_versions import (
    SkipCause,
    SkippedVersion,
    explain_skipped_versions,
)
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.result import ProviderResult, Source
from pip._internal.variants.selection.ranking import Selection, select
from tests.lib.manifests import PluginSpec, Properties, make_manifest

PROVIDERS = {
    "gpu": PluginSpec(static={"cuda": ["13", "12"], "arch": ["b", "a"]}),
    "cpu": PluginSpec(static={"level": ["v3", "v2"]}),
    "abi": PluginSpec(builtin="abi_dependency"),
}
V3, CUDA, ARCH = "cpu :: level :: v3", "gpu :: cuda :: 13", "gpu :: arch :: b"


def selection(
    variants: Mapping[str, Properties], *preferences: Preference
) -> Selection:
    """Judge variants by static lists alone."""
    content = make_manifest(
        variants, providers=PROVIDERS, namespaces=["gpu", "cpu", "abi"]
    )
    manifest = parse_manifest(json.dumps(content).encode())
    providers = ProviderChain(environ={}, environment={}, hardware=False)
    return select("here", manifest, manifest.variants, providers, preferences)


def told(judged: Selection, label: str | None = None) -> list[str]:
    return [line.text for line in manifest_lines(judged, label)]


OLD = "gpu :: cuda :: 12"
LABELS = "both match the same properties, so label order decides (null is last)"
#: Variants, preferences, and what is said of the first two.
DECIDING: Sequence[tuple[Mapping[str, Properties], list[Preference], str]] = [
    (
        {"b": [V3], "a": [CUDA]},
        [],
        f"has {CUDA}, which ranks above b's {V3} in namespace order",
    ),
    (
        {"b": [ARCH], "a": [CUDA]},
        [],
        f"has {CUDA}, which ranks above b's {ARCH} in feature order",
    ),
    (
        {"b": [OLD], "a": [CUDA]},
        [],
        f"has {CUDA}, which ranks above b's {OLD} in value order",
    ),
    ({"b": [CUDA], "a": [CUDA, V3]}, [], f"also has {V3}"),
    (
        {"b": [CUDA], "a": [V3]},
        [Preference("cpu")],
        f"has {V3}, which ranks above b's {CUDA} in preference order",
    ),
]


@pytest.mark.parametrize(("variants", "preferences", "expected"), DECIDING)
def test_what_decides(
    variants: Mapping[str, Properties], preferences: list[Preference], expected: str
) -> None:
    lines = told(selection(variants, *preferences))
    said = f"a comes before b: it {expected}"
    assert {said, f"{said} decides"}.intersection(lines)


@pytest.mark.parametrize(
    ("first", "second", "properties"), [("w", "x", [CUDA]), ("zero", "null", [])]
)
def test_labels_decide(first: str, second: str, properties: Properties) -> None:
    lines = told(selection({second: properties, first: properties}))
    assert f"{first} comes before {second}: {LABELS}" in lines


def test_what_another_package_must_be() -> None:
    lines = told(selection({"x": ["abi :: torch :: 2.9", V3]}))
    assert any(line.endswith("; requires torch==2.9.*") for line in lines)


def test_the_chosen_label_is_taken() -> None:
    judged = selection({"c": [V3], "g": [CUDA]})
    lines = list(manifest_lines(judged, "c"))
    styled = {line.text.split(":")[0]: line.style for line in lines}
    assert (styled["  1. g"], styled["  2. c"]) == ("", "green")
    assert lines[-1].text == "pip would choose the variant 'c'."


def test_versions_that_are_passed_over_alike_share_a_line() -> None:
    newest = [
        SkippedVersion(Version(f"3.{n}"), SkipCause.YANKED, "broken") for n in range(9)
    ]
    others = [SkippedVersion(Version("2.0"), SkipCause.PLATFORM)] * 2
    refused = [SkippedVersion(Version("1.0"), SkipCause.VARIANTS)]
    passed = [*reversed(newest), *others, *refused]
    assert [line.text for line in explain_skipped_versions(passed)] == [
        "3.8, 3.7, 3.6, 3.5, 3.4, 3.3 and 3 more: yanked (broken)",
        "2.0, 2.0: no wheel for this platform and Python",
        "1.0: no supported variant",
    ]


def answer(
    source: Source = Source.BUILTIN, reason: str | None = None, **values: str
) -> ProviderResult:
    """Return an answer with these values of features, separated by blanks."""
    features = [SupportedFeature(name, tuple(v.split())) for name, v in values.items()]
    return ProviderResult(tuple(features), reason=reason, source=source)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (answer(level="v3 v2", avx="on", aes="on"), "ns: level v3, 2 flags"),
        (answer(aes="on"), "ns: 1 flag"),
        (answer(x_lower_bound="2 1", x_upper_bound="9 3"), "ns: x_lower_bound 2"),
        (answer(x_upper_bound="9 3"), "ns: x_upper_bound 9"),
        (answer(Source.HOST, kind="b2"), "ns: kind b2 (host file)"),
        (answer(reason="it is off; so is all else"), "ns: nothing (it is off)"),
        (answer(Source.DISABLED, "it is off"), "ns: nothing (it is off)"),
        (answer(Source.DISABLED), "ns: nothing (disabled)"),
    ],
)
def test_a_namespace_in_one_line(given: ProviderResult, expected: str) -> None:
    assert hosts.provider_line("ns", given) == expected
