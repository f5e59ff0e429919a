"""A pip without the folder of a mode and its line of registration lacks the mode.

``nox -s modes`` runs all other tests without each mode.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.lib.environments import Environment, Workshop
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.locks import add_torch
from tools.without_mode import MODES, take_out

pytestmark = pytest.mark.process

GPU = forced("12.8")


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with variants of torch."""
    return add_torch(index)


@pytest.fixture
def without(mode: str, workshop: Workshop, tmp_path: Path) -> Environment:
    """Return an environment whose pip lacks the mode."""
    made = workshop.fork(tmp_path / "without")
    take_out(mode, made.site_packages / "pip" / "_internal")
    return made


@pytest.mark.on_wheel
@pytest.mark.parametrize("mode", MODES)
def test_the_mode_itself_is_gone(
    mode: str, without: Environment, torch: IndexServer
) -> None:
    env = {**GPU, "PIP_INDEX_URL": torch.index_url}
    if mode == "pytorch":
        result = without.pip("install", "--cpuonly", "torch", env=env, code=2)
        assert "no such option: --cpuonly" in result.stderr
        assert "pytorch" not in without.pip("install", "--help").stdout.lower()
    elif mode == "scoped":
        given = ["--variant-index", f"torch={torch.index_url}"]
        result = without.pip("install", *given, "torch", env=env, code=2)
        assert "no such option: --variant-index" in result.stderr
    else:
        # As upstream has it: one wheel, the one for this machine.
        without.pip("lock", "torch", env=env)
        lock = (without.work / "pylock.toml").read_text("utf-8")
        assert re.findall(r"torch-2.8.0-py3-none-any.*?\.whl", lock) == [
            "torch-2.8.0-py3-none-any-cu128.whl"
        ] * lock.count("torch-2.8.0-py3-none-any")
        assert "variants-json" not in lock
