"""Run the tools alternately, and record times and requests."""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import trustme

from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tools.bench.cases import COLD, REGISTRY, WARM, Case
from tools.bench.tools import PIP, Tool

__all__ = [
    "BenchRun",
    "BenchServer",
    "Measurement",
    "Scenario",
    "measure",
    "scenarios",
]

# A name, because certificates for addresses are rare.
_HOST = "localhost"
#: The simulated machine, which all tools support.
_GPU = {name: value for name, value in forced("12.8").items() if value is not None}
#: The maximum number of characters to keep from the output of a failed command.
_SHOWN = 300
_COUNT = re.compile(r"I\s+refs:\s+([\d,]+)")
_COUNTER = "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"


class BenchServer(IndexServer):
    """An index on loopback that resembles PyPI: TLS, PyPI's headers, optional delays.

    Pages and files are on different ports, because PyPI has them on different hosts. All
    responses are computed once: clients wait for each other, for the delay and for the
    bandwidth, but not for the server.

    :param folder: the folder for the certificates that clients must trust.
    :ivar plain: the same index without TLS.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.plain = IndexServer()
        self.plain.projects = self.projects
        for each in (self, self.plain):
            each.host = _HOST
            each.files_apart = each.compresses = each.is_fixed = True
        authority = trustme.CA()
        self.certificates = folder / "trusted.pem"
        # Include all certificates of the system, because clients spend time loading them.
        system = ssl.get_default_verify_paths().cafile
        trusted = Path(system).read_bytes() if system else b""
        self.certificates.write_bytes(authority.cert_pem.bytes() + b"\n" + trusted)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(_HOST).configure_cert(self.tls)

    def start(self, port: int = 0) -> None:
        """Start serving, with and without TLS."""
        super().start(port)
        self.plain.start()

    def stop(self) -> None:
        """Stop serving and free the ports."""
        self.plain.stop()
        super().stop()


@dataclass(frozen=True, slots=True)
class Scenario:
    """A case with one state of the cache and one delay, in milliseconds."""

    case: Case
    cache: str
    delay: int


@dataclass(frozen=True, slots=True)
class BenchRun:
    """One run.

    :ivar wall: the wall clock time, in seconds.
    :ivar cpu: the user and system time, including child processes, in seconds.
    :ivar received: the number of received bytes.
    """

    wall: float
    cpu: float
    requests: int
    received: int
    printed: str = field(default="", repr=False)


@dataclass(slots=True)
class Measurement:
    """All runs of one tool in one scenario.

    :ivar problem: the reason why there are no valid samples, or None.
    :ivar instructions: the instructions of one run, if counted.
    """

    scenario: Scenario
    tool: str
    samples: list[BenchRun] = field(default_factory=list)
    problem: str | None = None
    instructions: int | None = None


class _CommandFailed(Exception):
    """A command failed; the message is its last output."""


def scenarios(
    cases: Sequence[Case],
    caches: Sequence[str] = (COLD, WARM),
    delays: Sequence[int] | None = None,
) -> Iterator[Scenario]:
    """Yield the scenarios of *cases* with the given caches and delays."""
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
    *,
    count: bool = False,
) -> list[Measurement]:
    """Run every tool *repeat* times, alternately.

    A warm-up run, which is not counted, checks the outcome and fills the cache.

    :param count: whether to count the instructions of one run with an empty cache.
    """
    case = scenario.case
    for each in (server, server.plain):
        each.ranges = each.pages.core_metadata = not case.bare
        each.line.rate = case.rate
    found = {tool.name: Measurement(scenario, tool.name) for tool in tools}
    taking_part = []
    for tool in tools:
        tool.forget()
        try:
            _run(tool, case, server)
        except _CommandFailed as error:
            found[tool.name].problem = f"fails: {error}"
        else:
            found[tool.name].problem = _other_outcome(case, tool)
            taking_part.append(tool)
    for turn in range(repeat):
        first = turn % max(1, len(tools))
        for tool in [*taking_part[first:], *taking_part[:first]]:
            if scenario.cache == COLD:
                tool.forget()
            sample = _run(tool, case, server, scenario.delay / 1000)
            found[tool.name].samples.append(sample)
    for tool in taking_part:
        if count and (valgrind := shutil.which("valgrind")):
            tool.forget()
            printed = _run(tool, case, server, counter=[valgrind, *_COUNTER]).printed
            number = _COUNT.findall(printed)[-1]
            found[tool.name].instructions = int(number.replace(",", ""))
        tool.uninstall()
    return list(found.values())


def _run(
    tool: Tool,
    case: Case,
    server: BenchServer,
    delay: float = 0,
    counter: Sequence[str] = (),
) -> BenchRun:
    """Run a tool once in its fresh environment.

    :param counter: the command that runs the tool.
    :raises _CommandFailed: if the command ends with an error.
    """
    tool.uninstall()
    asked = server.plain if case.is_http else server
    if case.package is None:
        command = tool.version_command()
    else:
        is_registry = case.name == "registry"
        index_url = os.environ[REGISTRY] if is_registry else asked.index_url
        command = tool.command(case.package, index_url)
        command += case.options.get(tool.name, ())
    asked.clear_log()
    asked.delay = delay
    environ = {**tool.environ(server.certificates), **_GPU}
    wall, cpu, printed = _time([*counter, *command], environ, tool.folder)
    received = sum(exchange.sent for exchange in asked.exchanges)
    return BenchRun(wall, cpu, len(asked.exchanges), received, printed)


def _time(
    command: Sequence[str], environ: Mapping[str, str], folder: Path
) -> tuple[float, float, str]:
    """Run a command, and return its wall clock time, CPU time and output.

    :raises _CommandFailed: if the command ends with an error.
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
        # Popen does not return the resource usage of the process.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode("utf-8", "replace").strip()
        if process.returncode != 0:
            raise _CommandFailed(text[-_SHOWN:] or f"exit status {process.returncode}")
    return wall, usage.ru_utime + usage.ru_stime, text


def _other_outcome(case: Case, tool: Tool) -> str | None:
    """Describe an unexpected result of a tool, or return None."""
    if case.package is None or case.labels is None:
        return None
    found, expected = tool.installed(), dict(case.labels)
    if tool.name == PIP:
        expected = dict.fromkeys(expected)
    if found == expected:
        return None
    shown = ", ".join(f"{name} {label or 'plain'}" for name, label in found.items())
    return f"other outcome: {shown or 'nothing'}"
