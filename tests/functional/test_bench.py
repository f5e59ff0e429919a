"""The benchmark runs, judges outcomes and writes its report; nothing is timed here."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.lib.environments import Workshop
from tests.lib.manifests import cuda
from tests.lib.wheels import make_wheel
from tools.bench.cases import CASES, COLD, WARM
from tools.bench.large import LARGE, add_large
from tools.bench.report import document, write
from tools.bench.runner import BenchServer, Measurement, Scenario, measure
from tools.bench.tools import FORK, PIP, Tool, make_tools

pytestmark = pytest.mark.process

BY_NAME = {case.name: case for case in CASES}
VARIANT = BY_NAME["variant"]


@pytest.fixture(scope="module")
def tools(
    workshop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Tool]]:
    """Return the fork and stock pip, as the benchmark makes them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FORK_WHEEL", str(workshop.fork_wheel()))
        patch.setenv("PIP_UPSTREAM_WHEEL", str(workshop.upstream_wheel()))
        yield make_tools([FORK, PIP], tmp_path_factory.mktemp("tools"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[BenchServer]:
    """Return a running server with a release, and with large wheels on disk."""
    server = BenchServer(tmp_path)
    labels = {f"cu{n}": cuda(f"12.{n % 10}", ["90"]) for n in (126, 128, 129)}
    server.add_release("variant", "1.0", labels)
    for number in range(5):
        server.add(make_wheel(f"small-{number}", "1.0"))
    add_large(server, tmp_path, scale=0.001)
    with server:
        yield server


def test_a_case_is_measured_and_reported(
    tools: list[Tool], server: BenchServer, tmp_path: Path
) -> None:
    measured: list[Measurement] = []
    for cache in (COLD, WARM):
        scenario = Scenario(VARIANT, cache, 0)
        measured += measure(scenario, tools, server, 1)
    assert [each.problem for each in measured] == [None] * 4
    # Stock pip asks for the page, the metadata and the wheel; the fork for the manifest.
    assert [each.samples[0].requests for each in measured] == [4, 3, 0, 0]
    assert all(tool.installed() == {} for tool in tools)

    versions = {tool.name: tool.version for tool in tools}
    write(document(measured, versions, "nox -s bench"), tmp_path)
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["tools"] == versions
    assert len(results["measurements"]) == 4
    table = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert f"| {VARIANT.title} | {COLD} | 0 |" in table
    assert ElementTree.parse(tmp_path / "results.svg").getroot().tag.endswith("svg")


def test_another_outcome_is_reported(tools: list[Tool], server: BenchServer) -> None:
    wrong = dataclasses.replace(VARIANT, labels={"variant": "cu126"})
    fork, pip = measure(Scenario(wrong, COLD, 0), tools, server, 1)
    assert fork.problem == "other outcome: variant cu128"
    assert pip.problem is None
    missing = dataclasses.replace(VARIANT, package="missing")
    (fork,) = measure(Scenario(missing, COLD, 0), tools[:1], server, 1)
    assert fork.problem is not None
    assert "No matching distribution found for missing" in fork.problem
    assert fork.samples == []


def test_large_wheels_come_over_a_slow_line(
    tools: list[Tool], server: BenchServer
) -> None:
    case = BY_NAME["large"]
    assert case.package == LARGE
    measured = measure(Scenario(case, COLD, 0), tools, server, 1)
    assert server.line.rate == case.rate
    assert [each.problem for each in measured] == [None, None]
    assert all(each.samples[0].received > 3_000_000 for each in measured)
