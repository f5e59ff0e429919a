"""A usable GPU that stays idle is warned of, whatever the reason, and so is a hidden one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.lib.environments import Environment
from tests.lib.hosts import forced, make_host, write_host
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda, nest
from tests.lib.nvml import NvmlStub, build_nvml_stub
from tests.lib.wheels import make_sdist

GPU = forced("12.8")
GPU_WHEEL = "torch-2.9.0-py3-none-any-gpu.whl"
OLD, NEW, CUTOFF = "2020-01-01T00:00:00Z", "2024-01-01T00:00:00Z", "2022-01-01"


def add_torch(
    index: IndexServer, *, plain: bool = False, null: bool = True, **more: Any
) -> None:
    """Add a release with a variant for a GPU, and something to fall back on."""
    gpu = {**nest(cuda("12.8")), **more}
    builds = {"gpu": gpu, **({"null": {}} if null else {})}
    index.add_release("torch", "2.9.0", builds, plain=plain)


def with_tag(tag: str, **more: Any) -> Callable[[IndexServer], None]:
    """Return what makes an index whose wheel for a GPU has other tags."""

    def prepare(index: IndexServer) -> None:
        add_torch(index, **more)
        retag(index, tag)

    return prepare


def retag(index: IndexServer, tag: str) -> None:
    """Make the GPU wheel one for another Python or platform."""
    (entry,) = (e for e in index.projects["torch"] if e.file.filename == GPU_WHEEL)
    file = replace(entry.file, filename=f"torch-2.9.0-{tag}-gpu.whl")
    index.replace(GPU_WHEEL, file=file)


def changed(**changes: Any) -> Callable[[IndexServer], None]:
    """Return what makes an index with other fields for the wheel for a GPU."""

    def prepare(index: IndexServer) -> None:
        add_torch(index)
        if "upload_time" in changes:
            for entry in list(index.projects["torch"]):
                index.replace(entry.file.filename, upload_time=OLD)
        index.replace(GPU_WHEEL, **changes)

    return prepare


def with_sdist(index: IndexServer) -> None:
    """Add a release whose only wheel is for a GPU and another platform."""
    with_tag("py3-none-win_arm64", null=False)(index)
    index.add(make_sdist("torch", "2.9.0"))


@dataclass(frozen=True)
class Case:
    """A reason for which a GPU stays idle.

    :param prepare: makes an index that has it.
    :param said: what the warning says of it.
    :param options: that the command has.
    """

    prepare: Callable[[IndexServer], None]
    said: str
    options: tuple[str, ...] = ()
    host: Mapping[str, Any] | None = None


CASES = {
    "another Python": Case(
        with_tag("cp36-cp36m-any"),
        "The variant 'gpu' would run, but cannot be installed: no wheel for this platform "
        "and Python (available: cp36 on any)",
    ),
    "another platform": Case(
        with_tag("py3-none-win_arm64"), "(available: py3 on win_arm64)"
    ),
    "yanked": Case(changed(yanked="broken"), "yanked (broken)"),
    "too new": Case(
        changed(upload_time=NEW),
        "uploaded on or after the date of --uploaded-prior-to (Upload time 2024-01-01",
        ("--uploaded-prior-to", CUTOFF),
    ),
    "Requires-Python": Case(changed(requires_python=">=99"), ">=99"),
    "a better CPU": Case(
        lambda index: add_torch(index, x86_64={"level": ["v4"]}),
        "The nearest other variant: gpu needs x86-64-v4 (available: x86-64-v2)",
        host=make_host(cuda="12.8", capability="9.0", x86_64="v2"),
    ),
    "another version of a neighbor": Case(
        lambda index: add_torch(index, abi_dependency={"numpy": ["9.0"]}),
        "'gpu' would run, but pip cannot install numpy==9.0.* here",
    ),
    "a plain wheel instead": Case(
        with_tag("py3-none-win_arm64", plain=True, null=False),
        "torch 2.9.0 has no variant metadata, so pip does not know if it uses an "
        "accelerator. The variant 'gpu' would run, but cannot be installed: no wheel for this platform and "
        "Python (available: py3 on win_arm64)",
    ),
    "a source distribution instead": Case(
        with_sdist, "(available: py3 on win_arm64)", ("--no-build-isolation",)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_idle_gpu(venv: Environment, index: IndexServer, name: str) -> None:
    case = CASES[name]
    case.prepare(index)
    command = ["install", "--dry-run", "torch", "-i", index.index_url, *case.options]
    env = GPU
    if case.host is not None:
        path = write_host(venv.work / "host.json", case.host)
        command += ["--variant-host", str(path)]
        env = {}
    # It is no loss that --strict-variants is about.
    for words in (command, [*command, "--strict-variants"]):
        result = venv.pip(*words, env=env)
        said = " ".join(result.stderr.split())
        assert said.startswith("WARNING: torch 2.9.0 ")
        assert case.said in said
        assert said.count("WARNING") == 1
    for required in (":all:", "torch"):
        result = venv.pip(*command, "--require-accelerator", required, env=env, code=1)
        assert "accelerator-required" in result.stderr
    result = venv.pip(*command, env={"CUDA_VISIBLE_DEVICES": "-1"} if env else {})
    if env:
        assert "accelerator" not in result.stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--variant", "torch=null"],
        ["--variant-host", "cpu"],
        ["--disable-variant-provider", "nvidia"],
    ],
)
def test_users_choice(
    venv: Environment, index: IndexServer, options: list[str]
) -> None:
    """What was typed is neither an error nor a reason for a warning."""
    add_torch(index)
    command = ["install", "torch", "-i", index.index_url, "--strict-variants"]
    result = venv.pip(*command, "--dry-run", *options, env=GPU)
    assert "accelerator" not in result.stderr
    assert "null" in result.stdout


def test_no_request_without_variants(venv: Environment, index: IndexServer) -> None:
    """Neither is a release beside one that has some."""
    add_torch(index)
    index.add_release("torch", "3.0", {}, manifest=None, listed=False)
    for entry in list(index.projects["torch"]):
        if "3.0" in entry.file.filename and "any-" in entry.file.filename:
            index.projects["torch"].remove(entry)
    result = venv.pip("install", "--dry-run", "torch", "-i", index.index_url, env=GPU)
    assert "Would install torch-3.0" in result.stdout
    assert result.stderr == ""
    assert not [each for each in index.requests if "variants.json" in each.path]


@pytest.fixture(scope="module")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> NvmlStub:
    """Return a stand-in for the driver library."""
    return build_nvml_stub(tmp_path_factory.mktemp("nvml"))


@pytest.mark.on_wheel
@pytest.mark.process
@pytest.mark.parametrize("mask", ["", "-1", "NoDevFiles"])
def test_a_hidden_gpu(
    venv: Environment, index: IndexServer, nvml: NvmlStub, mask: str
) -> None:
    add_torch(index)
    command = ["install", "torch", "-i", index.index_url]
    gpu = nvml.environ(cuda=12080, driver="570.1", capabilities=["9.0"])
    env = {**gpu, "CUDA_VISIBLE_DEVICES": mask}
    hidden = f"CUDA_VISIBLE_DEVICES hides every NVIDIA GPU: {mask!r}"
    result = venv.pip(*command, "--dry-run", "--strict-variants", env=env)
    assert (
        f"WARNING: torch 2.9.0 (null) does not use an accelerator. {hidden}. To install "
        "for these GPUs, unset CUDA_VISIBLE_DEVICES, and run: pip "
    ) in " ".join(result.stderr.split())
    result = venv.pip(*command, env=gpu)
    assert result.stderr == ""
    result = venv.pip("check", "--strict-variants", env=env)
    assert f"torch 2.9.0 (gpu) cannot be checked: {hidden}" in result.stderr
    result = venv.pip(*command, "--upgrade-variants", "--strict-variants", env=env)
    said = " ".join(result.stderr.split())
    assert (
        "pip replaces torch 2.9.0 (gpu), an accelerator variant. torch 2.9.0 (null) does "
        "not use an accelerator. To keep torch 2.9.0: "
    ) in said
    assert f"{hidden}. To install for these GPUs, unset CUDA_VISIBLE_DEVICES" in said
    command += ["--require-accelerator", "torch", "--force-reinstall"]
    venv.pip(*command, env=env, code=1)


@pytest.mark.on_wheel
@pytest.mark.process
def test_driver_without_gpu(
    venv: Environment, index: IndexServer, nvml: NvmlStub
) -> None:
    """Where no GPU can be read, none is claimed to be there."""
    index.add_release("torch", "2.9.0", {"gpu": cuda("12.8", ["90"]), "null": {}})
    env = nvml.environ(cuda=12080, driver="570.1", capabilities=["!15"])
    result = venv.pip("install", "--dry-run", "torch", "-i", index.index_url, env=env)
    said = " ".join(result.stderr.split())
    assert "GPU" not in said.partition("accelerator. ")[0]
    assert "the NVIDIA driver shows no readable GPU" in said
