"""The conformance cases have their form, and the fork agrees with them."""

from __future__ import annotations

import json

import jsonschema
import pytest

from core.tests.conformance import FOLDER, TOPICS, read_cases
from tools.conformance.fork import ForkModel


@pytest.mark.parametrize("topic", TOPICS)
def test_the_form_of_the_cases(topic: str) -> None:
    schema, content = (
        json.loads((FOLDER / name).read_text(encoding="utf-8"))
        for name in ("conformance.schema.json", f"{topic}.json")
    )
    jsonschema.Draft202012Validator(schema).validate(content)


@pytest.mark.parametrize("topic", TOPICS)
def test_the_fork_agrees(topic: str) -> None:
    fork = ForkModel()
    for case in read_cases(topic):
        assert fork.answer(case) == case.expected, case.id


def test_each_file_has_a_topic() -> None:
    files = {path.name for path in FOLDER.iterdir()}
    topics = {f"{topic}.json" for topic in TOPICS}
    assert files == {*topics, "README.md", "conformance.schema.json"}
