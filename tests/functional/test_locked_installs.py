"""``pip install -r pylock.toml``: of the builds in the file, the best for the machine."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import tomli

from pip._vendor import tomli_w

from tests.lib.environments import Environment, Workshop
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.locks import TORCH, add_torch, add_variants, write_lock
from tests.lib.manifests import cuda, make_manifest, variant_json
from tests.lib.wheels import make_sdist, make_wheel

pytestmark = pytest.mark.locks

CPU: Mapping[str, str | None] = {}
GPU = forced("12.8")
OLD_GPU = forced("12.6", "8.0")

TORCH_FILES = [f"torch-2.8.0-py3-none-any{x}.whl" for x in ("", "-cu126", "-cu128")]
NULL_FILE = "torch-2.8.0-py3-none-any-null.whl"


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with torch, whose builds need different things."""
    return add_torch(index)


@pytest.fixture
def alone(index: IndexServer) -> IndexServer:
    """Return an index with torch, whose builds need nothing."""
    add_variants(
        index, "torch", "2.8.0", TORCH, dict.fromkeys([*TORCH["variants"], None], ())
    )
    index.add(make_sdist("torch", "2.8.0"))
    return index


def label(venv: Environment, package: str = "torch") -> str:
    """Return the label of the build that is installed, none for a plain one."""
    return venv.eval(f"{package}.variant_label", package)


def install(venv: Environment, *arguments: str | Path, **options: Any) -> str:
    return venv.pip("install", "-r", "pylock.toml", *arguments, **options).output


@pytest.mark.on_wheel
@pytest.mark.smoke
def test_one_file_for_all_machines(
    workshop: Workshop, tmp_path: Path, torch: IndexServer
) -> None:
    # No GPU here.
    first = workshop.fork(tmp_path / "cpu")
    first.pip("lock", "torch", "-i", torch.index_url, env=CPU)
    lock = first.work / "pylock.toml"
    expected = {
        "null": (CPU, {"common": "1.0", "cpu-lib": "1.0", "torch": "2.8.0"}),
        "cu128": (GPU, {"common": "1.0", "cuda-lib": "12.8", "torch": "2.8.0"}),
        "cu126": (OLD_GPU, {"common": "1.0", "cuda-lib": "12.6", "torch": "2.8.0"}),
    }
    for name, (env, packages) in expected.items():
        venv = workshop.fork(tmp_path / name)
        torch.clear_log()
        result = venv.pip("install", "-r", lock, env=env)
        assert f"Using torch 2.8.0, variant {name}" in result.stdout
        assert venv.installed() == packages
        assert label(venv) == name
        assert "No broken requirements" in venv.pip("check", env=env).stdout
        # Just these files were asked for, no page and no manifest.
        assert len(torch.log()) == len(packages)
        assert all(path.endswith(".whl") for _, path in torch.log())


def test_variants_that_a_variant_needs(venv: Environment, torch: IndexServer) -> None:
    kernels = make_manifest({"old": cuda("12.0"), "new": cuda("12.8")})
    add_variants(torch, "kernels", "1.0", kernels, {"old": [], "new": ["new-lib"]})
    add_variants(
        *(torch, "vision", "2.0", TORCH),
        {"cu126": ["kernels"], "cu128": ["kernels", "torch"], "null": []},
    )
    torch.add(make_wheel("new-lib", "1.0"))
    venv.pip("lock", "vision", "-i", torch.index_url)
    assert planned(venv, env=GPU) == {
        "common-1.0": "",
        "cuda_lib-12.8": "",
        "kernels-1.0": "new",
        "new_lib-1.0": "",
        "torch-2.8.0": "cu128",
        "vision-2.0": "cu128",
    }
    assert planned(venv, env=OLD_GPU) == {"kernels-1.0": "old", "vision-2.0": "cu126"}
    assert planned(venv, env=CPU) == {"vision-2.0": "null"}


def planned(venv: Environment, *options: str, **more: Any) -> dict[str, str]:
    """Return what would be installed, each with its label."""
    install(venv, "--dry-run", "--report", "report.json", *options, **more)
    report = json.loads((venv.work / "report.json").read_text("utf-8"))
    names = (
        item["download_info"]["url"].rpartition("/")[2] for item in report["install"]
    )
    parts = [name.removesuffix(".whl").split("-") for name in names]
    return {f"{each[0]}-{each[1]}": "".join(each[5:]) for each in parts}


