"""An installed variant for a GPU that gives way to a package that uses none."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda
from tests.lib.wheels import make_sdist, make_wheel

GPU = forced("12.8", "9.0")


@pytest.fixture
def torch(venv: Environment, index: IndexServer) -> None:
    """Install torch 2.9.0 for CUDA."""
    builds = {"cu126": cuda("12.6"), "cu128": cuda("12.8")}
    index.add_release("torch", "2.8", {"cu126": cuda("12.6")})
    index.add_release("torch", "2.9.0", {**builds, "null": {}})
    venv.pip("install", "torch", "-i", index.index_url, env=GPU)


@pytest.fixture
def newer(make_index: Callable[[], IndexServer]) -> IndexServer:
    """Return an index without variants."""
    other = make_index()
    other.add(make_wheel("torch", "2.8"))
    other.add(make_wheel("torch", "2.9.0"))
    other.add(make_wheel("torch", "2.10"))
    other.add(make_sdist("torch", "2.11"))
    other.add(make_wheel("app", "0.9", requires=["torch"]))
    other.add(make_wheel("app", "1.0", requires=["torch==2.10"]))
    return other


PLAIN = "torch {} has no variant metadata, so pip does not know if it uses an"

#: The arguments, and why torch counts as lost; None if it is not.
CASES: Mapping[str, tuple[list[str], str | None]] = {
    "a dependency": (["app", "--force-reinstall", "-i", "OTHER"], PLAIN.format("2.10")),
    "an upgrade": (["-U", "torch<2.11", "-i", "OTHER"], PLAIN.format("2.10")),
    "the same version of another index": (
        ["--force-reinstall", "torch==2.9.0", "-i", "OTHER"],
        PLAIN.format("2.9.0"),
    ),
    "what pip ignores": (["-I", "torch==2.9.0", "-i", "OTHER"], PLAIN.format("2.9.0")),
    "an older one": (["torch<2.9", "-i", "OTHER"], PLAIN.format("2.8")),
    "a pin": (["torch==2.10", "-i", "OTHER"], PLAIN.format("2.10")),
    "a wheel by path": (["WHEEL"], PLAIN.format("2.12")),
    "nothing": (["torch", "-i", "OTHER"], None),
    "an upgrade to the same": (["-U", "torch", "-i", "INDEX"], None),
    "an older variant": (["torch<2.9", "-i", "INDEX"], None),
    "another GPU variant": (["torch", "--variant", "torch=cu126", "-i", "INDEX"], None),
}


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("case", CASES)
def test_lost(
    venv: Environment, index: IndexServer, newer: IndexServer, tmp_path: Path, case: str
) -> None:
    arguments, why = CASES[case]
    wheel = make_wheel("torch", "2.12").write_to(tmp_path)
    places = {"OTHER": newer.index_url, "INDEX": index.index_url, "WHEEL": str(wheel)}
    command = ["install", *(places.get(each, each) for each in arguments)]
    record = venv.site_packages / "torch-2.9.0.dist-info" / "RECORD"
    before = record.read_text(encoding="utf-8")
    said = " ".join(venv.pip(*command, "--dry-run", env=GPU).stderr.split())
    if why is None:
        assert "pip replaces" not in said
        venv.pip(*command, "--strict-variants", env=GPU)
        return
    assert "pip replaces torch 2.9.0 (cu128), an accelerator variant." in said
    assert said.count(why) == 1
    strict = venv.pip(*command, "--strict-variants", env=GPU, code=1)
    assert strict.stderr.startswith("error: variant-lost")
    assert why in " ".join(strict.stderr.split())
    # The command that is told keeps it; beside an app that needs another one, none can.
    _, _, typed = said.partition(" To keep torch 2.9.0: pip ")
    assert bool(typed) == (case != "a dependency")
    venv.pip(*shlex.split(typed or "check"), env=GPU)
    assert record.read_text(encoding="utf-8") == before
    # What is downloaded replaces nothing.
    only_here = "-I", "-U", "--force-reinstall"
    words = [each for each in command[1:] if each not in only_here]
    fetched = venv.pip("download", *words, "-d", str(tmp_path / "got"), env=GPU)
    assert "accelerator" not in fetched.stderr


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("cause", ["UPGRADE_VARIANTS=1", "VARIANT=torch=null"])
def test_configured(venv: Environment, index: IndexServer, cause: str) -> None:
    """No command keeps what the configuration replaces."""
    name, _, value = cause.partition("=")
    env = {**forced("11.0"), f"PIP_{name}": value}
    command = ["install", "torch==2.9.0", "-i", index.index_url, "--dry-run"]
    assert venv.pip(*command, env=env).stderr.startswith(
        "WARNING: pip replaces torch 2.9.0 (cu128), an accelerator variant. torch 2.9.0 "
        "(null) does not use an accelerator.\n"
    )


HOW = ("--variant=torch=null", "--no-variants", "--upgrade-variants --variant-host=cpu")


@pytest.mark.usefixtures("torch")
@pytest.mark.parametrize("how", HOW)
def test_typed_is_no_error(venv: Environment, index: IndexServer, how: str) -> None:
    command = ["install", "--force-reinstall", "torch", "-i", index.index_url]
    result = venv.pip(*command, *how.split(), "--strict-variants", "--dry-run", env=GPU)
    said = " ".join(result.stderr.split())
    assert "pip replaces torch 2.9.0 (cu128), an accelerator variant." in said
    # The command that keeps it does not repeat the choice.
    typed = said.partition("To keep torch 2.9.0: pip ")[2]
    assert "satisfied: torch==2.9.0" in venv.pip(*shlex.split(typed)).stdout


@pytest.mark.parametrize("where", ["--target=it -U", "--prefix=it", "--root=it"])
def test_elsewhere(venv: Environment, index: IndexServer, where: str) -> None:
    index.add_release("torch", "2.9.0", {"cu128": cuda("12.8"), "null": {}})
    command = ["install", "torch", *where.split(), "-i", index.index_url]
    venv.pip(*command, env=GPU)
    strict = venv.pip(*command, "--strict-variants", env=forced("11.0"), code=1)
    assert strict.stderr.startswith(
        "error: variant-lost\n\n× pip would ignore the installed variant 'cu128' of torch "
        "2.9.0.\n╰─> torch 2.9.0 (null) does not use an accelerator.\n"
    )
    assert ("To keep torch 2.9.0: pip " in strict.stderr) == ("target" in where)


@pytest.mark.usefixtures("torch")
def test_older_variant(venv: Environment, index: IndexServer) -> None:
    index.add(make_wheel("app", "1.0", requires=["torch<2.9"]))
    command = ["install", "app", "-i", index.index_url, "--strict-variants"]
    assert venv.pip(*command, env=GPU).stderr == (
        "WARNING: pip replaces torch 2.9.0 (cu128), an accelerator variant. torch 2.8 "
        "(cu126) is an older release.\n"
    )
