"""A variant that a build backend makes is judged before it is installed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.manifests import cuda, make_manifest
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]

NAME = "app-1.0-py3-none-any-cu128.whl"
_BACKEND = """\
import pathlib
def build_wheel(directory, config_settings=None, metadata_directory=None):
    pathlib.Path(directory, {name!r}).write_bytes({content!r})
    return {name!r}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project whose backend makes a variant."""
    manifest = make_manifest({"cu128": cuda("12.8")})
    return write(tmp_path / "project", manifest)


def write(folder: Path, manifest: Mapping[str, object] | None) -> Path:
    """Write a project whose backend makes a wheel with this ``variant.json``."""
    folder.mkdir()
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    )
    label = "cu128" if manifest is not None else None
    wheel = make_wheel("app", "1.0", label=label, variant_json=manifest)
    backend = _BACKEND.format(name=NAME, content=wheel.content)
    (folder / "backend.py").write_text(backend)
    return folder


def test_one_that_runs_here(pip: Pip, project: Path) -> None:
    result = pip("install", "--no-index", str(project), env=forced("12.8"))
    assert "Successfully installed app-1.0 (cu128)" in result.stdout
    shown = pip("show", "-v", "app").stdout
    assert "Variant: cu128" in shown
    listed = json.loads(pip("list", "--format", "json").stdout)
    (app,) = (each for each in listed if each["name"] == "app")
    assert app["variant_label"] == "cu128"


def test_one_that_does_not(pip: Pip, venv: Environment, project: Path) -> None:
    install = ["install", "--no-index", str(project)]
    pip(*install, env=forced("12.8"))
    result = pip(*install, "--force-reinstall", code=1)
    assert "unsupported-variant" in result.stderr
    assert "needs CUDA " in result.stderr
    assert "--find-links" not in result.stderr
    assert "see the build options of app" in result.stderr
    # What was there still is.
    assert list(venv.site_packages.glob("app*"))
    result = pip(*install, "--no-variants", "--force-reinstall", code=1)
    assert "variants-disabled" in result.stderr
    # It may be for another machine.
    assert f"filename={NAME}" in pip("wheel", "--no-index", str(project)).stdout


def test_one_in_the_cache(pip: Pip, project: Path) -> None:
    archive = str(project.with_name("app-1.0"))
    shutil.make_archive(archive, "gztar", project.parent, project.name)
    install = ["install", "--no-index", "--force-reinstall", "app"]
    install += ["--find-links", str(project.parent)]
    assert "Building wheel" in pip(*install, env=forced("12.8")).stdout
    reused = ["Using cached app-1.0-py3-none-any-cu128.whl", "app-1.0 (cu128)"]
    strict = ["--strict-variants", "--require-accelerator=app"]
    result = pip(*install, *strict, env=forced("12.8"))
    assert "Building wheel" not in result.stdout
    assert all(each in result.stdout for each in reused)
    result = pip(*install, env=forced("12.0"), code=1)
    assert "Building wheel" in result.stdout
    assert "unsupported-variant" in result.stderr


def test_one_that_is_none(pip: Pip, venv: Environment, tmp_path: Path) -> None:
    project = write(tmp_path / "project", None)
    result = pip("install", "--no-index", str(project), code=1)
    assert "invalid-variant-wheel" in result.stderr
    assert not list(venv.site_packages.glob("app*"))