def test_locked_again(venv: Environment, index: IndexServer) -> None:
    """Each wheel is downloaded once, and keeps the hashes of the file."""
    manifest = make_manifest({"gpu": cuda("12.0"), "null": {}})
    add_variants(index, "a", "1.0", manifest, {"gpu": (), "null": ()})
    venv.pip("lock", "a", "-i", index.index_url)
    path = venv.work / "pylock.toml"
    content = tomli.loads(path.read_text("utf-8"))
    for wheel in content["packages"][0]["wheels"]:
        wheel["hashes"]["sha512"] = "0" * 128
    path.write_text(tomli_w.dumps(content), "utf-8")
    index.clear_log()
    options = ["-i", index.index_url, "-o", "pylock.again.toml"]
    again = venv.pip("lock", "-r", "pylock.toml", *options, env=GPU)
    assert "Using a 1.0, variant gpu (CUDA 12.0)\n" in again.stdout
    (package,) = tomli.loads((venv.work / "pylock.again.toml").read_text())["packages"]
    assert len(index.log()) == 1
    assert package["wheels"][0]["hashes"].keys() == {"sha256", "sha512"}
    index.fault("a-1.0-py3-none-any-gpu.whl", status=503)
    assert "publisher" not in install(venv, "--retries=0", env=GPU, code=1)
    # No installer knows of which variant such a marker speaks.
    content["packages"][0]["marker"] = "'nvidia' in variant_namespaces"
    path.write_text(tomli_w.dumps(content), "utf-8")
    assert "the marker of a is about variants" in install(venv, code=1)


class TestChoice:
    """What the choice goes by, with the lock file of a tool that has no groups."""

    @pytest.fixture(autouse=True)
    def lock(self, venv: Environment, alone: IndexServer) -> Path:
        files = [*TORCH_FILES, NULL_FILE]
        return write_lock(venv.work, alone, *files, extra=toml(TORCH))

    @pytest.mark.parametrize(
        ("env", "options", "expected"),
        [
            (CPU, [], "null"),
            (GPU, [], "cu128"),
            (CPU, ["--variant-host", "cuda-12.6-sm_80"], "cu126"),
            (GPU, ["--disable-variant-provider", "nvidia"], "null"),
        ],
    )
    def test_options(
        self,
        venv: Environment,
        env: Mapping[str, str | None],
        options: Sequence[str],
        expected: str,
    ) -> None:
        output = install(venv, *options, env=env)
        assert label(venv) == expected
        assert f"Using torch 2.8.0, variant {expected}" in output


def toml(manifest: Mapping[str, Any]) -> str:
    """Write a manifest as a lock file has it."""
    lines = ["[packages.variants-json]"]
    lines += [f"{json.dumps(key)} = {inline(value)}" for key, value in manifest.items()]
    return "\n".join([*lines, ""])


