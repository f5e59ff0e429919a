"""The rules of manifests: what installers make of each, and what publishers are told."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from pip._vendor.wheel_variants.manifest import InvalidManifest
from pip._vendor.wheel_variants.manifest_parser import parse_manifest
from pip._vendor.wheel_variants.rules import Effect

from pip._internal.console.texts import capital
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.selection.ranking import select
from tests.lib.manifest_rows import ROWS, Row
from wheel_variants.publish.manifest_rules import check_manifest
from wheel_variants.rules import RULES

FORCED = {
    "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION": "12.8",
    "NV_VARIANT_PROVIDER_FORCE_SM_ARCH": "9.0",
}


class Verdict(NamedTuple):
    """The result of an installation.

    :ivar reason: the words for it; None if no words are made of it.
    """

    effect: Effect
    reason: str | None = None


def installed(document: Any) -> Verdict:
    """Judge a manifest as the installer does, for a machine with an NVIDIA GPU."""
    try:
        manifest = parse_manifest(json.dumps(document).encode())
    except InvalidManifest as error:
        return Verdict(Effect.REFUSED, str(error))
    chain = ProviderChain(
        environ=FORCED, environment={"os_name": "posix"}, hardware=False
    )
    selection = select("index", manifest, manifest.variants, chain, ())
    for answer in selection.answers.values():
        if not answer.features:
            return Verdict(Effect.UNSUPPORTED, answer.reason)
    if not selection.ranking.rejected:
        return Verdict(Effect.NONE)
    reasons = [each.reason for each in selection.answers.values() if each.reason]
    return Verdict(Effect.DROPPED, *reasons)


def checked(document: Any) -> dict[str, str]:
    """Judge a manifest as ``check`` does; give what it finds by rule."""
    findings = check_manifest(json.dumps(document).encode(), "x.json").findings
    found = {each.rule.id: each.problem for each in findings}
    assert len(found) == len(findings), "one fault breaks a rule once"
    remedies = " ".join(str(each.remedy) for each in findings)
    assert "gpus-stated" not in found or "sm_arch :: 90_real" in remedies
    assert {each.subjects for each in findings} <= {("x.json",)}
    return found


@pytest.mark.parametrize("row", ROWS, ids=[row.name[:60] for row in ROWS])
def test_installers_and_publishers_are_told_the_same(row: Row) -> None:
    verdict = installed(row.document)
    assert verdict.effect.name == row.effect
    assert checked(row.document) == row.findings
    if verdict.reason is not None:
        said = {
            problem
            for rule, problem in row.findings.items()
            if getattr(RULES[rule].effect, "name", None) == row.effect
        }
        assert said == {capital(verdict.reason)}


def test_no_word_is_said_of_what_installers_do_not_mind() -> None:
    silent = [row for row in ROWS if row.effect == "NONE"]
    assert len(silent) > 40
    assert all(installed(row.document).reason is None for row in silent)


def test_several_faults_are_told_at_once() -> None:
    document = {
        "$schema": 1,
        "default-priorities": {"namespace": ["nvidia", "X"]},
        "providers": {"nvidia": {"requires": "a", "optional": 1}},
        "variants": {"CU128": {"nvidia": {"a": [1]}}, "x": []},
    }
    findings = check_manifest(json.dumps(document).encode(), "x.json").findings
    assert [each.problem for each in findings] == [
        "'$schema' is a number, not a string",
        "Invalid namespace 'X' in 'default-priorities.namespace'",
        "Invalid label 'CU128'",
        "An item of 'a' in 'nvidia' of variant 'CU128' is a number, not a string",
        "Variant 'x' is a list, not an object",
        "'requires' of the provider for 'nvidia' is a string, not a list",
        "'optional' of the provider for 'nvidia' is a number, not a boolean",
    ]
    # The installer says the first of them.
    assert installed(document).reason == "'$schema' is a number, not a string"
