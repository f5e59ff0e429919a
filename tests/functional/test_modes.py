"""A pip without a mode is whole: its room is deleted, and its line of registration."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.lib.environments import REPOSITORY, Environment, Workshop
from tests.lib.floors import modules
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.locks import add_torch
from tests.lib.wheels import make_wheel
from tools.without_mode import MODES, take_out

pytestmark = pytest.mark.process

GPU = forced("12.8")
#: What has nothing to do with a mode; the first one takes a variant.
COMMANDS: Sequence[Sequence[str]] = [
    ["install", "torch"],
    ["variants", "list", "torch"],
    ["list"],
    ["check"],
    ["install", "--upgrade-variants", "torch"],
    ["install", "--dry-run", "--force-reinstall", "--variant", "cu126", "torch"],
    ["lock", "plain"],
    ["install", "-r", "pylock.toml"],
    ["uninstall", "-y", "torch", "plain"],
]


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with variants of torch, and a package without."""
    add_torch(index).add(make_wheel("plain", "1.0"))
    return index


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> str:
    """Return the name of a mode."""
    name: str = request.param
    return name


@pytest.fixture
def without(mode: str, workshop: Workshop, tmp_path: Path) -> Environment:
    """Return an environment whose pip lacks the mode."""
    made = workshop.fork(tmp_path / "without")
    take_out(mode, made.site_packages / "pip" / "_internal")
    # pip check would report the files that are gone.
    (record,) = made.site_packages.glob("pip-*.dist-info/RECORD")
    lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
    gone = f"pip/_internal/variants/{mode}/"
    left = [line for line in lines if not line.startswith(gone)]
    record.write_text("".join(left), encoding="utf-8")
    return made


def test_each_module_can_be_imported(mode: str, without: Environment) -> None:
    left = [
        name
        for name in modules(REPOSITORY / "src")
        if name.startswith("pip._internal.")
        and not f"{name}.".startswith(f"pip._internal.variants.{mode}.")
    ]
    code = (
        "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    )
    without.run(without.python, "-c", code, *left)


def test_all_else_is_as_ever(
    venv: Environment, without: Environment, torch: IndexServer
) -> None:
    env = {**GPU, "PIP_INDEX_URL": torch.index_url}
    for command in COMMANDS:
        told = []
        for each in (venv, without):
            result = each.pip(*command, env=env)
            # Files are copied at other speeds, in other places.
            text = re.sub(r"[\d.]+ [kMG]?B/s|\d+:\d+:\d+", "", result.output)
            told.append(text.replace(str(each.root), ""))
        assert told[0] == told[1]
        assert without.installed() == venv.installed()
    locks = [each.work / "pylock.toml" for each in (venv, without)]
    assert locks[0].read_text("utf-8") == locks[1].read_text("utf-8")


@pytest.mark.on_wheel
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
