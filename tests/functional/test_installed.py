"""What pip shows of installed variants, offline and whatever the machine is."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH, Properties, Provider, cuda, make_manifest
from tests.lib.wheels import DistFile, make_sdist, make_wheel

Host = Callable[[str | Mapping[str, Any]], Path]

GPU = forced("12.8")
BACKENDS: Mapping[str, dict[str, str | None]] = {
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
def backend(request: pytest.FixtureRequest) -> dict[str, str | None]:
    """Return the variables that choose each of pip's ways to read metadata."""
    return BACKENDS[request.param]


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with variants of torch and xformers, and a package without."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    builds = {"cu118": cuda("11.8"), "cu126": cuda("12.6")}
    index.add_release("xformers", "1.0", builds)
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
def test_list(
    filled: Environment, torch: IndexServer, backend: dict[str, str | None]
) -> None:
    lines = without_pip(filled.pip("list", env=backend))
    # The version of pip, which is listed too, makes the second column wide.
    assert [re.sub(" +", " ", line) for line in lines if "---" not in line] == [
        "Package Version Variant",
        "numpy 2.3.1",
        "torch 2.8.0 cu128",
    ]
    lines = without_pip(filled.pip("list", "--not-required", "-v", env=backend))
    assert lines[0].split() == [
        "Package",
        "Version",
        "Variant",
        "Location",
        "Installer",
    ]
    assert lines[3].split()[:3] == ["torch", "2.8.0", "cu128"]
    listed = json.loads(filled.pip("list", "--format", "json", env=backend).stdout)
    assert [each for each in listed if each["name"] != "pip"] == [
        {"name": "numpy", "version": "2.3.1"},
        {"name": "torch", "version": "2.8.0", "variant_label": "cu128"},
    ]
    lines = filled.pip("list", "--format", "freeze", env=backend).lines
    assert "torch==2.8.0" in lines
    assert torch.log() == []


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


def test_list_path(venv: Environment, torch: IndexServer) -> None:
    command = ["install", "--target", "there", "torch", "-i", torch.index_url]
    result = venv.pip(*command, env=GPU)
    assert result.lines[-1] == "Successfully installed torch-2.8.0 (cu128)"
    assert venv.pip("list", "--path", "there").stdout == textwrap.dedent(
        """\
        Package Version Variant
        ------- ------- -------
        torch   2.8.0   cu128
        """
    )
    frozen = venv.pip("freeze", "--path", "there").lines
    assert frozen == ["# torch variant: cu128", "torch==2.8.0"]


@pytest.mark.process
def test_list_user(venv: Environment, torch: IndexServer) -> None:
    # Only there, an environment knows of what its user installed.
    settings = venv.venv / "pyvenv.cfg"
    text = settings.read_text()
    system = "include-system-site-packages = "
    settings.write_text(text.replace(f"{system}false", f"{system}true"))
    command = ["install", "--user", "torch", "-i", torch.index_url]
    result = venv.pip(*command, env=GPU)
    assert result.lines[-1] == "Successfully installed torch-2.8.0 (cu128)"
    listed = json.loads(venv.pip("list", "--user", "--format", "json").stdout)
    expected = {"name": "torch", "version": "2.8.0", "variant_label": "cu128"}
    assert listed == [expected]
    frozen = venv.pip("freeze", "--user").lines
    assert frozen == ["# torch variant: cu128", "torch==2.8.0"]
    # What the interpreter brings along may not be in order.
    checked = venv.pip("check", env=forced("12.6"), code=None)
    assert "does not support torch" in checked.stderr


@pytest.mark.on_wheel
def test_show(
    filled: Environment, torch: IndexServer, backend: dict[str, str | None]
) -> None:
    lines = filled.pip("show", "torch", env=backend).lines
    assert lines[:4] == [
        "Name: torch",
        "Version: 2.8.0",
        "Variant: cu128",
        "Summary: A stand-in",
    ]
    lines = filled.pip("show", "-v", "torch", env=backend).lines
    assert lines[2:13] == [
        "Variant: cu128",
        "Variant-properties:",
        *(f"  {each}" for each in SUPPORTED),
        "Variant-properties that were not supported when it was installed:",
        *(f"  {each}" for each in UNSUPPORTED),
        "Summary: A stand-in",
    ]
    assert "Variant" not in filled.pip("show", "-v", "numpy", env=backend).stdout
    assert torch.log() == []


