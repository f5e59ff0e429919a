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
    index: IndexServer,
    version: str,
    manifest: Mapping[str, Any] = MANIFEST,
    *,
    name: str = "torch",
    requires: Sequence[str] = (),
) -> None:
    """Add variants of torch, and the packages for the devices of one of them."""
    index.add(manifest_file(name, version, manifest))
    for label in manifest["variants"]:
        own: dict[str, Any] = {"variant_json": variant_json(manifest, label)}
        if label != "null":
            own |= {"extras": extras_of(name, version), "requires": requires}
        index.add(make_wheel(name, version, label=label, **own))
    for each in devices_for(name, version):
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


def test_each_gpu_has_its_own(install: Install, venv: Environment) -> None:
    """And of others that it has no extra for, just a word."""
    said = install("torch", env=gpu("gfx1151", "gfx1100", "gfx1201"))
    assert venv.installed() == brought("gfx1100", "gfx1151")
    assert (
        "Adding the extras device-gfx1100 and device-gfx1151 to torch 2.13.0, for the "
        f"GPUs of the target machine; there is none for gfx1201 ({OFF} leaves them out)"
    ) in said.splitlines()


#: What is installed besides torch by what was typed, and whether that is said.
TYPED: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "turned off": (["torch", OFF], []),
    "no dependencies": (["torch", "--no-deps"], []),
    "another device": (["torch[device-gfx1100]"], ["gfx1100"]),
    "normalised": (["torch[Device.GFX1100]"], ["gfx1100"]),
    "in another requirement": (["torch", "torch[device-gfx1036]"], ["gfx1036"]),
    "all": (["torch[device-all]"], DEVICES),
    "no variants": (["torch", "--variant", "torch=null"], []),
}


@pytest.mark.parametrize("case", TYPED)
def test_what_was_typed_counts(case: str, install: Install, venv: Environment) -> None:
    typed, devices = TYPED[case]
    said = install(*typed, env=gpu("gfx1151"))
    assert venv.installed() == brought(*devices)
    assert "Adding" not in said
    assert "WARNING" not in said


def test_an_option_for_good(install: Install, venv: Environment) -> None:
    """In the environment or the configuration."""
    env = {**gpu("gfx1151"), "PIP_NO_DEVICE_EXTRAS": "1"}
    install("torch", env=env)
    assert venv.installed() == brought()
    (venv.work / "pip.conf").write_text("[install]\nno-device-extras = yes\n", "utf-8")
    env = {**gpu("gfx1151"), "PIP_CONFIG_FILE": str(venv.work / "pip.conf")}
    install("torch", env=env)
    assert venv.installed() == brought()


def test_other_extras_go_together_with_it(
    install: Install, venv: Environment, torch: IndexServer
) -> None:
    torch.add(make_wheel("app", "1.0", requires=["torch[device]>=2"]))
    torch.add(make_wheel("nobody-asked", "1.0"))
    install("app", env=gpu("gfx1151"))
    assert venv.installed() == {
        **brought("gfx1151"),
        **{"app": "1.0", "nobody-asked": "1.0"},
    }


def test_a_plain_build_has_no_part_in_it(
    install: Install, venv: Environment, torch: IndexServer
) -> None:
    """Nor has a variant that was chosen for anything else."""
    other = {"x": {"x86_64": {"level": ["v1"]}}}
    add_torch(torch, "2.14.0", make_manifest(other))
    extras = extras_of("plain", "1.0")
    torch.add(make_wheel("plain", "1.0", extras=extras))
    said = install("torch", "plain", env=gpu("gfx1151"))
    assert venv.installed() == {"torch": "2.14.0", "plain": "1.0"}
    assert "device" not in said


def test_a_gpu_without_an_extra(install: Install, venv: Environment) -> None:
    said = install("torch", env=gpu("gfx1201"))
    assert venv.installed() == brought()
    assert (
        "WARNING: torch 2.13.0 has no extra for gfx1201, so computations on that GPU "
        "will fail. There is device-gfx1036, device-gfx1100 and device-gfx1151. To take "
        "one: pip install torch 'torch[device-gfxNNNN]' --index-url"
    ) in " ".join(said.split())
    assert "WARNING" not in install(
        "torch", "--force-reinstall", OFF, env=gpu("gfx1201")
    )


def test_an_installed_build_without_an_extra(
    install: Install, venv: Environment
) -> None:
    """It is told as of one that is new, unless the user once chose extras for it."""
    told = "WARNING: torch 2.13.0 has no extra for gfx1201"
    install("torch", OFF, env=gpu("gfx1201"))
    assert told in install("torch", env=gpu("gfx1201"))
    assert "WARNING" not in install("torch", OFF, env=gpu("gfx1201"))
    assert "WARNING" not in install("torch", env=NO_GPU)
    install("torch[device-gfx1100]", env=gpu("gfx1201"))
    assert "WARNING" not in install("torch", env=gpu("gfx1201"))
    assert venv.installed() == brought("gfx1100")


