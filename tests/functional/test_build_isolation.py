"""Build isolation: what a build requires runs here, whatever the target is."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import cuda, make_manifest, manifest_file, variant_json
from tests.lib.wheels import make_wheel

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


_BLAS = "blas_lapack :: provider ::"
_CPU = {
    "x86_64": "x86_64 :: level :: v1",
    "AMD64": "x86_64 :: level :: v1",
    "aarch64": "aarch64 :: version :: 8a",
    "arm64": "aarch64 :: version :: 8a",
}


@pytest.fixture
def backend(index: IndexServer) -> IndexServer:
    """Return an index with a build backend that has variants.

    What it builds tells which of them it was.
    """
    manifest = make_manifest(
        {
            "cu128": cuda("12.8"),
            "openblas": [f"{_BLAS} openblas"],
            "mkl": [f"{_BLAS} mkl"],
            "cpu": [_CPU.get(platform.machine(), "x86_64 :: level :: v1")],
            "null": {},
        }
    )
    for label in manifest["variants"]:
        own = variant_json(manifest, label)
        files = {"label_backend.py": _BACKEND.format(label=label)}
        index.add(
            make_wheel("backend", "1.0", label=label, variant_json=own, files=files)
        )
    index.add(manifest_file("backend", "1.0", manifest))
    index.add_release("kernels", "1.0", {"mkl": [f"{_BLAS} mkl"], "null": {}})
    return index


#: Options, variables, and the variant of the backend that builds.
CHOICES: Mapping[str, tuple[Sequence[str], Mapping[str, str | None], str]] = {
    # These are about the target: they do not count.
    "a label": (["kernels", "--variant", "mkl"], {}, "openblas"),
    "a label in a variable": ([], {"PIP_VARIANT": "cu128"}, "openblas"),
    "a preference": (["--prefer-variant", f"{_BLAS} mkl"], {}, "openblas"),
    "a machine": (["--variant-host", "cuda-12.8-sm_90"], {}, "openblas"),
    # These are about this machine.
    "this machine has a GPU": ([], forced("12.8"), "cu128"),
    "no provider": (["--disable-variant-provider", "blas_lapack"], {}, "cpu"),
}


@pytest.mark.parametrize("options", [[], ["--use-feature=inprocess-build-deps"]])
@pytest.mark.parametrize("name", CHOICES)
def test_build_requirements_are_chosen_for_this_machine(
    venv: Environment, backend: IndexServer, name: str, options: list[str]
) -> None:
    more, variables, label = CHOICES[name]
    if label == "cpu" and platform.machine() not in _CPU:
        pytest.skip("no provider knows the CPU of this machine")
    venv.pip(
        *("install", project_to_build(venv.work / "app"), "-i", backend.index_url),
        *(*options, *more),
        env=variables,
    )
    assert (venv.site_packages / "app.py").read_text() == f"built_by = {label!r}"


@pytest.mark.parametrize("options", [[], ["--use-feature=inprocess-build-deps"]])
def test_variants_off_are_off_for_build_requirements(
    venv: Environment, index: IndexServer, options: list[str]
) -> None:
    index.add_release("backend", "1.0", {"null": {}}, plain=False)
    project = project_to_build(venv.work / "app")
    options = ["-i", index.index_url, "--no-variants", *options]
    result = venv.pip("install", project, *options, code=1)
    assert "No listed file of 'backend' can be installed." in result.output
    assert ("GET", "/files/backend-1.0-variants.json") not in index.log()