@pytest.mark.on_wheel
def test_inspect(filled: Environment, backend: dict[str, str | None]) -> None:
    report = json.loads(filled.pip("inspect", env=backend).stdout)
    found = {each["metadata"]["name"]: each for each in report["installed"]}
    assert found["torch"]["variant"] == TORCH_VARIANT
    assert "variant" not in found["numpy"]


@pytest.mark.on_wheel
def test_freeze(
    filled: Environment, torch: IndexServer, backend: dict[str, str | None]
) -> None:
    frozen = filled.pip("freeze", env=backend).stdout
    assert frozen == "numpy==2.3.1\n# torch variant: cu128\ntorch==2.8.0\n"
    file = filled.work / "requirements.txt"
    file.write_text(
        "# Our own comment\n# torch variant: cu126\ntorch\n"
        "# xformers variant: cu118\nxformers\n"
    )
    result = filled.pip("freeze", "-r", file, env=backend)
    assert result.lines == [
        "# Our own comment",
        "# torch variant: cu128",
        "torch==2.8.0",
        "## The following requirements were added by pip freeze:",
        "numpy==2.3.1",
    ]
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


def test_report_where_the_wheel_describes_itself(
    venv: Environment, torch: IndexServer
) -> None:
    folder = torch.write_directory(venv.work / "links")
    (wheel,) = folder.glob("torch-*-cu128.whl")
    (folder / "torch-2.8.0-variants.json").unlink()
    command = ["install", "-q", "--dry-run", "--report", "-", "--no-index"]
    for requirement in (["torch", "--find-links", str(folder)], [str(wheel)]):
        report = json.loads(venv.pip(*command, *requirement, env=GPU).stdout)
        (item,) = report["install"]
        assert item["variant"] == TORCH_VARIANT


def test_report_without_credentials(venv: Environment, torch: IndexServer) -> None:
    links = [
        torch.file_url(name).replace("://", "://user:secret@")
        for name in ("torch-2.8.0-variants.json", "torch-2.8.0-py3-none-any-cu128.whl")
    ]
    page = venv.work / "links.html"
    page.write_text("\n".join(f'<a href="{url}">{url}</a>' for url in links))
    command = ["install", "-q", "--dry-run", "--report", "-", "--no-index", "torch"]
    result = venv.pip(*command, "--find-links", page, env=GPU)
    assert "secret" not in result.output
    (item,) = json.loads(result.stdout)["install"]
    expected = links[0].replace("user:secret@", "user:****@")
    assert item["variant"]["manifest_url"] == expected


def test_summary(venv: Environment, torch: IndexServer) -> None:
    command = ["install", "numpy", "torch", "-i", torch.index_url]
    result = venv.pip(*command, "--dry-run", env=GPU)
    assert result.lines[-1] == "Would install numpy-2.3.1 torch-2.8.0 (cu128)"
    result = venv.pip(*command, env=GPU)
    expected = "Successfully installed numpy-2.3.1 torch-2.8.0 (cu128)"
    assert result.lines[-1] == expected
    options = ["--force-reinstall", "--no-deps", "--variant", "cu126"]
    result = venv.pip(*command, *options, env=GPU)
    expected = "Successfully installed numpy-2.3.1 torch-2.8.0 (cu126)"
    assert result.lines[-1] == expected


def test_summary_is_not_about_build_requirements(
    venv: Environment, torch: IndexServer
) -> None:
    torch.add(make_sdist("source", "1.0", build_requires=["torch"]))
    plain = make_wheel("torch", "2.8.0").write_to(venv.work)
    options = ["--use-feature", "inprocess-build-deps", "-i", torch.index_url]
    result = venv.pip("install", plain, "source", *options, env=GPU)
    assert result.lines[-1] == "Successfully installed source-1.0 torch-2.8.0"