def test_a_dry_run_and_its_report(install: Install, venv: Environment) -> None:
    command = ["--dry-run", "--report", "report.json", "torch"]
    said = install(*command, env=gpu("gfx1151"))
    assert "Adding the extra device-gfx1151" in said
    assert "amd-torch-device-gfx1151-2.13.0" in said.splitlines()[-1]
    report = json.loads((venv.work / "report.json").read_text("utf-8"))
    (item,) = (i for i in report["install"] if i["metadata"]["name"] == "torch")
    assert item["requested_extras"] == ["device-gfx1151"]


def test_a_machine_that_a_file_describes(
    install: Install, venv: Environment, tmp_path: Path
) -> None:
    listed = [{"feature": "gfx_arch", "values": ["gfx1100"]}]
    file = write_host(tmp_path / "host.json", make_host(amd=listed))
    install("torch", "--variant-host", file, env=gpu("gfx1151"))
    assert venv.installed() == brought("gfx1100")


def test_a_wheel_by_its_url(
    install: Install, venv: Environment, torch: IndexServer
) -> None:
    url = f"{torch.url}/files/torch-2.13.0-py3-none-any-rocm10.whl"
    install(url, env=gpu("gfx1151"))
    assert venv.installed() == brought("gfx1151")


def test_a_device_package_that_cannot_be_had(
    install: Install, venv: Environment, torch: IndexServer
) -> None:
    """It is an error, as for any dependency, and nothing is installed."""
    del torch.projects["rocm-sdk-device-gfx1151"]
    said = install("torch", env=gpu("gfx1151"), code=1)
    assert "No matching distribution found for rocm-sdk-device-gfx1151" in said
    assert f"such a GPU: {OFF} leaves it out" in said
    assert venv.installed() == {}


def test_a_version_without_the_package_for_the_gpu(
    install: Install, venv: Environment, torch: IndexServer
) -> None:
    """It is passed over, as any whose dependencies are not there, and that is said."""
    add_torch(torch, "2.14.0")
    take_away(torch, "amd-torch-device-gfx1151", "2.14.0")
    said = install("torch", env=gpu("gfx1151"))
    assert venv.installed() == brought("gfx1151")
    assert (
        "WARNING: torch 2.13.0 was chosen instead of 2.14.0, and what "
        f"torch[device-gfx1151] needs may be why ({OFF} leaves it out)"
    ) in said


def test_an_extra_that_costs_a_newer_version(
    install: Install, venv: Environment, torch: IndexServer
) -> None:
    """Since what it needs contradicts a constraint, or something else that is needed."""
    add_torch(torch, "2.14.0")
    (venv.work / "c.txt").write_text("amd-torch-device-gfx1151<2.14\n", "utf-8")
    told = "torch 2.13.0 was chosen instead of 2.14.0"
    said = install("torch", "-c", "c.txt", env=gpu("gfx1151"))
    assert (
        f"WARNING: {told}, and what torch[device-gfx1151] needs may be why ({OFF} leaves "
        "it out)"
    ) in said
    assert venv.installed() == brought("gfx1151")
    torch.add(make_wheel("app", "1.0", requires=["torch<2.14"]))
    for typed in (["torch==2.13.0"], ["torch", "app"]):
        said = install(*typed, "--force-reinstall", env=gpu("gfx1151"))
        assert "instead of" not in said
    venv.pip("uninstall", "-y", "app")
    said = install("-U", "torch", "-c", "c.txt", OFF, env=gpu("gfx1151"))
    assert "instead of" not in said
    assert venv.installed()["torch"] == "2.14.0"


def take_away(index: IndexServer, project: str, version: str) -> None:
    """Remove a release from an index."""
    files = index.projects[project]
    files[:] = [each for each in files if each.file.version != version]


# What is installed


def record(venv: Environment) -> Any:
    (path,) = venv.site_packages.glob("torch-*.dist-info/variant-selection.json")
    return json.loads(path.read_text("utf-8")).get("device-extras")


def shown(venv: Environment) -> list[str]:
    """Return the extras that torch has, as ``pip show`` and ``pip inspect`` tell them."""
    found = json.loads(venv.pip("inspect").stdout)["installed"]
    (variant,) = (each["variant"] for each in found if "variant" in each)
    extras: list[str] = variant.get("device_extras", [])
    lines = [each for each in venv.pip("show", "torch").lines if "Device" in each]
    assert lines == ([f"Device-extras: {', '.join(extras)}"] if extras else [])
    return extras


