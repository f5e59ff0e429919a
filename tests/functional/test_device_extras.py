"""Device extras: one warning if the code for the GPU is in an extra that nothing requests.

The layout is AMD's: ``torch[device-gfx1151]`` requires ``amd-torch-device-gfx1151``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.hosts import make_host, write_host
from tests.lib.index import IndexServer
from tests.lib.manifests import make_manifest, manifest_file, variant_json
from tests.lib.wheels import make_wheel

DEVICES = ["gfx1036", "gfx1100", "gfx1151"]
#: Extras that are not for one kind of GPU.
OTHERS = ["device-all", "device-gfx1151-strict", "device-gfx1151x", "gfx1151"]
MANIFEST = make_manifest(
    {"rocm10": {"amd": {"gfx_arch": ["gfx1100", "gfx1151", "gfx1201"]}}, "null": {}}
)
WARNING = "These extras contain GPU code, but nothing requests them: "


def gpu(*devices: str) -> dict[str, str | None]:
    """Return the variable by which a user states the GPUs."""
    return {"AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": ",".join(devices)}


def extras_of(name: str, version: str) -> dict[str, list[str]]:
    packages = {each: f"amd-{name}-device-{each}=={version}" for each in DEVICES}
    return {
        **{f"device-{each}": [package] for each, package in packages.items()},
        **{each: [*packages.values()] for each in OTHERS},
    }


def add_torch(index: IndexServer, version: str = "2.13.0", name: str = "torch") -> None:
    """Add variants of torch and the packages for the GPUs of one of them."""
    index.add(manifest_file(name, version, MANIFEST))
    own = {"rocm10": extras_of(name, version), "null": {}}
    for label, extras in own.items():
        stated = variant_json(MANIFEST, label)
        index.add(
            make_wheel(name, version, label=label, variant_json=stated, extras=extras)
        )
    for each in DEVICES:
        index.add(make_wheel(f"amd-{name}-device-{each}", version))


@pytest.fixture
def torch(index: IndexServer) -> IndexServer:
    """Return an index with variants of torch, one of them with extras for devices."""
    add_torch(index)
    return index


Run = Callable[..., str]


@pytest.fixture
def run(venv: Environment, torch: IndexServer) -> Run:
    """Return a function that runs pip with that index, and returns its output."""

    def run(command: str, *words: str, gpus: Sequence[str] = ("gfx1151",)) -> str:
        arguments = [command, "-i", torch.index_url, *words]
        said = venv.pip(*arguments, env=gpu(*gpus)).output
        assert said.count(WARNING) <= 1
        return " ".join(said.split())

    return run


@pytest.mark.on_wheel
def test_the_command_comes_before_the_installation(
    run: Run, venv: Environment, torch: IndexServer
) -> None:
    said = run("install", "torch", "--log", "log.txt")
    assert (
        f"WARNING: {WARNING}torch[device-gfx1151]. Without these extras, computations on the "
        "GPU will fail. To add the extras: pip install torch 'torch[device-gfx1151]' --index-url "
        f"{torch.index_url}"
    ) in said
    before, _, after = (venv.work / "log.txt").read_text("utf-8").partition(WARNING)
    assert "Installing collected packages" in after
    assert "Installing collected packages" not in before
    assert venv.installed() == {"torch": "2.13.0"}
    # It is still missing, and then it is there.
    assert WARNING in run("install", "torch")
    assert WARNING not in run("install", "torch", "torch[device-gfx1151]")
    assert venv.installed().keys() == {"torch", "amd-torch-device-gfx1151"}
    assert WARNING not in run("install", "torch")
    assert WARNING not in run("install", "--force-reinstall", "--no-deps", "torch")


@pytest.mark.parametrize(
    "command", [["install", "--dry-run"], ["download"], ["lock", "-o", "pylock.toml"]]
)
def test_other_commands(command: Sequence[str], run: Run) -> None:
    assert f"{WARNING}torch[device-gfx1151]." in run(*command, "torch")
    assert WARNING not in run(*command, "torch", "torch[device-gfx1151]")


#: What is typed, and the extras in the warning.
CASES: Mapping[str, tuple[Sequence[str], Sequence[str], str | None]] = {
    "two GPUs": (["torch"], ["gfx1151", "gfx1100"], "device-gfx1151,device-gfx1100"),
    "no extra for it": (["torch"], ["gfx1201"], None),
    "another device": (["torch[device-gfx1100]"], ["gfx1151"], None),
    "normalized": (["torch[Device.GFX1100]"], ["gfx1151"], None),
    "not for a device": (["torch[gfx1151]"], ["gfx1100", "gfx1201"], None),
    "no dependencies": (["torch", "--no-deps"], ["gfx1151"], None),
    "no variants": (["torch", "--variant", "torch=null"], ["gfx1151"], None),
    "a host by name": (
        ["torch", "--variant-host", "rocm-gfx1100"],
        ["gfx1151"],
        "device-gfx1100",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_warned_of(case: str, run: Run) -> None:
    typed, gpus, extras = CASES[case]
    said = run("install", "--dry-run", *typed, gpus=gpus)
    assert (WARNING in said) == (extras is not None)
    if extras is not None:
        assert f"{WARNING}torch[{extras}]. " in said


def test_a_value_that_names_no_gpu(run: Run, tmp_path: Path) -> None:
    """The extra of that name is not of the literal form."""
    listed = [{"feature": "gfx_arch", "values": ["gfx1151x", "gfx1100"]}]
    file = write_host(tmp_path / "host.json", make_host(amd=listed))
    said = run("install", "torch", "--variant-host", str(file))
    assert f"{WARNING}torch[device-gfx1100]. " in said


def test_one_warning_for_all_packages(run: Run, torch: IndexServer) -> None:
    """Plain wheels and dependencies count too."""
    add_torch(torch, name="vision")
    torch.add(make_wheel("plain", "1.0", extras=extras_of("plain", "1.0")))
    torch.add(make_wheel("app", "1.0", requires=["torch", "vision", "plain"]))
    words = [f"{name}[device-gfx1151]" for name in ("plain", "torch", "vision")]
    said = run("install", "app")
    assert f"{WARNING}{', '.join(words)}. " in said
    assert f"pip install app {' '.join(repr(each) for each in words)} --index" in said
    # What is installed already is not this command's business.
    assert WARNING not in run("install", "app")


def test_what_a_package_requires_is_requested(run: Run, torch: IndexServer) -> None:
    torch.add(make_wheel("app", "1.0", requires=["torch[device-gfx1151]"]))
    assert WARNING not in run("install", "app")
    assert WARNING in run("install", "torch", gpus=["gfx1100"])


def test_an_upgrade_needs_other_packages(run: Run, torch: IndexServer) -> None:
    run("install", "torch[device-gfx1151]")
    assert WARNING not in run("install", "torch")
    add_torch(torch, "2.14.0")
    assert f"{WARNING}torch[device-gfx1151]." in run("install", "-U", "torch")


@pytest.mark.locks
def test_a_lock_file_without_the_extra(run: Run, venv: Environment) -> None:
    """It says how to lock the extra, and a file that has it needs no warning."""
    run("lock", "torch", gpus=["gfx1201"])
    said = run("install", "-r", "pylock.toml")
    assert f"{WARNING}torch[device-gfx1151]." in said
    assert "To add the extras: pip lock 'torch[device-gfx1151]' --index-url" in said
    run("lock", "torch[device-gfx1151]", gpus=["gfx1201"])
    assert WARNING not in run("install", "-r", "pylock.toml")
    assert venv.installed().keys() == {"torch", "amd-torch-device-gfx1151"}
