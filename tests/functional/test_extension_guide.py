"""docs/extensions.md: its commands, and what authors must not fall into."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.lib.environments import Result
from tests.lib.guides import block
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, make_manifest
from tests.lib.publisher import WheelCli
from tests.lib.static_server import StaticServer
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]

PAGE = "extensions.md"
TAG = "cp312-cp312-manylinux_2_28_x86_64"
FOLDERS = ("torch2.9-cu128", "torch2.10-cu130", "torch2.9-cpu")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with what an author has."""
    for name in FOLDERS:
        (tmp_path / name).mkdir()
        wheel = make_wheel(
            "torch-nntile", "0.1.0", tag=TAG, requires=["torch>=2.9,<2.11"]
        )
        wheel.write_to(tmp_path / name)
    (tmp_path / "pyproject.toml").write_text(block(PAGE, "pyproject.toml"))
    return tmp_path


@pytest.mark.parametrize(
    ("driver", "torch", "label"),
    [
        ("13.0", "2.10.0", "torch2.10_cu130"),
        ("12.8", "2.9.1", "torch2.9_cu128"),
        (None, "2.9.1", "torch2.9_cpu"),
    ],
    ids=str,
)
def test_from_wheels_to_an_index(
    pip: Pip,
    publish: WheelCli,
    index: IndexServer,
    project: Path,
    driver: str | None,
    torch: str,
    label: str,
) -> None:
    for command in block(PAGE, "commands").splitlines():
        program, *words = shlex.split(command)
        assert program == "wheel-variants"
        assert publish(*words, cwd=project).stderr == ""
    for version in ("2.9.1", "2.10.0"):
        index.add(make_wheel("torch", version))
    _, *words = shlex.split(block(PAGE, "install"))
    name = (
        "linux-x86_64-py312" if driver is None else f"cuda-{driver}-h100-x86_64-py312"
    )
    with StaticServer(project / "dist") as server:
        result = pip(
            *(*words, "-i", index.index_url, "--extra-index-url", server.index_url),
            *("--dry-run", "--variant-host", name),
        )
    assert f"torch-nntile-0.1.0 ({label})" in result.stdout
    assert f"torch-{torch}" in result.stdout


def test_by_options(publish: WheelCli, project: Path) -> None:
    (project / "pyproject.toml").unlink()
    wheel = project / FOLDERS[2] / f"torch_nntile-0.1.0-{TAG}.whl"
    words = ["--namespace", "abi", "--property", "abi :: torch :: 2.9"]
    words += ["--provider", "abi=abi_dependency", "--label", "torch2.9"]
    other = ["--provider", "abi=other"]
    result = publish("build", wheel, *other, *words, "-d", "dist", code=2)
    assert "must be the only --provider for namespace 'abi'" in result.stderr
    publish("build", str(wheel), *words, "-d", "dist", cwd=project)
    (built,) = (project / "dist").glob("*.whl")
    with ZipFile(built) as archive:
        document = json.loads(archive.read("torch_nntile-0.1.0.dist-info/variant.json"))
    assert document["providers"] == {"abi": {"builtin": "abi_dependency"}}
    assert " 0 errors" in publish("check", str(built)).stdout


def test_a_label_with_a_dot(publish: WheelCli, project: Path) -> None:
    table = '[variant.properties]\ntorch2.9_cpu = ["abi :: torch :: 2.9"]\n'
    (project / "pyproject.toml").write_text(table)
    wheel = project / FOLDERS[2] / f"torch_nntile-0.1.0-{TAG}.whl"
    build = ["build", str(wheel), "--label", "torch2.9_cpu"]
    result = publish(*build, "-d", "dist", cwd=project, code=1)
    assert 'contains a dot, quote it: "torch2.9_cpu" = [...]' in result.stderr


def test_what_no_machine_can_run(
    pip: Pip, publish: WheelCli, index: IndexServer, tmp_path: Path
) -> None:
    """As wheels of an author who took the built-in provider for a package."""
    manifest = make_manifest(
        {"torch2.9": ["abi :: torch :: 2.9"]},
        providers={"abi": PluginSpec(["ABI.dependency>=1"])},
    )
    index.add_release("torch-nntile", "0.1.0", {}, manifest=manifest)
    index.add(make_wheel("torch", "2.9.1"))
    path = tmp_path / "torch_nntile-0.1.0-variants.json"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    checked = publish("check", str(path), code=1)
    assert "requires abi_dependency as a package, but it is built" in checked.stdout
    assert '{"builtin": "abi_dependency"}' in checked.stdout
    options = ["-i", index.index_url, "torch-nntile"]
    for command in ["install", "--dry-run"], ["variants", "explain"]:
        result = pip(*command, *options, env=forced("12.8"))
        assert "trust" not in result.output
    assert "but it is built into installers" in result.output