def test_it_is_recorded_and_kept(
    install: Install, venv: Environment, torch: IndexServer
) -> None:
    """Also where nothing tells the GPU any more."""
    add_torch(torch, "2.12.0")
    install("torch==2.12.0", env=gpu("gfx1151"))
    assert venv.installed() == brought("gfx1151", torch="2.12.0")
    assert record(venv) == ["device-gfx1151"]
    assert shown(venv) == ["device-gfx1151"]
    said = install("-U", "torch", env=gpu("gfx1151"))
    assert venv.installed() == brought("gfx1151")
    assert "Adding the extra device-gfx1151 to torch 2.13.0" in said
    assert record(venv) == ["device-gfx1151"]
    # What is satisfied is not said again.
    said = install("torch", env=gpu("gfx1151"))
    assert "Adding" not in said
    assert "Collecting" not in said


def test_what_is_missing_is_added(install: Install, venv: Environment) -> None:
    install("torch", OFF, env=gpu("gfx1151"))
    assert venv.installed() == brought()
    assert record(venv) is None
    assert shown(venv) == []
    # It was not asked for, and stays.
    assert "Adding" not in install("rocm-sdk-device-gfx1036", env=gpu("gfx1151"))
    assert "Adding" in install("torch", env=gpu("gfx1151"))
    assert venv.installed() == {
        **brought("gfx1151"),
        "rocm-sdk-device-gfx1036": "10.0.0",
    }


@pytest.mark.parametrize(
    "lost", ["amd-torch-device-gfx1151", "rocm-sdk-device-gfx1151"]
)
def test_what_comes_back_is_told(
    lost: str, install: Install, venv: Environment
) -> None:
    """Of what the packages for the GPU need themselves, too."""
    install("torch", env=gpu("gfx1151"))
    venv.pip("uninstall", "-y", lost)
    assert "Adding the extra device-gfx1151" in install("torch", env=gpu("gfx1151"))
    assert venv.installed() == brought("gfx1151")


#: How extras come to a build that is installed, where, and what is shown then.
LATER: Mapping[str, tuple[Sequence[str], Variables, Sequence[str]]] = {
    "typed": (["torch", "torch[device-gfx1100]"], NO_GPU, ["gfx1100"]),
    "detected": (["torch"], gpu("gfx1151"), ["gfx1151"]),
    "a package of one needs it": (["app"], NO_GPU, ["gfx1036"]),
}


@pytest.mark.parametrize("case", LATER)
def test_what_is_added_later_is_kept(
    case: str, install: Install, venv: Environment, torch: IndexServer
) -> None:
    """As if it had come with the build."""
    typed, env, devices = LATER[case]
    torch.add(make_wheel("app", "1.0", requires=["torch[device-gfx1036]"]))
    add_torch(torch, "2.14.0")
    install("torch==2.13.0", OFF, env=gpu("gfx1151"))
    install("--dry-run", *typed, "torch==2.13.0", env=env)
    assert shown(venv) == []
    install(*typed, "torch==2.13.0", env=env)
    assert shown(venv) == [f"device-{each}" for each in devices]
    install("-U", "torch", env=gpu("gfx1201"))
    assert venv.installed().items() >= brought(*devices, torch="2.14.0").items()


def test_all_that_is_there_is_kept(
    install: Install, venv: Environment, torch: IndexServer
) -> None:
    """Whatever brought it, and what is not there any more is not."""
    add_torch(torch, "2.14.0")
    install("torch[device-all]==2.13.0", env=gpu("gfx1151"))
    assert len(shown(venv)) == len(DEVICES)
    said = install("-U", "torch", env=gpu("gfx1151"))
    assert venv.installed() == brought(*DEVICES, torch="2.14.0")
    assert (
        "Adding the extra device-gfx1151 to torch 2.14.0, for the GPU of the target "
        "machine, and device-gfx1036 and device-gfx1100 as before "
        f"({OFF} leaves them out)"
    ) in said.splitlines()
    venv.pip("uninstall", "-y", "amd-torch-device-gfx1036", "rocm-sdk-device-gfx1036")
    install("torch", "--force-reinstall", env=gpu("gfx1151"))
    assert shown(venv) == ["device-gfx1100", "device-gfx1151"]


def test_what_is_lost_is_told(install: Install, venv: Environment) -> None:
    """With a command that brings it also where nothing tells the GPU."""
    install("torch", env=gpu("gfx1151"))
    venv.pip("uninstall", "-y", "amd-torch-device-gfx1151")
    assert (
        "WARNING: torch 2.13.0 has device-gfx1151 without "
        "amd-torch-device-gfx1151==2.13.0, so computations on that GPU will fail. To add "
        "it: pip install 'torch[device-gfx1151]'"
    ) in " ".join(venv.pip("check", env=gpu("gfx1151")).output.split())
    install("torch[device-gfx1151]", env=NO_GPU)
    assert venv.installed() == brought("gfx1151")


