"""How long pip waits for servers that fail, and how much it holds of what they send."""

from __future__ import annotations

import contextlib
import json
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment
from tests.lib.faults import Fault, Gate
from tests.lib.hanging import deaf, unreachable
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda, make_manifest
from tests.lib.measured import run_measured
from tests.lib.processes import start_pip
from tests.lib.wheels import make_wheel

pytestmark = [pytest.mark.matrix, pytest.mark.process]

Start = Callable[[], IndexServer]

GPU = forced("12.8")
#: Of a file that is sent slowly.
_PADDING = "x" * 4000
#: MB, beyond what a run without look-ahead takes.
_MORE = 64
#: How often each is measured.
_RUNS = 5


@pytest.mark.parametrize("length", ["known", "unknown"])
@pytest.mark.parametrize("size", [31, 12, 3, 1])
def test_peak_memory(
    venv: Environment, index: IndexServer, tmp_path: Path, size: int, length: str
) -> None:
    names = [f"app{number}" for number in range(40)]
    # One file for all of them.
    index.pages.hashes = False
    manifest = make_manifest({"cu128": cuda("12.8"), "null": {}})
    body = json.dumps(manifest).encode().ljust(size << 20)
    headers = {"Content-Length": ""} if length == "unknown" else {}
    for name in names:
        index.add_release(name, "1.0", {}, manifest=manifest)
        index.fault(f"{name}-1.0-variants.json", body=body, headers=headers)
    command = ["install", "--dry-run", "-i", index.index_url, *names]
    peaks = []
    for option in ([], ["--parallel-downloads=1"]):
        result, peak = run_measured(venv, tmp_path, *command, *option, env=GPU)
        used = sum(line.startswith("Using the variant") for line in result.lines)
        assert used == (40 if size == 1 else 0), str(result)
        peaks.append(peak)
    ahead, in_turn = peaks
    print(
        f"\n40 manifests of {size} MiB, length {length}: {ahead:.0f} MB with look-ahead, "
        f"{in_turn:.0f} MB without"
    )
    assert ahead <= in_turn + _MORE


_WHEEL = "/files/{}-1.0-py3-none-any{}.whl"
#: By kind of request: its path for a package with variants, and for a plain one.
PATHS: Mapping[str, tuple[str, str | None]] = {
    "page": ("/simple/kernels/", "/simple/plain/"),
    "metadata": (
        _WHEEL.format("kernels", "-gpu") + ".metadata",
        _WHEEL.format("plain", "") + ".metadata",
    ),
    "manifest": ("/files/kernels-1.0-variants.json", None),
    "wheel": (_WHEEL.format("kernels", "-gpu"), _WHEEL.format("plain", "")),
}
#: A kind too: wheels that pip downloads in threads, because their sizes are unknown.
_IN_PARALLEL = "wheel in parallel"
WAYS: Mapping[str, Callable[[], Fault]] = {
    "hangs at connect": Fault,
    "hangs at TLS": Fault,
    "hangs in the header": lambda: Fault(gate=Gate()),
    "hangs in the body": lambda: Fault(gate=Gate(), truncate=20),
    "1 KiB/s": lambda: Fault(pace=1),
    "503, Retry-After": lambda: Fault(status=503, headers={"Retry-After": "1"}),
    "reset": lambda: Fault(reset=True),
}
ELSEWHERE = {"hangs at connect": unreachable, "hangs at TLS": deaf}


@contextlib.contextmanager
def _failing(start: Start, way: str, path: str, *, has_sizes: bool) -> Iterator[str]:
    """Return the URL of an index on which one path fails."""
    server = start()
    server.pages.sizes = has_sizes
    options: dict[str, Any] = {
        "files": {"padding.bin": _PADDING.encode()},
        "metadata": [f"X-Padding: {_PADDING}"],
    }
    variants = {"gpu": cuda("12.8"), "null": {}}
    for name in ("first", "kernels"):
        manifest = {**make_manifest(variants), "notes": _PADDING}
        server.add_release(name, "1.0", {}, manifest=manifest, **options)
    for name in ("plain-first", "plain"):
        server.add(make_wheel(name, "1.0", **options))
    for name in ("kernels", "plain"):
        for minor in range(12):
            server.add(make_wheel(name, f"0.{minor}"))
    fault = WAYS[way]()
    server.faults[path] = fault
    with contextlib.ExitStack() as stack:
        if way in ELSEWHERE:
            url = stack.enter_context(ELSEWHERE[way]())
            fault.status, fault.headers = 302, {"Location": f"{url}{path}"}
        yield server.index_url
        if fault.gate is not None:
            fault.gate.open()


