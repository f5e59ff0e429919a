"""How many CPUs may be used."""

from __future__ import annotations

import os

import pytest

from pip._internal.fast.cpus import allowed_cpus


@pytest.mark.linux
def test_those_that_the_scheduler_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(3), raising=False)
    assert allowed_cpus() == 3


def test_where_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("process_cpu_count", "sched_getaffinity"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert allowed_cpus() == 1