def test_what_is_there_for_another_version_is_told(
    install: Install, venv: Environment, torch: IndexServer
) -> None:
    """Whoever upgrades without the packages for the GPUs keeps the old ones."""
    add_torch(torch, "2.14.0")
    install("torch[device-gfx1036]==2.13.0", env=gpu("gfx1151"))
    install("-U", "torch", OFF, env=gpu("gfx1151"))
    said = " ".join(venv.pip("check", env=gpu("gfx1151")).output.split())
    assert "has device-gfx1036 without amd-torch-device-gfx1036==2.14.0, so" in said


def test_what_a_folder_lacks_for_this_gpu(
    venv: Environment, torch: IndexServer
) -> None:
    """It is not looked for elsewhere, where torch may be another build."""
    fetch = ["download", "torch", "-d", "dl", "-i", torch.index_url]
    venv.pip(*fetch, env=gpu("gfx1151"))
    command = ["install", "--no-index", "--find-links", "dl", "torch"]
    said = " ".join(venv.pip(*command, env=gpu("gfx1100"), code=1).output.split())
    assert "--extra-index-url" not in said
    assert (
        "No index is searched. Where one can be, to fetch it with all that it needs: pip "
        "download 'torch[device-gfx1100]==2.13.0'"
    ) in said


def test_hashes_are_required_of_it_too(
    install: Install, venv: Environment, torch: IndexServer
) -> None:
    """As upstream has it, with a word where it comes from."""
    entry = torch.find("torch-2.13.0-py3-none-any-rocm10.whl")
    assert entry is not None
    line = f"torch==2.13.0 --hash=sha256:{entry.file.sha256}\n"
    (venv.work / "r.txt").write_text(line, encoding="utf-8")
    command = ["--require-hashes", "-r", "r.txt"]
    said = install(*command, env=gpu("gfx1151"), code=1)
    assert "amd-torch-device-gfx1151" in said
    assert "Hashes are required in --require-hashes mode" in said
    assert (
        "WARNING: Besides what was typed, torch[device-gfx1151] was looked for, since "
        f"the target machine has such a GPU: {OFF} leaves it out"
    ) in said
    install(*command, OFF, env=gpu("gfx1151"))
    assert venv.installed() == brought()


def test_what_is_built_needs_none(install: Install, torch: IndexServer) -> None:
    torch.clear_log()
    torch.add(make_sdist("built", "1.0", build_requires=["torch"]))
    install("built", env=gpu("gfx1151"))
    assert any("torch-2.13.0" in path for _, path in torch.log())
    assert not any("device" in path for _, path in torch.log())


# PyTorch's index


@pytest.fixture
def pytorch() -> Iterator[PyTorchIndexServer]:
    """Return AMD's index in place of PyTorch's, as it is since ROCm 10."""
    index = PyTorchIndexServer()
    with index:
        for version in ("2.12.0", "2.13.0"):
            full = f"{version}+rocm10.0.0"
            extras = extras_of("torch", full)
            index.place(make_wheel("torch", full, extras=extras))
            index.place(make_wheel("torch", f"{version}+cpu"))
            for file in devices_for("torch", full):
                index.place(file)
        for each in DEVICES:
            index.place(make_wheel(f"rocm-sdk-device-{each}", "10.0.0"))
        yield index


@pytest.fixture
def bridged(venv: Environment, pytorch: PyTorchIndexServer) -> Install:
    """Return a function that installs from there, and gives what pip says."""

    def run(*arguments: str | Path, env: Variables, code: int = 0) -> str:
        command = ["-i", pytorch.index_url, "--pytorch-index-url", pytorch.pytorch_url]
        return venv.pip("install", *command, *arguments, env=env, code=code).output

    return run


ROCM = "2.13.0+rocm10.0.0"
BY_HAND = "--pytorch-computation-backend=rocm10.0"


@pytest.mark.pytorch
def test_a_build_of_pytorchs_index(bridged: Install, venv: Environment) -> None:
    said = bridged("torch", env=gpu("gfx1151"))
    assert venv.installed() == brought("gfx1151", torch=ROCM)
    assert (
        f"Adding the extra device-gfx1151 to torch {ROCM}, for the GPU of the target "
        f"machine ({OFF} leaves it out)"
    ) in said.splitlines()
    assert record(venv) == ["device-gfx1151"]
    # Without the options for that index it is not looked for.
    venv.pip("uninstall", "-y", "amd-torch-device-gfx1151")
    checked = venv.pip("check", env=gpu("gfx1151"))
    assert (
        f"WARNING: torch {ROCM} has device-gfx1151 without "
        f"amd-torch-device-gfx1151=={ROCM}, so computations on that GPU will fail. To add "
        "it: pip install --pytorch-computation-backend auto 'torch[device-gfx1151]'"
    ) in " ".join(checked.output.split())
    kept = venv.pip("install", "torch", "--no-index", env=gpu("gfx1151"))
    assert (
        f"WARNING: torch {ROCM} is installed without what torch[device-gfx1151] needs, "
        "so computations on that GPU will fail. To add it: pip install "
        "--pytorch-computation-backend auto torch --no-index"
    ) in " ".join(kept.output.split())
    bridged("torch", env=gpu("gfx1151"))
    assert venv.installed() == brought("gfx1151", torch=ROCM)


