"""The model agrees with every case of ``core/conformance``."""

from __future__ import annotations

import pytest

from core.tests.conformance import TOPICS, Case, Model, read_cases

CASES = [case for topic in TOPICS for case in read_cases(topic)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    assert Model().answer(case) == case.expected


def test_cases_are_sorted_and_differ() -> None:
    for topic in TOPICS:
        ids = [case.id for case in read_cases(topic)]
        assert ids == sorted(set(ids))
        assert all(each.startswith(f"{topic}/") for each in ids)
    inputs = [str(case.input) for case in CASES]
    assert len(set(inputs)) == len(inputs)
