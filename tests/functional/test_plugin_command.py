"""``wheel-variants plugin``: a provider plugin is tried before it is on any index."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.lib.environments import Result
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, make_manifest
from tests.lib.publisher import WheelCli
from tests.lib.wheels import make_sdist, make_wheel

Command = Callable[..., Result]

NAME = "npu-variant-provider"
MODULE = "npu_variant_provider"
GOOD = """\
import os
class Feature:
    multi_value = False
    def __init__(self, name, values):
        self.name, self.values = name, values
def get_supported_configs():
    forced = os.environ.get("NPU_VARIANT_PROVIDER_FORCE_KIND", "b2,b1")
    return [Feature("kind", forced.split(","))] if forced else []
"""


@pytest.fixture
def plugin(publish: WheelCli) -> Command:
    """Return a function that runs ``wheel-variants plugin``."""
    return partial(publish, "plugin")


def _wheel(folder: Path, code: str = GOOD, requires: tuple[str, ...] = ()) -> Path:
    files = {f"{MODULE}/__init__.py": code}
    wheel = make_wheel(NAME, "1.0", files=files, requires=requires)
    wheel.write_to(folder)
    return folder / wheel.filename


@pytest.mark.on_wheel
def test_a_wheel(plugin: Command, index: IndexServer, tmp_path: Path) -> None:
    wheel = _wheel(tmp_path)
    result = plugin(wheel, "-i", index.index_url)
    first, second = result.lines
    assert first.startswith(f"{NAME} 1.0 answered in ")
    assert first.endswith(f" ms; plugin-api: {MODULE}, the default")
    assert second == "npu :: kind: b2, b1"
    # Nothing is looked up.
    assert index.log() == []


def test_variables(plugin: Command, tmp_path: Path) -> None:
    wheel = _wheel(tmp_path)
    for forced, line in ("b7", "npu :: kind: b7"), ("", "npu: nothing supported"):
        env = {"NPU_VARIANT_PROVIDER_FORCE_KIND": forced}
        assert line in plugin(wheel, env=env).lines
    wheel = _wheel(tmp_path, GOOD.replace("NPU_VARIANT_PROVIDER_FORCE_KIND", "OTHER"))
    variable = ("--variant-provider-variable", "OTHER")
    for given, kinds in ((), "b2, b1"), (variable, "b7"):
        assert (
            f"npu :: kind: {kinds}" in plugin(wheel, *given, env={"OTHER": "b7"}).lines
        )


def test_the_answer_is_a_host_file(
    plugin: Command, pip: Command, index: IndexServer, tmp_path: Path
) -> None:
    """Installers can use the answer without the plugin."""
    host = tmp_path / "host.json"
    host.write_text(plugin(_wheel(tmp_path), "--json").stdout)
    supported = json.loads(host.read_text())["supported"]
    assert supported == {"npu": [{"feature": "kind", "values": ["b2", "b1"]}]}
    manifest = make_manifest(
        {"npu1": ["npu :: kind :: b1"]}, providers={"npu": PluginSpec([NAME])}
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    command = ["install", "--dry-run", "kernels", "-i", index.index_url]
    result = pip(*command, "--variant-host", host)
    assert "Using kernels 1.0, variant npu1" in result.stdout


def _project(folder: Path) -> Path:
    """Return a project with its own backend, which needs no index."""
    sdist = make_sdist(NAME, "1.0")
    with tarfile.open(fileobj=io.BytesIO(sdist.content)) as archive:
        for member in archive:
            path, content = folder / member.name, archive.extractfile(member)
            assert content is not None, "it has files alone"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())
    project = folder / sdist.filename.removesuffix(".tar.gz")
    make_wheel(NAME, "1.0", files={f"{MODULE}/__init__.py": GOOD}).write_to(
        project / "prebuilt"
    )
    return project


@pytest.mark.on_wheel
def test_a_project(plugin: Command, tmp_path: Path) -> None:
    project = _project(tmp_path / "a=b")
    # A file of the project is not taken for a module of pip.
    (project / "optparse.py").write_text("raise SystemExit('shadowed')")
    result = plugin(".", "--no-index", "--namespace", "vpu", cwd=project)
    assert "vpu :: kind: b2, b1" in result.lines


def test_a_requirement(plugin: Command, index: IndexServer) -> None:
    """Only a wheel of it is installed, and nothing is built."""
    index.add(make_wheel(NAME, "1.0", files={f"{MODULE}/__init__.py": GOOD}))
    index.add(make_sdist(NAME, "2.0"))
    result = plugin(f"{NAME}>=1", "-i", index.index_url)
    assert result.stdout.startswith(f"{NAME} 1.0 answered")
    result = plugin(f"{NAME}>=2", "-i", index.index_url, code=1)
    assert "No matching distribution found" in result.stderr


def test_dependencies_must_be_trusted(
    plugin: Command, index: IndexServer, tmp_path: Path
) -> None:
    for name, needs in (("helper", ["deeper"]), ("deeper", [])):
        files = {f"{name}/__init__.py": "kind = 'b9'\n"}
        index.add(make_wheel(name, "1.0", files=files, requires=needs))
    code = f"import helper, deeper\n{GOOD}".replace("b2,b1", "b9")
    requires = ("helper", "other; python_version < '3'", "more; extra == 'x'")
    wheel = _wheel(tmp_path, code, requires)
    command = [wheel, "-i", index.index_url]
    result = plugin(*command, code=1)
    assert "packages that you have not trusted: helper\n" in result.stderr
    assert (
        "hint: To allow their code to run, add --trust-variant-provider helper\n"
        in (result.stderr)
    )
    assert index.log() == []
    command += ["--trust-variant-provider", "Helper"]
    result = plugin(*command, code=1)
    assert "packages that you have not trusted: deeper\n" in result.stderr
    result = plugin(*command, "--trust-variant-provider", "deeper")
    assert "npu :: kind: b9" in result.lines


def test_problems(plugin: Command, tmp_path: Path) -> None:
    """All that is wrong is reported, and the command fails."""
    code = GOOD.replace('forced.split(",")', "[str(os.getpid()), 'B']")
    code = code.replace(
        "def get", "print('hello')\n__import__('time').sleep(1)\ndef get"
    )
    result = plugin(_wheel(tmp_path, code), "--variant-provider-timeout", "2", code=1)
    error = f"error: {NAME} 1.0 violates the plugin interface (PEP 850)\n"
    assert error in result.stderr
    assert "  feature 'kind' has invalid or repeated values: [" in result.stderr
    assert "  the plugin prints to standard output, but some" in result.stderr
    assert "  two queries returned different results\n" in result.stderr
    assert " s; installers stop it after 2 s\n" in result.stderr
    assert result.stdout.startswith(f"{NAME} 1.0 answered in ")


@pytest.mark.parametrize(
    ("arguments", "status", "problem"),
    [
        (["./nowhere"], 1, "'./nowhere' is neither an existing path"),
        (["folder"], 1, "Neither 'setup.py' nor 'pyproject.toml' found"),
        (["folder", "--variant-provider-variable", "MY_TOKEN"], 2, " 'MY_TOKEN' "),
        ([], 2, "the following arguments are required: PLUGIN"),
    ],
)
def test_wrong_arguments(
    plugin: Command, tmp_path: Path, arguments: list[str], status: int, problem: str
) -> None:
    (tmp_path / "folder").mkdir()
    result = plugin(*arguments, code=status, cwd=tmp_path)
    assert problem in result.stderr