@pytest.mark.pytorch
@pytest.mark.parametrize(
    ("typed", "env", "devices"),
    [
        ([BY_HAND, "torch"], gpu("gfx1036"), ["gfx1036"]),
        ([f"torch=={ROCM}"], gpu("gfx1036"), ["gfx1036"]),
        (["--cpuonly", "torch"], gpu("gfx1151"), None),
        (["torch"], NO_GPU, None),
        (["torch", OFF], gpu("gfx1151"), []),
        (["torch[device-gfx1100]"], gpu("gfx1151"), ["gfx1100"]),
        # The graphics part of a processor beside a card.
        (["torch"], gpu("gfx1036", "gfx1100"), ["gfx1036", "gfx1100"]),
    ],
)
def test_builds_of_pytorchs_index(
    typed: Sequence[str],
    env: Variables,
    devices: Sequence[str] | None,
    bridged: Install,
    venv: Environment,
) -> None:
    """By name, by hand and by what was detected."""
    said = bridged(*typed, env=env)
    expected = {"torch": "2.13.0+cpu"}
    if devices is not None:
        expected = brought(*devices, torch=ROCM)
    assert venv.installed() == expected
    assert "WARNING" not in said


@pytest.mark.pytorch
def test_a_gpu_of_which_the_bridge_knows_nothing(
    bridged: Install, venv: Environment
) -> None:
    """Its build may have the extra all the same, and a command says how to take it."""
    said = " ".join(bridged("torch", env=gpu("gfx1036")).split())
    assert venv.installed() == {"torch": "2.13.0+cpu"}
    assert (
        "rocm10.0 brings its code for each GPU in an extra. Whether there is one for "
        "gfx1036 is not known here. To take it if there is: pip install torch "
        "--pytorch-computation-backend rocm10.0 "
    ) in said
    bridged(
        "torch", "-U", "--pytorch-computation-backend", "rocm10.0", env=gpu("gfx1036")
    )
    assert venv.installed() == brought("gfx1036", torch=ROCM)


@pytest.mark.pytorch
def test_a_gpu_that_nobody_knows(bridged: Install, venv: Environment) -> None:
    """As where an image is built for another machine."""
    said = bridged(BY_HAND, "torch", env=NO_GPU)
    assert venv.installed() == brought(torch=ROCM)
    assert (
        f"WARNING: Nothing tells for which GPU torch {ROCM} is; without its extra, "
        "computations on that GPU will fail. There is device-gfx1036, device-gfx1100 and "
        "device-gfx1151. To take one: pip install torch 'torch[device-gfxNNNN]' "
    ) in " ".join(said.split())
    # What is typed is there too, so that nothing is lost by an upgrade.
    bridged(BY_HAND, "torch[device-gfx1100]==2.12.0", env=NO_GPU)
    assert record(venv) == ["device-gfx1100"]
    assert "WARNING" not in bridged(BY_HAND, "-U", "torch", env=NO_GPU)
    assert venv.installed() == brought("gfx1100", torch=ROCM)


@pytest.mark.pytorch
def test_what_is_there_counts_where_nothing_tells_the_gpu(
    bridged: Install, venv: Environment
) -> None:
    bridged("torch==2.12.0", env=gpu("gfx1151"))
    bridged(BY_HAND, "-U", "torch", env=NO_GPU)
    assert venv.installed() == brought("gfx1151", torch=ROCM)
    assert record(venv) == ["device-gfx1151"]
    # What is detected comes beside it.
    bridged("torch", "--force-reinstall", env=gpu("gfx1100"))
    assert record(venv) == ["device-gfx1100", "device-gfx1151"]


@pytest.mark.pytorch
def test_what_was_added_later_counts_too(bridged: Install, venv: Environment) -> None:
    bridged("torch==2.12.0", OFF, env=gpu("gfx1151"))
    bridged("torch==2.12.0", env=gpu("gfx1151"))
    bridged(BY_HAND, "-U", "torch", env=NO_GPU)
    assert venv.installed() == brought("gfx1151", torch=ROCM)


