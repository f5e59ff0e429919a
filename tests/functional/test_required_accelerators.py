"""``--require-accelerator``: packages that must use an accelerator of the target."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda
from tests.lib.wheels import make_sdist, make_wheel

GPU = forced("12.8", "9.0")
NONE = {"CUDA_VISIBLE_DEVICES": "-1"}


@pytest.fixture
def options(index: IndexServer) -> list[str]:
    """Return the options for an index with packages of several kinds."""
    builds = {"cu126": cuda("12.6"), "cu128": cuda("12.8"), "cu130": cuda("13.0")}
    index.add_release("torch", "2.9.0", {**builds, "null": {}})
    rocm = {"amd": {"rocm_version": ["7.0"], "gfx_arch": ["gfx90a"]}}
    new = {"cu130": cuda("13.0"), "rocm": rocm, "null": {}}
    index.add_release("new", "2.0", new, plain=False)
    index.add(make_wheel("torch", "2.8.0"))
    index.add(make_wheel("plain", "1.0"))
    index.add(make_sdist("source", "1.0"))
    index.add(make_wheel("app", "1.0", requires=["torch", "plain"]))
    return ["-i", index.index_url]


#: What is required and installed, and the error's context; None if there is no error.
CASES: Mapping[str, tuple[list[str], str | None]] = {
    "used by a dependency": (["--require-accelerator=torch", "app"], None),
    "not for this target": (
        ["--require-accelerator", "new", "new"],
        "new 2.0 (null) does not use an accelerator.",
    ),
    "variants are off": (
        ["--require-accelerator", "torch", "--no-variants", "torch"],
        "torch 2.9.0 has no variant metadata, so pip does not know if it uses an accelerator.",
    ),
    "plain": (
        ["--require-accelerator", "torch,plain", "app"],
        "plain 1.0 has no variant metadata, so pip does not know if it uses an accelerator.",
    ),
    "an older release": (
        ["--require-accelerator", "torch", "torch<2.9"],
        "torch 2.8.0 has no variant metadata, so pip does not know if it uses an accelerator.",
    ),
    "all, and one is not": (
        ["--require-accelerator", ":all:", "torch", "new"],
        "new 2.0 (null) does not use an accelerator.",
    ),
    "all but cleared": (
        ["--require-accelerator", ":all:,:none:,torch", "torch", "new"],
        None,
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("how", ["install", "install --dry-run", "download -d got"])
def test_what_is_required(
    venv: Environment, options: list[str], case: str, how: str
) -> None:
    arguments, problem = CASES[case]
    command = [*how.split(), *options, *arguments]
    result = venv.pip(*command, env=GPU, code=int(problem is not None))
    if problem is None:
        return
    assert result.stderr.startswith("error: accelerator-required\n")
    assert " ".join(problem.split()) in " ".join(result.stderr.split())
    _, _, typed = result.stderr.partition("To see the reasons: pip ")
    explained = venv.pip(*shlex.split(typed), env=GPU, code=1)
    assert "error: accelerator-required\n" in explained.stderr
    assert set(venv.installed()) <= {"pip"}
    assert not list(venv.work.glob("got/*"))


def test_nothing_is_required_by_mistake(venv: Environment) -> None:
    """As by a variable of the shell that is not set."""
    result = venv.pip("install", "torch", "--require-accelerator=", code=2)
    assert "invalid value '', expected package names" in result.stderr


def test_without_an_accelerator(venv: Environment, options: list[str]) -> None:
    command = ["install", "torch", "--require-accelerator", "torch", *options]
    result = venv.pip(*command, env=NONE, code=1)
    assert "pip found no accelerator." in result.stderr, result
    # A machine may have ROCm but no GPU.
    env = {**NONE, "AMD_VARIANT_PROVIDER_FORCE_ROCM_VERSION": "7.0.0"}
    command = ["install", "--dry-run", "new", "--require-accelerator=:all:"]
    assert "new-2.0" in venv.pip(*command, *options, env=env).stdout


def test_a_lookup_requires_it(venv: Environment, options: list[str]) -> None:
    """Of what is looked up: other packages do not come with it."""
    command = ["variants", "list", "torch", "--variant=torch=null", *options]
    listed = venv.pip(*command, "--require-accelerator=torch,app", env=GPU).lines[-1]
    _, typed = listed.split("Nothing would be installed. To see why: pip ")
    result = venv.pip(*shlex.split(typed), env=GPU, code=1)
    assert "do not satisfy --require-accelerator: torch.\n" in result.stderr


def test_configured(venv: Environment, options: list[str]) -> None:
    """What is configured concerns only what a command installs."""
    env = {**GPU, "PIP_REQUIRE_ACCELERATOR": "torch,plain-too"}
    venv.pip("install", "plain", *options, env=env)
    command = ["install", "torch", "--variant", "null", *options]
    result = venv.pip(*command, env=env, code=1)
    assert "torch 2.9.0 (null) does not use" in result.stderr


def test_what_is_installed(venv: Environment, options: list[str]) -> None:
    command = ["install", "torch", *options]
    venv.pip(*command, "--variant", "torch=null", env=GPU)
    required = ["--require-accelerator", "torch"]
    result = venv.pip(*command, *required, env=GPU, code=1)
    assert "torch 2.9.0 (null) does not use an accelerator." in result.stderr
    result = venv.pip("check", *required, env=GPU, code=1)
    assert "torch 2.9.0 (null) does not use an accelerator." in result.stderr
    venv.pip(*command, *required, "--upgrade-variants", env=GPU)
    venv.pip("check", *required, env=GPU)
    venv.pip("check", "--require-accelerator", ":all:", env=GPU)
    # The machine has changed.
    result = venv.pip("check", *required, env=NONE, code=1)
    assert "is an unsupported variant" in result.stderr
    result = venv.pip("check", "--require-accelerator", "other", env=GPU, code=1)
    assert "'other' is not installed." in result.stderr


def test_a_lock_has_it_for_other_machines(
    venv: Environment, options: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "pylock.toml"
    command = ["lock", "torch", "-o", str(path), "--require-accelerator", "torch"]
    venv.pip(*command, *options, env=GPU)
    assert "cu128" in path.read_text(encoding="utf-8")
    result = venv.pip(*command, *options, "--variant=torch=null", env=GPU, code=1)
    assert "torch 2.9.0 (null) does not use" in result.stderr
    command[1] = "torch<2.9"
    assert "no accelerator" not in venv.pip(*command, *options, env=GPU, code=1).stderr
    command = ["install", "-r", str(path), "--require-accelerator", "torch"]
    result = venv.pip(*command, env=forced("12.4"), code=1)
    assert result.stderr.count("cu128 needs") == 1
