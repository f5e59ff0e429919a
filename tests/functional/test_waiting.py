"""How long pip waits for servers that fail, and how much it holds of what they send."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.faults import Fault
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda, make_manifest
from tests.lib.measured import run_measured

pytestmark = [pytest.mark.matrix, pytest.mark.process]

Start = Callable[[], IndexServer]

GPU = forced("12.8")
#: MB, beyond what a run without look-ahead takes.
_MORE = 64


@pytest.mark.parametrize("size", [31, 1])
def test_peak_memory(
    venv: Environment, index: IndexServer, tmp_path: Path, size: int
) -> None:
    names = [f"app{number}" for number in range(40)]
    # One file for all of them.
    index.pages.hashes = False
    manifest = make_manifest({"cu128": cuda("12.8"), "null": {}})
    body = json.dumps(manifest).encode().ljust(size << 20)
    # Its length is unknown.
    headers = {"Content-Length": ""}
    for name in names:
        index.add_release(name, "1.0", {}, manifest=manifest)
        index.fault(f"{name}-1.0-variants.json", body=body, headers=headers)
    command = ["install", "--dry-run", "-i", index.index_url, *names]
    peaks = []
    for option in ([], ["--parallel-downloads=1"]):
        result, peak = run_measured(venv, tmp_path, *command, *option, env=GPU)
        used = sum(", variant " in line for line in result.lines)
        assert used == (40 if size == 1 else 0), str(result)
        peaks.append(peak)
    ahead, in_turn = peaks
    assert ahead <= in_turn + _MORE


#: Ways to send a manifest that is never done, though something arrives all the time.
SLOW: Mapping[str, Fault] = {
    "a header byte by byte": Fault(header_pace=1),
    "a body at 1 KiB/s": Fault(pace=1, size=1 << 20),
    "come back later": Fault(status=503, headers={"Retry-After": "50"}),
}


def test_a_manifest_has_a_minute(venv: Environment, make_index: Start) -> None:
    def check(way: str, *options: str) -> None:
        index = make_index()
        for name in ("first", "kernels"):
            index.add_release(name, "1.0", {"gpu": cuda("12.8")})
        index.faults["/files/kernels-1.0-variants.json"] = SLOW[way]
        command = ["install", "--dry-run", "-i", index.index_url, "first", "kernels"]
        result = venv.pip(*command, *options, env=GPU)
        assert "it did not arrive within 60 seconds (" in result.stderr, str(result)

    with ThreadPoolExecutor(6) as pool:
        ahead = pool.map(check, SLOW)
        in_turn = pool.map(check, SLOW, ["--parallel-downloads=1"] * len(SLOW))
        assert len([*ahead, *in_turn]) == 2 * len(SLOW)
