"""The rules of manifests: the findings of the parser, and the effect of each rule."""

from __future__ import annotations

import json

import pytest

from tests.lib.manifest_rows import ROWS, Row
from wheel_variants.manifest import InvalidManifest
from wheel_variants.manifest_parser import parse_manifest
from wheel_variants.rules import RULES, Effect

#: From what costs most to what costs nothing.
EFFECTS = list(Effect)


each_row = pytest.mark.parametrize("row", ROWS, ids=[row.name[:60] for row in ROWS])


@each_row
def test_what_is_refused(row: Row) -> None:
    data = json.dumps(row.document).encode()
    if row.effect != Effect.REFUSED.name:
        assert parse_manifest(data).variants
        return
    with pytest.raises(InvalidManifest) as refused:
        parse_manifest(data)
    assert refused.value.rule in row.findings


@each_row
def test_what_a_rule_costs(row: Row) -> None:
    """The effect is that of the broken rule; of several rules, the worst effect counts."""
    broken = [RULES[rule].effect for rule in row.findings]
    assert None not in broken
    costs = [EFFECTS.index(effect) for effect in broken if effect is not None]
    worst = EFFECTS[min(costs, default=-1)]
    assert worst.name == row.effect


def test_every_rule_has_a_row() -> None:
    broken = {rule for row in ROWS for rule in row.findings}
    of_manifests = {rule.id for rule in RULES.values() if rule.effect is not None}
    # Bytes that are no JSON are no document.
    assert broken | {"manifest-json"} == of_manifests