@pytest.mark.locks
@pytest.mark.pytorch
def test_of_pytorchs_index_one_build_is_locked(
    venv: Environment, pytorch: PyTorchIndexServer
) -> None:
    """So the file is for machines with its GPU alone, which is said."""
    command = ["-i", pytorch.index_url, "--pytorch-index-url", pytorch.pytorch_url]
    said = venv.pip("lock", "torch", *command, env=gpu("gfx1151")).output
    assert f"({OFF} leaves it out): the lock file is for such machines alone" in said
    venv.pip("install", "-r", "pylock.toml", env=NO_GPU)
    assert venv.installed() == brought("gfx1151", torch=ROCM)


# Lock files

MACHINES: Mapping[str, tuple[Variables, dict[str, str]]] = {
    "one": (gpu("gfx1151"), brought("gfx1151")),
    "other": (gpu("gfx1100"), brought("gfx1100")),
    "both": (gpu("gfx1151", "gfx1100"), brought("gfx1100", "gfx1151")),
    "without": (NO_GPU, brought()),
}


@pytest.mark.locks
def test_each_machine_gets_its_own_from_a_lock_file(
    workshop: Workshop, tmp_path: Path, torch: IndexServer
) -> None:
    """What it would get from the index; the file is the same wherever it is made."""
    first = workshop.fork(tmp_path / "first")
    said = first.pip("lock", "torch", "-i", torch.index_url, env=NO_GPU).output
    assert (
        "Locking the extras device-gfx1100 and device-gfx1151 of the variant rocm10 of "
        "torch 2.13.0, each for machines with that GPU; there is none for gfx1201 "
        f"({OFF} leaves them out)"
    ) in said
    for name, (env, expected) in MACHINES.items():
        venv = workshop.fork(tmp_path / name)
        torch.clear_log()
        venv.pip("install", "-r", first.work / "pylock.toml", env=env)
        assert venv.installed() == expected
        assert all(path.endswith(".whl") for _, path in torch.log())
        indexed = workshop.fork(tmp_path / f"{name} from index")
        indexed.pip("install", "torch", "-i", torch.index_url, env=env)
        assert indexed.installed() == expected


def same(
    venv: Environment, index: IndexServer, *typed: str, machines: Sequence[Variables]
) -> list[dict[str, str]]:
    """Return what machines get from a lock file, which is what they get from the index."""
    venv.pip("lock", *typed, "-i", index.index_url, env=NO_GPU)
    found = []
    for env in machines:
        command = ["--dry-run", "--report", "report.json"]
        venv.pip("install", *command, "-i", index.index_url, *typed, env=env)
        expected = planned(venv)
        venv.pip("install", *command, "-r", "pylock.toml", env=env)
        assert planned(venv) == expected, env
        found.append(expected)
    return found


def planned(venv: Environment) -> dict[str, str]:
    """Return the versions that a report tells, with the extras of torch."""
    report = json.loads((venv.work / "report.json").read_text("utf-8"))
    return {i["metadata"]["name"]: i["metadata"]["version"] for i in report["install"]}


ALL: Sequence[Variables] = [env for env, _ in MACHINES.values()]


@pytest.mark.locks
def test_several_packages_in_one_lock_file(
    venv: Environment, torch: IndexServer
) -> None:
    """What two of them bring for a device is needed where one of them is."""
    add_torch(torch, "0.28.0", name="torchvision")
    torch.add(make_wheel("app", "1.0", requires=["torch", "torchvision", "common"]))
    torch.add(make_wheel("common", "1.0"))
    one, other, both, without = same(venv, torch, "app", machines=ALL)
    assert one == {
        **brought("gfx1151"),
        **{"torchvision": "0.28.0", "amd-torchvision-device-gfx1151": "0.28.0"},
        **{"app": "1.0", "common": "1.0"},
    }
    assert set(both) == set(one) | set(other)
    assert set(one) & set(other) == set(without)


@pytest.mark.locks
def test_one_build_that_is_locked(venv: Environment, torch: IndexServer) -> None:
    labelled = ["torch", "--variant", "rocm10"]
    found = same(venv, torch, *labelled, machines=ALL[:3])
    assert found == [expected for _, expected in MACHINES.values()][:3]


@pytest.mark.locks
def test_a_build_for_one_device(venv: Environment, torch: IndexServer) -> None:
    """Whoever runs it has that GPU, so nothing more is asked."""
    variants = {each: {"amd": {"gfx_arch": [each]}} for each in ("gfx1100", "gfx1151")}
    add_torch(torch, "2.14.0", make_manifest({**variants, "null": {}}))
    machines = [gpu("gfx1151"), gpu("gfx1100"), NO_GPU]
    one, other, without = same(venv, torch, "torch", machines=machines)
    assert one == brought("gfx1151", torch="2.14.0")
    assert other == brought("gfx1100", torch="2.14.0")
    assert without == {"torch": "2.14.0"}
    groups = (venv.work / "pylock.toml").read_text("utf-8").partition("]")[0]
    assert "gfx-arch" not in groups
    venv.pip("install", "-r", "pylock.toml", OFF, env=gpu("gfx1151"))
    assert venv.installed() == {"torch": "2.14.0"}


