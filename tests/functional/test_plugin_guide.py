"""docs/plugins.md: its project, its commands and its tests, as a newcomer would type them."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lib.environments import REPOSITORY, Result, scrubbed_environ
from tests.lib.guides import block
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, make_manifest
from tests.lib.publisher import WheelCli
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]

PAGE = "plugins.md"
NAME = "npu-variant-provider"
FORCED = {"NPU_VARIANT_PROVIDER_FORCE_KIND": "b2"}
#: Where what is in the blocks belongs.
FILES = {
    "pyproject.toml": "pyproject.toml",
    "plugin": "src/npu_variant_provider/__init__.py",
    "tests": "tests/test_provider.py",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the project of the page."""
    for name, place in FILES.items():
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block(PAGE, name))
    return tmp_path


def _wheel(folder: Path) -> Path:
    """Return a wheel of the plugin that needs no backend."""
    code = block(PAGE, "plugin")
    wheel = make_wheel(NAME, "0.1.0", files={"npu_variant_provider/__init__.py": code})
    wheel.write_to(folder)
    return folder / wheel.filename


@pytest.mark.parametrize(
    ("forced", "line"),
    [
        (None, "npu: nothing supported"),
        ("b2", "npu :: kind: b2, b1"),
        ("b7", "npu: nothing supported"),
    ],
    ids=str,
)
def test_its_commands(
    publish: WheelCli, tmp_path: Path, forced: str | None, line: str
) -> None:
    text, again, document = block(PAGE, "try").splitlines()
    assert again == f"NPU_VARIANT_PROVIDER_FORCE_KIND=b2 {text}"
    wheel = str(_wheel(tmp_path))
    env = {"NPU_VARIANT_PROVIDER_FORCE_KIND": forced}
    _, *words = shlex.split(text.replace("plugin .", f"plugin {wheel}"))
    assert line in publish(*words, env=env).lines
    forcing, _, rest = document.partition(" ")
    assert forcing == "NPU_VARIANT_PROVIDER_FORCE_KIND=b2"
    command, _, file = rest.partition(" > ")
    assert file == "b2.json"
    _, *words = shlex.split(command.replace("plugin .", f"plugin {wheel}"))
    supported = json.loads(publish(*words, env=env).stdout)["supported"]
    assert ("npu" in supported) == (forced == "b2")


def test_an_installation_asks_it(pip: Pip, index: IndexServer) -> None:
    """As the page says at its end."""
    code = block(PAGE, "plugin")
    files = {"npu_variant_provider/__init__.py": code}
    index.add(make_wheel(NAME, "0.1.0", files=files))
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"], "npu3": ["npu :: kind :: b3"]},
        providers={"npu": PluginSpec([f"{NAME}>=0.1,<1"])},
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    command = ["install", "--dry-run", "kernels", "-i", index.index_url]
    result = pip(*command, "--trust-variant-provider", NAME, env=FORCED)
    assert "Using kernels 1.0, variant npu1 (npu :: kind :: b1)" in result.lines


@pytest.mark.registry
@pytest.mark.process
def test_its_project_is_built(project: Path, publish: WheelCli) -> None:
    """With the user's own settings for pip: its backend is downloaded."""
    text, *_ = block(PAGE, "try").splitlines()
    _, *words = shlex.split(text)
    unset = {"PIP_CONFIG_FILE": None, "PIP_INDEX_URL": None}
    result = publish(*words, cwd=project, env={**FORCED, **unset})
    assert "npu :: kind: b2, b1" in result.lines


@pytest.mark.process
def test_its_tests(tmp_path: Path) -> None:
    """The tests of the page, on a wheel of the project; and on one that breaks."""
    tests = tmp_path / "tests"
    tests.mkdir()
    wheel = _wheel(tmp_path)
    text = block(PAGE, "tests").replace(
        "Path(__file__).parents[1]", f"Path({str(wheel)!r})"
    )
    (tests / "test_provider.py").write_text(text)
    _, *words = shlex.split(block(PAGE, "pytest"))
    assert "2 passed" in _python(*words, cwd=tmp_path)

    code = block(PAGE, "plugin").replace("return [Feature", "print(1); return [Feature")
    broken = make_wheel(NAME, "0.2.0", files={"npu_variant_provider/__init__.py": code})
    broken.write_to(tmp_path)
    changed = text.replace(wheel.name, broken.filename)
    (tests / "test_provider.py").write_text(changed)
    output = _python(*words, cwd=tmp_path)
    assert "the plugin prints to standard output, but some" in output
    assert "2 failed" in output


def _python(*words: str, cwd: Path) -> str:
    """Run Python with wheel-variants, and return what it printed."""
    environ = {**scrubbed_environ(cwd), "PYTHONPATH": str(REPOSITORY / "core" / "src")}
    done = subprocess.run(
        [sys.executable, *words, "-q", "-p", "no:cacheprovider"],
        cwd=cwd,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout
