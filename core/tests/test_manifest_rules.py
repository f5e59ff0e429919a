"""The rules of manifests: what reading makes of each, and what breaking one costs."""

from __future__ import annotations

import json

import pytest

from tests.lib.manifest_rows import ROWS
from wheel_variants.manifest import InvalidManifest
from wheel_variants.manifest_parser import parse_manifest
from wheel_variants.rules import RULES, Effect

#: From what costs most to what costs nothing.
EFFECTS = list(Effect)


@pytest.mark.parametrize("name", ROWS)
def test_what_is_refused(name: str) -> None:
    row = ROWS[name]
    data = json.dumps(row.document).encode()
    if row.effect != Effect.REFUSED.name:
        assert parse_manifest(data).variants
        return
    with pytest.raises(InvalidManifest) as refused:
        parse_manifest(data)
    assert refused.value.rule in row.findings


@pytest.mark.parametrize("name", ROWS)
def test_what_a_rule_costs(name: str) -> None:
    """It is what the rule says, whichever is the worst of several."""
    broken = [RULES[rule].effect for rule in ROWS[name].findings]
    assert None not in broken
    costs = [EFFECTS.index(effect) for effect in broken if effect is not None]
    worst = EFFECTS[min(costs, default=-1)]
    assert worst.name == ROWS[name].effect


def test_every_rule_has_a_row() -> None:
    broken = {rule for row in ROWS.values() for rule in row.findings}
    of_manifests = {rule.id for rule in RULES.values() if rule.effect is not None}
    # Bytes that are no JSON are no document.
    assert broken | {"manifest-json"} == of_manifests
