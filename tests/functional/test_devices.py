"""AMD's GPUs, TPUs and Jetsons: what is seen of them, and which builds follow."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.in_process import InProcess
from tests.lib.index import IndexServer
from tests.lib.manifests import PluginSpec, cuda, make_manifest
from tests.lib.nvml import build_nvml_stub
from tests.lib.pytorch_index import PyTorchIndexServer

Pip = Callable[..., Result]
WriteHost = Callable[[str | Mapping[str, Any]], Path]

BOOTSTRAP = "ROCM_BOOTSTRAP_FORCE_GFX_ARCH"
DISABLING = "ROCM_BOOTSTRAP_DISABLE_DETECTION"
PRESENT = "TPU_VARIANT_PROVIDER_FORCE_PRESENT"

#: As AMD's wheels name it.
ROCM_BOOTSTRAP = PluginSpec(
    ["rocm-bootstrap"], "rocm_bootstrap.variant_provider:AMDVariantPlugin"
)
TPU = PluginSpec(
    ["tpu-variant-provider"], "tpu_variant_provider.plugin:TpuVariantPlugin"
)


@pytest.fixture
def kernels(index: IndexServer) -> list[str]:
    """Return the options for an index with builds for single architectures of AMD."""
    manifest = make_manifest(
        {name: [f"amd :: gfx_arch :: {name}"] for name in ("gfx1250", "gfx1151")},
        providers={"amd": ROCM_BOOTSTRAP},
    )
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    return ["--index-url", index.index_url]


@pytest.mark.parametrize(
    ("variables", "label"),
    [
        ({BOOTSTRAP: "gfx1250-strict"}, "gfx1250"),
        ({BOOTSTRAP: "gfx942"}, None),
        ({BOOTSTRAP: "gfx1151", DISABLING: "1"}, None),
    ],
)
def test_rocm_bootstrap_is_stood_in_for(
    pip: Pip, kernels: list[str], variables: Mapping[str, str], label: str | None
) -> None:
    result = pip("install", "--dry-run", "kernels", *kernels, env=variables)
    taken = f"Using kernels 1.0, variant {label}" in result.stdout
    assert taken is (label is not None)
    assert "trust" not in result.output


@pytest.mark.parametrize(
    ("variables", "label"),
    [
        ({PRESENT: "1"}, "tpu"),
        ({PRESENT: "0"}, "cpu"),
        ({"PIP_VARIANT_HOST": "tpu"}, "tpu"),
        ({"PIP_VARIANT_HOST": "cuda-12.8-h100"}, "null"),
    ],
)
def test_tpu(
    pip: Pip, index: IndexServer, variables: Mapping[str, str], label: str
) -> None:
    builds = {"tpu": ["tpu :: present :: true"], "cpu": ["tpu :: present :: false"]}
    manifest = make_manifest({**builds, "null": []}, providers={"tpu": TPU})
    index.add_release("jetstream", "1.0", {}, manifest=manifest)
    options = ["--index-url", index.index_url]
    result = pip("install", "--dry-run", "jetstream", *options, env=variables)
    assert f"Using jetstream 1.0, variant {label}" in result.stdout
    assert result.stderr == ""


def test_host_shows_them(pip: Pip) -> None:
    result = pip(
        *("variants", "host", "--disable-variant-provider", "nvidia"),
        *("--disable-variant-provider", "intel", "--disable-variant-provider"),
        *("x86_64", "--disable-variant-provider", "aarch64"),
        env={BOOTSTRAP: "gfx1151,gfx1103", PRESENT: "yes"},
    )
    why = "nothing (--disable-variant-provider turned its provider off)"
    # What follows is how to see more, and where builds for these GPUs are.
    assert result.lines[:-2] == [
        f"nvidia: {why}",
        "amd: gfx_arch gfx1151, GPUs: gfx1151, gfx1103",
        f"intel: {why}",
        "tpu: present true",
        f"x86_64: {why}",
        f"aarch64: {why}",
    ]
    result = pip("variants", "host", "--variant-host", "tpu-x86_64-v2")
    assert result.lines[:-1] == [
        "tpu: present true (host file)",
        "x86_64: level v2 (host file)",
    ]


def test_cuda_variant_on_a_jetson(
    pip: Pip, index: IndexServer, host: WriteHost
) -> None:
    index.add_release("torch", "2.10.0", {"cuda": cuda("12.6"), "null": []})
    command = ["install", "--dry-run", "torch", "--index-url", index.index_url]

    def planned(name: str, release: str, *options: str) -> Result:
        hardware = ["--json", "--hardware", "--variant-host", name]
        described = json.loads(pip("variants", "host", *hardware).stdout)
        described["environment"] = {"platform_release": release}
        return pip(*command, *options, "--variant-host", host(described))

    result = planned("cuda-12.6-sm_87", "5.15.148-tegra")
    assert "Using torch 2.10.0, variant cuda" in result.stdout
    assert result.stderr.startswith(
        "WARNING: This is a Jetson, and its driver has CUDA 12.6. Published CUDA "
        "wheels for ARM are built for servers (SBSA) and run on a Jetson only with CUDA 13 "
        "(JetPack 7) or newer. The variant 'cuda' will fail unless it was built for "
        "Jetson. To avoid CUDA variants: --disable-variant-provider nvidia"
    )
    without = ["--disable-variant-provider", "nvidia"]
    result = planned("cuda-12.6-sm_87", "5.15.148-tegra", *without)
    assert "Using torch 2.10.0, variant null" in result.stdout
    assert result.stderr == ""
    # From CUDA 13 on, and on servers, there is nothing to say.
    for name, release in (
        ("cuda-13.0-sm_110", "5.15.148-tegra"),
        ("cuda-12.6-sm_87", "5.15.148"),
    ):
        result = planned(name, release)
        assert "Using torch 2.10.0, variant cuda" in result.stdout
        assert result.stderr == ""


# PyTorch's index, which has builds for ARM servers alone.


@pytest.fixture
def pytorch() -> Iterator[PyTorchIndexServer]:
    """Return a copy of PyTorch's index."""
    with PyTorchIndexServer() as index:
        index.add_builds("torch", "2.9.1", ["cpu", "cu126", "cu128", "cu130"])
        index.add_builds("torch", "2.13.0", ["cpu", "rocm7.2", "rocm7.14"])
        yield index