@pytest.mark.parametrize("way", ["no variants", "none supported"])
def test_a_plain_build_is_no_variant(
    venv: Environment, torch: IndexServer, way: str
) -> None:
    if way == "no variants":
        command, variables = ["torch", "--no-variants"], GPU
    else:
        command, variables = ["xformers"], forced("")
    command += ["-i", torch.index_url]
    result = venv.pip("install", *command, env=variables)
    name, version = next(iter(venv.installed().items()))
    assert result.lines[-1] == f"Successfully installed {name}-{version}"
    for form in ("columns", "json"):
        listed = venv.pip("list", "--exclude", "pip", "--format", form).stdout
        assert "ariant" not in listed
    assert "Variant" not in venv.pip("show", "-v", name).stdout
    assert venv.pip("freeze").stdout == f"{name}=={version}\n"
    result = venv.pip("check", env=forced("12.8"))
    assert result.output == "No broken requirements found.\n"


def record_of(venv: Environment) -> Path:
    """Return the path of the record of torch."""
    (record,) = venv.site_packages.glob("torch-*/variant-selection.json")
    return record


def test_what_another_installer_installed(filled: Environment) -> None:
    record_of(filled).unlink()
    assert "Variant: cu128" in filled.pip("show", "torch").lines
    # It is not known what was supported then.
    assert "not supported" not in filled.pip("show", "-v", "torch").stdout
    report = json.loads(filled.pip("inspect").stdout)
    (variant,) = (each["variant"] for each in report["installed"] if "variant" in each)
    assert variant == {
        "label": "cu128",
        "properties": sorted([*SUPPORTED, *UNSUPPORTED]),
        "supported": sorted([*SUPPORTED, *UNSUPPORTED]),
    }


CORRUPT: Mapping[str, bytes] = {
    "no JSON": b"{",
    "no text": b"\xff\xfe\x00",
    "too deep": b"[" * 100_000,
    "no labels": b'{"label": "x\\nevil==1.0"}',
}


def test_corrupt_records(filled: Environment, backend: dict[str, str | None]) -> None:
    environ = {**GPU, **backend}
    record = record_of(filled)
    for what, content in CORRUPT.items():
        record.write_bytes(content)
        # What the wheel says of itself is still there.
        frozen = filled.pip("freeze", env=environ).stdout
        assert frozen == "numpy==2.3.1\n# torch variant: cu128\ntorch==2.8.0\n", what
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
def test_check(
    filled: Environment, torch: IndexServer, backend: dict[str, str | None]
) -> None:
    assert warnings(filled.pip("check", env={**GPU, **backend})) == []
    older = {**forced("12.6", "7.0"), **backend}
    assert warnings(filled.pip("check", env=older)) == [
        (
            "This machine does not support torch 2.8.0 (cu128), which needs nvidia :: "
            "cuda_version_lower_bound :: 12.8 (the machine has 12.6, 12.5, 12.4 …); nvidia "
            ":: sm_arch :: 75_real or 80_real or 86_real or 90_real or 100_real or 120_real "
            "(the machine has 70_real, 70_virtual). To switch to the best variant of this "
            "version: pip install --upgrade-variants torch"
        )
    ]
    assert torch.log() == []
    # And that is what helps.
    options = ["-i", torch.index_url]
    filled.pip("install", "--upgrade-variants", "torch", *options, env=older)
    assert warnings(filled.pip("check", env=older)) == []


def test_check_of_a_broken_environment(filled: Environment) -> None:
    make_wheel("app", "1.0", requires=["gone"]).write_to(filled.work)
    filled.pip("install", "--no-deps", "--no-index", filled.work / CHECKED_APP)
    result = filled.pip("check", code=1, env=forced("12.6"))
    assert result.stdout == "app 1.0 requires gone, which is not installed.\n"
    assert "does not support torch 2.8.0 (cu128)" in result.stderr


CHECKED_APP = "app-1.0-py3-none-any.whl"


@pytest.mark.parametrize("way", ["option", "variable", "configuration"])
def test_check_where_that_is_an_error(filled: Environment, way: str) -> None:
    config = filled.work / "pip.conf"
    config.write_text("[check]\nstrict-variants = true\n")
    strict: Mapping[str, tuple[list[str], dict[str, str | None]]] = {
        "option": (["--strict-variants"], {}),
        "variable": ([], {"PIP_STRICT_VARIANTS": "1"}),
        "configuration": ([], {"PIP_CONFIG_FILE": str(config)}),
    }
    options, variables = strict[way]
    result = filled.pip("check", *options, env={**forced("12.6"), **variables}, code=1)
    line = result.stderr
    assert result.stdout == "No broken requirements found.\n"
    assert line.startswith(
        "ERROR: This machine does not support torch 2.8.0 (cu128), which needs nvidia :: "
        "cuda_version_lower_bound :: 12.8 (the machine has 12.6, 12.5, 12.4 …). To switch "
        "to the best variant of this version: "
    )
    assert " install --upgrade-variants torch" in line
    result = filled.pip("check", *options, env={**GPU, **variables})
    assert result.output == "No broken requirements found.\n"


