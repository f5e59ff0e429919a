"""The benchmark runs, judges outcomes and writes its report; nothing is timed here."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.lib.environments import Workshop
from tests.lib.index import Exchange
from tests.lib.manifests import cuda
from tests.lib.wheels import make_wheel
from tools.bench.cases import CASES, COLD, WARM, Case
from tools.bench.instructions import counter
from tools.bench.large import LARGE, add_large
from tools.bench.project import add_project
from tools.bench.report import document, write
from tools.bench.runner import (
    Measurement,
    Sample,
    Scenario,
    count,
    measure,
    requests_as_expected,
    scenarios,
)
from tools.bench.server import BenchServer
from tools.bench.tools import FORK, PIP, Tool, make_tools

pytestmark = pytest.mark.process

VARIANT = next(case for case in CASES if case.name == "variant")


@pytest.fixture(scope="module")
def tools(
    workshop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Tool]]:
    """Return the fork and untouched pip, as the benchmark makes them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_VARIANTS_WHEEL", str(workshop.fork_wheel()))
        patch.setenv("PIP_UPSTREAM_WHEEL", str(workshop.upstream_wheel()))
        yield make_tools([FORK, PIP], tmp_path_factory.mktemp("tools"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[BenchServer]:
    """Return a running server with a plain and a variant package."""
    server = BenchServer(tmp_path)
    server.add(make_wheel("plain", "1.0"))
    labels = {f"cu{n}": cuda(f"12.{n % 10}", ["90"]) for n in (126, 128, 129)}
    server.add_release("variant", "1.0", labels)
    with server:
        yield server


def run(
    case: Case, tools: list[Tool], server: BenchServer
) -> dict[tuple[str, str], Measurement]:
    """Measure a case once, without delay, by state of the cache and tool."""
    return {
        (scenario.cache, measurement.tool): measurement
        for scenario in scenarios([case], delays=[0])
        for measurement in measure(scenario, tools, server, repeat=1)
    }


def test_a_case_is_measured_and_reported(
    tools: list[Tool], server: BenchServer, tmp_path: Path
) -> None:
    measured = run(VARIANT, tools, server)
    assert measured.keys() == {(c, t) for c in (COLD, WARM) for t in (FORK, PIP)}
    assert measured[COLD, FORK].labels == {"variant": "cu128"}
    assert measured[COLD, PIP].labels == {"plain": None}
    assert [m.problem for m in measured.values()] == [None] * 4
    assert measured[COLD, FORK].requests_as_expected
    assert measured[WARM, FORK].requests_as_expected
    (sample,) = measured[COLD, FORK].samples
    paths = [exchange.path.rpartition("/")[2] for exchange in sample.exchanges]
    assert paths[1] == "variant-1.0-variants.json"
    assert all(tool.installed() == {} for tool in tools)

    versions = {tool.name: tool.version for tool in tools}
    write(document(list(measured.values()), versions, "nox -s bench"), tmp_path)
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["tools"] == versions
    assert len(results["measurements"]) == 4
    table = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert f"| {VARIANT.title} | {COLD} | 0 |" in table
    assert ElementTree.parse(tmp_path / "results.svg").getroot().tag.endswith("svg")


def test_another_outcome_is_told(tools: list[Tool], server: BenchServer) -> None:
    wrong = dataclasses.replace(VARIANT, labels={"variant": "cu126"}, caches=(COLD,))
    measured = run(wrong, tools, server)
    assert measured[COLD, FORK].problem == "other outcome: variant cu128"
    assert measured[COLD, PIP].problem is None


def test_more_requests_than_allowed_are_told(
    tools: list[Tool], server: BenchServer
) -> None:
    strict = dataclasses.replace(VARIANT, more_requests={COLD: 0}, caches=(COLD,))
    assert run(strict, tools, server)[COLD, FORK].requests_as_expected is False


def test_requests_in_another_order_are_as_expected() -> None:
    (case,) = (case for case in CASES if case.name == "plain")
    one, two = (Exchange("GET", f"/{name}", 200, 1) for name in "ab")
    scenario = Scenario(case, COLD, 0)

    def is_expected(*ours: Exchange) -> bool | None:
        runs = {FORK: [Sample(1, 1, ours)], PIP: [Sample(1, 1, (one, two))]}
        return requests_as_expected(scenario, runs)

    assert is_expected(two, one)
    assert not is_expected(one, one, two)
    assert not is_expected(one, one)


@pytest.mark.skipif(counter() is None, reason="no valgrind here")
def test_instructions_of_a_case_are_counted(
    tools: list[Tool], server: BenchServer
) -> None:
    prefix = counter()
    assert prefix is not None
    (case,) = (case for case in CASES if case.name == "version")
    counts = [count(case, tool, server, prefix) for tool in tools]
    assert all(isinstance(each, int) and each > 10**8 for each in counts)
    assert count(VARIANT, tools[0], server, ["false"]) == "fails: exit status 1"


def test_a_proxy_stands_for_pytorch_s_index(tools: list[Tool], tmp_path: Path) -> None:
    (case,) = (case for case in CASES if case.name == "pytorch")
    server = BenchServer(tmp_path)
    server.add_builds("torch", "2.9.1", ["cu128", "cpu"])
    with server:
        measured = run(case, tools, server)
    assert [m.problem for m in measured.values()] == [None] * 4
    assert measured[COLD, FORK].labels == measured[COLD, PIP].labels
    asked = {
        tool: [e.path for e in measured[COLD, tool].samples[0].exchanges]
        for tool in (FORK, PIP)
    }
    file = "/whl/cu128/torch-2.9.1%2Bcu128-py3-none-any.whl"
    assert asked[PIP] == ["/whl/cu128/torch/", f"{file}.metadata", file]
    assert asked[FORK] == ["/whl/torch/", f"{file}.metadata", file]


def test_large_wheels_over_a_slow_line(tools: list[Tool], tmp_path: Path) -> None:
    (case,) = (case for case in CASES if case.name == "large")
    server = BenchServer(tmp_path)
    add_large(server, tmp_path, scale=0.001)
    with server:
        measured = run(case, tools, server)
        assert server.line.rate == case.rate
    assert [m.problem for m in measured.values()] == [None, None]
    labels = measured[COLD, FORK].labels
    assert labels == dict(case.labels)
    assert LARGE in case.labels
    sizes = [e.sent for e in measured[COLD, PIP].samples[0].exchanges]
    assert max(sizes) > 500_000


@pytest.mark.locks
def test_locking_is_measured_beside_resolving(
    tools: list[Tool], tmp_path: Path
) -> None:
    (case,) = (case for case in CASES if case.name == "lock")
    (base,) = (each for each in CASES if each.name == case.beyond)
    server = BenchServer(tmp_path)
    add_project(server)
    with server:
        resolved = run(dataclasses.replace(base, caches=(COLD,)), tools, server)
        measured = run(dataclasses.replace(case, caches=(COLD,)), tools, server)
    assert resolved[COLD, FORK].problem is None
    assert measured[COLD, FORK].problem is None
    assert measured[COLD, FORK].labels == dict(case.labels)
    assert len(measured[COLD, FORK].beside) == len(measured[COLD, FORK].samples) == 1
    assert not measured[COLD, PIP].samples

    versions = {tool.name: tool.version for tool in tools}
    write(document(list(measured.values()), versions, "nox -s bench"), tmp_path)
    table = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert f"| {case.title} | {COLD} | 0 | {base.title} | +" in table