@pytest.fixture
def dry(pip: Pip, pytorch: PyTorchIndexServer) -> Callable[..., Result]:
    """Return a function that says which torch 2.9.1 would be installed."""

    def run(*arguments: object, torch: str = "torch==2.9.1", **rest: Any) -> Result:
        options = ("-i", pytorch.index_url, "--pytorch-index-url", pytorch.pytorch_url)
        return pip("install", "--dry-run", torch, *options, *arguments, **rest)

    return run


def jetson(
    driver: str | None, capability: str = "8.7", kernel: str = "5.15.148-tegra"
) -> dict[str, Any]:
    """Return the host file of a Jetson, whose wheels are those of this machine."""
    return make_host(
        cuda=driver, capability=capability, environment={"platform_release": kernel}
    )


TAIL = (
    "Published CUDA wheels for ARM are built for servers (SBSA) and run on a Jetson only with "
    "CUDA 13 (JetPack 7) or newer. PyTorch publishes no other wheels for the target machine, so "
)
CPU_TAKEN = "pip chose the CPU wheel of torch 2.9.1"
JETPACK_6 = "install torch --index-url https://pypi.jetson-ai-lab.io/jp6/cu126"
OWN = "NVIDIA's wheels:"
ELSEWHERE = f"{OWN} https://pypi.jetson-ai-lab.io"