@pytest.mark.parametrize("way", ["option", "variable", "check", "install"])
def test_check_for_a_host(filled: Environment, torch: IndexServer, way: str) -> None:
    old, good = "cuda-12.6-t4", "cuda-12.8-h100"
    config = filled.work / "pip.conf"

    def check(host: str, code: int = 0) -> Result:
        config.write_text(f"[{way}]\nvariant-host = {host}\n")
        options = {"option": ["--variant-host", host]}
        variables = {"variable": {"PIP_VARIANT_HOST": host}}
        configured = {"PIP_CONFIG_FILE": str(config)}
        return filled.pip(
            *("check", *options.get(way, ())),
            # This machine would be another one.
            env={**forced("11.8"), **variables.get(way, configured)},
            code=code,
        )

    assert warnings(check(good)) == []
    (warning,) = warnings(check(old))
    assert warning.startswith(
        f"{old} does not support torch 2.8.0 (cu128), which needs"
    )
    _, _, hint = warning.partition("best variant of this version: ")
    typed = f" --variant-host {old}" if way == "option" else ""
    assert hint == f"pip install --upgrade-variants torch{typed}"
    # A host that is none is one error.
    wrong = check("cuda-12.8", code=1)
    assert wrong.stdout == ""
    assert wrong.stderr.startswith("error: invalid-variant-host\n")
    assert ("configuration names cuda-12.8" in wrong.stderr) == (way != "option")
    # A host that is empty leaves out the one that is configured.
    config.write_text(f"[install]\nvariant-host = {old}\n")
    own = {**GPU, "PIP_CONFIG_FILE": str(config)}
    assert warnings(filled.pip("check", "--variant-host", "", env=own)) == []
    assert torch.log() == []


def test_check_of_a_folder(venv: Environment, torch: IndexServer) -> None:
    torch.add(make_wheel("app", "1.0", requires=["numpy<2", "gone"]))
    target = ["--target", "site", "-i", torch.index_url]
    host = ["--variant-host", "cuda-12.8-h100"]
    venv.pip("install", *target, *host, "torch")
    check = ["check", "--path", "site"]
    assert warnings(venv.pip(*check, *host, cwd=venv.work)) == []
    old = ["--variant-host", "cuda-12.6-t4"]
    (warning,) = warnings(venv.pip(*check, *old, cwd=venv.work))
    command = (
        "pip install --target site --upgrade torch==2.8.0 --variant-host cuda-12.6-t4"
    )
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
    venv.pip("install", *target, "numpy", cwd=venv.work)
    result = venv.pip(*check, *old, code=1, cwd=venv.work)
    assert result.lines == [
        lacking,
        "app 1.0 requires numpy<2, but numpy 2.3.1 is installed.",
    ]


@pytest.mark.process
def test_check_of_a_folder_for_another_platform(
    venv: Environment, index: IndexServer
) -> None:
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


def test_check_of_no_folder(venv: Environment) -> None:
    result = venv.pip("check", "--path", "nowhere", code=1)
    assert result.stderr == "ERROR: --path nowhere: there is no such folder\n"


@pytest.mark.on_wheel
@pytest.mark.process
def test_check_of_cuda_versions(venv: Environment, torch: IndexServer) -> None:
    options = ["-i", torch.index_url, "--variant", "xformers=cu118"]
    venv.pip("install", "torch", "xformers", *options, env=GPU)
    assert warnings(venv.pip("check", env=GPU)) == [
        (
            "Packages for different CUDA versions come together: torch 2.8.0 (cu128) is "
            "for CUDA 12, xformers 1.0 (cu118) is for CUDA 11. To take variants that agree: pip install --variant xformers=cu126 xformers==1.0"
        )
    ]
    again = ["--variant", "xformers=cu126", "xformers==1.0"]
    venv.pip("install", *again, "-i", torch.index_url, env=GPU)
    assert warnings(venv.pip("check", env=GPU)) == []


