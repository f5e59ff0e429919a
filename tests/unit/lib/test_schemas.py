"""Schemas in docs, and that what tests see is held to them."""

from __future__ import annotations

import json

import jsonschema
import pytest

from pip._vendor.wheel_variants.comparison import Criterion
from pip._vendor.wheel_variants.rules import Effect, Severity

from pip._internal.variants.commands.actions import ACTIONS, MOVED
from pip._internal.variants.output.skipped_versions import SkipCause
from pip._internal.variants.providers.result import Source
from pip._internal.variants.selection.ranking import OriginKind
from tests.lib.schemas import SCHEMAS, validate_json


def test_there_is_one_for_each_action() -> None:
    names = {path.name.partition(".")[0] for path in SCHEMAS.iterdir()}
    assert names == {*ACTIONS, *MOVED}


@pytest.mark.parametrize("action", sorted((*ACTIONS, *MOVED)))
def test_each_is_one(action: str) -> None:
    text = (SCHEMAS / f"{action}.schema.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


GOOD = {
    **{"version": "1", "wheel_variants_version": "1", "findings": []},
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
    command = ("wheel-variants", "check", "--json", "dist")
    validate_json(command, json.dumps(GOOD))
    with pytest.raises(jsonschema.ValidationError):
        validate_json(command, json.dumps(document))


def _of_explain(*path: str) -> set[object]:
    node = json.loads((SCHEMAS / "explain.schema.json").read_text(encoding="utf-8"))
    node = node["$defs"][path[0]]
    for name in path[1:]:
        node = node["properties"][name]
    return {*node["enum"]}


def test_values_are_all_that_there_are() -> None:
    """Also those that no test reaches."""
    origins = _of_explain("selection", "manifest", "origin")
    assert origins == {None, *(each.value for each in OriginKind)}
    assert _of_explain("answer", "step") == {each.value for each in Source}
    assert _of_explain("passed_over", "cause") == {each.word for each in SkipCause}
    assert _of_explain("reason", "criterion") == {each.value for each in Criterion}
    text = (SCHEMAS / "check.schema.json").read_text(encoding="utf-8")
    finding = json.loads(text)["properties"]["findings"]["items"]["properties"]
    assert {*finding["severity"]["enum"]} == {each.value for each in Severity}
    effects = {None, *(each.value for each in Effect)}
    assert {*finding["installers"]["enum"]} == effects