@pytest.mark.pytorch
@pytest.mark.parametrize(
    ("described", "label", "said"),
    [
        (
            jetson("12.6"),
            "cpu",
            f"This is a Jetson, and its driver has CUDA 12.6. {TAIL}{CPU_TAKEN}. To install {OWN[:-1]}: ",
        ),
        (jetson(None), "cpu", f"This is a Jetson. {TAIL}{CPU_TAKEN}. {ELSEWHERE}\n"),
        # From JetPack 7 on it is as a server.
        (jetson("13.0", "11.0", "6.8.12-tegra"), "cu130", None),
        # GB10 is one.
        (jetson("13.0", "12.1", "6.11.0-1016-nvidia"), "cu130", None),
    ],
    ids=["jetpack6", "jetpack5", "thor", "gb10"],
)
def test_builds_for_servers_on_a_jetson(
    dry: Callable[..., Result],
    host: WriteHost,
    described: Mapping[str, Any],
    label: str,
    said: str | None,
) -> None:
    path = host(described)
    result = dry("--pytorch-computation-backend", "auto", "--variant-host", path)
    assert f"torch-2.9.1+{label}" in result.stdout
    told = result.stderr
    if said is None:
        assert result.stderr == ""
        note = f"'{label}' is built for ARM servers and also runs on a Jetson"
        is_jetson = described["environment"]["platform_release"].endswith("-tegra")
        assert (note in result.stdout) is is_jetson
    else:
        # Nothing else comes first, such as what the manifest of the bridge says.
        assert told.startswith(f"WARNING: {said}")
        assert "does not use an accelerator" not in told
        assert (JETPACK_6 in told) is ("12.6" in said)
        # The command is to be typed: nothing of the bridge is left in it.
        assert "--pytorch" not in told.partition(OWN)[2]


@pytest.fixture
def gpu_of(
    venv: Environment | InProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[int], None]:
    """Return a function that gives the machine a GPU of AMD's, told by this number."""
    root = tmp_path / "machine"

    def write(path: str, text: str = "") -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")

    def add(target: int) -> None:
        write("dev/kfd")
        write("dev/dri/renderD128")
        lines = f"simd_count 80\ndrm_render_minor 128\ngfx_target_version {target}\n"
        write("sys/class/kfd/kfd/topology/nodes/0/properties", lines)
        if isinstance(venv, InProcess):
            from pip._internal.variants.providers import amd

            defaults = amd.detect.__kwdefaults__
            assert defaults is not None
            monkeypatch.setitem(defaults, "root", str(root))
            return
        built = venv.site_packages / "pip/_internal/variants/providers/amd.py"
        text = built.read_text(encoding="utf-8")
        assert text.count('root: str = "/"') == 1
        text = text.replace('root: str = "/"', f"root: str = {str(root)!r}")
        built.write_text(text, encoding="utf-8")

    return add


def test_a_gpu_that_is_there_and_does_not_count(
    gpu_of: Callable[[int], None], pip: Pip, index: IndexServer
) -> None:
    """What is installed without it says why; what uses another device says nothing."""

    def install(**variables: str | None) -> str:
        options = ["--index-url", index.index_url]
        result = pip("install", "--dry-run", "kernels", *options, env=variables)
        return " ".join(result.output.split())

    builds = {"gfx": ["amd :: gfx_arch :: gfx1151"], "cu126": cuda("12.6"), "null": []}
    index.add_release("kernels", "1.0", {}, manifest=make_manifest(builds))
    assert "GPU: " not in install()
    gpu_of(0)
    said = install()
    assert (
        " (null) does not use an accelerator. The AMD driver does not report the "
        "architecture of a GPU; to name the architecture, set AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH"
    ) in said
    said = install(**forced("12.6", "8.6"))
    assert "cu126" in said
    assert "WARNING" not in said


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ROCR_VISIBLE_DEVICES", ""),
        ("HIP_VISIBLE_DEVICES", "-1"),
        ("CUDA_VISIBLE_DEVICES", "-1"),
    ],
)
def test_a_gpu_of_amd_that_is_hidden(
    gpu_of: Callable[[int], None],
    pip: Pip,
    index: IndexServer,
    variable: str,
    value: str,
) -> None:
    builds = {"gfx": ["amd :: gfx_arch :: gfx1151"], "null": []}
    index.add_release("kernels", "1.0", {}, manifest=make_manifest(builds))
    gpu_of(110501)
    command = ["install", "--dry-run", "kernels", "-i", index.index_url]
    assert ", variant gfx" in pip(*command).stdout
    result = pip(*command, "--strict-variants", env={variable: value})
    assert (
        "WARNING: kernels 1.0 (null) does not use an accelerator. "
        f"{variable} hides every AMD GPU: {value!r}. "
        f"To install for these GPUs, unset {variable}, and run: "
    ) in " ".join(result.stderr.split())


