"""The indexes that ``pip variants setup`` knows."""

from __future__ import annotations

from pip._internal.variants.commands.publishers import PUBLISHERS, added, removed, taken


def test_each_publisher_goes_in_and_out() -> None:
    assert len({each.url for each in PUBLISHERS.values()}) == len(PUBLISHERS)
    for name, each in PUBLISHERS.items():
        assert name == each.name
        assert each.url.startswith("https://")
        assert not each.url.endswith("/")
        own = "mine=https://index.example"
        value = added(own, each)
        assert taken(value, each) == dict.fromkeys(each.projects, each.url)
        assert added(value, each) == value
        assert removed(value, each) == own
