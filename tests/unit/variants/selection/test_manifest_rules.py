"""The rules of manifests: what installers make of each, and what publishers are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pip._vendor.wheel_variants.manifest import InvalidManifest
from pip._vendor.wheel_variants.manifest_parser import parse_manifest
from pip._vendor.wheel_variants.rules import Effect

from pip._internal.console.texts import capital
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.selection.ranking import select
from tests.lib.manifest_rows import ROWS
from wheel_variants.publish.manifest_rules import check_manifest
from wheel_variants.rules import RULES

FORCED = {
    "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION": "12.8",
    "NV_VARIANT_PROVIDER_FORCE_SM_ARCH": "9.0",
}


class Verdict(NamedTuple):
    """What installing comes to.

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
    assert {each.subjects for each in findings} <= {("x.json",)}
    return found


@pytest.mark.parametrize("name", ROWS)
def test_what_installers_make_of_it(name: str) -> None:
    assert installed(ROWS[name].document).effect.name == ROWS[name].effect


@pytest.mark.parametrize("name", ROWS)
def test_what_publishers_are_told(name: str) -> None:
    assert checked(ROWS[name].document) == ROWS[name].findings


@pytest.mark.parametrize("name", ROWS)
def test_both_are_told_in_the_same_words(name: str) -> None:
    row = ROWS[name]
    verdict = installed(row.document)
    if verdict.reason is not None:
        said = {
            problem
            for rule, problem in row.findings.items()
            if getattr(RULES[rule].effect, "name", None) == verdict.effect.name
        }
        assert said == {capital(verdict.reason)}


def test_no_word_is_said_of_what_installers_do_not_mind() -> None:
    silent = [row for row in ROWS.values() if row.effect == "NONE"]
    assert len(silent) > 50
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
        "An item of the variant 'CU128': nvidia :: a is a number, not a string",
        "The variant 'x' is a list, not an object",
        "'requires' of the provider of 'nvidia' is a string, not a list",
        "'optional' of the provider of 'nvidia' is a number, not a boolean",
    ]
    # The installer says the first of them.
    assert installed(document).reason == "'$schema' is a number, not a string"


def test_the_table_for_publishers_lists_the_rules(repository_root: Path) -> None:
    text = (repository_root / "docs" / "publishing.md").read_text(encoding="utf-8")
    _, table = text.split(
        "| rule | what holds | `check` | installers |\n|---|---|---|---|\n"
    )
    assert table.partition("\n\n")[0].splitlines() == [
        f"| `{rule.id}` | {rule.text} | {rule.severity.value} | {rule.effect.value} |"
        for rule in RULES.values()
        if rule.effect is not None
    ]
    _, table = text.split("| rule | what holds | `check` |\n|---|---|---|\n")
    assert table.partition("\n\n")[0].splitlines() == [
        f"| `{rule.id}` | {rule.text} | {rule.severity.value} |"
        for rule in RULES.values()
        if rule.effect is None
    ]