@pytest.mark.locks
def test_a_lock_file_with_other_conditions(
    venv: Environment, torch: IndexServer
) -> None:
    """What the build needs depends on the same properties, and on others."""
    conditions = [
        "fallback; 'amd :: gfx_arch :: gfx1151' not in variant_properties",
        "fast; 'amd :: gfx_arch :: gfx1100' in variant_properties",
        "rocm-sdk-device-gfx1036; 'amd :: gfx_arch :: gfx1201' in variant_properties",
    ]
    add_torch(torch, "2.14.0", requires=conditions)
    for each in ("fallback", "fast"):
        torch.add(make_wheel(each, "1.0"))
    machines = [*ALL, gpu("gfx1201"), gpu("gfx1201", "gfx1151")]
    one, other, both, without, bare, more = same(
        venv, torch, "torch", machines=machines
    )
    assert one == brought("gfx1151", torch="2.14.0")
    assert set(other) - set(brought("gfx1100")) == {"fallback", "fast"}
    assert set(both) - set(brought("gfx1151", "gfx1100")) == {"fast"}
    assert set(bare) == {"torch", "fallback", "rocm-sdk-device-gfx1036"}
    assert set(more) == {*brought("gfx1151"), "rocm-sdk-device-gfx1036"}
    assert set(without) == {"torch"}


@pytest.mark.locks
def test_what_was_typed_for_a_lock_file(venv: Environment, torch: IndexServer) -> None:
    """It holds for all machines that run the build."""
    machines = [gpu("gfx1151"), gpu("gfx1100")]
    typed = same(venv, torch, "torch[device-gfx1036]", machines=machines)
    assert typed == [brought("gfx1036")] * 2
    venv.pip("lock", "torch", OFF, "-i", torch.index_url, env=NO_GPU)
    said = venv.pip("install", "-r", "pylock.toml", env=gpu("gfx1151")).output
    assert venv.installed() == brought()
    assert (
        "WARNING: What torch[device-gfx1151] needs is not in the lock file, so "
        "computations on that GPU will fail. To lock it: pip lock torch"
    ) in " ".join(said.split())
    command = ["--force-reinstall", "-r", "pylock.toml", OFF]
    assert "device" not in venv.pip("install", *command, env=gpu("gfx1151")).output


@pytest.mark.locks
def test_what_is_locked_can_be_left_out(venv: Environment, torch: IndexServer) -> None:
    """What the build itself needs on machines with that GPU is not."""
    needs = "needed; 'amd :: gfx_arch :: gfx1151' in variant_properties"
    add_torch(torch, "2.14.0", requires=[needs])
    torch.add(make_wheel("needed", "1.0"))
    venv.pip("lock", "torch", "-i", torch.index_url, env=NO_GPU)
    expected = {**brought("gfx1151", torch="2.14.0"), "needed": "1.0"}
    command = ["install", "-r", "pylock.toml"]
    said = venv.pip(*command, OFF, env=gpu("gfx1151")).output
    assert venv.installed() == {"torch": "2.14.0", "needed": "1.0"}
    assert "device" not in said
    said = venv.pip(*command, env=gpu("gfx1151")).output
    assert venv.installed() == expected
    assert "for the GPU of the target machine (as locked)" in said


@pytest.mark.locks
def test_a_lock_file_without_an_extra_for_the_gpu(
    venv: Environment, torch: IndexServer
) -> None:
    """What is proposed can be typed."""
    venv.pip("lock", "torch", "-i", torch.index_url, env=NO_GPU)
    for _ in ("new", "installed"):
        said = venv.pip("install", "-r", "pylock.toml", env=gpu("gfx1201")).output
        assert (
            "WARNING: torch 2.13.0 has no extra for gfx1201, so computations on that GPU "
            "will fail. There is device-gfx1036, device-gfx1100 and device-gfx1151. To "
            "lock one: pip lock 'torch[device-gfxNNNN]'"
        ) in " ".join(said.split())
        assert "--requirement" not in said
    typed = ["lock", "torch[device-gfx1036]", "-i", torch.index_url]
    venv.pip(*typed, env=gpu("gfx1201"))
    venv.pip("install", "-r", "pylock.toml", env=gpu("gfx1201"))
    assert venv.installed() == brought("gfx1036")


