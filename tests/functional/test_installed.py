"""What pip shows of installed variants, offline and whatever the machine is."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.lib import manifests
from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.index import IndexServer
from tests.lib.wheels import DistFile, make_wheel

Host = Callable[[str | Mapping[str, Any]], Path]
Backend = dict[str, str | None]

GPU = forced("12.8")
BACKENDS: Mapping[str, Backend] = {
    "importlib": {},
    "pkg_resources": {"_PIP_USE_IMPORTLIB_METADATA": "0"},
}
SUPPORTED = [
    "nvidia :: cuda_version_lower_bound :: 12.8",
    "nvidia :: sm_arch :: 90_real",
]
UNSUPPORTED = [
    "nvidia :: sm_arch :: 100_real",
    "nvidia :: sm_arch :: 120_real",
    "nvidia :: sm_arch :: 75_real",
    "nvidia :: sm_arch :: 80_real",
    "nvidia :: sm_arch :: 86_real",
]
TORCH_VARIANT = {
    "label": "cu128",
    "properties": sorted([*SUPPORTED, *UNSUPPORTED]),
    "supported": SUPPORTED,
}


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Backend:
    """Return the variables that choose each of pip's ways to read metadata."""
    return BACKENDS[request.param]


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with variants of torch, and a package without."""
    index.add_release("torch", "2.8.0", {}, manifest=manifests.PREVIEW_TORCH)
    index.add(make_wheel("numpy", "2.3.1"))
    return index


@pytest.fixture
def filled(venv: Environment, torch: IndexServer) -> Environment:
    """Return an environment with variants, after which the index is gone."""
    venv.pip("install", "torch", "numpy", "-i", torch.index_url, env=GPU)
    torch.clear_log()
    return venv


def without_pip(result: Result) -> list[str]:
    """Return the lines of a listing that are not about pip itself."""
    return [line.rstrip() for line in result.lines if not line.startswith("pip ")]


@pytest.mark.on_wheel
def test_list(filled: Environment, torch: IndexServer, backend: Backend) -> None:
    lines = without_pip(filled.pip("list", env=backend))
    # The version of pip, which is listed too, makes the second column wide.
    assert [line.split() for line in lines if "---" not in line] == [
        ["Package", "Version", "Variant"],
        ["numpy", "2.3.1"],
        ["torch", "2.8.0", "cu128"],
    ]
    lines = without_pip(filled.pip("list", "--not-required", "-v", env=backend))
    assert lines[0].split()[2:] == ["Variant", "Location", "Installer"]
    assert lines[3].split()[:3] == ["torch", "2.8.0", "cu128"]
    listed = json.loads(filled.pip("list", "--format", "json", env=backend).stdout)
    assert [each for each in listed if each["name"] != "pip"] == [
        {"name": "numpy", "version": "2.3.1"},
        {"name": "torch", "version": "2.8.0", "variant_label": "cu128"},
    ]
    lines = filled.pip("list", "--format", "freeze", env=backend).lines
    assert "torch==2.8.0" in lines
    # In another folder.
    options = ["--target", "there", "-i", torch.index_url]
    filled.pip("install", "torch", *options, env={**GPU, **backend})
    listed = filled.pip("list", "--path", "there", env=backend)
    assert listed.lines[-1].split() == ["torch", "2.8.0", "cu128"]
    frozen = filled.pip("freeze", "--path", "there", env=backend).lines
    assert frozen == ["# torch variant: cu128", "torch==2.8.0"]


def test_list_outdated(filled: Environment, torch: IndexServer) -> None:
    torch.add(make_wheel("numpy", "2.3.2"))
    torch.add(make_wheel("torch", "2.9.0"))
    options = ["--outdated", "--exclude", "pip", "-i", torch.index_url]
    assert filled.pip("list", *options).stdout == textwrap.dedent(
        """\
        Package Version Latest Type  Variant
        ------- ------- ------ ----- -------
        numpy   2.3.1   2.3.2  wheel
        torch   2.8.0   2.9.0  wheel cu128
        """
    )
    listed = json.loads(filled.pip("list", "--format", "json", *options).stdout)
    assert [each.get("variant_label") for each in listed] == [None, "cu128"]


@pytest.mark.on_wheel
def test_show(filled: Environment, torch: IndexServer, backend: Backend) -> None:
    lines = filled.pip("show", "torch", env=backend).lines
    assert lines[:4] == [
        "Name: torch",
        "Version: 2.8.0",
        "Variant: cu128",
        "Summary: A stand-in",
    ]
    lines = filled.pip("show", "-v", "torch", env=backend).lines
    assert lines[2:12] == [
        "Variant: cu128",
        "Variant-properties:",
        *(f"  {each}" for each in sorted([*SUPPORTED, *UNSUPPORTED])),
        "Summary: A stand-in",
    ]
    assert "Variant" not in filled.pip("show", "-v", "numpy", env=backend).stdout
    assert torch.log() == []


@pytest.mark.on_wheel
def test_inspect(filled: Environment, backend: Backend) -> None:
    report = json.loads(filled.pip("inspect", env=backend).stdout)
    found = {each["metadata"]["name"]: each for each in report["installed"]}
    assert found["torch"]["variant"] == TORCH_VARIANT
    assert "variant" not in found["numpy"]


@pytest.mark.on_wheel
def test_freeze(filled: Environment, torch: IndexServer, backend: Backend) -> None:
    frozen = filled.pip("freeze", env=backend).stdout
    assert frozen == "numpy==2.3.1\n# torch variant: cu128\ntorch==2.8.0\n"
    file = filled.work / "requirements.txt"
    # What it writes, pip installs.
    file.write_text(frozen)
    filled.pip("uninstall", "-y", "torch")
    options = ["-r", str(file), "-i", torch.index_url]
    result = filled.pip("install", *options, env={**GPU, **backend})
    assert result.lines[-1] == "Successfully installed torch-2.8.0 (cu128)"


REPORTS: Mapping[str, list[str]] = {
    "metadata": [],
    "range requests": ["--use-feature=fast-deps"],
    "whole wheel": [],
}


@pytest.mark.parametrize("way", REPORTS)
def test_report(venv: Environment, torch: IndexServer, way: str) -> None:
    torch.pages.core_metadata = way == "metadata"
    command = ["install", "-q", "--report", "-", "torch", "numpy", *REPORTS[way]]
    command += ["-i", torch.index_url]
    manifest_url = torch.file_url("torch-2.8.0-variants.json")
    for options in (["--dry-run"], []):
        report = json.loads(venv.pip(*command, *options, env=GPU).stdout)
        assert report["version"] == "1"
        found = {each["metadata"]["name"]: each for each in report["install"]}
        expected = {**TORCH_VARIANT, "manifest_url": manifest_url}
        assert found["torch"]["variant"] == expected
        assert "variant" not in found["numpy"]


def test_report_of_other_sources(venv: Environment, torch: IndexServer) -> None:
    """A wheel that describes itself, and addresses with credentials."""
    folder = torch.write_directory(venv.work / "links")
    (wheel,) = folder.glob("torch-*-cu128.whl")
    (folder / "torch-2.8.0-variants.json").unlink()
    command = ["install", "-q", "--dry-run", "--report", "-", "--no-index"]
    for requirement in (["torch", "--find-links", str(folder)], [str(wheel)]):
        report = json.loads(venv.pip(*command, *requirement, env=GPU).stdout)
        (item,) = report["install"]
        assert item["variant"] == TORCH_VARIANT
    links = [
        torch.file_url(name).replace("://", "://user:secret@")
        for name in ("torch-2.8.0-variants.json", "torch-2.8.0-py3-none-any-cu128.whl")
    ]
    page = venv.work / "links.html"
    page.write_text("\n".join(f'<a href="{url}">{url}</a>' for url in links))
    result = venv.pip(*command, "torch", "--find-links", page, env=GPU)
    assert "secret" not in result.output
    (item,) = json.loads(result.stdout)["install"]
    expected = links[0].replace("user:secret@", "user:****@")
    assert item["variant"]["manifest_url"] == expected


def test_a_plain_build_is_no_variant(venv: Environment, torch: IndexServer) -> None:
    command = ["install", "torch", "--no-variants", "-i", torch.index_url]
    result = venv.pip(*command, env=GPU)
    assert result.lines[-1] == "Successfully installed torch-2.8.0"
    for form in ("columns", "json"):
        listed = venv.pip("list", "--exclude", "pip", "--format", form).stdout
        assert "ariant" not in listed
    assert "Variant" not in venv.pip("show", "-v", "torch").stdout
    assert venv.pip("freeze").stdout == "torch==2.8.0\n"
    result = venv.pip("check", env=forced("12.8"))
    assert result.output == "No broken requirements found.\n"


CORRUPT: Mapping[str, bytes] = {
    "no JSON": b"{",
    "no text": b"\xff\xfe\x00",
    "too deep": b"[" * 100_000,
    "no labels": b'{"label": "x\\nevil==1.0"}',
}


def test_corrupt_records(filled: Environment, backend: Backend) -> None:
    environ = {**GPU, **backend}
    (record,) = filled.site_packages.glob("torch-*/variant-selection.json")
    for what, content in CORRUPT.items():
        record.write_bytes(content)
        # What the wheel says of itself is still there.
        frozen = filled.pip("freeze", env=environ).stdout
        assert frozen == "numpy==2.3.1\n# torch variant: cu128\ntorch==2.8.0\n", what
    # So it is with what another installer installed.
    record.unlink()
    assert "Variant: cu128" in filled.pip("show", "torch").lines
    # It is not known what was supported then.
    report = json.loads(filled.pip("inspect").stdout)
    (variant,) = (each["variant"] for each in report["installed"] if "variant" in each)
    everything = sorted([*SUPPORTED, *UNSUPPORTED])
    assert variant == {**TORCH_VARIANT, "supported": everything}
    record.write_bytes(b"{")
    own = record.with_name("variant.json")
    for what, content in CORRUPT.items():
        own.write_bytes(content)
        frozen = filled.pip("freeze", env=environ).stdout
        assert frozen == "numpy==2.3.1\ntorch==2.8.0\n", what
    assert '"variant"' not in filled.pip("inspect", env=environ).stdout
    assert "Variant" not in filled.pip("list", env=environ).stdout
    assert "Variant" not in filled.pip("show", "-v", "torch", env=environ).stdout
    assert warnings(filled.pip("check", env=environ)) == []


def warnings(result: Result) -> Sequence[str]:
    """Return the warnings; the command in them is ``pip``, whatever it is here."""
    assert result.stdout == "No broken requirements found.\n"
    lines = [line for line in result.stderr.splitlines() if "DEPRECATION" not in line]
    pip = rf"{re.escape(str(Path(result.command[0]).parent))}/\S+ -m pip"
    return [re.sub(pip, "pip", line.removeprefix("WARNING: ")) for line in lines]


@pytest.mark.process
def test_check(filled: Environment, torch: IndexServer, backend: Backend) -> None:
    assert warnings(filled.pip("check", env={**GPU, **backend})) == []
    older = {**forced("12.6", "7.0"), **backend}
    assert warnings(filled.pip("check", env=older)) == [
        (
            "This machine does not support torch 2.8.0 (cu128): the variant needs CUDA "
            "12.8 (available: CUDA 12.6); sm_75 or sm_80 or sm_86 or sm_90 or sm_100 or sm_120 "
            "(available: sm_70, compute_70). To switch to the best variant of this "
            "version: pip install --upgrade-variants torch"
        )
    ]
    assert torch.log() == []
    strict = filled.pip("check", "--strict-variants", env=older, code=1)
    assert "ERROR: This machine does not support torch 2.8.0" in strict.stderr
    # An environment that is broken is told of as usual.
    app = make_wheel("app", "1.0", requires=["gone"]).write_to(filled.work)
    filled.pip("install", "--no-deps", "--no-index", app)
    result = filled.pip("check", code=1, env=older)
    assert result.stdout == "app 1.0 requires gone, which is not installed.\n"
    assert "does not support torch 2.8.0 (cu128)" in result.stderr
    filled.pip("uninstall", "-y", "app")
    # And that is what helps.
    options = ["-i", torch.index_url]
    filled.pip("install", "--upgrade-variants", "torch", *options, env=older)
    assert warnings(filled.pip("check", env=older)) == []


@pytest.mark.parametrize("is_typed", [True, False])
def test_check_for_a_host(
    filled: Environment, torch: IndexServer, is_typed: bool
) -> None:
    old, good = "cuda-12.6-t4", "cuda-12.8-h100"
    config = filled.work / "pip.conf"

    def check(host: str, code: int = 0) -> Result:
        configured = f"[install]\nvariant-host = {host}\n"
        config.write_text("" if is_typed else configured)
        typed = ["--variant-host", host] if is_typed else []
        # This machine would be another one.
        env = {**forced("11.8"), "PIP_CONFIG_FILE": str(config)}
        return filled.pip("check", *typed, env=env, code=code)

    assert warnings(check(good)) == []
    (warning,) = warnings(check(old))
    assert warning.startswith(
        f"{old} does not support torch 2.8.0 (cu128): the variant needs"
    )
    _, _, hint = warning.partition("best variant of this version: ")
    typed = f" --variant-host {old}" if is_typed else ""
    assert hint == f"pip install --upgrade-variants torch{typed}"
    env = {**forced("11.8"), "PIP_CONFIG_FILE": str(config)}
    filled.pip("check", "--strict-variants", *typed.split(), env=env, code=1)
    # A host that is none is one error.
    wrong = check("cuda-12.8", code=1)
    assert wrong.stdout == ""
    assert wrong.stderr.startswith("error: invalid-variant-host\n")
    assert ("'cuda-12.8' comes from PIP_VARIANT_HOST" in wrong.stderr) != is_typed
    # A host that is empty leaves out the one that is configured.
    config.write_text(f"[install]\nvariant-host = {old}\n")
    own = {**GPU, "PIP_CONFIG_FILE": str(config)}
    assert warnings(filled.pip("check", "--variant-host", "", env=own)) == []
    assert torch.log() == []


def test_check_of_a_folder(venv: Environment, torch: IndexServer) -> None:
    result = venv.pip("check", "--path", "nowhere", code=1)
    assert result.stderr == "ERROR: --path nowhere: the folder does not exist\n"
    torch.add(make_wheel("app", "1.0", requires=["numpy<2", "gone"]))
    target = ["--target", "site", "-i", torch.index_url]
    host = ["--variant-host", "cuda-12.8-h100"]
    venv.pip("install", *target, *host, "torch")
    site = venv.work / "site"
    check: list[str | Path] = ["check", "--path", site]
    assert warnings(venv.pip(*check, *host, cwd=venv.work)) == []
    old = ["--variant-host", "cuda-12.6-t4"]
    (warning,) = warnings(venv.pip(*check, *old, cwd=venv.work))
    command = f"pip install --target {site} --upgrade torch==2.8.0 {shlex.join(old)}"
    assert warning.endswith(f"To switch to the best variant of this version: {command}")
    words = command.split()[1:]
    venv.pip(*words, "-i", torch.index_url, cwd=venv.work)
    assert warnings(venv.pip(*check, *old, cwd=venv.work)) == []
    # Nothing of this is in the environment.
    assert warnings(venv.pip("check", *old)) == []
    strict = venv.pip("check", "--strict-variants", *old)
    assert strict.stderr == ""
    # All that upstream looks at in an environment.
    venv.pip("install", *target, "--no-deps", "app", cwd=venv.work)
    result = venv.pip(*check, *old, code=1, cwd=venv.work)
    lacking = "app 1.0 requires gone, which is missing."
    assert result.lines == [lacking, "app 1.0 requires numpy, which is missing."]
    result = venv.pip("install", *target, "--no-deps", "numpy", "app", cwd=venv.work)
    # The app that was there stays.
    assert result.lines[-1] == "Successfully installed numpy-2.3.1"
    result = venv.pip(*check, *old, code=1, cwd=venv.work)
    conflict = "app 1.0 requires numpy<2, but numpy 2.3.1 is installed."
    assert result.lines == [lacking, conflict]
    # What pip cannot compare is named, as upstream names it.
    (site / "numpy-2.3.1.dist-info").rename(site / "numpy-2004d_x.dist-info")
    result = venv.pip(*check, *old, code=1, cwd=venv.work)
    assert result.lines[0].startswith("numpy has invalid metadata: Invalid version")


def test_an_invalid_version(venv: Environment, torch: IndexServer) -> None:
    """It is refused, as stock pip does, or replaced."""
    found = venv.site_packages / "numpy-2004d_x.dist-info"
    found.mkdir()
    (found / "METADATA").write_text("Name: numpy\nVersion: 2004d_x\n")
    (found / "RECORD").touch()
    command = ["install", "--dry-run", "numpy", "-i", torch.index_url]
    for options in [], ["-U", "--upgrade-variants"]:
        result = venv.pip(*command, *options, code=1)
        assert "error: invalid-installed-package" in result.stderr
    assert "install numpy-2.3.1" in venv.pip(*command, "--force-reinstall").stdout


@pytest.mark.process
def test_check_for_another_platform(venv: Environment, index: IndexServer) -> None:
    index.add(make_wheel("here", "1.0", tag="cp312-cp312-win_amd64"))
    index.add(
        make_wheel(
            "app",
            "1.0",
            requires=["here; sys_platform == 'win32'", "gone; sys_platform == 'linux'"],
        )
    )
    host = ["--variant-host", "windows-x86_64-py312"]
    install = ["--target", "site", "-i", index.index_url, "app", *host]
    venv.pip("install", *install, cwd=venv.work)
    check = ["check", "--path", "site"]
    assert warnings(venv.pip(*check, *host, cwd=venv.work)) == []
    other = ["--variant-host", "linux-x86_64-py312"]
    result = venv.pip(*check, *other, code=1, cwd=venv.work)
    assert result.lines == [
        "app 1.0 requires gone, which is missing.",
        "here 1.0 is not supported on linux-x86_64-py312.",
    ]
    (venv.work / "site" / "here" / "__init__.py").unlink()
    result = venv.pip(*check, *host, cwd=venv.work)
    assert "install --target site --upgrade --no-deps here==1.0" in result.stderr


# Stock pip reads the version of a package without METADATA.
@pytest.mark.filterwarnings("ignore:Implicit None:DeprecationWarning")
@pytest.mark.parametrize(
    "missing", ["local/__init__.py", "local-1.0.dist-info/METADATA"]
)
def test_check_repairs_from_the_same_file(
    venv: Environment, tmp_path: Path, missing: str
) -> None:
    content = manifests.make_manifest({"x": ["x86_64 :: level :: v1"]})
    described = manifests.variant_json(content, "x")
    wheel = make_wheel("local", "1.0", label="x", variant_json=described)
    path = wheel.write_to(tmp_path)
    venv.pip("install", str(path))
    (venv.site_packages / missing).unlink()
    repair = (
        "install --force-reinstall --no-deps "
        f"'local @ {path.as_uri()}#sha256={wheel.sha256}'"
    )
    # Without METADATA, stock pip fails on some Pythons, after its own warnings.
    assert (
        f"local 1.0 is incomplete: pip cannot find '{missing}'. To repair the "
        f"package: pip {repair}\n"
    ) in venv.pip("check", code=None).stderr
    venv.pip(*shlex.split(repair))


#: Another package that is installed beside torch, and the warning; None for none.
NEIGHBORS: Mapping[str, tuple[DistFile, str | None]] = {
    "requires another CUDA": (
        make_wheel("other", "1.0", requires=["nvidia-cublas-cu11"]),
        "CUDA 11. To list the wheels of 'other': pip variants list other",
    ),
    "requires another CUDA, without a suffix": (
        make_wheel("other", "1.0", requires=["nvidia-cuda-runtime==13.*"]),
        "other 1.0 (requires nvidia-cuda-runtime) needs CUDA 13, torch 2.8.0 (cu128) ",
    ),
    "requires the same CUDA": (
        make_wheel("other", "1.0", requires=["nvidia-cublas-cu12"]),
        None,
    ),
    "another CUDA by its local version": (
        make_wheel("other", "1.0+cu118"),
        "other 1.0+cu118 (cu118) needs CUDA 11.",
    ),
    "for the CPU by its local version": (
        make_wheel("other", "1.0+cpu", requires=["torch"]),
        "torch 2.8.0 (cu128) uses an accelerator and other 1.0+cpu does not",
    ),
    "for the CPU, and of no concern": (make_wheel("other", "1.0+cpu"), None),
    "plain": (make_wheel("other", "1.0", requires=["torch"]), None),
}


@pytest.mark.parametrize("case", NEIGHBORS)
def test_check_of_neighbors(venv: Environment, torch: IndexServer, case: str) -> None:
    wheel, warning = NEIGHBORS[case]
    torch.add(wheel)
    for library in ("nvidia-cublas-cu11", "nvidia-cublas-cu12", "nvidia-cuda-runtime"):
        torch.add(make_wheel(library, "13.0"))
    options = ["-i", torch.index_url]
    venv.pip("install", "torch", "other", *options, env=GPU)
    said = warnings(venv.pip("check", env=GPU, code=None))
    if warning is None:
        assert said == []
    else:
        (found,) = said
        assert warning in found
        venv.pip(*shlex.split(found.partition(": pip ")[2]), *options, env=GPU)


def test_check_asks_no_plugin(
    venv: Environment, index: IndexServer, host: Host
) -> None:
    manifest = manifests.make_manifest(
        {"a": ["ascend :: npu_type :: 910b"], "null": {}},
        providers={"ascend": manifests.PluginSpec(["ascend-variant-provider"])},
    )
    index.add_release("vllm", "1.0", {}, manifest=manifest)
    npu = [{"feature": "npu_type", "values": ["910b"]}]
    machine = host(make_host(ascend=npu))
    command = ["install", "vllm", "-i", index.index_url]
    venv.pip(*command, "--variant-host", machine)
    index.clear_log()
    assert warnings(venv.pip("check")) == []
    # Nor is there reason to think that another variant is better.
    assert "is a better match" not in venv.pip(*command).stdout
    assert index.log() == []