# Several GPUs

ONE, OTHER, BOTH = ["gfx942"], ["gfx1151"], ["gfx942", "gfx1151"]

#: Variants by label with their architectures, what is typed, the label that is taken on a
#: machine with a gfx942 and a gfx1151, and what the warning says after "with gfx1151".
SEVERAL: list[tuple[dict[str, list[str]], list[str], str, str | None]] = [
    # The order of labels decides of equals.
    ({"a": ONE, "b": BOTH}, [], "b", None),
    ({"a": BOTH, "b": ONE}, [], "a", None),
    # A variant without code for GPUs is no better than one for some.
    (
        {"a": ONE},
        [],
        "a",
        (
            ". No variant has code for all GPUs. To choose a variant for some of the "
            "GPUs, list those GPUs in ROCR_VISIBLE_DEVICES\n"
        ),
    ),
    # Nothing says which GPUs it has code for.
    ({"a": ONE, "b": []}, [], "a", ". No variant has code for all GPUs. "),
    ({"a": ONE, "b": BOTH}, ["--variant", "kernels=a"], "a", None),
    (
        {"a": ONE, "b": BOTH},
        ["--prefer-variant", "x86_64 :: level :: v1"],
        "a",
        ". To use all GPUs: --variant kernels=b",
    ),
]


def add_kernels(
    index: IndexServer, builds: Mapping[str, list[str]], *best: str
) -> None:
    """Add variants for architectures of AMD, by label; the best has more."""
    variants = {
        name: [f"amd :: gfx_arch :: {each}" for each in architectures]
        for name, architectures in builds.items()
    }
    variants["a"] += best
    providers = {"amd": ROCM_BOOTSTRAP, "x86_64": PluginSpec(static={"level": ["v1"]})}
    manifest = make_manifest({**variants, "null": []}, providers=providers)
    index.add_release("kernels", "1.0", {}, manifest=manifest, plain=False)


@pytest.mark.parametrize(("builds", "typed", "label", "warned"), SEVERAL, ids=str)
@pytest.mark.parametrize("strict", [[], ["--strict-variants"]], ids=str)
def test_several_gpus(
    pip: Pip,
    index: IndexServer,
    builds: dict[str, list[str]],
    typed: list[str],
    label: str,
    warned: str | None,
    strict: list[str],
) -> None:
    add_kernels(index, builds, *typed[1:] if "--prefer-variant" in typed else ())
    options = ["kernels", "--index-url", index.index_url, *typed, *strict]
    result = pip("install", "--dry-run", *options, env={BOOTSTRAP: "gfx942,gfx1151"})
    assert f"Would install kernels-1.0 ({label})" in result.stdout
    if warned is None:
        assert result.stderr == ""
    else:
        assert result.stderr.startswith(
            "WARNING: The variant 'a' of kernels 1.0 has no code for some visible GPUs: "
            f"gfx1151{warned}"
        )
        assert len(result.stderr.splitlines()) == 1
    # One GPU needs no word.
    result = pip("install", "--dry-run", *options, env={BOOTSTRAP: "gfx942"})
    assert result.stderr == ""


