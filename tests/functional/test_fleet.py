"""docs/fleet.md: what is written is what counts afterward."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.guides import block
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, cuda, make_manifest
from tests.lib.wheels import make_wheel

PAGE = "fleet.md"

Typed = Callable[..., Result]
UNSET = {"PIP_CONFIG_FILE": None}


# Its page configures each of them.
pytestmark = [pytest.mark.pytorch, pytest.mark.scoped]


@pytest.fixture
def typed(venv: Environment) -> Typed:
    """Return a function that types a block of the page, and then another command."""

    def run(name: str, *words: str, code: int = 0) -> Result:
        for line in block(PAGE, name).splitlines():
            given, _, target = line.partition(" > ")
            pip, *arguments = shlex.split(given)
            assert pip == "pip"
            result = venv.pip(*arguments, env=UNSET)
            if target:
                (venv.work / target).write_text(result.stdout)
        return venv.pip(*words, env=UNSET, code=code)

    return run


def test_who_may_run_code(typed: Typed, index: IndexServer) -> None:
    manifest = make_manifest(
        {"a2": ["ascend :: npu_type :: 910b"]},
        providers={
            "ascend": PluginSpec(["name-of-the-plugin"], "ascend_variant_provider")
        },
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    code = "def get_supported_configs(): return []\n"
    files = {"ascend_variant_provider/__init__.py": code}
    index.add(make_wheel("name-of-the-plugin", "1.0", files=files))
    command = ["install", "--dry-run", "kernels", "-i", index.index_url]
    result = typed("trust", *command)
    assert "have not trusted" not in result.stderr
    assert any("name-of-the-plugin" in path for _, path in index.log())


def test_a_namespace_that_is_not_asked(typed: Typed) -> None:
    told = typed("disable", "variants", "host").lines
    assert any(line.startswith("tpu: nothing") for line in told)


def test_no_surprises(typed: Typed, index: IndexServer) -> None:
    index.add_release("kernels", "1.0", {"cu128": cuda("12.8")})
    index.fault("kernels-1.0-variants.json", status=500)
    command = ["install", "--dry-run", "kernels", "-i", index.index_url, "--retries=0"]
    typed("strict", *command, code=1)


def test_where_builds_come_from(typed: Typed, index: IndexServer) -> None:
    index.add(make_wheel("torch", "1.0"))
    command = ["install", "--dry-run", "torch", "-i", index.index_url]
    command += ["--retries", "0", "--timeout", "1"]
    assert "mirror.example" in typed("index", *command, code=1).stderr
    assert index.log() == []


def test_a_mirror(typed: Typed, index: IndexServer) -> None:
    index.add(make_wheel("torch", "1.0"))
    command = ["install", "--dry-run", "torch", "-i", index.index_url]
    command += ["--retries", "0", "--timeout", "1"]
    said = typed("mirror", *command, code=1).stderr
    assert "Cannot use https://mirror.example/whl/torch/ as PyTorch's index" in said


def test_machines_that_are_not_there(typed: Typed, venv: Environment) -> None:
    typed("host", "config", "list")
    host = venv.work / "gpu.json"
    assert '"host-schema": 1' in host.read_text()
    text = block(PAGE, "configured host").replace("/shared/gpu.json", str(host))
    _, *words = shlex.split(text)
    venv.pip(*words, env=UNSET)
    assert str(host) in venv.pip("variants", "host", "-v", env=UNSET).stdout


def test_everything_off(typed: Typed, index: IndexServer) -> None:
    index.add_release("kernels", "1.0", {"cpu": []})
    index.add(make_wheel("kernels", "1.0"))
    result = typed("off", "install", "kernels", "-i", index.index_url)
    assert "variant" not in result.stdout.lower()
    assert not any("variants.json" in path for _, path in index.log())


@pytest.mark.process
def test_stock_pip_ignores_what_is_configured(
    upstream_venv: Environment, index: IndexServer
) -> None:
    """As the page warns: no error, no warning, and the default index."""
    index.add(make_wheel("torch", "1.0"))
    scope = "torch=https://mirror.example/variant"
    key = ("config", "--site", "set", "global.variant-index", scope)
    upstream_venv.pip(*key, env=UNSET)
    install = ("install", "--dry-run", "torch", "-i", index.index_url)
    result = upstream_venv.pip(*install, env=UNSET)
    assert "Would install torch-1.0" in result.lines
    assert "variant" not in result.output
    upstream_venv.pip(*install, "--variant-index", scope, env=UNSET, code=2)
