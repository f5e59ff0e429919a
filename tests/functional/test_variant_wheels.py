"""Variant wheels by path or URL, and those that are not what the manifest says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.index import IndexServer
from tests.lib.manifests import (
    PREVIEW_TORCH,
    cuda,
    make_manifest,
    manifest_file,
    variant_json,
)
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
CU128 = "torch-2.8.0-py3-none-any-cu128.whl"


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with the preview's torch."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    return index


def test_by_path(venv: Environment, torch: IndexServer) -> None:
    torch.write_directory(venv.work)
    result = venv.pip("install", f"./{CU128}", code=1)
    assert f"× {CU128} cannot run on the target machine." in result.stderr
    assert "cu128 needs nvidia :: cuda_version_lower_bound :: 12.8" in result.stderr
    venv.pip("install", f"./{CU128}", env=forced("12.8"))
    assert venv.eval("torch.variant_label", "torch") == "cu128"


def test_by_url(venv: Environment, torch: IndexServer) -> None:
    requirement = f"torch @ {torch.file_url(CU128)}"
    result = venv.pip("install", requirement, code=1)
    assert f"× {CU128} cannot run on the target machine." in result.stderr
    assert venv.installed().get("torch") is None
    venv.pip("install", requirement, env=forced("12.8"))
    assert venv.eval("torch.variant_label", "torch") == "cu128"


def test_by_path_without_variants(venv: Environment, torch: IndexServer) -> None:
    torch.write_directory(venv.work)
    result = venv.pip("install", f"./{CU128}", "--no-variants", code=1)
    assert f"× {CU128} is a variant wheel, and variants are off." in result.stderr


UNLIKE: Mapping[str, tuple[dict[str, Any], str]] = {
    "no variant.json": ({}, "it has no variant.json"),
    "another label": (
        {"variant_json": variant_json(PREVIEW_TORCH, "cu126")},
        "its variant.json describes ['cu126'] instead",
    ),
    "broken": ({"variant_json": b"{"}, "its variant.json cannot be used"),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_a_wheel_that_is_not_what_its_name_says(
    venv: Environment, index: IndexServer, name: str
) -> None:
    content, problem = UNLIKE[name]
    wheel = make_wheel("torch", "2.8.0", label="cu128", **content)
    path = wheel.write_to(venv.work)
    result = venv.pip("install", path, code=1, env=forced("12.8"))
    assert f"{CU128} is not a valid variant wheel." in result.stderr
    assert problem[1:] in result.stderr

    # From an index, the next candidate is taken.
    index.pages.core_metadata = False
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    index.add(wheel)
    result = venv.pip("install", "torch", "-i", index.index_url, env=forced("12.8"))
    assert problem in result.stdout
    assert "Using the variant cu126 of torch 2.8.0" in result.stdout
    assert venv.eval("torch.variant_label", "torch") == "cu126"


@pytest.fixture
def disagreeing(index: IndexServer) -> IndexServer:
    """Return an index whose manifest promises more than the wheel of cu128 keeps."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    own = make_manifest({"cu128": cuda("13.0", ["120"])}, schema="0.0.2")
    index.add(make_wheel("torch", "2.8.0", label="cu128", variant_json=own))
    return index


def test_a_wheel_that_disagrees_while_resolving(
    venv: Environment, disagreeing: IndexServer
) -> None:
    disagreeing.pages.core_metadata = False
    options = ["-i", disagreeing.index_url]
    result = venv.pip("install", "torch", *options, env=forced("12.8"))
    assert "has inconsistent properties of the variant cu128: expected" in result.stdout
    assert "nvidia :: cuda_version_lower_bound :: 13.0" in result.stdout
    assert venv.eval("torch.variant_label", "torch") == "cu126"


def test_a_wheel_that_disagrees_after_resolving(
    venv: Environment, disagreeing: IndexServer
) -> None:
    options = ["-i", disagreeing.index_url]
    result = venv.pip("install", "torch", *options, env=forced("12.8"), code=1)
    assert "has inconsistent properties of the variant cu128: expected" in result.stderr
    assert venv.installed().get("torch") is None


def test_a_constraint_by_url(venv: Environment, torch: IndexServer) -> None:
    constraint = f"torch @ {torch.file_url(CU128)}\n"
    (venv.work / "constraints.txt").write_text(constraint, encoding="utf-8")
    command = ["install", "torch", "-c", "constraints.txt", "-i", torch.index_url]
    result = venv.pip(*command, code=1)
    assert f"× {CU128} cannot run on the target machine." in result.stderr
    venv.pip(*command, env=forced("12.8"))
    assert venv.eval("torch.variant_label", "torch") == "cu128"


def test_the_legacy_resolver_knows_no_variants(
    venv: Environment, torch: IndexServer
) -> None:
    options = ["--use-deprecated=legacy-resolver", "-i", torch.index_url]
    venv.pip("install", "torch", *options, env=forced("12.8"))
    assert venv.eval("torch.variant_label", "torch") == ""
    torch.write_directory(venv.work)
    result = venv.pip(
        *("install", f"./{CU128}", "--force-reinstall", *options),
        code=1,
        env=forced("12.8"),
    )
    assert "is a variant wheel, and variants are off" in result.stderr


_BACKEND = """\
import pathlib, zipfile

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, info = "app-1.0-py3-none-any.whl", "app-1.0.dist-info/"
    files = {{
        "app.py": "built_by = {label!r}",
        info + "METADATA": "Metadata-Version: 2.1\\nName: app\\nVersion: 1.0\\n",
        info + "WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
        info + "RECORD": "",
    }}
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
    return name
"""


def project_to_build(folder: Path) -> Path:
    """Make a project that is built by a backend from the index."""
    folder.mkdir()
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["backend"]\nbuild-backend = "label_backend"\n'
    )
    return folder


@pytest.mark.parametrize("options", [[], ["--use-feature=inprocess-build-deps"]])
def test_build_requirements_are_chosen_for_this_machine(
    venv: Environment,
    index: IndexServer,
    host: Callable[[Mapping[str, Any]], Path],
    options: list[str],
) -> None:
    manifest = make_manifest({"cu128": cuda("12.8"), "null": {}})
    for label in manifest["variants"]:
        own = variant_json(manifest, label)
        files = {"label_backend.py": _BACKEND.format(label=label)}
        index.add(
            make_wheel("backend", "1.0", label=label, variant_json=own, files=files)
        )
    index.add(manifest_file("backend", "1.0", manifest))
    # Neither the label nor the host file, which are for the target, count for it.
    target = host(make_host(cuda="12.8", capability="9.0"))
    venv.pip(
        "install",
        project_to_build(venv.work / "app"),
        *("-i", index.index_url, "--variant", "cu128", *options),
        "--variant-host",
        target,
    )
    assert venv.eval("app.built_by", "app") == "null"


@pytest.mark.parametrize("options", [[], ["--use-feature=inprocess-build-deps"]])
def test_variants_off_are_off_for_build_requirements(
    venv: Environment, index: IndexServer, options: list[str]
) -> None:
    index.add_release("backend", "1.0", {"null": {}}, plain=False)
    project = project_to_build(venv.work / "app")
    options = ["-i", index.index_url, "--no-variants", *options]
    result = venv.pip("install", project, *options, code=1)
    assert "No matching distribution found for backend" in result.output
    assert ("GET", "/files/backend-1.0-variants.json") not in index.log()