@pytest.mark.on_wheel
@pytest.mark.process
def test_several_nvidia_gpus(
    pip: Pip, index: IndexServer, tmp_path_factory: pytest.TempPathFactory
) -> None:
    nvml = build_nvml_stub(tmp_path_factory.mktemp("nvml"))
    builds = {"a": cuda("13.0", ["100"]), "b": cuda("12.6", ["70", "100"])}
    index.add_release("kernels", "1.0", builds, plain=False)
    options = ["--index-url", index.index_url]
    gpus = nvml.environ(
        cuda=13000, driver="580.65.06", capabilities=["7.0", "10.0", "10.0"]
    )
    result = pip("install", "--dry-run", "kernels", *options, env=gpus)
    assert "Would install kernels-1.0 (b)" in result.stdout
    assert result.stderr == ""
    result = pip("variants", "host", env=gpus)
    assert "GPUs: compute capability 10.0 (2 GPUs), compute capability 7.0" in (
        result.stdout
    )
    result = pip("variants", "host", "--json", "--hardware", env=gpus)
    best, other = json.loads(result.stdout)["devices"]["nvidia"]
    assert best == {
        "name": "compute capability 10.0",
        "feature": "sm_arch",
        "values": ["100_real", "100_virtual"],
        "number": 2,
    }
    assert other["number"] == 1
    one = nvml.environ(cuda=13000, driver="580.65.06", capabilities=["10.0"])
    assert "devices" not in json.loads(
        pip("variants", "host", "--json", env=one).stdout
    )


def test_several_gpus_are_described(
    pip: Pip, index: IndexServer, host: WriteHost
) -> None:
    """What is chosen with the host file is what is chosen on the machine."""
    add_kernels(index, {"a": ONE, "b": BOTH})
    gpus = {BOOTSTRAP: "gfx942,gfx1151,gfx1151"}
    options = ["--index-url", index.index_url]
    result = pip("variants", "explain", "kernels", *options, env=gpus)
    for line in (
        "      GPUs: gfx942, gfx1151",
        "    1. b: gfx942, gfx1151",
        "    2. a: gfx942; no code for gfx1151",
        "  b comes before a: it has code for all GPUs; a has no code for gfx1151",
    ):
        assert line in result.lines, result.stdout
    assert "GPUs: gfx942, gfx1151" in pip("variants", "host", env=gpus).stdout
    written = pip("variants", "host", "--json", "--hardware", env=gpus)
    described = json.loads(written.stdout)
    devices = described["devices"]["amd"]
    assert [(each["values"], each["number"]) for each in devices] == [
        (["gfx942"], 1),
        (["gfx1151"], 1),
    ]
    path = host(described)
    result = pip("variants", "host", "--json", "--hardware", "--variant-host", path)
    assert json.loads(result.stdout) == described
    result = pip("install", "--dry-run", "kernels", *options, "--variant-host", path)
    assert "Would install kernels-1.0 (b)" in result.stdout


@pytest.mark.pytorch
def test_typed_build_on_a_jetson(dry: Callable[..., Result], host: WriteHost) -> None:
    old = ["--variant-host", host(jetson("12.6"))]
    backend = ["--pytorch-computation-backend"]
    result = dry(*backend, "cu128", *old)
    assert "torch-2.9.1+cu128" in result.stdout
    asked = "the requested variant 'cu128' of torch 2.9.1 does not run. "
    assert f"{TAIL}{asked}" in result.stderr
    assert JETPACK_6 in result.stderr
    # By its label it is a variant, and cannot run on such a target.
    result = dry(*backend, "auto", "--variant", "cu128", *old, code=1)
    assert "× The variant 'cu128' of torch 2.9.1 is not supported" in result.stderr
    # Neither the CPU build nor a release without builds for CUDA loses any.
    for found, version in (
        (dry("--cpuonly", *old), "2.9.1"),
        (dry(*backend, "auto", *old, torch="torch==2.13.0"), "2.13.0"),
    ):
        assert f"torch-{version}+cpu" in found.stdout
        assert "Jetson" not in found.output