#: Another package that is installed beside torch, and the warning; None for none.
NEIGHBORS: Mapping[str, tuple[DistFile, str | None]] = {
    "requires another CUDA": (
        make_wheel("other", "1.0", requires=["nvidia-cublas-cu11"]),
        "other 1.0 (requires nvidia-cublas-cu11) is for CUDA 11.",
    ),
    "requires another CUDA, without a suffix": (
        make_wheel("other", "1.0", requires=["nvidia-cuda-runtime==13.*"]),
        "other 1.0 (requires nvidia-cuda-runtime) is for CUDA 13",
    ),
    "requires the same CUDA": (
        make_wheel("other", "1.0", requires=["nvidia-cublas-cu12"]),
        None,
    ),
    "another CUDA by its local version": (
        make_wheel("other", "1.0+cu118"),
        "other 1.0+cu118 (cu118) is for CUDA 11.",
    ),
    "for the CPU by its local version": (
        make_wheel("other", "1.0+cpu", requires=["torch"]),
        "torch 2.8.0 (cu128) uses an accelerator, and other 1.0+cpu does not",
    ),
    "for the CPU, and of no concern": (make_wheel("other", "1.0+cpu"), None),
    "plain": (make_wheel("other", "1.0", requires=["torch"]), None),
}


@pytest.mark.parametrize("case", NEIGHBORS)
def test_check_of_neighbors(
    venv: Environment, torch: IndexServer, tmp_path: Path, case: str
) -> None:
    wheel, warning = NEIGHBORS[case]
    venv.pip("install", "torch", "-i", torch.index_url, env=GPU)
    for library in ("nvidia-cublas-cu11", "nvidia-cublas-cu12", "nvidia-cuda-runtime"):
        torch.add(make_wheel(library, "13.0"))
    venv.pip("install", str(wheel.write_to(tmp_path)), "-i", torch.index_url, env=GPU)
    said = warnings(venv.pip("check", env=GPU, code=None))
    if warning is None:
        assert said == []
    else:
        (found,) = said
        assert warning in found


def test_check_of_a_cpu_variant_beside_a_gpu(
    venv: Environment, torch: IndexServer
) -> None:
    builds = {"cu128": cuda("12.8"), "null": {}}
    torch.add_release("vision", "1.0", builds, plain=False, requires=["torch"])
    options = ["-i", torch.index_url, "--no-variant-agreement"]
    venv.pip("install", "vision", *options, "--variant=vision=null", env=GPU)
    (found,) = warnings(venv.pip("check", env=GPU))
    assert (
        "torch 2.8.0 (cu128) uses an accelerator, and vision 1.0 (null) does" in found
    )


def test_check_asks_no_plugin(
    venv: Environment, index: IndexServer, host: Host
) -> None:
    builds: dict[str, Properties] = {"a": ["ascend :: npu_type :: 910b"], "null": {}}
    provider = Provider(requires=["ascend-variant-provider"])
    manifest = make_manifest(builds, providers={"ascend": provider})
    index.add_release("vllm", "1.0", {}, manifest=manifest)
    npu = [{"feature": "npu_type", "values": ["910b"]}]
    machine = host(make_host(ascend=npu))
    command = ["install", "vllm", "-i", index.index_url]
    venv.pip(*command, "--variant-host", machine)
    index.clear_log()
    assert warnings(venv.pip("check")) == []
    # Nor is there reason to think that another variant is better.
    assert "suits this machine better" not in venv.pip(*command).stdout
    assert index.log() == []


@pytest.mark.on_wheel
@pytest.mark.process
def test_no_detection_without_variants(filled: Environment) -> None:
    shown = (["list"], ["show", "-v", "torch"], ["inspect"], ["freeze"])
    assert not any("providers.chain" in imports(filled, *each) for each in shown)
    assert "providers.chain" in imports(filled, "check")
    filled.pip("uninstall", "-y", "torch")
    for command in (["list"], ["show", "numpy"], ["inspect"], ["freeze"], ["check"]):
        # Nothing that only a variant needs.
        assert "core.manifest" not in imports(filled, *command), command


def imports(venv: Environment, *command: str) -> str:
    """Return what Python says of the modules that a command imports."""
    arguments = ["-X", "importtime", "-m", "pip", *command]
    return venv.run(venv.python, *arguments, env=GPU).stderr
