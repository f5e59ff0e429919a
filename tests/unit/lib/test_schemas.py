"""Schemas in docs, and that what tests see is held to them."""

from __future__ import annotations

import json

import jsonschema
import pytest

from pip._internal.variants.commands.actions import ACTIONS
from tests.lib.schemas import SCHEMAS, hold_to_schema


def test_there_is_one_for_each_action() -> None:
    names = {path.name.partition(".")[0] for path in SCHEMAS.iterdir()}
    assert names == set(ACTIONS)


@pytest.mark.parametrize("action", sorted(ACTIONS))
def test_each_is_one(action: str) -> None:
    text = (SCHEMAS / f"{action}.schema.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


GOOD = {
    **{"version": "1", "pip_version": "26.3", "findings": []},
    **{"errors": 0, "warnings": 0, "wheels": 1, "manifests": 1},
}


@pytest.mark.parametrize(
    "document",
    [
        {**GOOD, "more": 1},
        {name: GOOD[name] for name in GOOD if name != "errors"},
        {**GOOD, "errors": "0"},
    ],
)
def test_what_a_test_sees_is_held_to_it(document: dict[str, object]) -> None:
    command = ("pip", "variants", "check", "--json", "dist")
    hold_to_schema(command, json.dumps(GOOD))
    with pytest.raises(jsonschema.ValidationError):
        hold_to_schema(command, json.dumps(document))
