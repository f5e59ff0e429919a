"""Wheels that scikit-build-core makes as variants are checked, indexed and installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lib.environments import Environment, Workshop
from tests.lib.publisher import WheelCli
from tests.lib.static_server import StaticServer

pytestmark = [pytest.mark.registry, pytest.mark.process]

PROJECT = {
    "pyproject.toml": """\
[build-system]
requires = ["scikit-build-core>=1.1.2"]
build-backend = "scikit_build_core.build"

[project]
name = "fastsum"
version = "1.0"

[tool.scikit-build]
experimental = true
wheel.py-api = "py3"

[variant.default-priorities]
namespace = ["x86_64", "nvidia"]

[variant.providers.x86_64]
requires = ["x86_64-variant-provider>=0.2.0,<1.0.0"]

[variant.providers.nvidia]
requires = ["nvidia-variant-provider>=0.0.1,<1.0.0"]
plugin-api = "nvidia_variant_provider.plugin:NvidiaVariantPlugin"
""",
    "CMakeLists.txt": """\
cmake_minimum_required(VERSION 3.15)
project(fastsum LANGUAGES NONE)
file(WRITE "${CMAKE_BINARY_DIR}/built.py" "LEVEL = '${LEVEL}'\\n")
install(FILES "${CMAKE_BINARY_DIR}/built.py" DESTINATION fastsum)
""",
    "fastsum/__init__.py": "",
}
V3 = ["-C", "variant=x86_64 :: level :: v3", "-C", "cmake.define.LEVEL=v3"]
CUDA = ["-C", "variant=nvidia :: cuda_version_lower_bound :: 12.8"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fastsum")
    for name, text in PROJECT.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture(scope="module")
def builder(
    workshop: Workshop, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    """Return an environment with the fork, and what builds.

    The backend requires a variantlib that no registry has; it works with a newer one, for
    which nothing is built in isolation.
    """
    environment = workshop.fork(tmp_path_factory.mktemp("builder"))
    needed = ["scikit-build-core>=1.1.2", "variantlib>=0.2"]
    needed += [each for each in ("cmake", "ninja") if shutil.which(each) is None]
    folder = tmp_path_factory.mktemp("needed")
    # The user's own pip: it knows where packages come from.
    command = [sys.executable, "-m", "pip", "wheel", "-q", "-w", str(folder), *needed]
    subprocess.run(command, check=True)
    environment.pip("install", "--no-index", "--find-links", folder, *needed)
    return environment


@pytest.fixture
def built(builder: Environment, project: Path, tmp_path: Path) -> Path:
    """Return a folder with wheels of three builds, and an index of them."""
    folder = tmp_path / "dist"
    command = ["wheel", "--no-build-isolation", "--no-deps", "-w", str(folder)]
    env = {"PATH": os.pathsep.join([str(builder.scripts), os.environ["PATH"]])}
    for options in (
        [*V3, "-C", "variant-label=v3"],
        [*CUDA, "-C", "variant-label=cuda12.8"],
        ["-C", "null-variant=true"],
    ):
        builder.pip(*command, str(project), *options, env=env)
    names = sorted(path.name.split("-")[-1] for path in folder.iterdir())
    assert names == ["cuda12.8.whl", "null.whl", "v3.whl"]
    return folder


def test_they_are_checked_indexed_and_installed(
    builder: Environment, publish: WheelCli, built: Path
) -> None:
    publish("index", built, "--simple")
    result = publish("check", built)
    assert "Checked 3 wheels and 1 manifest: 0 errors" in result.stdout
    with StaticServer(built) as server:
        for host, label in (
            ("cpu-x86_64-v3", "v3"),
            ("cpu-x86_64-v2", "null"),
            ("cuda-12.8-sm_90-x86_64-v2", "cuda12.8"),
        ):
            command = ["install", "--dry-run", "fastsum", "-i", server.index_url]
            result = builder.pip(*command, "--variant-host", host)
            assert f"Would install fastsum-1.0 ({label})" in result.stdout
        there = ["--variant-host", "cpu-x86_64-v3", "--target", "lib"]
        builder.pip("install", "fastsum", "-i", server.index_url, *there)
    code = "from fastsum.built import LEVEL; print(LEVEL)"
    done = builder.run(builder.python, "-c", code, cwd=builder.work / "lib")
    assert done.stdout == "v3\n"


def test_one_that_does_not_suit_is_not_installed(
    builder: Environment, project: Path
) -> None:
    """It is built, judged, and refused before anything is put."""
    command = ["install", "--no-build-isolation", "--no-deps", str(project)]
    env = {
        "PATH": os.pathsep.join([str(builder.scripts), os.environ["PATH"]]),
        "PIP_VARIANT_HOST": "cpu-x86_64-v2",
    }
    result = builder.pip(*command, *CUDA, env=env, code=1)
    assert "needs CUDA 12.8" in result.stderr
    assert "fastsum" not in builder.installed()
