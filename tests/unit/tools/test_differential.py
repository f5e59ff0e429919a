"""Choices against those of an oracle that knows only the text of PEP 825."""

from __future__ import annotations

import random

import pytest

from tools.differential import oracle, own
from tools.differential.releases import ALL_SCHEMAS, random_release


@pytest.mark.parametrize("schema", ALL_SCHEMAS)
def test_choices_equal_the_oracle_s(schema: str) -> None:
    chance = random.Random(schema)
    orders = set()
    for _ in range(200):
        release = random_release(chance, schema=schema)
        ranking = own.choose(release).ranking
        assert list(ranking.compatible) == oracle.order(release), release
        left = {*ranking.compatible, *ranking.rejected, *ranking.unknown}
        assert left == set(release.labels)
        orders.add(ranking.compatible)
    # Releases of which nothing, or one thing, runs would prove little.
    assert sum(len(order) > 2 for order in orders) > 30
