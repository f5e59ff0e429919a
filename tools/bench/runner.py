"""Run the tools in turn, and note what each run took and what it asked for."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.lib.index import Exchange
from tools.bench.cases import CASES, COLD, REGISTRY, WARM, Case
from tools.bench.instructions import counted
from tools.bench.server import HOST, BenchServer
from tools.bench.tools import FORK, PIP, Tool

__all__ = [
    "Measurement",
    "Sample",
    "Scenario",
    "count",
    "measure",
    "requests_as_expected",
    "scenarios",
]

#: So much of what a failed command printed is kept.
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Scenario:
    """A case with one state of the cache and one delay, in milliseconds."""

    case: Case
    cache: str
    delay: int


@dataclass(frozen=True, slots=True)
class Sample:
    """One run.

    :ivar wall: seconds.
    :ivar cpu: seconds of user and system time, of its children too.
    :ivar printed: what the command printed.
    """

    wall: float
    cpu: float
    exchanges: tuple[Exchange, ...]
    printed: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Measurement:
    """All runs of one tool in one scenario.

    :ivar beside: a run of the case it is beyond, made before each of them.
    :ivar labels: what it installed.
    :ivar problem: why there are no samples, or why they do not count.
    :ivar requests_as_expected: of the fork, beside untouched pip; None if not known.
    """

    scenario: Scenario
    tool: str
    samples: Sequence[Sample] = ()
    beside: Sequence[Sample] = ()
    labels: Mapping[str, str | None] | None = None
    problem: str | None = None
    requests_as_expected: bool | None = None


class _CommandFailed(Exception):
    """A command ended with an error; the text is what it printed last."""


def scenarios(
    cases: Sequence[Case],
    caches: Sequence[str] = (COLD, WARM),
    delays: Sequence[int] | None = None,
) -> Iterator[Scenario]:
    """Yield what is to be measured of *cases*, those caches and delays only."""
    for case in cases:
        for cache in case.caches:
            for delay in case.delays:
                if cache in caches and (delays is None or delay in delays):
                    yield Scenario(case, cache, delay)


def measure(
    scenario: Scenario,
    tools: Sequence[Tool],
    server: BenchServer,
    repeat: int,
    say: Callable[[str], None] = lambda _: None,
) -> list[Measurement]:
    """Run every tool that can do a case *repeat* times, in turn.

    A run before those, which is not counted, tells whether the outcome is right and
    fills the cache.
    """
    case = scenario.case
    _set_up(server, case)
    able = [tool for tool in tools if tool.name not in case.unable]
    problems = {tool.name: case.unable.get(tool.name) for tool in tools}
    labels: dict[str, Mapping[str, str | None]] = {}
    for tool in able:
        say(f"{tool.name} ...")
        tool.forget()
        try:
            sample = _run(tool, case, server, delay=0)
        except _CommandFailed as error:
            problems[tool.name] = f"fails: {error}"
            continue
        labels[tool.name] = tool.outcome(case.way, sample.printed)
    # What ended otherwise is timed all the same, and marked.
    taking_part = [tool for tool in able if tool.name in labels]
    for tool in taking_part:
        found, of_fork = labels[tool.name], labels.get(FORK)
        problems[tool.name] = _other_outcome(case, tool, found, of_fork)
    samples, beside = _time_in_turn(scenario, taking_part, server, repeat, say)
    for tool in able:
        tool.uninstall()
    return [
        Measurement(
            scenario,
            tool.name,
            samples.get(tool.name, ()),
            beside.get(tool.name, ()),
            labels.get(tool.name),
            problems[tool.name],
            requests_as_expected(scenario, samples) if tool.name == FORK else None,
        )
        for tool in tools
    ]


def count(
    case: Case, tool: Tool, server: BenchServer, counter: Sequence[str]
) -> int | str:
    """Return the instructions of one run with nothing cached, or what went wrong.

    A run before it, which is not counted, tells whether the outcome is right, and leaves
    the tool's own modules compiled.

    :param counter: see :func:`tools.bench.instructions.counter`.
    """
    _set_up(server, case)
    try:
        tool.forget()
        sample = _run(tool, case, server, delay=0)
        found = tool.outcome(case.way, sample.printed)
        problem = _other_outcome(case, tool, found, None)
        if problem is not None:
            return problem
        tool.forget()
        return counted(_run(tool, case, server, delay=0, counter=counter).printed)
    except _CommandFailed as error:
        return f"fails: {error}"
    finally:
        tool.uninstall()


def _set_up(server: BenchServer, case: Case) -> None:
    server.ranges, server.pages.core_metadata = case.ranges, case.core_metadata
    server.line.rate = case.rate


def _time_in_turn(
    scenario: Scenario,
    tools: Sequence[Tool],
    server: BenchServer,
    repeat: int,
    say: Callable[[str], None],
) -> tuple[dict[str, list[Sample]], dict[str, list[Sample]]]:
    """Return the counted runs of each tool, and those beside them."""
    case, delay = scenario.case, scenario.delay / 1000
    bases = [each for each in CASES if each.name == case.beyond]
    samples: dict[str, list[Sample]] = {tool.name: [] for tool in tools}
    beside: dict[str, list[Sample]] = {tool.name: [] for tool in tools}
    #: By tool, what is run, and where that is noted.
    to_run = {
        tool.name: [
            *((base, beside) for base in bases if tool.name not in base.unable),
            (case, samples),
        ]
        for tool in tools
    }
    for tool in tools:
        for base, _ in to_run[tool.name][:-1]:
            _run(tool, base, server, delay=0)
    for round_ in range(repeat):
        say(f"round {round_ + 1} of {repeat}")
        first = round_ % max(1, len(tools))
        for tool in [*tools[first:], *tools[:first]]:
            for each, runs in to_run[tool.name]:
                if scenario.cache == COLD:
                    tool.forget()
                runs[tool.name].append(_run(tool, each, server, delay))
    return samples, beside


def _run(
    tool: Tool,
    case: Case,
    server: BenchServer,
    delay: float,
    counter: Sequence[str] = (),
) -> Sample:
    """Run a tool once in its fresh environment.

    :param counter: what runs it.

    :raises _CommandFailed: if it ends with an error.
    """
    tool.uninstall()
    if case.package is None:
        command = tool.version_command()
    else:
        wanted = case.package if tool.knows_variants else case.twin or case.package
        command = tool.command(case.way, wanted, _index_url(case, server))
        command += case.options.get(tool.name, ())
    environ = {**tool.environ(server.certificates), **case.environ}
    if case.is_proxied:
        environ |= {"HTTPS_PROXY": server.proxy_url, "NO_PROXY": HOST}
    asked = server.plain if case.is_http else server
    asked.clear_log()
    asked.delay = delay
    wall, cpu, printed = _time([*counter, *command], environ, tool.folder)
    return Sample(wall, cpu, tuple(asked.exchanges), printed)


def _index_url(case: Case, server: BenchServer) -> str:
    """Return the index that the packages of a case come from."""
    if case.is_registry:
        return os.environ[REGISTRY]
    return server.plain.index_url if case.is_http else server.index_url


def _time(
    command: Sequence[str], environ: Mapping[str, str], folder: Path
) -> tuple[float, float, str]:
    """Run a command and return the seconds of wall clock and CPU that it took.

    :return: and what it printed.

    :raises _CommandFailed: if it ends with an error.
    """
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            env=environ,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        # Popen does not tell what the process used.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode("utf-8", "replace").strip()
        if process.returncode != 0:
            raise _CommandFailed(text[-_SHOWN:] or f"exit status {process.returncode}")
    return wall, usage.ru_utime + usage.ru_stime, text


def _other_outcome(
    case: Case,
    tool: Tool,
    found: Mapping[str, str | None],
    of_fork: Mapping[str, str | None] | None,
) -> str | None:
    """Say what a tool installed if that is not what it was to install.

    :param of_fork: what the fork installed, which counts where it depends on the machine.
    """
    if case.package is None:
        return None
    expected = dict(case.labels or of_fork or found)
    if tool.knows_variants or case.is_proxied:
        right = expected == dict(found)
    elif case.twin is None:
        right = dict.fromkeys(expected) == dict(found)
    else:
        right = bool(found) and not any(found.values())
    if right:
        return None
    shown = ", ".join(f"{name} {label or 'plain'}" for name, label in found.items())
    return f"other outcome: {shown or 'nothing'}"


def requests_as_expected(
    scenario: Scenario, samples: Mapping[str, Sequence[Sample]]
) -> bool | None:
    """Tell whether the fork made the requests that are expected beside pip's."""
    more = scenario.case.more_requests.get(scenario.cache)
    if more is None or not samples.get(FORK) or not samples.get(PIP):
        return None
    ours, theirs = (samples[name][-1].exchanges for name in (FORK, PIP))
    if more == 0 and scenario.case.twin is None:
        # What is asked for early comes in another order.
        return Counter(ours) == Counter(theirs)
    return len(ours) == len(theirs) + more
