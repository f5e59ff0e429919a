"""Device extras: builds for ROCm 10 come with what the GPU of the target needs.

The layout is AMD's: ``torch[device-gfx1151]`` brings ``amd-torch-device-gfx1151``, and that
``rocm-sdk-device-gfx1151``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result, Workshop
from tests.lib.hosts import make_host, write_host
from tests.lib.index import IndexServer
from tests.lib.manifests import make_manifest, manifest_file, variant_json
from tests.lib.pytorch_index import PyTorchIndexServer
from tests.lib.wheels import DistFile, make_sdist, make_wheel

Pip = Callable[..., Result]
Variables = Mapping[str, str | None]

DEVICES = ["gfx1036", "gfx1100", "gfx1151"]


def gpu(*devices: str) -> dict[str, str | None]:
    """Return the variable by which a user states the GPUs."""
    return {"AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": ",".join(devices)}


#: A machine that is not asked.
NO_GPU: Variables = {"PIP_VARIANT_HOST": "cpu-x86_64-v3"}
OFF = "--no-device-extras"


def extras_of(name: str, version: str) -> dict[str, list[str]]:
    """Return the extras of a build: one for each device, and those nobody gets unasked."""
    packages = {each: f"amd-{name}-device-{each}=={version}" for each in DEVICES}
    others = ("device-gfx1151-strict", "device", "gfx1151", "device-gfx11-generic")
    return {
        **{f"device-{each}": [package] for each, package in packages.items()},
        "device-all": list(packages.values()),
        **{each: ["nobody-asked"] for each in others},
    }


def devices_for(name: str, version: str) -> Iterator[DistFile]:
    """Yield the packages that the extras of a build bring."""
    for each in DEVICES:
        requires = ["rocm-sdk-device-" + each]
        yield make_wheel(f"amd-{name}-device-{each}", version, requires=requires)


def brought(*devices: str, torch: str = "2.13.0") -> dict[str, str]:
    """Return what is installed with torch for these devices."""
    found = {"torch": torch}
    for each in devices:
        found[f"amd-torch-device-{each}"] = torch
        found[f"rocm-sdk-device-{each}"] = "10.0.0"
    return found


MANIFEST = make_manifest(
    {
        "rocm10": {"amd": {"gfx_arch": ["gfx1100", "gfx1151", "gfx1201"]}},
        "null": {},
    }
)


def add_torch(
    index: IndexServer, version: str, manifest: Mapping[str, Any] = MANIFEST
) -> None:
    """Add variants of torch, and the packages for the devices of one of them."""
    index.add(manifest_file("torch", version, manifest))
    for label in manifest["variants"]:
        extras = extras_of("torch", version) if label != "null" else {}
        own = variant_json(manifest, label)
        index.add(
            make_wheel("torch", version, label=label, variant_json=own, extras=extras)
        )
    for each in devices_for("torch", version):
        index.add(each)


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with variants of torch, one of them with extras for devices."""
    add_torch(index, "2.13.0")
    for each in DEVICES:
        index.add(make_wheel(f"rocm-sdk-device-{each}", "10.0.0"))
    return index


Install = Callable[..., str]


@pytest.fixture
def install(venv: Environment, torch: IndexServer) -> Install:
    """Return a function that installs from that index, and gives what pip says."""

    def run(*arguments: str | Path, env: Variables, code: int = 0) -> str:
        command = ["install", "-i", torch.index_url, *arguments]
        return venv.pip(*command, env=env, code=code).output

    return run


@pytest.mark.on_wheel
def test_the_extra_for_the_gpu_is_added(venv: Environment, install: Install) -> None:
    said = install("torch", env=gpu("gfx1151"))
    assert venv.installed() == brought("gfx1151")
    assert (
        "Adding the extra device-gfx1151 to torch 2.13.0, for the GPU of the target "
        f"machine ({OFF} leaves it out)" in said.splitlines()
    )
    assert "No broken requirements" in venv.pip("check", env=gpu("gfx1151")).stdout
    frozen = venv.pip("freeze").lines
    assert [each for each in frozen if "torch" in each] == [
        "amd-torch-device-gfx1151==2.13.0",
        "# torch variant: rocm10",
        "torch==2.13.0",
    ]


# Lock files

MACHINES: Mapping[str, tuple[Variables, dict[str, str]]] = {
    "one": (gpu("gfx1151"), brought("gfx1151")),
    "other": (gpu("gfx1100"), brought("gfx1100")),
    "both": (gpu("gfx1151", "gfx1100"), brought("gfx1100", "gfx1151")),
    "without": (NO_GPU, brought()),
}


def test_each_machine_gets_its_own_from_a_lock_file(
    workshop: Workshop, tmp_path: Path, torch: IndexServer
) -> None:
    """What it would get from the index; the file is the same wherever it is made."""
    first = workshop.fork(tmp_path / "first")
    said = first.pip("lock", "torch", "-i", torch.index_url, env=NO_GPU).output
    print(said, (first.work / "pylock.toml").read_text())
    for name, (env, expected) in MACHINES.items():
        venv = workshop.fork(tmp_path / name)
        torch.clear_log()
        venv.pip("install", "-r", first.work / "pylock.toml", env=env)
        assert venv.installed() == expected
        assert all(path.endswith(".whl") for _, path in torch.log())
        indexed = workshop.fork(tmp_path / f"{name} from index")
        indexed.pip("install", "torch", "-i", torch.index_url, env=env)
        assert indexed.installed() == expected
    assert 0
