"""The demo of the README runs with nothing but an interpreter and a wheel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lib.environments import Workshop, scrubbed_environ

pytestmark = pytest.mark.process


def test_demo_ends_with_the_right_build_on_each_machine(
    workshop: Workshop, repository_root: Path, tmp_path: Path
) -> None:
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    demo = repository_root / "tools" / "demo.py"
    done = subprocess.run(
        [sys.executable, "-I", str(demo), "--wheel", str(workshop.fork_wheel())],
        env={**scrubbed_environ(home), "TMPDIR": str(temporary)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split(" | ") for line in done.stdout.splitlines()[-5:]]
    chosen = {row[0].strip(): row[1].strip() for row in rows[1:]}
    this_machine = chosen.pop("this machine")
    assert chosen == {
        "CUDA 12.8, compute capability 9.0": "cu128",
        "CUDA 12.9, compute capability 7.5": "cu129",
        "no GPU": "00000000",
    }
    why = {row[0].strip(): row[2].strip() for row in rows[1:]}
    assert why["CUDA 12.8, compute capability 9.0"] == "CUDA 12.8, sm_90"
    assert why["no GPU"].startswith("CPU build: ")
    assert f"\n    2.8.0 {this_machine}\n" in done.stdout
    assert list(temporary.iterdir()) == []