@pytest.mark.locks
def test_a_build_is_left_out_of_a_lock_file_for_its_extra(
    venv: Environment, torch: IndexServer
) -> None:
    (venv.work / "c.txt").write_text("rocm-sdk-device-gfx1151<10\n", "utf-8")
    command = ["lock", "torch", "-c", "c.txt", "-i", torch.index_url]
    said = venv.pip(*command, env=NO_GPU).output
    assert "WARNING: Leaving the variant rocm10 of torch 2.13.0 out of the lock" in said
    assert (
        "(besides what was typed, torch[device-gfx1100,device-gfx1151] was looked for: "
        f"{OFF} leaves it out)"
    ) in " ".join(said.split())
    assert "Leaving" not in venv.pip(*command, OFF, env=NO_GPU).output


@pytest.mark.locks
def test_what_a_lock_file_adds_later_is_shown(
    venv: Environment, install: Install, torch: IndexServer
) -> None:
    venv.pip("lock", "torch", "-i", torch.index_url, env=NO_GPU)
    install("torch", OFF, env=gpu("gfx1151"))
    venv.pip("install", "-r", "pylock.toml", env=gpu("gfx1151"))
    assert venv.installed() == brought("gfx1151")
    assert shown(venv) == ["device-gfx1151"]


@pytest.mark.locks
def test_a_lock_file_that_is_locked_again(
    venv: Environment, torch: IndexServer
) -> None:
    """As what would be installed here."""
    venv.pip("lock", "torch", "-i", torch.index_url, env=NO_GPU)
    venv.pip("lock", "-r", "pylock.toml", "-o", "pylock.mine.toml", env=gpu("gfx1151"))
    said = venv.pip("install", "-r", "pylock.mine.toml", env=gpu("gfx1151")).output
    assert venv.installed() == brought("gfx1151")
    assert "Adding the extra device-gfx1151 to torch 2.13.0" in said
    assert record(venv) == ["device-gfx1151"]


@pytest.mark.locks
def test_variants_that_do_not_tell_their_gpus(
    venv: Environment, torch: IndexServer
) -> None:
    """From an index the machine tells; a lock file has nothing that would."""
    manifest = make_manifest({"rocm": {"amd": {"rocm_version": ["10.0"]}}, "null": {}})
    add_torch(torch, "2.14.0", manifest)
    env = {**gpu("gfx1151"), "AMD_VARIANT_PROVIDER_FORCE_ROCM_VERSION": "10.0.0"}
    said = venv.pip("lock", "torch", "-i", torch.index_url, env=env).output
    assert (
        "WARNING: The variants of torch 2.14.0 do not tell their GPUs; without its "
        "extra, computations on that GPU will fail. There is device-gfx1036, device-gfx1100 and "
        "device-gfx1151. To take one: pip lock torch 'torch[device-gfxNNNN]'"
    ) in " ".join(said.split())
    venv.pip("install", "torch", "-i", torch.index_url, env=env)
    assert venv.installed() == brought("gfx1151", torch="2.14.0")


@pytest.mark.locks
def test_a_package_for_one_gpu_that_cannot_be_had(
    venv: Environment, torch: IndexServer
) -> None:
    """All other machines get theirs."""
    add_torch(torch, "2.14.0")
    take_away(torch, "amd-torch-device-gfx1100", "2.14.0")
    said = venv.pip("lock", "torch", "-i", torch.index_url, env=NO_GPU).output
    assert (
        "Locking the extra device-gfx1151 of the variant rocm10 of torch 2.14.0, for "
        "machines with that GPU"
    ) in said
    assert (
        "WARNING: What torch[device-gfx1100] needs is not to be found, nor locked, so "
        "computations on that GPU will fail"
    ) in said
    venv.pip("install", "-r", "pylock.toml", env=gpu("gfx1151"))
    assert venv.installed() == brought("gfx1151", torch="2.14.0")


@pytest.mark.locks
def test_all_builds_that_are_locked_are_told_of(
    venv: Environment, torch: IndexServer
) -> None:
    """And none that is left out."""
    variants = {
        f"rocm{number}": {"amd": {"gfx_arch": ["gfx1100", each]}}
        for number, each in ((9, "gfx1036"), (10, "gfx1151"), (11, "gfx1151"))
    }
    needs = "missing; variant_label == 'rocm11'"
    add_torch(
        torch, "2.14.0", make_manifest({**variants, "null": {}}), requires=[needs]
    )
    said = venv.pip("lock", "torch", "-i", torch.index_url, env=NO_GPU).lines
    told = [line.partition(", ")[0] for line in said if "extra" in line]
    extras = "Locking the extras device-gfx1"
    assert sorted(told) == [
        f"{extras}036 and device-gfx1100 of the variant rocm9 of torch 2.14.0",
        f"{extras}100 and device-gfx1151 of the variant rocm10 of torch 2.14.0",
    ]