def inline(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(key)} = {inline(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    return json.dumps(value)


class TestNothingRuns:
    """What is taken if no variant runs: a plain wheel, an sdist, or nothing."""

    def test_sdist(self, venv: Environment, alone: IndexServer) -> None:
        sdist = "torch-2.8.0.tar.gz"
        write_lock(venv.work, alone, *TORCH_FILES[1:], sdist=sdist, extra=toml(TORCH))
        output = install(venv)
        assert (
            "Using torch 2.8.0, source distribution, instead of its variants" in output
        )
        assert "Downloading torch-2.8.0.tar.gz" in output
        venv.pip("uninstall", "-y", "torch")
        output = install(venv, "--only-binary", ":all:", code=1)
        assert "No variant of 'torch==2.8.0' runs on this machine." in output

    def test_nothing(self, venv: Environment, alone: IndexServer) -> None:
        write_lock(venv.work, alone, *TORCH_FILES[1:], extra=toml(TORCH))
        output = install(venv, env=forced("12.0", "7.5"), code=1)
        assert "error: nothing-to-install" in output
        assert "cu126 needs CUDA 12.6 (available: CUDA 12.0)" in output
        assert "cu128 needs CUDA 12.8 (available: CUDA 12.0)" in output
        assert alone.log() == []
        output = install(venv, "--no-variants", code=1)
        assert "error: variants-disabled" in output
        write_lock(venv.work, alone, *TORCH_FILES[1:])
        output = install(venv, env=GPU, code=1)
        assert output.endswith("\nhint: Create the lock file again with pip lock\n")

    def test_by_hand(self, venv: Environment, alone: IndexServer) -> None:
        write_lock(venv.work, alone, *TORCH_FILES, extra=toml(TORCH))
        output = install(venv, "--variant", "cu128", env=OLD_GPU, code=1)
        assert "error: unsupported-variant" in output
        output = install(venv, "--variant", "torch=cu130", code=1)
        assert "error: nothing-to-install" in output
        assert "torch 2.8.0 has cu126" in output


def test_files_in_a_folder(venv: Environment, alone: IndexServer) -> None:
    """Keys that nobody knows do no harm."""
    alone.write_directory(venv.work / "links")
    extra = toml(TORCH) + "added = 2026-01-01T00:00:00Z\nmore = [1, 2.5, nan]\n"
    path = write_lock(venv.work, alone, *TORCH_FILES, NULL_FILE, extra=extra)
    text = path.read_text("utf-8").replace(f'url = "{alone.url}/files', 'path = "links')
    path.write_text(text, encoding="utf-8")
    venv.pip("download", "-r", path, env=GPU)
    assert (venv.work / "torch-2.8.0-py3-none-any-cu128.whl").is_file()
    install(venv, env=GPU)
    assert label(venv) == "cu128"
    assert alone.log() == []
    venv.pip("check", env=GPU)


TABLE = "[packages.variants-json]\n"
RANKED = f"{TABLE}default-priorities.namespace = ['nvidia']\n"

#: What stands in a lock file, and what is wrong with it.
INVALID: Mapping[str, tuple[str, str]] = {
    "missing": ("", "is missing"),
    "text": ("variants-json = 'x'", "the document is a string, not an object"),
    "number": (
        f"{RANKED}variants.cu128.nvidia.sm_arch = ['90_real', 80]",
        "is a number, not a string",
    ),
    "version": (
        f"{TABLE}'$schema' = 'https://example.org/v2.0.0.json'",
        "unsupported schema",
    ),
    "deep": (
        f"{RANKED}variants.a.nvidia.y = ['z']\nproviders.nvidia{'.a' * 900} = 1",
        "nested too deeply",
    ),
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_metadata(venv: Environment, alone: IndexServer, name: str) -> None:
    table, problem = INVALID[name]
    lines = [*TORCH_FILES]
    if table.startswith("["):
        path = write_lock(venv.work, alone, *lines, extra=f"{table}\n")
    else:
        path = write_lock(venv.work, alone, *lines)
        text = path.read_text("utf-8").replace(
            "[[packages]]\n", f"[[packages]]\n{table}\n"
        )
        path.write_text(text, encoding="utf-8")
    output = install(venv, env=GPU)
    assert "Ignoring the variant wheels of torch 2.8.0: its variants-json in" in output
    assert problem in output
    assert ". Create the lock file again with pip lock\n" in output
    assert label(venv) == ""


def test_a_wheel_that_is_another_variant(venv: Environment, alone: IndexServer) -> None:
    other = {**TORCH, "variants": {"cu128": cuda("12.0")}}
    wheel = make_wheel(
        *("torch", "2.8.0"), label="cu128", variant_json=variant_json(other, "cu128")
    )
    alone.add(wheel)
    write_lock(venv.work, alone, *TORCH_FILES, extra=toml(TORCH))
    output = install(venv, env=GPU, code=1)
    assert "does not match the variants manifest" in output
    assert venv.installed() == {}


def test_need_that_is_not_locked(venv: Environment, torch: IndexServer) -> None:
    venv.pip("lock", "torch", "-i", torch.index_url)
    path = venv.work / "pylock.toml"
    # Someone took the group away by which the CUDA build gets what it needs.
    text = path.read_text("utf-8")
    path.write_text(text.replace('    "variant-torch-cu128",\n', ""), "utf-8")
    output = install(venv, "-i", torch.index_url, env=GPU, code=1)
    assert "× The lock file does not contain 'cuda-lib==12.8'." in output
    assert "torch==2.8.0 requires this package, in pylock.toml." in output
    assert venv.installed() == {}


def test_what_is_installed_gives_way(venv: Environment, torch: IndexServer) -> None:
    venv.pip("lock", "torch", "-i", torch.index_url)
    install(venv, env=CPU)
    output = install(venv, env=CPU)
    assert "already satisfied: torch" in output
    install(venv, env=GPU)
    assert label(venv) == "cu128"
    venv.pip("check", env=GPU)
    install(venv, "--no-variants", "--force-reinstall")
    assert label(venv) == ""
    install(venv, "--variant", "torch=null", env=GPU)
    assert label(venv) == "null"
    venv.pip("lock", "torch", "--no-variants", "-i", torch.index_url)
    install(venv, env=GPU)
    assert label(venv) == ""


def test_variants_for_one_cuda_version(venv: Environment, index: IndexServer) -> None:
    both = make_manifest({"cu12": cuda("12.0"), "cu13": cuda("13.0")})
    one = make_manifest({"cu12": cuda("12.0")})
    add_variants(
        index, "torch", "2.9.0", both, {"cu12": ["lib==12"], "cu13": ["lib==13"]}
    )
    add_variants(index, "vision", "1.0", one, {"cu12": []})
    for version in ("12", "13"):
        index.add(make_wheel("lib", version))
    venv.pip("lock", "torch", "-i", index.index_url)
    assert planned(venv, env=forced("13.0")) == {"lib-13": "", "torch-2.9.0": "cu13"}
    venv.pip("lock", "torch", "vision", "-i", index.index_url)
    same = {"lib-12": "", "torch-2.9.0": "cu12", "vision-1.0": "cu12"}
    assert planned(venv, env=forced("13.0")) == same
    output = install(venv, "--dry-run", env=forced("13.0"))
    assert "need different CUDA" not in output
    assert (
        "Choosing 'cu12' of torch 2.9.0 instead of 'cu13', to use CUDA 12 like the "
        "others. To choose the best variant of each package instead, add --no-variant-agreement"
    ) in output.splitlines()
    apart = ["--no-variant-agreement", "--dry-run"]
    output = install(venv, *apart, env=forced("13.0"))
    assert "torch-2.9.0 (cu13) vision-1.0 (cu12)" in output
    assert "These packages need different CUDA or ROCm versions: torch" in output
