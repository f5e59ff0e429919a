"""PyTorch's index with its local versions: which builds are taken, and what from where.

The commands are those of light-the-torch's users, with ``pip`` in place of ``ltt``.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.lib.batch import run_batch
from tests.lib.environments import Environment, Result
from tests.lib.guides import block
from tests.lib.hosts import forced, make_host, write_host
from tests.lib.index import Fault
from tests.lib.manifests import Provider, cuda, make_manifest, nest
from tests.lib.nvml import NvmlStub, build_nvml_stub
from tests.lib.pytorch_index import PyTorchIndexServer
from tests.lib.wheels import make_sdist, make_wheel

pytestmark = pytest.mark.pytorch

Pip = Callable[..., Result]
Variables = Mapping[str, str | None]

NO_GPU = {"PIP_VARIANT_HOST": "cpu-x86_64-v3"}
AMD = {"AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": "gfx1100"}
R535 = forced("12.2", "8.6")
GPU129 = forced("12.9", "8.6")
GPU13 = forced("13.0", "8.6")
STABLE = ["--pytorch-channel", "stable"]


@pytest.fixture
def pytorch() -> Iterator[PyTorchIndexServer]:
    """Return a copy of PyTorch's index, and a user's index with other things."""
    index = PyTorchIndexServer()
    with index:
        builds = {
            "2.9.1": ["cpu", "cu126", "cu128", "cu130", "rocm6.3", "rocm6.4", "xpu"],
            "2.8.0": ["cpu", "cu126", "cu128", "cu129", "rocm6.3", "xpu"],
            "2.7.1": ["cpu", "cu118", "cu126", "cu128", "rocm6.3", "xpu"],
            "2.5.1": ["cpu", "cu118", "cu121", "cu124", "rocm6.2"],
        }
        for version, backends in builds.items():
            index.add_builds("torch", version, backends, requires=["sympy"])
        for version, torch in (("0.24.1", "2.9.1"), ("0.9.1", "2.5.1")):
            requires = [f"torch=={torch}"]
            index.add_builds(
                "torchvision", version, ["cpu", "cu118", "cu128"], requires=requires
            )
        for channel, torch in (("test", "2.9.2"), ("nightly", "2.10.0.dev20251101")):
            backends = ["cpu", "cu128", "cu130"]
            index.add_builds("torch", torch, backends, channel=channel)
            requires = [f"torch=={torch}"]
            index.add_builds(
                *("torchvision", "0.25.0.dev20251101", backends),
                channel=channel,
                requires=requires,
            )
        index.place(make_wheel("sympy", "1.13.3"))
        index.add(make_wheel("sympy", "1.11.1"))
        index.add(make_wheel("sympy", "1.14.0"))
        # What is on the user's index is not what PyTorch publishes.
        index.add(make_wheel("torch", "9.9"))
        index.add(make_wheel("pystiche", "1.0.1", requires=["torch>=1.10", "pillow"]))
        index.add(make_wheel("pillow", "12.0"))
        yield index


def options(pytorch: PyTorchIndexServer) -> list[str]:
    """Return the options that name both indexes."""
    return ["-i", pytorch.index_url, "--pytorch-index-url", pytorch.pytorch_url]


@pytest.fixture
def dry(pip: Pip, pytorch: PyTorchIndexServer) -> Callable[..., dict[str, str]]:
    """Return a function that gives the versions of what would be installed."""

    def run(*arguments: str, env: Variables = NO_GPU) -> dict[str, str]:
        result = pip("install", "--dry-run", *arguments, *options(pytorch), env=env)
        return versions(result)

    return run


Dry = Callable[..., dict[str, str]]
#: Arguments, and variables to set.
Case = tuple[Sequence[str], Variables]
DryAll = Callable[[Iterable[Case]], list[dict[str, str]]]


@pytest.fixture
def dry_all(venv: Environment, pytorch: PyTorchIndexServer, tmp_path: Path) -> DryAll:
    """Return a function that does so for each of many cases, in one process."""

    def run(cases: Iterable[Case]) -> list[dict[str, str]]:
        cases = list(cases)
        command = ["install", "--dry-run", *options(pytorch)]
        commands = [[*command, *arguments] for arguments, _ in cases]
        results = run_batch(
            venv, tmp_path, commands, each_env=[variables for _, variables in cases]
        )
        return list(map(versions, results))

    return run


def versions(result: Result) -> dict[str, str]:
    """Return the versions in the line that says what would be installed."""
    (line,) = (line for line in result.lines if line.startswith("Would install"))
    return dict(re.findall(r"(\S+)-([0-9]\S*(?: \(\S+\))?)", line))


# Which build


MACHINES: Sequence[tuple[str, Variables, str]] = (
    ("torch", NO_GPU, "cpu"),
    ("torch", GPU13, "cu130"),
    ("torch", forced("12.9"), "cu128"),
    ("torch", R535, "cu128"),
    # The oldest driver of a major runs all of its builds, and no newer ones.
    ("torch", forced("12.0"), "cu128"),
    ("torch", forced("11.8"), "cpu"),
    # What a GPU is too old, or too new, for.
    ("torch", forced("12.9", "6.1"), "cu126"),
    ("torch", forced("13.0", "7.0"), "cu128"),
    ("torch", forced("12.6", "12.0"), "cu128"),
    ("torch", {"AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": "gfx1100"}, "rocm6.4"),
    ("torch", {"AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": "gfx803"}, "cpu"),
    ("torch", {"INTEL_VARIANT_PROVIDER_FORCE_DEVICE_IP": "20.1.0"}, "xpu"),
    ("torch", {"PIP_VARIANT_HOST": "cuda-12.8-h100"}, "cu128"),
    # What came after all tables: what the driver says counts.
    ("future", forced("14.2", "14.0"), "cu142"),
    ("future", forced("14.0", "14.0"), "cu142"),
    ("future", GPU13, "cu135"),
    # Of builds that run, the newest.
    ("torch==2.8.0", R535, "cu129"),
    ("torch==2.7.1", R535, "cu128"),
    ("torch==2.5.1", R535, "cu124"),
)


def test_what_suits_is_taken(dry_all: DryAll, pytorch: PyTorchIndexServer) -> None:
    pytorch.add_builds("future", "1.0", ["cpu", "cu135", "cu142"])
    found = dry_all(([wanted], machine) for wanted, machine, _ in MACHINES)
    builds = [
        each[wanted.partition("=")[0]].partition("+")[2]
        for each, (wanted, _, _) in zip(found, MACHINES, strict=True)
    ]
    assert builds == [build for _, _, build in MACHINES]


GROUPS: Sequence[tuple[str, Variables, str]] = (
    # What suits the GPU that there is.
    ("cuda torch", GPU13, "2.9.1+cu130"),
    ("cuda torch", GPU129, "2.9.1+cu128"),
    ("GPU torch", R535, "2.9.1+cu128"),
    ("gpu torch", AMD, "2.9.1+rocm6.4"),
    ("gpu torch", {"INTEL_VARIANT_PROVIDER_FORCE_DEVICE_IP": "20.1.0"}, "2.9.1+xpu"),
    # Without one, the newest build, as for an image.
    ("cuda torch", NO_GPU, "2.9.1+cu130"),
    ("gpu torch", NO_GPU, "2.9.1+cu130"),
    ("rocm torch", NO_GPU, "2.9.1+rocm6.4"),
    (
        "rocm torch",
        {"AMD_VARIANT_PROVIDER_FORCE_ROCM_VERSION": "6.4.0"},
        "2.9.1+rocm6.4",
    ),
    ("cuda torch", AMD, "2.9.1+cu130"),
    # Never the CPU: an older version that has one.
    ("cuda late", NO_GPU, "1.0+cu128"),
    ("gpu late", GPU13, "1.0+cu128"),
    ("gpu torch", forced("11.8", "8.6"), "2.7.1+cu118"),
    ("cuda,cpu torch", forced("11.8", "8.6"), "2.9.1+cpu"),
    ("gpu,cpu late", GPU13, "2.0+cpu"),
    # Order counts, and what is named is named.
    ("cu126,cuda torch", GPU13, "2.9.1+cu126"),
    ("cuda,rocm torch", AMD, "2.9.1+rocm6.4"),
    ("rocm,cuda torch", GPU13, "2.9.1+cu130"),
    ("rocm,cuda torch", NO_GPU, "2.9.1+rocm6.4"),
    # A GPU of another vendor than the newest builds are for.
    ("gpu odd", AMD, "1.0+rocm6.4"),
    ("gpu,cpu odd", AMD, "2.0+cpu"),
    ("gpu odd", GPU13, "2.0+cu128"),
)


def test_any_build_for_a_gpu(dry_all: DryAll, pytorch: PyTorchIndexServer) -> None:
    pytorch.add_builds("late", "1.0", ["cpu", "cu128"])
    pytorch.add_builds("late", "2.0", ["cpu"])
    pytorch.add_builds("odd", "1.0", ["cpu", "cu128", "rocm6.4"])
    pytorch.add_builds("odd", "2.0", ["cpu", "cu128"])
    cases = [(wanted.split(), machine) for wanted, machine, _ in GROUPS]
    found = dry_all(
        ([name, "--pytorch-computation-backend", group], machine)
        for (group, name), machine in cases
    )
    builds = [each[name] for each, ((_, name), _) in zip(found, cases, strict=True)]
    assert builds == [build for _, _, build in GROUPS]


def test_no_build_for_a_gpu(pip: Pip, pytorch: PyTorchIndexServer) -> None:
    pytorch.add_builds("only", "1.0", ["cpu"])
    pytorch.add_builds("new", "1.0", ["cpu", "cu130"])
    for name, said in (
        ("only", "it has builds for cpu, and none for gpu\n"),
        (
            "new",
            "builds for cu130, cpu, and none for gpu that suits the target machine",
        ),
    ):
        command = ["install", "--dry-run", name, "--pytorch-computation-backend", "gpu"]
        result = pip(*command, *options(pytorch), env=GPU129, code=1)
        assert said in result.stderr


def test_a_mirror_without_what_is_wanted(pip: Pip, pytorch: PyTorchIndexServer) -> None:
    """It is a mirror all the same, and what it has is told."""
    pytorch.umbrella, pytorch.page_backends = False, {"cpu", "cu130"}
    command = ["install", "--dry-run", "torch", "--pytorch-computation-backend", "gpu"]
    xpu = {"INTEL_VARIANT_PROVIDER_FORCE_DEVICE_IP": "20.1.0"}
    result = pip(*command, *options(pytorch), env=xpu, code=1)
    assert "torch 2.9.1 has builds for cu130, cpu" in result.stderr
    assert "Cannot use" not in result.stderr


@pytest.mark.parametrize("umbrella", [True, False])
def test_groups_go_together(
    dry_all: DryAll, pytorch: PyTorchIndexServer, umbrella: bool
) -> None:
    """Of torch and torchvision, builds for one backend; on a mirror without umbrellas too."""
    pytorch.umbrella = umbrella
    cases = [
        (
            ["torch==2.9.1", "torchvision", "--pytorch-computation-backend", group],
            machine,
        )
        for group in ("cuda", "gpu")
        for machine in (NO_GPU, GPU13, GPU129)
    ]
    expected = {"torch": "2.9.1+cu128", "torchvision": "0.24.1+cu128"}
    for found in dry_all(cases):
        assert {name: found[name] for name in expected} == expected


@pytest.fixture(scope="module")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> NvmlStub:
    return build_nvml_stub(tmp_path_factory.mktemp("nvml"))


@pytest.mark.on_wheel
@pytest.mark.process
def test_a_driver_that_is_asked_itself(dry: Dry, nvml: NvmlStub) -> None:
    for driver, newest, build in (
        ("580.65.06", 13000, "cu130"),
        ("535.104.05", 12020, "cu128"),
        # NVIDIA promises nothing to those before 525.60.13.
        ("525.53.00", 12000, "cpu"),
        ("470.57.02", 11040, "cpu"),
    ):
        variables = nvml.environ(cuda=newest, driver=driver, capabilities=["8.6"])
        assert dry("torch", env=variables)["torch"] == f"2.9.1+{build}"


@pytest.mark.on_wheel
@pytest.mark.process
def test_code_for_all_gpus_comes_first(dry: Dry, nvml: NvmlStub) -> None:
    for capabilities, build in (
        (["10.0"], "cu130"),
        (["10.0", "7.5"], "cu130"),
        (["10.0", "7.0"], "cu128"),
        (["7.0", "10.0"], "cu128"),
    ):
        variables = nvml.environ(
            cuda=13000, driver="580.65.06", capabilities=capabilities
        )
        assert dry("torch", env=variables)["torch"] == f"2.9.1+{build}"


def test_a_gpu_without_code_is_named(pip: Pip, pytorch: PyTorchIndexServer) -> None:
    gpus = {"AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": "gfx1100,gfx1151"}
    result = pip("install", "--dry-run", "torch", *options(pytorch), env=gpus)
    assert versions(result)["torch"] == "2.9.1+rocm6.4"
    assert (
        "WARNING: The variant rocm6.4 of torch 2.9.1 has no code for the visible GPU with "
        "gfx1151, and no variant has code for all GPUs."
    ) in result.stderr


def test_a_host_file_describes_the_target(dry: Dry, tmp_path: Path) -> None:
    host = write_host(tmp_path / "h.json", make_host(cuda="12.8", capability="9.0"))
    assert dry("torch", "--variant-host", str(host), env={})["torch"] == "2.9.1+cu128"


def test_the_choice_is_explained(pip: Pip, pytorch: PyTorchIndexServer) -> None:
    command = ["install", "--dry-run", "torch", *options(pytorch)]
    result = pip(*command, env=R535)
    assert (
        "Using the variant cu128 of torch 2.9.1 (nvidia :: cuda_version_lower_bound :: "
        "12.0, nvidia :: sm_arch :: 86_real, nvidia :: sm_arch :: 80_real, "
        "pytorch :: backend :: cu128)" in result.lines
    )
    assert "Variant-property: pytorch :: backend :: cu128" in result.lines
    result = pip(*command, "-v", env=R535)
    assert (
        "torch 2.9.1: cu130 needs nvidia :: cuda_version_lower_bound :: 13.0 (the "
        "target has 12.2, 12.1, 12.0 …)" in result.stdout
    )
    labelled = pip(*command, "--variant", "torch=cu126", env=R535)
    assert versions(labelled)["torch"] == "2.9.1+cu126"
    refused = pip(*command, "--variant", "torch=cu130", env=R535, code=1)
    assert "The variant cu130 of torch 2.9.1 cannot run" in refused.stderr
    preferred = pip(
        *command, "--prefer-variant", "pytorch :: backend :: cu126", env=R535
    )
    assert versions(preferred)["torch"] == "2.9.1+cu126"


def test_the_choice_is_looked_at(pip: Pip, pytorch: PyTorchIndexServer) -> None:
    """With ``pip variants``, which installs nothing."""
    pytorch.add_builds("torch", "2.9.1", ["cpu.cxx11.abi"])
    pytorch.add_builds("torch", "2.12.0", ["cpu"], tag="cp39-cp39-win_amd64")
    result = pip("variants", "list", "torch", *options(pytorch), env=R535)
    rows = [line.split()[:4] for line in result.lines]
    assert ["*", "1", "cu128", "yes"] in rows
    assert ["2", "cu126", "yes", "any"] in rows
    assert ["3", "cpu", "yes", "any"] in rows
    assert ["cu130", "no", "any", "nvidia"] in rows
    assert "Other versions with variants: 2.8.0, 2.7.1, 2.5.1" in result.lines
    result = pip("variants", "explain", "torch", *options(pytorch), env=R535)
    for line in (
        (
            "  2.12.0: no wheel is for this platform and Python (they are for cp39 on "
            "win_amd64)"
        ),
        "  2.9.1+cpu.cxx11.abi: a special build, taken only if pinned exactly",
        "  2.9.1: taken",
        f"  Manifest: from the local versions on {pytorch.pytorch_url} (v0.2.0)",
        "  cu128 comes before cu126: of pytorch :: backend, cu128 comes before cu126",
        "torch-2.9.1+cu128-py3-none-any.whl would be installed.",
    ):
        assert line in result.lines
    pinned = pip("variants", "explain", "--json", "sympy==1.11.1", *options(pytorch))
    assert json.loads(pinned.stdout)["chosen"]["url"].startswith(pytorch.url + "/files")


def test_version_first_and_a_word_about_the_newest_for_the_gpu(
    pip: Pip, pytorch: PyTorchIndexServer
) -> None:
    """So that nobody gets an old version unasked, nor a CPU build in silence."""
    command = ["install", "--dry-run", "torch", *options(pytorch)]
    for extra, env in (
        ([], forced("11.8", "8.6")),
        (["--pytorch-computation-backend", "cu118,cpu"], NO_GPU),
    ):
        result = pip(*command, *extra, env=env)
        assert versions(result)["torch"] == "2.9.1+cpu"
        (warning,) = (
            line for line in result.stderr.splitlines() if "The newest version" in line
        )
        said, _, to_type = warning.partition(" To take that: ")
        assert said.endswith("is 2.7.1 (cu118).")
        typed = [*extra, *options(pytorch)]
        assert to_type.startswith("pip install torch==2.7.1 ")
        assert sorted(to_type.split()[3:]) == sorted(
            "--index-url" if word == "-i" else word for word in typed
        )
    # Nobody misses a GPU who has none, or asks for none.
    for extra, env in (([], NO_GPU), (["--cpuonly"], R535)):
        assert "The newest" not in pip(*command, *extra, env=env).stderr


def test_a_cpu_build_that_is_typed_is_no_error(
    pip: Pip, pytorch: PyTorchIndexServer
) -> None:
    command = ["install", "--cpuonly", "--strict-variants", "torch"]
    result = pip(*command, *options(pytorch), env=R535)
    assert "torch-2.9.1+cpu\n" in result.stdout
    assert result.stderr == ""


def test_versions_are_compared_as_versions(dry_all: DryAll) -> None:
    """0.9.1 is older than 0.24.1, and 2.5.1 for a newer CUDA older than 2.9.1."""
    backends = ["--pytorch-computation-backend", "cu121,cu118,cpu"]
    alone, torch = dry_all(
        [(["torchvision", "--no-deps", *backends], {}), (["torch", *backends], {})]
    )
    assert alone == {"torchvision": "0.24.1+cu118"}
    assert torch["torch"] == "2.9.1+cpu"


def test_an_exact_pin_wins(dry_all: DryAll, pytorch: PyTorchIndexServer) -> None:
    pytorch.add_builds("torch", "2.4.0", ["cpu.cxx11.abi", "cpu"])
    cases = (
        (["torch==2.7.1+cu118", "--cpuonly"], "2.7.1+cu118"),
        (["torch==2.7.1+cu118", *STABLE], "2.7.1+cu118"),
        (["torch===2.7.1+rocm6.3", "--cpuonly"], "2.7.1+rocm6.3"),
        (["torch===2.7.1+rocm6.3", *STABLE], "2.7.1+rocm6.3"),
        (["torch==2.4.0+cpu.cxx11.abi", *STABLE], "2.4.0+cpu.cxx11.abi"),
        # Unasked, such a build is not taken.
        (["torch==2.4.0", *STABLE], "2.4.0+cpu"),
    )
    found = dry_all((arguments, NO_GPU) for arguments, _ in cases)
    assert [each["torch"] for each in found] == [torch for _, torch in cases]


def test_wheels_without_local_version(
    dry_all: DryAll, pytorch: PyTorchIndexServer
) -> None:
    """Their folder tells; the newest builds for macOS have no other mark."""
    pytorch.place(make_wheel("torch", "2.11.0"), backend="cpu")
    pytorch.place(make_wheel("torch", "2.12.0"), backend="cu130")
    found = dry_all(
        [(["torch"], GPU13), (["torch", "--cpuonly"], {}), (["torch"], R535)]
    )
    assert [each["torch"] for each in found] == [
        *("2.12.0 (cu130)", "2.11.0 (cpu)", "2.11.0 (cpu)")
    ]


# Builds that go together


def test_one_backend_for_all(dry_all: DryAll, pytorch: PyTorchIndexServer) -> None:
    """Versions do not tell: a build for a GPU breaks on another torch than its own."""
    for name, version, backends in (
        ("torchaudio", "2.9.1", ["cpu", "cu126", "rocm6.4"]),
        ("old-kernels", "1.0", ["cpu", "cu118"]),
        ("torchdata", "0.11", ["cpu"]),
    ):
        pytorch.add_builds(name, version, backends, requires=["torch"])
    torch = f"{pytorch.pytorch_url}/cu126/torch-2.9.1%2Bcu126-py3-none-any.whl"
    cases: Sequence[tuple[list[str], dict[str, str]]] = (
        (["torch"], {"torch": "cu130"}),
        (["torchaudio"], {"torch": "cu126", "torchaudio": "cu126"}),
        # Who has nothing but a build for the CPU does not decide for others.
        (["torchdata"], {"torch": "cu130", "torchdata": "cpu"}),
        # A GPU is not given up for what has no build that goes with it.
        (["old-kernels"], {"torch": "cu130", "old-kernels": "cpu"}),
        (
            ["torch==2.8.0+cu126", "torchaudio", "torchdata"],
            {"torch": "cu126", "torchaudio": "cu126", "torchdata": "cpu"},
        ),
        (["--variant", "torch=cu126", "torchaudio"], {"torchaudio": "cu126"}),
        ([f"torch @ {torch}", "torchaudio"], {"torchaudio": "cu126"}),
        # What is chosen by hand decides.
        (["torch", "torchaudio==2.9.1+cpu"], {"torch": "cpu", "torchaudio": "cpu"}),
        (
            ["--pytorch-computation-backend=cu118,cpu", "old-kernels"],
            {"torch": "cpu", "old-kernels": "cpu"},
        ),
    )
    results = dry_all((requirements, GPU13) for requirements, _ in cases)
    found = [
        {name: versions[name].partition("+")[2] for name in builds}
        for versions, (_, builds) in zip(results, cases, strict=True)
    ]
    assert found == [builds for _, builds in cases]


def test_variants_proper_beside_it(
    dry_all: DryAll, pytorch: PyTorchIndexServer
) -> None:
    """An extension with variants on the user's index, and PyTorch's torch."""
    cu128 = nest(cuda("12.8", ["75", "80", "86", "90"]))
    manifest = make_manifest(
        {
            "torch291_cu128": {"abi": {"torch": ["2.9.1"]}, **cu128},
            "torch280_cu128": {"abi": {"torch": ["2.8.0"]}, **cu128},
            "torch291_cpu": {"abi": {"torch": ["2.9.1"]}},
        },
        namespaces=["abi", "nvidia"],
        providers={"abi": Provider(builtin="abi_dependency")},
    )
    pytorch.add_release(
        "torch-nntile", "0.1.0", {}, manifest=manifest, plain=False, requires=["torch"]
    )
    cases: Sequence[tuple[list[str], Variables, tuple[str, str]]] = (
        (STABLE, GPU129, ("2.9.1+cu128", "torch291_cu128")),
        # One CUDA major for all; what depends on torch follows.
        ([*STABLE, "torchvision"], GPU13, ("2.9.1+cu128", "torch291_cu128")),
        ([*STABLE, "torch<2.9"], GPU129, ("2.8.0+cu129", "torch280_cu128")),
        (STABLE, NO_GPU, ("2.9.1+cpu", "torch291_cpu")),
        # Who wants no GPU wants none anywhere.
        (["--cpuonly"], GPU13, ("2.9.1+cpu", "torch291_cpu")),
    )
    found = dry_all((["torch-nntile", *each], env) for each, env, _ in cases)
    assert [(each["torch"], each["torch-nntile"]) for each in found] == [
        (torch, f"0.1.0 ({label})") for _, _, (torch, label) in cases
    ]


def test_what_is_installed_goes_with_the_rest(
    venv: Environment, pytorch: PyTorchIndexServer
) -> None:
    for name in ("torchaudio", "torchtext"):
        pytorch.add_builds(
            name, "2.9.1", ["cpu", "cu126", "cu130"], requires=["torch==2.9.1"]
        )
    user = options(pytorch)
    # Another pip put it there.
    venv.pip("install", "torch", "-i", f"{pytorch.pytorch_url}/cu126")
    result = venv.pip("install", "torchaudio", *user, env=GPU13)
    assert venv.installed()["torchaudio"] == "2.9.1+cu126"
    assert (
        "Taking cu126 of torchaudio 2.9.1 instead of cu130, so that the builds go "
        "together" in result.lines
    )
    # What --cpuonly excludes is replaced, named or not; there is a word of what stays.
    result = venv.pip("install", "torchtext", "--cpuonly", *user, env=GPU13)
    assert venv.installed()["torchtext"] == "2.9.1+cpu"
    assert venv.installed()["torch"] == "2.9.1+cpu"
    (warning,) = (line for line in result.stderr.splitlines() if "together" in line)
    assert warning.startswith(
        "WARNING: Builds for different backends come together: torchtext 2.9.1 (cpu), "
    )
    checked = venv.pip("check", env=GPU13)
    assert (
        "WARNING: torchaudio 2.9.1+cu126 needs torch for cu126, and torch 2.9.1+cpu is "
        "installed." in checked.stderr
    )
    # The command that it names does what it says.
    command = warning.partition(" install ")[2].split()
    assert (command[0], "--cpuonly" in command) == ("--upgrade-variants", True)
    venv.pip("install", *command, env=GPU13)
    assert "needs torch" not in venv.pip("check", env=GPU13).stderr
    installed = venv.installed()
    assert [installed[name] for name in ("torch", "torchaudio", "torchtext")] == [
        "2.9.1+cpu",
        "2.9.1+cpu",
        "2.9.1+cpu",
    ]


# Options


BY_HAND: Sequence[tuple[Sequence[str], Variables, str]] = (
    (["--pytorch-computation-backend=cu126"], {}, "cu126"),
    (["--pytorch-computation-backend", " CUDA12.6 , cpu"], {}, "cu126"),
    (["--pytorch-computation-backend=rocm6.3,rocm6.4"], {}, "rocm6.3"),
    (["--pytorch-computation-backend=xpu"], {}, "xpu"),
    (["--pytorch-computation-backend=auto"], {}, "cu128"),
    (["--cpuonly"], {}, "cpu"),
    # On the command line, the backend; then the shorthand; then all the rest.
    (["--cpuonly", "--pytorch-computation-backend=cu126"], {}, "cu126"),
    (["--cpuonly"], {"PIP_PYTORCH_COMPUTATION_BACKEND": "cu126"}, "cpu"),
    ([], {"PIP_PYTORCH_COMPUTATION_BACKEND": "cu126"}, "cu126"),
    ([], {"PIP_CPUONLY": "1"}, "cpu"),
    ([], {"LTT_PYTORCH_COMPUTATION_BACKEND": "cu126,cpu"}, "cu126"),
    ([], {"LTT_PYTORCH_COMPUTATION_BACKEND": ""}, "cu128"),
    (["--cpuonly"], {"LTT_PYTORCH_COMPUTATION_BACKEND": "cu126"}, "cpu"),
    (
        ["--pytorch-computation-backend=auto"],
        {"LTT_PYTORCH_COMPUTATION_BACKEND": "cu126"},
        "cu128",
    ),
)


def test_backends_named_by_hand(dry_all: DryAll) -> None:
    """The hardware is not asked then."""
    found = dry_all(
        (["torch", *arguments], {**R535, **variables})
        for arguments, variables, _ in BY_HAND
    )
    builds = [each["torch"].partition("+")[2] for each in found]
    assert builds == [build for _, _, build in BY_HAND]


def test_a_backend_that_is_gone(pip: Pip, pytorch: PyTorchIndexServer) -> None:
    command = ["install", "--dry-run", *options(pytorch)]
    backend = ["--pytorch-computation-backend", "cu118"]
    result = pip(*command, *backend, "torch", env=NO_GPU)
    assert versions(result)["torch"] == "2.7.1+cu118"
    assert "torch 2.7.1+cu118 was chosen instead of 2.9.1" in result.stderr
    result = pip(*command, "--pytorch-computation-backend", "cu90", "torch", code=1)
    assert "No variant of torch runs on the target machine" in result.stderr
    assert "torch 2.9.1 has builds for xpu, rocm6.4, rocm6.3, cu130" in result.stderr


INVALID: Sequence[tuple[Sequence[str], Variables, int]] = (
    (["--pytorch-computation-backend=cu12"], {}, 2),
    (["--pytorch-computation-backend="], {}, 2),
    (["--pytorch-computation-backend=cpu,,cu128"], {}, 2),
    (["--pytorch-computation-backend=auto,cpu"], {}, 2),
    ([], {"PIP_PYTORCH_COMPUTATION_BACKEND": "tpu"}, 3),
    ([], {"LTT_PYTORCH_COMPUTATION_BACKEND": "rocm6"}, 1),
    (["--pytorch-channel=latest"], {}, 2),
    ([], {"PIP_PYTORCH_CHANNEL": "latest"}, 3),
    (["--pytorch-index-url=whl"], {}, 2),
)


# Said before there is any logging that a process could have redirected.
CONFIGURATION_ERROR = 3


def test_invalid_values(venv: Environment, tmp_path: Path) -> None:
    commands = [["download", "torch", *arguments] for arguments, _, _ in INVALID]
    each_env = [variables for _, variables, _ in INVALID]
    results = run_batch(venv, tmp_path, commands, each_env=each_env)
    for (arguments, variables, code), result in zip(INVALID, results, strict=True):
        if code == CONFIGURATION_ERROR:
            result = venv.pip("download", "torch", env=variables, code=code)
        assert result.returncode == code, str(result)
        name = [*arguments, *variables][0].partition("=")[0].removeprefix("PIP_")
        said = result.output.lower().replace("_", "-")
        assert name.lower().replace("_", "-") in said
        if "BACKEND" in name.upper():
            expected = "expected cpu, xpu, cuNNN such as cu128"
        elif "CHANNEL" in name.upper():
            expected = "expected one of stable, test, nightly"
        else:
            expected = "expected something like 'https://download.pytorch.org/whl'"
        assert expected in result.output


def test_configuration(venv: Environment, pytorch: PyTorchIndexServer) -> None:
    """Set once, the bridge is there for every command of the environment."""
    own = {**NO_GPU, "PIP_CONFIG_FILE": None}
    for key, value in (
        ("index-url", pytorch.index_url),
        ("pytorch-index-url", pytorch.pytorch_url),
        ("pytorch-computation-backend", "cu126, cpu"),
        ("pytorch-channel", "test"),
    ):
        venv.pip("config", "--site", "set", f"global.{key}", value, env=own)
    result = venv.pip("install", "--dry-run", "torch", env=own)
    assert versions(result)["torch"] == "2.9.2+cpu"
    stable = ["--pytorch-channel", "Stable"]
    result = venv.pip("install", "--dry-run", "torch", *stable, env=own)
    assert versions(result)["torch"] == "2.9.1+cu126"
    result = venv.pip("install", "--dry-run", "torch", *stable, "--cpuonly", env=own)
    assert versions(result)["torch"] == "2.9.1+cpu"
    # Of what is configured the backends count first, wherever they are.
    venv.pip("config", "--site", "set", "install.cpuonly", "true", env=own)
    result = venv.pip("install", "--dry-run", "torch", *stable, env=own)
    assert versions(result)["torch"] == "2.9.1+cu126"


def test_channels(dry_all: DryAll) -> None:
    cases = (
        (["--pytorch-channel=nightly"], "2.10.0.dev20251101+cu128"),
        (["--pytorch-channel=test"], "2.9.2+cu128"),
        (["--pre"], "2.9.2+cu128"),
        (["--pre", "--pytorch-channel=stable"], "2.9.1+cu128"),
        (["--pre", "--pytorch-channel=nightly"], "2.10.0.dev20251101+cu128"),
    )
    found = dry_all(
        (["torch", "torchvision", *arguments], R535) for arguments, _ in cases
    )
    assert [each["torch"] for each in found] == [torch for _, torch in cases]


def test_nightly_means_pre_releases_of_what_is_there(
    dry: Dry, pytorch: PyTorchIndexServer
) -> None:
    pytorch.add_builds("torch", "2.9.0", ["cpu"], channel="nightly")
    pytorch.add(make_wheel("pillow", "13.0rc1"))
    found = dry("pystiche", "--cpuonly", "--pytorch-channel=nightly")
    assert found["torch"] == "2.10.0.dev20251101+cpu"
    assert found["pillow"] == "12.0"
    finals = dry(
        "torch", "--cpuonly", "--pytorch-channel=nightly", "--only-final=torch"
    )
    assert finals["torch"] == "2.9.0+cpu"


# From where


def test_a_package_that_depends_on_torch(dry: Dry, pytorch: PyTorchIndexServer) -> None:
    found = dry("--pytorch-computation-backend=cpu", "pystiche")
    assert found == {
        "pystiche": "1.0.1",
        "torch": "2.9.1+cpu",
        "pillow": "12.0",
        "sympy": "1.13.3",
    }
    # Each page once, and nothing of what PyTorch has from the user's index.
    pages = [path for _, path in pytorch.log() if path.endswith("/")]
    assert pages == [
        *("/whl/pystiche/", "/whl/torch/", "/simple/pystiche/"),
        *("/whl/pillow/", "/simple/pillow/", "/whl/sympy/"),
    ]


def test_what_pytorch_has_comes_from_there(
    pip: Pip, pytorch: PyTorchIndexServer
) -> None:
    """Also if it is newer elsewhere: anybody may have put it there."""
    command = ["install", "--dry-run", "--cpuonly", *options(pytorch)]
    assert versions(pip(*command, "torch", "sympy"))["sympy"] == "1.13.3"
    for extra in (["--extra-index-url", pytorch.index_url], []):
        result = pip(*command, *extra, "torch", "sympy>=1.14", code=1)
        assert (
            "sympy is looked up on PyTorch's index alone "
            f"({pytorch.pytorch_url}), since that has it; from your own index you get "
            "it with sympy==VERSION" in result.stderr
        )
    assert "/simple/sympy/" not in [path for _, path in pytorch.log()]


def test_what_is_pinned_and_not_pytorchs_own_comes_from_the_users_index(
    pip: Pip, dry_all: DryAll, pytorch: PyTorchIndexServer, tmp_path: Path
) -> None:
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("sympy==1.14.0\n")
    pytorch.add(make_wheel("pins", "1.0", requires=["sympy==1.13.3"]))
    pytorch.place(make_wheel("pytorch-triton-rocm", "3.5.1"))
    cases = (
        (["sympy==1.11.1"], "1.11.1"),
        # What the user's index does not have at all can come from PyTorch's alone.
        (["sympy==1.11.1", "pytorch-triton-rocm==3.5.1"], "1.11.1"),
        (["Sympy===1.14.0"], "1.14.0"),
        (["-c", str(constraints)], "1.14.0"),
        # Less than a pin is none, nor is one that another package makes.
        (["sympy==1.*"], "1.13.3"),
        (["pins"], "1.13.3"),
    )
    found = dry_all((["torch", "--cpuonly", *arguments], {}) for arguments, _ in cases)
    assert [each["sympy"] for each in found] == [version for _, version in cases]
    command = ["install", "--dry-run", "--cpuonly", *options(pytorch), "torch"]
    # One that is there, in another place than where it is looked up.
    result = pip(*command, "sympy==1.13.3", code=1)
    assert "Looking for sympy in your own index" in result.stdout
    assert "sympy is looked up on your own index, since you pinned it" in result.stderr


def test_what_pytorch_builds_itself_comes_from_there_even_if_pinned(
    pip: Pip, pytorch: PyTorchIndexServer
) -> None:
    command = ["install", "--dry-run", "--cpuonly", *options(pytorch)]
    assert versions(pip(*command, "torch==2.8.0"))["torch"] == "2.8.0+cpu"
    result = pip(*command, "torch==9.9", code=1)
    assert "torch is looked up on PyTorch's index alone" in result.stderr


def test_no_list_of_packages(dry: Dry, pytorch: PyTorchIndexServer) -> None:
    pytorch.add_builds("fresh-kernels", "0.1", ["cpu", "cu128"], requires=["torch"])
    assert dry("Fresh_Kernels", env=R535) == {
        "fresh-kernels": "0.1+cu128",
        "torch": "2.9.1+cu128",
        "sympy": "1.13.3",
    }


def test_local_versions_that_name_no_backend(
    dry: Dry, pytorch: PyTorchIndexServer
) -> None:
    """As those of triton, which nightly builds pin."""
    for local in ("git111", "git222"):
        pytorch.place(make_wheel("triton", f"3.5.0+{local}"))
    triton = "triton==3.5.0+git111"
    pytorch.add_builds("torch", "2.9.3", ["cpu", "cu128"], requires=[triton])
    assert dry("torch", *STABLE, env=R535)["triton"] == "3.5.0+git111"
    assert dry("torch", triton, *STABLE, env=R535)["triton"] == "3.5.0+git111"


def test_a_failing_index_is_no_missing_one(
    pip: Pip, pytorch: PyTorchIndexServer
) -> None:
    """A name must not come from elsewhere since the index is down for a moment."""
    pytorch.faults["/whl/torch/"] = Fault(status=500)
    command = ["install", "--dry-run", "--cpuonly", "--retries", "0"]
    result = pip(*command, "torch", *options(pytorch), code=1)
    assert f"Cannot use {pytorch.pytorch_url}/torch/ as PyTorch's index" in (
        result.stderr
    )
    assert "/simple/torch/" not in [path for _, path in pytorch.log()]
    elsewhere = f"{pytorch.url}/elsewhere"
    result = pip(
        *command,
        "pillow",
        "-i",
        pytorch.index_url,
        "--pytorch-index-url",
        elsewhere,
        code=1,
    )
    assert "There is no page of torch there" in result.stderr


def test_what_is_no_index(
    pip: Pip, pytorch: PyTorchIndexServer, tmp_path: Path
) -> None:
    text = Fault(body=b"Sorry!", headers={"Content-Type": "text/plain"})
    pytorch.faults["/whl/torch/"] = text
    command = ["install", "--dry-run", "torch", "--cpuonly", "-i", pytorch.index_url]
    for url, problem in {
        f"{pytorch.url}/whl": "It is no index page, but text/plain",
        "http://pytorch.invalid/whl": "neither secure nor named with --trusted-host",
        (tmp_path / "nowhere").as_uri(): "There is no page of torch there",
    }.items():
        result = pip(*command, "--pytorch-index-url", url, code=1)
        assert f"Cannot use {url}" in result.stderr
        assert problem in " ".join(result.stderr.split())


def test_mirrors_of_some_pages(dry: Dry, pytorch: PyTorchIndexServer) -> None:
    pytorch.umbrella = False
    for missing, pages, env, build in (
        (404, None, R535, "2.9.1+cu128"),
        (403, {"cu128"}, R535, "2.9.1+cu128"),
        (410, {"cu126", "cpu"}, R535, "2.9.1+cu126"),
        (403, {"cu126", "cpu"}, NO_GPU, "2.9.1+cpu"),
    ):
        pytorch.missing, pytorch.page_backends = missing, pages
        pytorch.clear_log()
        found = dry("pystiche", *STABLE, env=env)
        assert found["torch"] == build
        assert found["sympy"] == "1.13.3"
        requested = pytorch.page_requests()
        assert len(requested) == len(set(requested))
        umbrellas = [each for each in requested if each.count("/") == 1]
        assert umbrellas == ["pystiche/", "torch/"]
    pytorch.umbrella, pytorch.page_backends = True, set()
    assert dry("pystiche", *STABLE, env=R535)["torch"] == "2.9.1+cu128"


def test_an_umbrella_page_that_lacks_a_backend(
    dry: Dry, pytorch: PyTorchIndexServer
) -> None:
    """Of builds that it does not list, the page of the backend is asked for."""
    pytorch.add_builds("torchtext", "0.18", ["cpu", "cu126"])
    pytorch.unlisted.add("cu126")
    found = dry("torchtext", "--pytorch-computation-backend", "cu126")
    assert found["torchtext"] == "0.18+cu126"


def test_a_mirror_with_another_layout(
    pip: Pip, pytorch: PyTorchIndexServer, tmp_path: Path
) -> None:
    user_index = ["-i", pytorch.index_url]
    command = ["install", "--dry-run", "torch", "--cpuonly", *user_index]
    url = f"{pytorch.url}/whl/{{channel}}/"
    nightly = ["--pytorch-index-url", url, "--pytorch-channel", "nightly"]
    assert versions(pip(*command, *nightly))["torch"] == "2.10.0.dev20251101+cpu"
    # On a disk, and in JSON.
    mirror = PyTorchIndexServer()
    for backend in ("cpu", "cu128"):
        mirror.add(make_wheel("torch", f"2.9.1+{backend}"))
    mirror.add(make_wheel("sympy", "1.0"))
    url = mirror.write_file_index(tmp_path / "my mirror").as_uri()
    assert versions(pip(*command, "--pytorch-index-url", url)) == {"torch": "2.9.1+cpu"}
    with mirror:
        mirror.page_format = "json"
        found = versions(pip(*command, "--pytorch-index-url", mirror.index_url))
    assert found == {"torch": "2.9.1+cpu"}


def test_find_links_and_no_index(
    pip: Pip, pytorch: PyTorchIndexServer, tmp_path: Path
) -> None:
    folder = tmp_path / "wheels"
    folder.mkdir()
    for backend in ("cpu", "cu126", "cu128"):
        make_wheel("torch", f"2.9.5+{backend}").write_to(folder)
    make_wheel("sympy", "1.15").write_to(folder)
    links = ["install", "--dry-run", "--cpuonly", "--find-links", folder]
    offline = [*links, "--no-index", "--pytorch-index-url", pytorch.pytorch_url]
    assert versions(pip(*offline, "torch", "sympy")) == {
        "torch": "2.9.5+cpu",
        "sympy": "1.15",
    }
    assert pytorch.log() == []
    # Beside the index they are what they are with any pip: one more place to look.
    result = pip(*links, *options(pytorch), "torch", "sympy")
    assert versions(result) == {"torch": "2.9.5+cpu", "sympy": "1.15"}
    pages = [path for _, path in pytorch.log() if path.endswith("/")]
    assert pages == ["/whl/torch/", "/whl/sympy/"]


def test_without_the_options_nothing_is_different(
    pip: Pip, pytorch: PyTorchIndexServer
) -> None:
    command = ["install", "--dry-run", "torch"]
    result = pip(*command, "-i", pytorch.index_url, env=R535)
    assert versions(result) == {"torch": "9.9"}
    assert pytorch.page_requests() == []
    # PyTorch's own index as an index is what it is with any pip.
    pytorch.clear_log()
    result = pip(*command, "-i", f"{pytorch.pytorch_url}/cu126", env=R535)
    assert versions(result)["torch"] == "2.9.1+cu126"
    assert "Using the variant" not in result.stdout
    assert pytorch.page_requests() == ["cu126/torch/", "cu126/sympy/"]
    result = pip(*command, "--no-variants", "--cpuonly", *options(pytorch))
    assert versions(result) == {"torch": "9.9"}
    assert "have no effect" in result.stderr


# Commands


@pytest.mark.on_wheel
def test_install(venv: Environment, pytorch: PyTorchIndexServer) -> None:
    pytorch.add(make_wheel("needs-torch", "1.0", requires=["torch"]))
    command = ["install", "torch", *options(pytorch)]
    venv.pip(*command, env=R535)
    assert venv.installed() == {"torch": "2.9.1+cu128", "sympy": "1.13.3"}
    (record,) = venv.site_packages.glob("torch-*.dist-info/variant-selection.json")
    assert json.loads(record.read_text())["label"] == "cu128"
    # What is installed stays, whatever machine it is; also with -U.
    for extra in ([], ["-U"], ["--pytorch-channel=stable", "-U"]):
        result = venv.pip(*command, *extra, env=NO_GPU)
        assert "Would" not in result.stdout
        assert venv.installed()["torch"] == "2.9.1+cu128"
    # Unless it is asked for in another build.
    venv.pip("install", "needs-torch", "--cpuonly", *options(pytorch))
    assert venv.installed()["torch"] == "2.9.1+cpu"
    pytorch.clear_log()
    result = venv.pip(*command, "--cpuonly", env=R535)
    assert "already satisfied: torch" in result.stdout
    assert pytorch.log() == []
    venv.pip(*command, "--variant", "torch=cu126", env=R535)
    assert venv.installed()["torch"] == "2.9.1+cu126"
    result = venv.pip(*command, "--upgrade-variants", env=R535)
    assert venv.installed()["torch"] == "2.9.1+cu128"
    # Without the bridge nothing is said or done about it.
    result = venv.pip("install", "torch", "-i", pytorch.index_url, env=NO_GPU)
    assert "suits" not in result.output


def test_an_installed_build_is_asked_about(
    venv: Environment, pytorch: PyTorchIndexServer
) -> None:
    command = ["install", "torch", *options(pytorch)]
    venv.pip(*command, env=NO_GPU)
    pytorch.clear_log()
    result = venv.pip(*command, env=R535)
    assert "the variant cu128 suits this machine better" in result.stdout
    assert pytorch.log() == []
    # What it says to type does it, with the options that were typed.
    (hint,) = (line for line in result.lines if "To switch:" in line)
    switch = hint.partition(" install ")[2].split()
    assert switch[:2] == ["--upgrade-variants", "torch"]
    assert switch[switch.index("--pytorch-index-url") + 1] == pytorch.pytorch_url
    venv.pip("install", *switch, env=R535)
    assert venv.installed()["torch"] == "2.9.1+cu128"
    # There is nothing else to tell where it came from than what was recorded.
    warned = venv.pip(
        "check", env={"NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION": "11.8"}
    )
    assert (
        "install --upgrade-variants --pytorch-computation-backend auto torch"
        in warned.stderr
    )


def test_what_another_pip_installed(
    venv: Environment, pytorch: PyTorchIndexServer
) -> None:
    """Its version tells the build; a record is not needed."""
    venv.pip("install", "torch", "-i", f"{pytorch.pytorch_url}/cu126")
    assert venv.installed()["torch"] == "2.9.1+cu126"
    command = ["install", "torch", *options(pytorch)]
    venv.pip(*command, "--pytorch-computation-backend=cu128,cu126")
    assert venv.installed()["torch"] == "2.9.1+cu126"
    venv.pip(*command, "--upgrade-variants", env=R535)
    assert venv.installed()["torch"] == "2.9.1+cu128"
    venv.pip(*command, "--cpuonly")
    assert venv.installed()["torch"] == "2.9.1+cpu"


@pytest.mark.parametrize("command", ["download", "wheel"])
def test_download_and_wheel(
    venv: Environment, pytorch: PyTorchIndexServer, command: str
) -> None:
    for arguments, build in (
        (["--cpuonly"], "cpu"),
        (["--pytorch-computation-backend", "cu126"], "cu126"),
        (STABLE, "cu128"),
    ):
        venv.pip(
            *(command, "--no-deps", "torch", *arguments, *options(pytorch)), env=R535
        )
        assert (venv.work / f"torch-2.9.1+{build}-py3-none-any.whl").exists()


def test_download_for_another_machine(
    venv: Environment, pytorch: PyTorchIndexServer
) -> None:
    pytorch.add_builds(
        "torchaudio", "2.9.1", ["cpu", "cu128"], tag="py3-none-win_amd64"
    )
    command = ["download", "--no-deps", "torchaudio", *options(pytorch)]
    target = ["--platform", "win_amd64", "--only-binary", ":all:"]
    backend = ["--pytorch-computation-backend", "cu128"]
    venv.pip(*command, *target, *backend, env=forced("11.0"))
    assert (venv.work / "torchaudio-2.9.1+cu128-py3-none-win_amd64.whl").exists()


def test_lock(venv: Environment, pytorch: PyTorchIndexServer) -> None:
    """A lock file has one build of what differs in its version: that of the target."""
    for arguments, build in ((["--cpuonly"], "cpu"), (STABLE, "cu128")):
        venv.pip("lock", "torch", *arguments, *options(pytorch), env=R535)
        lock = (venv.work / "pylock.toml").read_text()
        assert f'version = "2.9.1+{build}"' in lock
        assert lock.count("torch-2.9.1+") == 1
        assert 'version = "1.13.3"' in lock
    venv.pip("install", "-r", "pylock.toml")
    assert venv.installed() == {"torch": "2.9.1+cu128", "sympy": "1.13.3"}


def test_listings(venv: Environment, pytorch: PyTorchIndexServer) -> None:
    index = ["index", "versions", "torch", *options(pytorch)]
    result = venv.pip(*index, env=R535)
    assert result.lines[:2] == [
        "torch (2.9.1+cu128)",
        "Available versions: 2.9.1+cu128, 2.8.0+cu129, 2.7.1+cu128, 2.5.1+cu124",
    ]
    backend = ["--pytorch-computation-backend", "rocm6.2", "--json"]
    assert json.loads(venv.pip(*index, *backend).stdout)["versions"] == [
        "2.5.1+rocm6.2"
    ]
    result = venv.pip(*index, "--pytorch-computation-backend", "cu90", code=1)
    assert "No variant of torch" in result.stderr
    outdated = ["list", "--outdated", *options(pytorch), "--format", "freeze"]
    columns = [*outdated[:-1], "json"]
    for installed, newest in (
        ("2.8.0+cpu", "2.9.1+cu128"),
        # Another build is no newer version.
        ("2.9.1+cpu", None),
        ("2.9.1+xpu", None),
    ):
        venv.pip("install", f"torch=={installed}", *options(pytorch), env=R535)
        listed = json.loads(venv.pip(*columns, env=R535).stdout)
        found = {each["name"]: each["latest_version"] for each in listed}
        assert found.get("torch") == newest


@pytest.mark.parametrize("in_process", [False, True])
def test_what_builds_need(
    venv: Environment, pytorch: PyTorchIndexServer, in_process: bool
) -> None:
    """An extension is built against the torch that it will run with."""
    sdist = make_sdist("extension", "1.0", requires=["torch"], build_requires=["torch"])
    pytorch.add(sdist)
    feature = ["--use-feature", "inprocess-build-deps"] if in_process else []
    for arguments, build in (
        (["--pytorch-computation-backend", "cu126"], "2.9.1+cu126"),
        (["--cpuonly", "--pre"], "2.9.2+cpu"),
        (STABLE, "2.9.1+cu128"),
    ):
        pytorch.clear_log()
        command = ["download", "--no-deps", "extension", *feature, *arguments]
        venv.pip(*command, *options(pytorch), env=R535)
        wheels = [path for _, path in pytorch.log() if path.endswith(".whl")]
        assert [build.replace("+", "%2B") in path for path in wheels] == [
            "torch" in path for path in wheels
        ]
        assert any("torch" in path for path in wheels)
        (venv.work / sdist.filename).unlink()


def test_hashes(venv: Environment, pytorch: PyTorchIndexServer) -> None:
    wheel = make_wheel("torch", "2.9.6+cu126")
    pytorch.place(wheel, backend="cu126")
    pytorch.add_builds("torch", "2.9.6", ["cpu", "cu128"])
    (venv.work / "requirements.txt").write_text(
        f"torch==2.9.6+cu126 --hash=sha256:{wheel.sha256}\n"
    )
    command = ["install", "-r", "requirements.txt", "--require-hashes"]
    venv.pip(*command, *options(pytorch), "--cpuonly")
    assert venv.installed() == {"torch": "2.9.6+cu126"}


# light-the-torch


NIGHTLY = {"torch": "2.10.0.dev20251101+cpu", "torchvision": "0.25.0.dev20251101+cpu"}
#: The commands of its README (0.8.1), on a machine without a GPU; where one turns the
#: bridge on by nothing, its variable does.
README: Mapping[str, dict[str, str]] = {
    "torch": {"torch": "2.9.1+cpu", "sympy": "1.13.3"},
    "--pytorch-computation-backend=cu121 torch": {
        "torch": "2.5.1+cu121",
        "sympy": "1.13.3",
    },
    "--cpuonly torch": {"torch": "2.9.1+cpu", "sympy": "1.13.3"},
    "--pytorch-channel=nightly torch torchvision": NIGHTLY,
    "--pre torch": {"torch": "2.9.2+cpu"},
    "--pytorch-computation-backend=cpu --pytorch-channel=nightly pystiche": {
        "torch": NIGHTLY["torch"],
        "pystiche": "1.0.1",
        "pillow": "12.0",
    },
    "--pytorch-channel=nightly torch sympy": {
        "torch": NIGHTLY["torch"],
        "sympy": "1.13.3",
    },
    "--pytorch-channel=nightly torch sympy==1.11.1": {
        "torch": NIGHTLY["torch"],
        "sympy": "1.11.1",
    },
}


def test_the_commands_of_light_the_torch_s_readme(
    dry_all: DryAll, pytorch: PyTorchIndexServer
) -> None:
    pytorch.place(make_wheel("sympy", "1.13.3"), channel="nightly")
    auto = {**NO_GPU, "PIP_PYTORCH_COMPUTATION_BACKEND": "auto"}
    found = dry_all((command.split(), auto) for command in README)
    assert dict(zip(README, found, strict=True)) == README


#: Blocks of pages that use the bridge: on what machine, and what comes of it.
GUIDES: Mapping[tuple[str, str], tuple[Variables, str]] = {
    ("pytorch.md", "auto"): (GPU129, "2.9.1+cu128"),
    ("pytorch.md", "cpu"): (GPU129, "2.9.1+cpu"),
    ("pytorch.md", "nightly"): (GPU129, "2.10.0.dev20251101+cu128"),
    ("pytorch.md", "mirror"): (GPU129, "2.9.1+cu128"),
    ("moving.md", "as uv"): (GPU129, "2.9.1+cu128"),
    ("moving.md", "for good"): (GPU129, "2.9.1+cu128"),
    ("amd.md", "bridge"): (AMD, "2.9.1+rocm6.4"),
    ("amd.md", "elsewhere, bridge"): (GPU129, "2.9.1+rocm6.4"),
}


@pytest.mark.parametrize(("page", "name"), GUIDES)
def test_pages_about_the_bridge(
    venv: Environment, pytorch: PyTorchIndexServer, page: str, name: str
) -> None:
    machine, build = GUIDES[page, name]
    env: dict[str, str | None] = {
        **machine,
        "PIP_INDEX_URL": pytorch.index_url,
        "PIP_PYTORCH_INDEX_URL": pytorch.pytorch_url,
        "PIP_CONFIG_FILE": None,
        # What the machine has configured for all does not bear on it.
        "XDG_CONFIG_DIRS": str(venv.home),
    }
    mirror = "https://mirror.example/whl"
    for line in block(page, name).splitlines():
        pip, *words = shlex.split(line.replace(mirror, pytorch.pytorch_url))
        assert pip == "pip"
        result = venv.pip(*words, env=env)
    assert f"torch-{build}" in result.stdout


@pytest.mark.scoped
def test_a_backend_that_is_typed_where_another_index_is_configured(
    pip: Pip, pytorch: PyTorchIndexServer
) -> None:
    pytorch.add_release("torch", "2.12.0", {"cu128": cuda("12.8")})
    variants = {"PIP_VARIANT_INDEX": f"torch={pytorch.index_url}"}
    typed = ["install", "--dry-run", "torch", *options(pytorch), "--no-deps"]
    said = "configures for it, so {} has no effect on it"
    for option in (["--pytorch-computation-backend", "cu126"], ["--cpuonly"]):
        result = pip(*typed, *option, env={**GPU129, **variants})
        assert "torch-2.12.0" in result.stdout or "torch-9.9" in result.stdout
        assert said.format(option[0]) in result.stderr
        assert "pip variants setup --remove pytorch" in result.stderr
    # Where both are configured, that is no contradiction: each has its projects.
    configured = {**variants, "PIP_PYTORCH_COMPUTATION_BACKEND": "cu126"}
    result = pip(*typed, env={**GPU129, **configured})
    assert "has no effect" not in result.stderr
