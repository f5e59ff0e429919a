"""PyTorch's index with its local versions: which builds are taken, and what from where.

The commands are those of light-the-torch's users, with ``pip`` instead of ``ltt``.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest

from tests.lib.batch import run_batch
from tests.lib.environments import Environment, Result
from tests.lib.guides import block
from tests.lib.hosts import forced
from tests.lib.index import Fault
from tests.lib.manifests import PluginSpec, cuda, make_manifest, nest
from tests.lib.nvml import NvmlStub, build_nvml_stub
from tests.lib.pytorch_index import PyTorchIndexServer
from tests.lib.wheels import make_sdist, make_wheel

pytestmark = pytest.mark.pytorch

Pip = Callable[..., Result]
Variables = Mapping[str, str | None]

NO_GPU = {"PIP_VARIANT_HOST": "cpu"}
AMD = {"AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": "gfx1100"}
R535 = forced("12.2", "8.6")
GPU129 = forced("12.9", "8.6")
GPU13 = forced("13.0", "8.6")
STABLE = ["--pytorch-channel", "stable"]
BACKEND = "--pytorch-computation-backend"


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
def dry(pip: Pip, pytorch: PyTorchIndexServer) -> Pip:
    """Return a function that tells what would be installed."""
    return partial(pip, "install", "--dry-run", *options(pytorch), env=NO_GPU)


#: What is typed, variables to set, and what would be installed, among others.
Case = tuple[str, Variables, str]
Check = Callable[[Iterable[Case]], list[str]]


@pytest.fixture
def check(venv: Environment, pytorch: PyTorchIndexServer, tmp_path: Path) -> Check:
    """Return a function that checks many cases in one process, and gives the lines."""

    def run(cases: Iterable[Case]) -> list[str]:
        typed, each_env, expected = zip(*cases, strict=True)
        command = ["install", "--dry-run", *options(pytorch)]
        commands = [[*command, *shlex.split(each)] for each in typed]
        results = run_batch(venv, tmp_path, commands, each_env=each_env)
        lines = list(map(would_install, results))
        for line, each, words in zip(lines, typed, expected, strict=True):
            assert set(words.split()) <= set(line.split()), each
        return lines

    return run


def would_install(result: Result) -> str:
    """Return what would be installed, as pip says it."""
    (line,) = (line for line in result.lines if line.startswith("Would install"))
    return line.removeprefix("Would install ")


def versions(result: Result) -> dict[str, str]:
    """Return the versions of what would be installed."""
    return dict(re.findall(r"(\S+)-([0-9]\S*)", would_install(result)))


# Which build


MACHINES: Sequence[Case] = (
    ("torch", NO_GPU, "torch-2.9.1+cpu"),
    ("torch", GPU13, "torch-2.9.1+cu130"),
    ("torch", R535, "torch-2.9.1+cu128"),
    # The oldest driver of a major runs all of its builds, and no newer ones.
    ("torch", forced("12.0"), "torch-2.9.1+cu128"),
    ("torch", forced("11.8"), "torch-2.9.1+cpu"),
    # What a GPU is too old, or too new, for.
    ("torch", forced("12.9", "6.1"), "torch-2.9.1+cu126"),
    ("torch", forced("13.0", "7.0"), "torch-2.9.1+cu128"),
    ("torch", forced("12.6", "12.0"), "torch-2.9.1+cu128"),
    ("torch", AMD, "torch-2.9.1+rocm6.4"),
    (
        *("torch", {"INTEL_VARIANT_PROVIDER_FORCE_DEVICE_IP": "20.1.0"}),
        "torch-2.9.1+xpu",
    ),
    ("torch", {"PIP_VARIANT_HOST": "cuda-12.8-h100"}, "torch-2.9.1+cu128"),
    # What came after all tables: what the driver says counts.
    ("future", forced("14.2", "14.0"), "future-1.0+cu142"),
    ("future", GPU13, "future-1.0+cu135"),
    # Of builds that run, the newest.
    ("torch==2.5.1", R535, "torch-2.5.1+cu124"),
)


def test_what_suits_is_taken(check: Check, pytorch: PyTorchIndexServer) -> None:
    pytorch.add_builds("future", "1.0", ["cpu", "cu135", "cu142"])
    check(MACHINES)


GROUPS: Sequence[Case] = (
    # What suits the GPU that there is.
    ("cuda torch", GPU13, "torch-2.9.1+cu130"),
    ("cuda torch", GPU129, "torch-2.9.1+cu128"),
    ("GPU torch", R535, "torch-2.9.1+cu128"),
    ("gpu torch", AMD, "torch-2.9.1+rocm6.4"),
    # Without one, the newest build, as for an image.
    ("cuda torch", NO_GPU, "torch-2.9.1+cu130"),
    ("rocm torch", NO_GPU, "torch-2.9.1+rocm6.4"),
    # Never the CPU: an older version that has one.
    ("cuda late", NO_GPU, "late-1.0+cu128"),
    ("gpu torch", forced("11.8", "8.6"), "torch-2.7.1+cu118"),
    ("gpu,cpu late", GPU13, "late-2.0+cpu"),
    # Order counts, and what is named is named.
    ("cu126,cuda torch", GPU13, "torch-2.9.1+cu126"),
    ("cuda,rocm torch", AMD, "torch-2.9.1+rocm6.4"),
    # A GPU of another vendor than the newest builds are for.
    ("gpu odd", AMD, "odd-1.0+rocm6.4"),
)


def test_any_build_for_a_gpu(check: Check, pytorch: PyTorchIndexServer) -> None:
    pytorch.add_builds("late", "1.0", ["cpu", "cu128"])
    pytorch.add_builds("late", "2.0", ["cpu"])
    pytorch.add_builds("odd", "1.0", ["cpu", "cu128", "rocm6.4"])
    pytorch.add_builds("odd", "2.0", ["cpu", "cu128"])
    check((f"{BACKEND} {typed}", env, expected) for typed, env, expected in GROUPS)


def test_no_build_for_a_gpu(dry: Pip, pytorch: PyTorchIndexServer) -> None:
    pytorch.add_builds("new", "1.0", ["cpu", "cu130"])
    result = dry("new", BACKEND, "gpu", env=GPU129, code=1)
    assert "no supported wheel for gpu; available: cu130, cpu\n" in result.stderr


@pytest.fixture(scope="module")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> NvmlStub:
    return build_nvml_stub(tmp_path_factory.mktemp("nvml"))


@pytest.mark.on_wheel
@pytest.mark.process
def test_code_for_all_gpus_comes_first(dry: Pip, nvml: NvmlStub) -> None:
    for capabilities, build in (
        (["10.0"], "cu130"),
        (["10.0", "7.5"], "cu130"),
        (["10.0", "7.0"], "cu128"),
        (["7.0", "10.0"], "cu128"),
    ):
        variables = nvml.environ(
            cuda=13000, driver="580.65.06", capabilities=capabilities
        )
        found = versions(dry("torch", env=variables))
        assert found["torch"] == f"2.9.1+{build}"


def test_a_gpu_without_code_is_named(dry: Pip) -> None:
    gpus = {"AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": "gfx1100,gfx1151"}
    result = dry("torch", env=gpus)
    assert versions(result)["torch"] == "2.9.1+rocm6.4"
    assert (
        "WARNING: The variant 'rocm6.4' of torch 2.9.1 has no code for some visible GPUs: "
        "gfx1151. No variant has code for all GPUs."
    ) in result.stderr


def test_the_choice_is_explained(dry: Pip) -> None:
    result = dry("torch", "-v", env=R535)
    assert (
        "Using torch 2.9.1, variant cu128 (CUDA 12.0, sm_86, sm_80, "
        "pytorch :: backend :: cu128)" in dry("torch", env=R535).lines
    )
    assert "torch 2.9.1: cu130 needs CUDA 13.0 (available: CUDA 12.2)" in result.stdout
    for option, value in (
        ("--variant", "torch=cu126"),
        ("--prefer-variant", "pytorch :: backend :: cu126"),
    ):
        chosen = versions(dry("torch", option, value, env=R535))
        assert chosen["torch"] == "2.9.1+cu126"
    refused = dry("torch", "--variant", "torch=cu130", env=R535, code=1)
    assert "The variant 'cu130' of torch 2.9.1 is not supported" in refused.stderr


def test_the_choice_is_looked_at(pip: Pip, pytorch: PyTorchIndexServer) -> None:
    """With ``pip variants``, which installs nothing."""
    pytorch.add_builds("torch", "2.12.0", ["cpu"], tag="cp39-cp39-win_amd64")
    result = pip("variants", "list", "torch", *options(pytorch), env=R535)
    rows = [line.split()[:4] for line in result.lines]
    assert ["*", "1", "cu128", "yes"] in rows
    assert ["cu130", "no", "any", "CUDA"] in rows
    assert "Other versions with variants: 2.8.0, 2.7.1, 2.5.1" in result.lines
    result = pip("variants", "explain", "torch", *options(pytorch), env=R535)
    manifest = f"from the local versions on {pytorch.pytorch_url} (v0.2.0)"
    assert f"  Manifest: {manifest}" in result.lines
    assert "torch-2.9.1+cu128-py3-none-any.whl would be installed." in result.lines


def test_version_first_and_a_word_about_the_newest_for_the_gpu(dry: Pip) -> None:
    """So that nobody gets an old version unasked, nor a CPU build in silence."""
    for extra, env in (
        ([], forced("11.8", "8.6")),
        ([BACKEND, "cu118,cpu"], NO_GPU),
    ):
        result = dry("torch", *extra, env=env)
        assert versions(result)["torch"] == "2.9.1+cpu"
        (warning,) = (
            line for line in result.stderr.splitlines() if "The newest version" in line
        )
        assert "(cu118). To install that version: pip install torch==2.7.1 " in warning
        assert all(word in warning for word in extra)
    # Nobody misses a GPU who has none, or asks for none.
    for extra, env in (([], NO_GPU), (["--cpuonly", "--strict-variants"], R535)):
        result = dry("torch", *extra, env=env)
        assert would_install(result) == "sympy-1.13.3 torch-2.9.1+cpu"
        assert result.stderr == ""


def test_an_exact_pin_wins(check: Check, pytorch: PyTorchIndexServer) -> None:
    pytorch.add_builds("torch", "2.4.0", ["cpu.cxx11.abi", "cpu"])
    stable = {**NO_GPU, "PIP_PYTORCH_CHANNEL": "stable"}
    check(
        (
            ("torch==2.7.1+cu118 --cpuonly", NO_GPU, "torch-2.7.1+cu118"),
            ("torch===2.7.1+rocm6.3", stable, "torch-2.7.1+rocm6.3"),
            ("torch==2.4.0+cpu.cxx11.abi", stable, "torch-2.4.0+cpu.cxx11.abi"),
            # Unasked, such a build is not taken.
            ("torch==2.4.0", stable, "torch-2.4.0+cpu"),
        )
    )


def test_wheels_without_local_version(
    check: Check, pytorch: PyTorchIndexServer
) -> None:
    """Their folder tells; the newest builds for macOS have no other mark."""
    pytorch.place(make_wheel("torch", "2.11.0"), backend="cpu")
    pytorch.place(make_wheel("torch", "2.12.0"), backend="cu130")
    check(
        (
            ("torch", GPU13, "torch-2.12.0 (cu130)"),
            ("torch --cpuonly", {}, "torch-2.11.0 (cpu)"),
            ("torch", R535, "torch-2.11.0 (cpu)"),
        )
    )


# Builds that go together


def test_one_backend_for_all(check: Check, pytorch: PyTorchIndexServer) -> None:
    """Versions do not tell: a build for a GPU breaks on another torch than its own."""
    for name, version, backends in (
        ("torchaudio", "2.9.1", ["cpu", "cu126", "rocm6.4"]),
        ("old-kernels", "1.0", ["cpu", "cu118"]),
        ("torchdata", "0.11", ["cpu"]),
    ):
        pytorch.add_builds(name, version, backends, requires=["torch"])
    torch = f"{pytorch.pytorch_url}/cu126/torch-2.9.1%2Bcu126-py3-none-any.whl"
    cases = (
        ("torch", "torch-2.9.1+cu130"),
        ("torchaudio", "torch-2.9.1+cu126 torchaudio-2.9.1+cu126"),
        # Who has nothing but a build for the CPU does not decide for others.
        ("torchdata", "torch-2.9.1+cu130 torchdata-0.11+cpu"),
        # A GPU is not given up for what has no build that goes with it.
        ("old-kernels", "torch-2.9.1+cu130 old-kernels-1.0+cpu"),
        ("--variant torch=cu126 torchaudio", "torchaudio-2.9.1+cu126"),
        (f"'torch @ {torch}' torchaudio", "torchaudio-2.9.1+cu126"),
        # What is chosen explicitly decides.
        ("torch torchaudio==2.9.1+cpu", "torch-2.9.1+cpu torchaudio-2.9.1+cpu"),
        (f"{BACKEND}=cu118,cpu old-kernels", "torch-2.9.1+cpu old-kernels-1.0+cpu"),
    )
    check((typed, GPU13, expected) for typed, expected in cases)


def test_the_user_names_builds_that_do_not_match(dry: Pip) -> None:
    for typed in "--cpuonly", f"{BACKEND} cpu":
        result = dry("torch==2.9.1+cu128", "torchvision", *typed.split(), env=GPU13)
        said, _, hint = result.stderr.partition(" pip install ")
        assert said == (
            "WARNING: These packages are for different backends: torch==2.9.1 (cu128), "
            "torchvision==0.24.1 (cpu). To choose again for all of these packages:"
        )
        matching = "sympy-1.13.3 torch-2.9.1+cpu torchvision-0.24.1+cpu"
        assert would_install(dry(*hint.split(), env=GPU13)) == matching


def test_variants_proper_beside_it(check: Check, pytorch: PyTorchIndexServer) -> None:
    """An extension with variants on the user's index, and PyTorch's torch."""
    cu128 = nest(cuda("12.8", ["75", "80", "86", "90"]))
    manifest = make_manifest(
        {
            "torch291_cu128": {"abi": {"torch": ["2.9.1"]}, **cu128},
            "torch280_cu128": {"abi": {"torch": ["2.8.0"]}, **cu128},
            "torch291_cpu": {"abi": {"torch": ["2.9.1"]}},
        },
        namespaces=["abi", "nvidia"],
        providers={"abi": PluginSpec(builtin="abi_dependency")},
    )
    pytorch.add_release(
        "torch-nntile", "0.1.0", {}, manifest=manifest, plain=False, requires=["torch"]
    )
    stable = " ".join(STABLE)
    cases = (
        (stable, GPU129, "2.9.1+cu128", "torch291_cu128"),
        # One CUDA major for all; what depends on torch follows.
        (f"{stable} torchvision", GPU13, "2.9.1+cu128", "torch291_cu128"),
        (f"{stable} 'torch<2.9'", GPU129, "2.8.0+cu129", "torch280_cu128"),
        (stable, NO_GPU, "2.9.1+cpu", "torch291_cpu"),
        # Who wants no GPU wants none anywhere.
        ("--cpuonly", GPU13, "2.9.1+cpu", "torch291_cpu"),
    )
    check(
        (f"torch-nntile {typed}", env, f"torch-{torch} torch-nntile-0.1.0 ({label})")
        for typed, env, torch, label in cases
    )


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
        "Choosing 'cu126' of torchaudio==2.9.1 instead of 'cu130', so that the packages "
        "match" in result.lines
    )
    # What --cpuonly excludes is replaced, named or not; there is a word of what stays.
    result = venv.pip("install", "torchtext", "--cpuonly", *user, env=GPU13)
    assert venv.installed()["torchtext"] == "2.9.1+cpu"
    assert venv.installed()["torch"] == "2.9.1+cpu"
    (warning,) = (line for line in result.stderr.splitlines() if "backends" in line)
    assert warning.startswith(
        "WARNING: These packages are for different backends: torchtext==2.9.1 (cpu), "
    )
    checked = venv.pip("check", env=GPU13)
    assert (
        "WARNING: torchaudio 2.9.1+cu126 needs 'torch' for cu126, but torch 2.9.1+cpu is "
        "installed." in checked.stderr
    )
    # The command that it names does what it says.
    venv.pip("install", *warning.partition(" install ")[2].split(), env=GPU13)
    assert "needs torch" not in venv.pip("check", env=GPU13).stderr
    assert venv.installed()["torchaudio"] == "2.9.1+cpu"


# Options


BY_HAND: Sequence[Case] = (
    (f"{BACKEND} ' CUDA12.6 , cpu'", {}, "cu126"),
    (f"{BACKEND}=rocm6.3,rocm6.4", {}, "rocm6.3"),
    (f"{BACKEND}=auto", {}, "cu128"),
    # On the command line, the backend; then the shorthand; then all the rest.
    (f"--cpuonly {BACKEND}=cu126", {}, "cu126"),
    ("--cpuonly", {"PIP_PYTORCH_COMPUTATION_BACKEND": "cu126"}, "cpu"),
    ("", {"PIP_PYTORCH_COMPUTATION_BACKEND": "cu126"}, "cu126"),
    ("", {"LTT_PYTORCH_COMPUTATION_BACKEND": "cu126,cpu"}, "cu126"),
    (f"{BACKEND}=auto", {"LTT_PYTORCH_COMPUTATION_BACKEND": "cu126"}, "cu128"),
)


def test_backends_named_by_hand(check: Check) -> None:
    """The hardware is not asked then."""
    check(
        (f"torch {typed}", {**R535, **variables}, f"torch-2.9.1+{build}")
        for typed, variables, build in BY_HAND
    )


def test_a_backend_that_is_gone(dry: Pip) -> None:
    result = dry("torch", BACKEND, "cu118")
    assert versions(result)["torch"] == "2.7.1+cu118"
    assert "pip chose torch 2.7.1+cu118 instead of 2.9.1" in result.stderr
    result = dry("torch", BACKEND, "cu90", code=1)
    assert "torch 2.9.1 has wheels for xpu, rocm6.4, rocm6.3, cu130" in result.stderr


INVALID: Sequence[tuple[list[str], Variables, str]] = (
    ([f"{BACKEND}=cu12"], {}, "cpu, xpu, cuNNN such as cu128"),
    ([f"{BACKEND}=auto,cpu"], {}, "cpu, xpu, cuNNN such as cu128"),
    ([], {"LTT_PYTORCH_COMPUTATION_BACKEND": "rocm6"}, "cpu, xpu, cuNNN such as cu128"),
    (["--pytorch-channel=latest"], {}, "one of stable, test, nightly"),
    (["--pytorch-index-url=whl"], {}, "a URL such as 'https://download.pytorch.org/"),
)


@pytest.mark.parametrize(("typed", "env", "expected"), INVALID)
def test_invalid_values(
    pip: Pip, typed: list[str], env: Variables, expected: str
) -> None:
    result = pip("download", "torch", *typed, env=env, code=2 if typed else 1)
    assert f"expected {expected}" in result.output


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
    # Of what is configured the backends count first, wherever they are.
    venv.pip("config", "--site", "set", "install.cpuonly", "true", env=own)
    result = venv.pip("install", "--dry-run", "torch", *stable, env=own)
    assert versions(result)["torch"] == "2.9.1+cu126"


def test_channels(check: Check, pytorch: PyTorchIndexServer) -> None:
    pytorch.add(make_wheel("pillow", "13.0rc1"))
    cases = (
        ("--pytorch-channel=nightly", "torch-2.10.0.dev20251101+cu128 pillow-12.0"),
        ("--pytorch-channel=test", "torch-2.9.2+cu128 pillow-12.0"),
        ("--pre", "torch-2.9.2+cu128 pillow-13.0rc1"),
        ("--pre --pytorch-channel=stable", "torch-2.9.1+cu128 pillow-13.0rc1"),
    )
    check((f"pystiche {typed}", R535, expected) for typed, expected in cases)


# From where


def test_a_package_that_depends_on_torch(dry: Pip, pytorch: PyTorchIndexServer) -> None:
    found = versions(dry(f"{BACKEND}=cpu", "pystiche"))
    assert (found["pystiche"], found["torch"]) == ("1.0.1", "2.9.1+cpu")
    # Each page once, and nothing of what PyTorch has from the user's index.
    pages = [path for _, path in pytorch.log() if path.endswith("/")]
    assert pages == [
        *("/whl/pystiche/", "/whl/torch/", "/simple/pystiche/"),
        *("/whl/pillow/", "/simple/pillow/", "/whl/sympy/"),
    ]


def test_what_pytorch_has_comes_from_there(
    dry: Pip, pytorch: PyTorchIndexServer
) -> None:
    """Also if it is newer elsewhere: anybody may have put it there."""
    assert versions(dry("--cpuonly", "torch", "sympy"))["sympy"] == "1.13.3"
    for extra in (["--extra-index-url", pytorch.index_url], []):
        result = dry("--cpuonly", *extra, "torch", "sympy>=1.14", code=1)
        assert (
            f"pip looks for 'sympy' only in PyTorch's index ({pytorch.pytorch_url}); to "
            "use your index instead, pin the version: sympy==VERSION" in result.stderr
        )
    assert "/simple/sympy/" not in [path for _, path in pytorch.log()]


def test_what_is_pinned_and_not_pytorchs_own_comes_from_the_users_index(
    dry: Pip, check: Check, pytorch: PyTorchIndexServer, tmp_path: Path
) -> None:
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("sympy==1.14.0\n")
    pytorch.place(make_wheel("pytorch-triton-rocm", "3.5.1"))
    cases = (
        ("sympy==1.11.1", "sympy-1.11.1"),
        # What the user's index does not have at all can come from PyTorch's alone.
        ("sympy==1.11.1 pytorch-triton-rocm==3.5.1", "sympy-1.11.1"),
        (f"-c {shlex.quote(str(constraints))}", "sympy-1.14.0"),
        # Less than a pin is none.
        ("sympy==1.*", "sympy-1.13.3"),
    )
    check((f"torch --cpuonly {typed}", {}, expected) for typed, expected in cases)
    # A wheel on the user's own index is not a build, whatever its local version.
    pytorch.add(make_wheel("own", "1.0+cu121"))
    with_password = pytorch.index_url.replace("//", "//user:password@")
    assert "own-1.0+cu121" in dry("own", "--cpuonly", "-i", with_password).stdout
    # One that is there, in another place than where it is looked up.
    result = dry("torch", "--cpuonly", "sympy==1.13.3", code=1)
    assert "Looking for 'sympy' in your index, not in Py" in result.stderr


def test_other_packages_with_invalid_metadata(venv: Environment, dry: Pip) -> None:
    """As stock pip, the bridge does not care."""
    for name, version in (
        ("odd", "2004d_x"),
        ("old", "1.0\nRequires-Dist: torch (>=1.8.*)"),
    ):
        folder = venv.site_packages / f"{name}-{version.split()[0]}.dist-info"
        folder.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (folder / "METADATA").write_text(metadata)
    assert versions(dry("--cpuonly", "torch"))["torch"] == "2.9.1+cpu"


def test_local_versions_that_name_no_backend(
    dry: Pip, pytorch: PyTorchIndexServer
) -> None:
    """As those of triton, which nightly builds pin."""
    for local in ("git111", "git222"):
        pytorch.place(make_wheel("triton", f"3.5.0+{local}"))
    triton = "triton==3.5.0+git111"
    pytorch.add_builds("torch", "2.9.3", ["cpu", "cu128"], requires=[triton])
    for typed in ["torch"], ["torch", triton]:
        found = versions(dry(*typed, *STABLE, env=R535))
        assert found["triton"] == "3.5.0+git111"


def test_a_failing_index_is_no_missing_one(
    dry: Pip, pytorch: PyTorchIndexServer
) -> None:
    """A name must not come from elsewhere since the index is down for a moment."""
    pytorch.faults["/whl/torch/"] = Fault(status=500)
    typed = ["torch", "--cpuonly", "--retries", "0"]
    url = f"{pytorch.pytorch_url}/torch/"
    result = dry(*typed, code=1)
    assert f"Cannot use {url} as PyTorch's index" in result.stderr
    assert "/simple/torch/" not in [path for _, path in pytorch.log()]
    text = {"Content-Type": "text/plain"}
    pytorch.faults["/whl/torch/"] = Fault(body=b"Sorry!", headers=text)
    for url, problem in {
        f"{pytorch.url}/whl": "The content type text/plain is not that of an index page",
        f"{pytorch.url}/elsewhere": "The index has no page for 'torch'",
        "http://pytorch.invalid/whl": "Its URL is not secure, and --trusted-host does not name its host",
    }.items():
        result = dry(*typed, "--pytorch-index-url", url, code=1)
        assert f"Cannot use {url}" in result.stderr
        assert problem in " ".join(result.stderr.split())


def test_mirrors_of_some_pages(dry: Pip, pytorch: PyTorchIndexServer) -> None:
    pytorch.umbrella = False
    for missing, pages, env, build in (
        (404, None, R535, "2.9.1+cu128"),
        (403, {"cu128"}, R535, "2.9.1+cu128"),
        (410, {"cu126", "cpu"}, R535, "2.9.1+cu126"),
        (403, {"cu126", "cpu"}, NO_GPU, "2.9.1+cpu"),
    ):
        pytorch.missing, pytorch.page_backends = missing, pages
        pytorch.clear_log()
        found = versions(dry("pystiche", *STABLE, env=env))
        assert found["torch"] == build
        assert found["sympy"] == "1.13.3"
        requested = pytorch.page_requests()
        assert len(requested) == len(set(requested))
    pytorch.umbrella, pytorch.page_backends = True, set()
    found = versions(dry("pystiche", *STABLE, env=R535))
    assert found["torch"] == "2.9.1+cu128"


def test_a_mirror_with_another_layout(dry: Pip, pytorch: PyTorchIndexServer) -> None:
    url = f"{pytorch.url}/whl/{{channel}}/"
    nightly = ["--pytorch-index-url", url, "--pytorch-channel", "nightly"]
    found = versions(dry("torch", "--cpuonly", *nightly))
    assert found["torch"] == "2.10.0.dev20251101+cpu"


def test_find_links_and_no_index(
    pip: Pip, pytorch: PyTorchIndexServer, tmp_path: Path
) -> None:
    for backend in ("cpu", "cu128"):
        make_wheel("torch", f"2.9.5+{backend}").write_to(tmp_path)
    make_wheel("sympy", "1.15").write_to(tmp_path)
    links = ["install", "--dry-run", "--cpuonly", "--find-links", tmp_path]
    expected = {"torch": "2.9.5+cpu", "sympy": "1.15"}
    offline = ["--no-index", "--pytorch-index-url", pytorch.pytorch_url]
    assert versions(pip(*links, *offline, "torch", "sympy")) == expected
    looked = ["variants", "explain", "--json", "torch", *links[2:], *offline]
    assert pytorch.pytorch_url not in pip(*looked).stdout
    assert pytorch.log() == []
    # Beside the index they are what they are with any pip: one more place to look.
    assert versions(pip(*links, *options(pytorch), "torch", "sympy")) == expected


def test_without_the_options_nothing_is_different(
    pip: Pip, pytorch: PyTorchIndexServer, tmp_path: Path
) -> None:
    command = ["install", "--dry-run", "torch"]
    result = pip(*command, "-i", pytorch.index_url, env=R535)
    assert versions(result) == {"torch": "9.9"}
    assert pytorch.page_requests() == []
    # PyTorch's own index as an index is what it is with any pip.
    pytorch.clear_log()
    result = pip(*command, "-i", f"{pytorch.pytorch_url}/cu126", env=R535)
    assert versions(result)["torch"] == "2.9.1+cu126"
    assert ", variant " not in result.stdout
    assert pytorch.page_requests() == ["cu126/torch/", "cu126/sympy/"]
    (tmp_path / "off.txt").write_text("--no-variants")
    for off in ["--no-variants"], ["-r", tmp_path / "off.txt"]:
        result = pip(*command, *off, "--cpuonly", *options(pytorch))
        assert versions(result) == {"torch": "9.9"}
        assert result.stderr == (
            "WARNING: Variants are off, so pip does not use PyTorch's index: the --pytorch-* "
            "options, --cpuonly and LTT_PYTORCH_COMPUTATION_BACKEND have no effect\n"
        )


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
    for extra in [], ["-U"]:
        venv.pip(*command, *extra, env=NO_GPU)
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


def test_an_installed_build_is_asked_about(
    venv: Environment, pytorch: PyTorchIndexServer
) -> None:
    command = ["install", "torch", *options(pytorch)]
    venv.pip(*command, env=NO_GPU)
    pytorch.clear_log()
    result = venv.pip(*command, env=R535)
    assert "the variant 'cu128' is a better match" in result.stdout
    assert pytorch.log() == []
    # What it says to type does it, with the options that were typed.
    (hint,) = (line for line in result.lines if "To switch:" in line)
    switch = hint.partition(" install ")[2].split()
    assert switch[:2] == ["--upgrade-variants", "torch"]
    assert switch[switch.index("--pytorch-index-url") + 1] == pytorch.pytorch_url
    venv.pip("install", *switch, env=R535)
    assert venv.installed()["torch"] == "2.9.1+cu128"
    # There is nothing else to tell where it came from than what was recorded.
    said = venv.pip("check", env=forced("11.8")).stderr
    assert "--upgrade-variants --pytorch-computation-backend auto torch\n" in said
    (venv.site_packages / "torch" / "__init__.py").unlink()
    said = venv.pip("check", env=R535).stderr
    flags = "--force-reinstall --no-deps --pytorch-computation-backend auto "
    pinned = said.partition(f"To repair the package: pip install {flags}")[2].split()
    venv.pip("install", *flags.split(), *pinned, *options(pytorch), env=R535)
    # So it is beside a package that uses a GPU.
    pytorch.add_release("vision", "1.0", {"gpu": cuda("12.0")}, requires=["torch"])
    venv.pip("install", "vision", *options(pytorch), env=R535)
    venv.pip(*command, "--cpuonly", env=R535)
    said = venv.pip("check", env=R535).stderr
    assert "--upgrade-variants --pytorch-computation-backend auto torch" in said


@pytest.mark.parametrize("command", ["download", "wheel"])
def test_download_and_wheel(
    venv: Environment, pytorch: PyTorchIndexServer, command: str
) -> None:
    venv.pip(command, "--no-deps", "torch", *STABLE, *options(pytorch), env=R535)
    assert (venv.work / "torch-2.9.1+cu128-py3-none-any.whl").exists()


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
    backend = [BACKEND, "rocm6.2", "--json"]
    assert json.loads(venv.pip(*index, *backend).stdout)["versions"] == [
        "2.5.1+rocm6.2"
    ]
    outdated = ["list", "--outdated", *options(pytorch), "--format", "json"]
    # Another build is no newer version.
    for installed, newest in ("2.8.0+cpu", "2.9.1+cu128"), ("2.9.1+cpu", None):
        venv.pip("install", f"torch=={installed}", *options(pytorch), env=R535)
        listed = json.loads(venv.pip(*outdated, env=R535).stdout)
        found = {each["name"]: each["latest_version"] for each in listed}
        assert found.get("torch") == newest


@pytest.mark.parametrize("feature", [[], ["--use-feature", "inprocess-build-deps"]])
def test_what_builds_need(
    venv: Environment, pytorch: PyTorchIndexServer, feature: list[str]
) -> None:
    """An extension is built against the torch that it will run with."""
    sdist = make_sdist("extension", "1.0", requires=["torch"], build_requires=["torch"])
    pytorch.add(sdist)
    command = ["download", "--no-deps", "extension", *feature, *STABLE]
    venv.pip(*command, *options(pytorch), env=R535)
    wheels = {path for _, path in pytorch.log() if path.endswith(".whl")}
    (torch,) = (path for path in wheels if "torch" in path)
    assert "2.9.1%2Bcu128" in torch


# light-the-torch


NIGHTLY = "torch-2.10.0.dev20251101+cpu"
#: The commands of its README (0.8.1), on a machine without a GPU; where one turns the
#: bridge on by nothing, its variable does.
README: Mapping[str, str] = {
    "torch": "sympy-1.13.3 torch-2.9.1+cpu",
    f"{BACKEND}=cu121 --no-deps torch": "torch-2.5.1+cu121",
    "--cpuonly torch": "sympy-1.13.3 torch-2.9.1+cpu",
    "--pytorch-channel=nightly torch torchvision": (
        f"{NIGHTLY} torchvision-0.25.0.dev20251101+cpu"
    ),
    "--pre torch": "torch-2.9.2+cpu",
    f"{BACKEND}=cpu --pytorch-channel=nightly pystiche": (
        f"pillow-12.0 pystiche-1.0.1 {NIGHTLY}"
    ),
    "--pytorch-channel=nightly torch sympy==1.11.1": f"sympy-1.11.1 {NIGHTLY}",
}


def test_the_commands_of_light_the_torch_s_readme(
    check: Check, pytorch: PyTorchIndexServer
) -> None:
    pytorch.place(make_wheel("sympy", "1.13.3"), channel="nightly")
    auto = {**NO_GPU, "PIP_PYTORCH_COMPUTATION_BACKEND": "auto"}
    lines = check((typed, auto, "") for typed in README)
    assert lines == list(README.values())


#: Blocks of pages that use the bridge: on what machine, and what comes of it.
GUIDES: Mapping[tuple[str, str], tuple[Variables, str]] = {
    ("pytorch.md", "auto"): (GPU129, "2.9.1+cu128"),
    ("pytorch.md", "cpu"): (GPU129, "2.9.1+cpu"),
    ("pytorch.md", "nightly"): (GPU129, "2.10.0.dev20251101+cu128"),
    ("pytorch.md", "mirror"): (GPU129, "2.9.1+cu128"),
    ("pytorch.md", "as uv"): (GPU129, "2.9.1+cu128"),
    ("pytorch.md", "for good"): (GPU129, "2.9.1+cu128"),
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
    said = "(--variant-index), so {} does not affect this package"
    for option in ([BACKEND, "cu126"], ["--cpuonly"]):
        result = pip(*typed, *option, env={**GPU129, **variants})
        assert "torch-2.12.0" in result.stdout or "torch-9.9" in result.stdout
        assert said.format(option[0]) in result.stderr
        assert "pip variants setup --remove pytorch" in result.stderr
    # Where both are configured, that is no contradiction: each has its projects.
    configured = {**variants, "PIP_PYTORCH_COMPUTATION_BACKEND": "cu126"}
    result = pip(*typed, env={**GPU129, **configured})
    assert "has no effect" not in result.stderr
