"""How a decision is told: each line of ``pip variants explain``."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from pip._vendor.packaging.version import Version
from pip._vendor.wheel_variants.manifest_parser import parse_manifest
from pip._vendor.wheel_variants.preferences import Preference
from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.output import explain, sentences
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.result import ProviderResult, Source
from pip._internal.variants.selection.lookup_result import Cause, SkippedVersion
from pip._internal.variants.selection.ranking import (
    Selection,
    select,
    without_manifest,
)
from tests.lib.manifests import Properties, Provider, make_manifest

PROVIDERS = {
    "gpu": Provider(static={"cuda": ["13", "12"], "arch": ["b", "a"]}),
    "cpu": Provider(static={"level": ["v3", "v2"]}),
    "abi": Provider(builtin="abi_dependency"),
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
    return [line.text for line in explain.explain_manifest(judged, label)]


# name: (variants, preferences, what is said of the first two)
DECIDING: Mapping[str, tuple[Mapping[str, Properties], list[Preference], str]] = {
    "namespace": (
        {"c": [V3], "g": [CUDA]},
        [],
        (
            f"g comes before c: it has {CUDA}, and c has {V3}; the manifest puts the "
            "namespace gpu before cpu"
        ),
    ),
    "feature": (
        {"a": [ARCH], "g": [CUDA]},
        [],
        (
            f"g comes before a: it has {CUDA}, and a has {ARCH}; of gpu, cuda comes before "
            "arch"
        ),
    ),
    "value": (
        {"old": ["gpu :: cuda :: 12"], "new": [CUDA]},
        [],
        "new comes before old: of gpu :: cuda, 13 comes before 12",
    ),
    "more": (
        {"g": [CUDA], "both": [CUDA, V3]},
        [],
        f"both comes before g: it has {V3}, and the same as g otherwise",
    ),
    "preference": (
        {"c": [V3], "g": [CUDA]},
        [Preference("cpu")],
        f"c comes before g: it has {V3}, which --prefer-variant cpu puts first",
    ),
    "label": (
        {"x": [CUDA], "w": [CUDA]},
        [],
        (
            "w comes before x: the same properties count for both, and labels are in "
            "ascending order"
        ),
    ),
    "null": (
        {"null": {}, "zero": {}},
        [],
        (
            "zero comes before null: both have the same properties, and the null variant "
            "comes last"
        ),
    ),
}


@pytest.mark.parametrize("name", DECIDING)
def test_what_decides(name: str) -> None:
    variants, preferences, expected = DECIDING[name]
    assert expected in told(selection(variants, *preferences))


def test_one_variant_comes_before_none() -> None:
    lines = told(selection({"g": [CUDA]}))
    assert f"  1. g: {CUDA}" in lines
    assert not any("comes before" in line for line in lines)
    assert "Variants that do not run" not in lines
    assert lines[-1] == "The variant g would be taken."


def test_what_another_package_must_be() -> None:
    lines = told(selection({"x": ["abi :: torch :: 2.9", V3]}))
    assert any(line.endswith("; to be installed with torch==2.9.*") for line in lines)


def test_nothing_runs() -> None:
    lines = told(selection({"g": ["gpu :: cuda :: 11"]}))
    assert "Variants that run, best first" not in lines
    assert lines[-4:] == [
        "Variants that do not run",
        "  g needs gpu :: cuda :: 11 (the target has 13, 12)",
        "",
        "No variant would be taken.",
    ]


def test_the_chosen_label_is_taken() -> None:
    judged = selection({"c": [V3], "g": [CUDA]})
    lines = list(explain.explain_manifest(judged, "c"))
    styled = {line.text.split(":")[0]: line.style for line in lines}
    assert (styled["  1. g"], styled["  2. c"]) == ("", "green")
    assert lines[-1].text == "The variant c would be taken."


def test_no_manifest() -> None:
    judged = without_manifest("here", ["g"], "404 Not Found")
    assert told(judged) == [
        "No manifest: 404 Not Found",
        "",
        "No variant would be taken.",
    ]


def test_versions_that_are_passed_over_alike_share_a_line() -> None:
    newest = [
        SkippedVersion(Version(f"3.{n}"), Cause.YANKED, "broken") for n in range(9)
    ]
    others = [SkippedVersion(Version("2.0"), Cause.PLATFORM)] * 2
    refused = [SkippedVersion(Version("1.0"), Cause.VARIANTS)]
    passed = [*reversed(newest), *others, *refused]
    assert [line.text for line in explain.explain_skipped_versions(passed)] == [
        "3.8, 3.7, 3.6, 3.5, 3.4, 3.3 and 3 more: it was yanked (broken)",
        "2.0, 2.0: no wheel is for this platform and Python",
        "1.0: none of its variants can be used here",
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
        (answer(reason="it is off; so is all else"), "ns: nothing, since it is off"),
        (answer(Source.DISABLED, "it is off"), "ns: nothing, since it is off"),
        (answer(Source.DISABLED), "ns: nothing (disabled)"),
    ],
)
def test_a_namespace_in_one_line(given: ProviderResult, expected: str) -> None:
    assert sentences.provider_line("ns", given) == expected
