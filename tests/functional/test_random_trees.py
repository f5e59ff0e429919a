"""What is taken for another machine is what that machine takes; see ``nox -s machines``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.random_trees import MACHINES, Machine, random_tree


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.name)
@pytest.mark.parametrize("seed", range(1000, 1004))
def test_by_name(
    venv: Environment, tmp_path: Path, seed: int, machine: Machine
) -> None:
    tree = random_tree(seed)
    index, report = tree.serve(tmp_path / "index"), tmp_path / "report.json"
    result = venv.pip(
        *("install", "--dry-run", "--report", str(report), "-i", index, "app"),
        *("--variant-host", machine.name),
        code=None,
    )
    expected = tree.taken(machine)
    assert result.returncode == (expected is None)
    if expected is not None:
        items = json.loads(report.read_text(encoding="utf-8"))["install"]
        urls = (item["download_info"]["url"] for item in items)
        assert {url.rpartition("/")[2] for url in urls} == expected