def _seconds(
    environment: Environment,
    start: Start,
    way: str,
    path: str,
    *arguments: str | Path,
    has_sizes: bool,
) -> float:
    limits = ["--retries", "1", "--timeout", "2", "--no-cache-dir"]
    with _failing(start, way, path, has_sizes=has_sizes) as url:
        begun = time.monotonic()
        # Upstream's pip has tracebacks for some of it.
        start_pip(
            environment, "download", "-i", url, *limits, *arguments, env=GPU
        ).finish()
        return time.monotonic() - begun


@pytest.mark.parametrize("way", WAYS)
def test_how_long_it_waits(
    venv: Environment,
    upstream_venv: Environment,
    make_index: Start,
    tmp_path: Path,
    way: str,
) -> None:
    def measure(kind: str) -> list[list[float]]:
        """Return seconds: with look-ahead, without, with upstream's pip."""
        ours, plain = PATHS[kind.split()[0]]
        command = ["first", "kernels"]
        runs: list[tuple[Environment, str, list[str]]] = [
            (venv, ours, command),
            (venv, ours, [*command, "--parallel-downloads=1"]),
        ]
        if plain is not None:
            runs.append((upstream_venv, plain, ["plain-first", "plain"]))
        taken: list[list[float]] = [[] for _ in runs]
        for _ in range(_RUNS):
            for at, (environment, path, arguments) in enumerate(runs):
                folder = tmp_path / kind / f"{len(taken[at])}-{at}"
                seconds = _seconds(
                    *(environment, make_index, way, path, "-d", folder),
                    *arguments,
                    has_sizes=kind != _IN_PARALLEL,
                )
                taken[at].append(seconds)
        return taken

    # They wait, most of the time.
    kinds = [*PATHS, _IN_PARALLEL]
    with ThreadPoolExecutor(len(kinds)) as pool:
        rows = list(pool.map(measure, kinds))
    print("\n| fault | of | with look-ahead | without | upstream | no longer | runs |")
    print("|---|---|---|---|---|---|---|")
    for kind, taken in zip(kinds, rows, strict=True):
        shown = [f"{statistics.median(each):.1f}" for each in taken]
        shown += ["–"] * (3 - len(shown))
        holds = "yes" if _holds(taken) else "NO"
        print(f"| {way} | {kind} | {' | '.join(shown)} | {holds} | {len(taken[0])} |")


def _holds(taken: list[list[float]]) -> bool:
    ahead, in_turn = (statistics.median(each) for each in taken[:2])
    return ahead <= in_turn * 1.05 + 0.3


#: Ways to send a manifest that is never done, though something arrives all the time.
SLOW: Mapping[str, Fault] = {
    "a header byte by byte": Fault(header_pace=1),
    "a body at 1 KiB/s": Fault(pace=1, size=1 << 20),
    "come back later": Fault(status=503, headers={"Retry-After": "50"}),
}


def test_a_manifest_has_a_minute(venv: Environment, make_index: Start) -> None:
    def seconds(way: str, *options: str) -> float:
        index = make_index()
        for name in ("first", "kernels"):
            index.add_release(name, "1.0", {"gpu": cuda("12.8")})
        index.faults["/files/kernels-1.0-variants.json"] = SLOW[way]
        command = ["install", "--dry-run", "-i", index.index_url, "first", "kernels"]
        begun = time.monotonic()
        result = venv.pip(*command, *options, env=GPU)
        assert "it did not arrive within 60 seconds (" in result.stderr, str(result)
        return time.monotonic() - begun

    with ThreadPoolExecutor(6) as pool:
        ahead = pool.map(seconds, SLOW)
        in_turn = pool.map(seconds, SLOW, ["--parallel-downloads=1"] * len(SLOW))
        for way, first, second in zip(SLOW, ahead, in_turn, strict=True):
            print(f"\n{way}: {first:.1f} s with look-ahead, {second:.1f} s without")
