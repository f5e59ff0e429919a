"""docs/plugins.md: its project, its commands and its tests, as a newcomer would type them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lib.carriers import Carrier
from tests.lib.environments import Environment, Result
from tests.lib.guides import block
from tests.lib.index import IndexServer
from tests.lib.manifests import Provider, make_manifest
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
    ("forced", "said"),
    [
        (
            None,
            "npu: nothing, since the plugin npu-variant-provider 0.1.0 found nothing",
        ),
        ("b2", "npu: kind b2 (plugin)"),
        ("b1", "npu: kind b1 (plugin)"),
        (
            "b7",
            "npu: nothing, since the plugin npu-variant-provider 0.1.0 found nothing",
        ),
    ],
    ids=str,
)
def test_its_commands(pip: Pip, tmp_path: Path, forced: str | None, said: str) -> None:
    text, again, document = block(PAGE, "try").splitlines()
    assert again == f"NPU_VARIANT_PROVIDER_FORCE_KIND=b2 {text}"
    wheel = str(_wheel(tmp_path))
    env = {"NPU_VARIANT_PROVIDER_FORCE_KIND": forced}
    _, *words = shlex.split(text.replace("--plugin .", f"--plugin {wheel}"))
    assert said in pip(*words, env=env).lines
    forcing, _, rest = document.partition(" ")
    assert forcing == "NPU_VARIANT_PROVIDER_FORCE_KIND=b2"
    command, _, file = rest.partition(" > ")
    assert file == "b2.json"
    _, *words = shlex.split(command.replace("--plugin .", f"--plugin {wheel}"))
    supported = json.loads(pip(*words, env=env).stdout)["supported"]
    assert ("npu" in supported) == (forced in ("b1", "b2"))


def test_an_installation_asks_it(pip: Pip, index: IndexServer) -> None:
    """As the page says at its end."""
    code = block(PAGE, "plugin")
    files = {"npu_variant_provider/__init__.py": code}
    index.add(make_wheel(NAME, "0.1.0", files=files))
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"], "npu3": ["npu :: kind :: b3"]},
        providers={"npu": Provider([f"{NAME}>=0.1,<1"])},
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    command = ["install", "--dry-run", "kernels", "-i", index.index_url]
    result = pip(*command, "--trust-variant-provider", NAME, env=FORCED)
    assert "Using the variant npu1 of kernels 1.0 (npu :: kind :: b1)" in result.lines


@pytest.mark.registry
@pytest.mark.process
def test_its_project_is_built(project: Path, venv: Environment) -> None:
    """With the user's own settings for pip: its backend is downloaded."""
    text, *_ = block(PAGE, "try").splitlines()
    _, *words = shlex.split(text)
    unset = {"PIP_CONFIG_FILE": None, "PIP_INDEX_URL": None}
    result = venv.pip(*words, cwd=project, env={**FORCED, **unset})
    assert "npu: kind b2 (plugin)" in result.lines


@pytest.mark.process
def test_the_kit(carrier: Carrier, tmp_path: Path) -> None:
    """Its tests, on a wheel of the project; and one that breaks."""
    tests = tmp_path / "tests"
    tests.mkdir()
    wheel = _wheel(tmp_path)
    text = block(PAGE, "tests").replace(
        "Path(__file__).parents[1]", f"Path({str(wheel)!r})"
    )
    (tests / "test_provider.py").write_text(text)
    _, *words = shlex.split(block(PAGE, "pytest"))
    result = carrier.module(*words[1:], "-q", "-p", "no:cacheprovider", cwd=tmp_path)
    assert "2 passed" in result.stdout

    code = block(PAGE, "plugin").replace("return [Feature", "print(1); return [Feature")
    broken = make_wheel(NAME, "0.2.0", files={"npu_variant_provider/__init__.py": code})
    broken.write_to(tmp_path)
    # What the user tells pip does not hide the answer.
    told = {"PIP_QUIET": "1"}
    carrier.module(*words[1:], "-q", cwd=tmp_path, env=told)
    changed = text.replace(wheel.name, broken.filename)
    (tests / "test_provider.py").write_text(changed)
    result = carrier.module(*words[1:], "-q", cwd=tmp_path, code=1)
    assert "It prints, and some installers read its output" in result.stdout
    assert "2 failed" in result.stdout
