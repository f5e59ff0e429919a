"""AMD's GPUs, TPUs and Jetsons: what is seen of them, and which builds follow."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import make_host
from tests.lib.in_process import InProcess
from tests.lib.index import IndexServer
from tests.lib.manifests import Provider, cuda, make_manifest
from tests.lib.nvml import build_nvml_stub
from tests.lib.pytorch_index import PyTorchIndexServer
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
WriteHost = Callable[[str | Mapping[str, Any]], Path]

BOOTSTRAP = "ROCM_BOOTSTRAP_FORCE_GFX_ARCH"
DISABLING = "ROCM_BOOTSTRAP_DISABLE_DETECTION"
PRESENT = "TPU_VARIANT_PROVIDER_FORCE_PRESENT"

#: As AMD's wheels name it.
ROCM_BOOTSTRAP = Provider(
    ["rocm-bootstrap"], "rocm_bootstrap.variant_provider:AMDVariantPlugin"
)
TPU = Provider(["tpu-variant-provider"], "tpu_variant_provider.plugin:TpuVariantPlugin")


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
        ({BOOTSTRAP: "gfx1151"}, "gfx1151"),
        ({BOOTSTRAP: "gfx942,gfx1151"}, "gfx1151"),
        ({BOOTSTRAP: "gfx942"}, None),
        ({BOOTSTRAP: "gfx1151", DISABLING: "1"}, None),
        ({"AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": "gfx1151"}, "gfx1151"),
    ],
)
def test_rocm_bootstrap_is_stood_in_for(
    pip: Pip, kernels: list[str], variables: Mapping[str, str], label: str | None
) -> None:
    result = pip("install", "--dry-run", "kernels", *kernels, env=variables)
    taken = f"Using the variant {label} of kernels 1.0" in result.stdout
    assert taken is (label is not None)
    assert "trust" not in result.output


def test_an_invalid_variable_of_rocm_bootstrap(pip: Pip, kernels: list[str]) -> None:
    variables = {BOOTSTRAP: "rdna4"}
    result = pip("install", "--dry-run", "kernels", *kernels, env=variables)
    assert (
        f"{BOOTSTRAP} is ignored and nothing detected in its place: expected a list of "
        "architectures, such as 'gfx90a,gfx1100', got 'rdna4'"
    ) in result.stderr
    assert "Would install kernels-1.0" in result.stdout


def test_the_plugin_sees_its_variables(venv: Environment, index: IndexServer) -> None:
    plugin = (
        "import os\n"
        "class AMDVariantPlugin:\n"
        " @classmethod\n"
        " def get_supported_configs(cls):\n"
        f"  if os.environ.get({DISABLING!r}) == '1':\n"
        "   return []\n"
        "  class F:\n"
        "   name, multi_value = 'gfx_arch', True\n"
        f"   values = os.environ[{BOOTSTRAP!r}].split(',')\n"
        "  return [F()]\n"
    )
    files = {"rocm_bootstrap/variant_provider.py": plugin}
    index.add(make_wheel("rocm-bootstrap", "0.3.0", files=files))
    manifest = make_manifest(
        {"a": ["amd :: gfx_arch :: gfx1151"]}, providers={"amd": ROCM_BOOTSTRAP}
    )
    path = venv.work / "m.json"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    command = [
        *("variants", "host", "--manifest", str(path), "--index-url", index.index_url),
        *("--trust-variant-provider", "rocm-bootstrap", "--variant-provider"),
    ]
    for variables, line in (
        ({BOOTSTRAP: "gfx1201"}, "amd: gfx_arch gfx1201 (plugin)"),
        ({BOOTSTRAP: "gfx1201", DISABLING: "1"}, "amd: nothing"),
    ):
        result = venv.pip(*command, "amd=plugin", env=variables)
        assert any(each.startswith(line) for each in result.lines)
        # What pip brings along says the same.
        result = venv.pip(*command, "amd=builtin", env=variables)
        assert result.lines[0].startswith(line.removesuffix(" (plugin)"))


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
    assert f"Using the variant {label} of jetstream 1.0" in result.stdout
    assert result.stderr == ""


def test_host_shows_them(pip: Pip) -> None:
    result = pip(
        *("variants", "host", "--disable-variant-provider", "nvidia"),
        *("--disable-variant-provider", "intel", "--disable-variant-provider"),
        *("x86_64", "--disable-variant-provider", "aarch64"),
        env={BOOTSTRAP: "gfx1151,gfx1103", PRESENT: "yes"},
    )
    why = "nothing, since --disable-variant-provider turned it off"
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


SBSA = (
    "What is published for CUDA on ARM is built for servers (SBSA), and runs here from "
    "CUDA 13 (JetPack 7) on."
)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            "cuda-12.6-sm_87-tegra",
            f"This is a Jetson, and its driver has CUDA 12.6. {SBSA}",
        ),
        (
            "cuda-13.0-sm_110-tegra",
            f"This is a Jetson, and its driver has CUDA 13.0. {SBSA}",
        ),
        ("cuda-13.0-sm_121-aarch64", None),
    ],
)
def test_host_tells_jetsons_from_servers(
    pip: Pip, tmp_path: Path, name: str, line: str | None
) -> None:
    result = pip("variants", "host", "--variant-host", name)
    *lines, _ = [each for each in result.lines if not each.startswith("target: ")]
    assert lines[1] == "aarch64: version 8a (host file)"
    assert lines[2:] == ([] if line is None else [line])
    # So does the file that is made from it.
    written = tmp_path / "host.json"
    result = pip("variants", "host", "--json", "--variant-host", name)
    written.write_text(result.stdout, encoding="utf-8")
    result = pip("variants", "host", "--variant-host", written)
    lines = [each for each in result.lines if not each.startswith("target: ")]
    assert lines[2:-1] == ([] if line is None else [line])


def test_host_a_jetson_of_which_no_driver_is_told(pip: Pip, host: WriteHost) -> None:
    path = host(make_host(environment={"platform_release": "5.10.216-tegra"}))
    result = pip("variants", "host", "--variant-host", path)
    assert result.lines[0] == f"This is a Jetson. {SBSA}"


@pytest.mark.parametrize(
    ("name", "is_doubtful"),
    [
        ("cuda-12.6-sm_87", True),
        ("cuda-13.0-sm_110", False),
    ],
)
def test_a_variant_for_cuda_on_a_jetson(
    pip: Pip, index: IndexServer, host: WriteHost, name: str, is_doubtful: bool
) -> None:
    manifest = make_manifest(
        {"cuda": cuda("12.6"), "v1": ["x86_64 :: level :: v1"], "null": []}
    )
    index.add_release("torch", "2.10.0", {}, manifest=manifest)
    command = ["install", "--dry-run", "torch", "--index-url", index.index_url]
    described = json.loads(
        pip("variants", "host", "--json", "--hardware", "--variant-host", name).stdout
    )
    described["environment"] = {"platform_release": "5.15.148-tegra"}
    result = pip(*command, "--variant-host", host(described))
    assert "Using the variant cuda of torch 2.10.0" in result.stdout
    if not is_doubtful:
        assert result.stderr == ""
        return
    assert result.stderr.startswith(
        "WARNING: This is a Jetson, and its driver has CUDA 12.6. What is published "
        "for CUDA on ARM is built for servers (SBSA), and runs here from CUDA 13 (JetPack "
        "7) on: if the variant cuda of torch 2.10.0 was not built for Jetsons, it fails "
        "at use. To do without it: "
    )
    without = ["--disable-variant-provider", "nvidia"]
    assert f"install {' '.join(without)} torch==2.10.0 " in result.stderr
    result = pip(*command, *without, "--variant-host", host(described))
    assert "Using the variant null of torch 2.10.0" in result.stdout
    assert result.stderr == ""
    # The label that was typed is what is to be done without.
    typed = pip(*command, "--variant", "cuda", "--variant-host", host(described))
    assert f"install {' '.join(without)} torch==2.10.0 " in typed.stderr
    assert "--variant cuda" not in typed.stderr
    # Without that, it is a server.
    del described["environment"]
    result = pip(*command, "--variant-host", host(described))
    assert "Using the variant cuda of torch 2.10.0" in result.stdout
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
    "What is published for CUDA on ARM is built for servers (SBSA), and runs here from "
    "CUDA 13 (JetPack 7) on, and PyTorch has no others: "
)
CPU_TAKEN = "the CPU build of torch 2.9.1 was chosen"
JETPACK_6 = "install torch --index-url https://pypi.jetson-ai-lab.io/jp6/cu126"
OWN = "NVIDIA's own builds:"
ELSEWHERE = f"{OWN} https://pypi.jetson-ai-lab.io"


@pytest.mark.pytorch
@pytest.mark.parametrize(
    ("described", "label", "said"),
    [
        (
            jetson("12.6"),
            "cpu",
            f"This is a Jetson, and its driver has CUDA 12.6. {TAIL}{CPU_TAKEN}. {OWN} ",
        ),
        (jetson(None), "cpu", f"This is a Jetson. {TAIL}{CPU_TAKEN}. {ELSEWHERE}\n"),
        # From JetPack 7 on it is as a server: Orin, Thor.
        (jetson("13.2"), "cu130", None),
        (jetson("13.0", "11.0", "6.8.12-tegra"), "cu130", None),
        # GB10 and GH200 are servers.
        (jetson("13.0", "12.1", "6.11.0-1016-nvidia"), "cu130", None),
        (jetson("12.8", "9.0", "6.8.0-1028-nvidia-64k"), "cu128", None),
    ],
    ids=["jetpack6", "jetpack5", "orin7", "thor", "gb10", "gh200"],
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
        note = f"{label} is built for ARM servers, and runs on a Jetson too"
        is_jetson = described["environment"]["platform_release"].endswith("-tegra")
        assert (note in result.stdout) is is_jetson
    else:
        # Nothing else comes first, such as what the manifest of the bridge says.
        assert told.startswith(f"WARNING: {said}")
        assert "This machine has" not in told
        assert (JETPACK_6 in told) is ("12.6" in said)
        # The command is to be typed: nothing of the bridge is left in it.
        assert "--pytorch" not in told.partition(OWN)[2]


@pytest.mark.pytorch
def test_a_build_for_servers_that_was_asked_for(
    dry: Callable[..., Result], host: WriteHost
) -> None:
    old = ["--variant-host", host(jetson("12.6"))]
    asked = f"{TAIL}cu128 of torch 2.9.1, which was asked for, does not run. "
    backend = ["--pytorch-computation-backend"]
    for result in (
        dry(*backend, "cu128", *old),
        dry(*backend, "auto", *old, torch="torch==2.9.1+cu128"),
    ):
        assert "torch-2.9.1+cu128" in result.stdout
        assert asked in result.stderr
        assert JETPACK_6 in result.stderr
    # By its label it is a variant, and cannot run on such a target.
    result = dry(*backend, "auto", "--variant", "cu128", *old, code=1)
    assert "× The variant cu128 of torch 2.9.1 cannot run" in result.stderr
    for cpu in ("--cpuonly", "--pytorch-computation-backend=cpu"):
        result = dry(cpu, *old)
        assert "torch-2.9.1+cpu" in result.stdout
        assert "Jetson" not in result.output
    # A release without builds for CUDA loses none.
    result = dry(
        *("--pytorch-computation-backend", "auto", *old), torch="torch==2.13.0"
    )
    assert "torch-2.13.0+cpu" in result.stdout
    assert "Jetson" not in result.output


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


@pytest.mark.pytorch
@pytest.mark.parametrize("is_bridged", [True, False])
def test_a_gpu_that_is_there_and_does_not_count(
    gpu_of: Callable[[int], None],
    pip: Pip,
    dry: Callable[..., Result],
    index: IndexServer,
    is_bridged: bool,
) -> None:
    """What is installed without it says why; what uses another device says nothing."""

    def install(**variables: str) -> str:
        if is_bridged:
            options = ["--pytorch-computation-backend", "auto"]
            result = dry(*options, torch="torch==2.13.0", env=variables)
        else:
            options = ["--index-url", index.index_url]
            result = pip("install", "--dry-run", "kernels", *options, env=variables)
        return " ".join(result.output.split())

    builds = {"gfx": ["amd :: gfx_arch :: gfx1151"], "cu126": cuda("12.6"), "null": []}
    index.add_release("kernels", "1.0", {}, manifest=make_manifest(builds))
    assert "AMD GPU" not in install()
    gpu_of(0)
    said = install()
    label = "cpu" if is_bridged else "null"
    assert (
        f"WARNING: The target machine has an AMD GPU, but the variant {label} of"
        in said
    )
    assert (
        "was chosen. The AMD driver does not tell the architecture of a GPU: "
        "AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH can tell what to install for"
    ) in said
    forced = {
        "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION": "12.6",
        "NV_VARIANT_PROVIDER_FORCE_SM_ARCH": "8.6",
    }
    if not is_bridged:
        said = install(**forced)
        assert "cu126" in said
        assert "WARNING" not in said


def test_rocm_without_a_gpu_is_no_gpu(pip: Pip, index: IndexServer) -> None:
    builds = {"rocm6.4": ["amd :: gfx_arch :: gfx942", "amd :: rocm_version :: 6.4"]}
    manifest = make_manifest({**builds, "null": []})
    index.add_release("kernels", "1.0", {}, manifest=manifest)
    result = pip(
        *("install", "--dry-run", "kernels", "-i", index.index_url),
        env={"AMD_VARIANT_PROVIDER_FORCE_ROCM_VERSION": "6.4.1"},
    )
    assert "Would install kernels-1.0" in result.stdout
    assert result.stderr == ""


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
    assert "Using the variant gfx of kernels" in pip(*command).stdout
    result = pip(*command, "--strict-variants", env={variable: value})
    assert (
        "WARNING: The target machine has an AMD GPU, but the variant null of kernels 1.0 "
        f"without support for it was chosen. {variable} hides every AMD GPU: {value!r}. "
        f"To install for these GPUs: env -u {variable} "
    ) in " ".join(result.stderr.split())


@pytest.mark.pytorch
@pytest.mark.parametrize(
    ("gfx", "label"),
    [
        ("gfx1103", "rocm7.14"),
        ("gfx1151", "rocm7.14"),
        ("gfx906", "rocm7.2"),
        ("gfx1036", "cpu"),
        ("gfx1036,gfx1151", "rocm7.14"),
    ],
)
def test_builds_of_pytorch_for_amd(
    dry: Callable[..., Result], gfx: str, label: str
) -> None:
    options = ["--pytorch-computation-backend", "auto"]
    result = dry(*options, torch="torch==2.13.0", env={BOOTSTRAP: gfx})
    assert f"torch-2.13.0+{label}" in result.stdout


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
            ", and no variant has code for all GPUs. To choose for some GPUs only, list "
            "them in ROCR_VISIBLE_DEVICES\n"
        ),
    ),
    # Nothing says which GPUs it has code for.
    ({"a": ONE, "b": []}, [], "a", ", and no variant has code for all GPUs. "),
    ({"a": ONE, "b": BOTH}, ["--variant", "kernels=a"], "a", None),
    (
        {"a": ONE, "b": BOTH},
        ["--prefer-variant", "x86_64 :: level :: v1"],
        "a",
        ". For all GPUs: --variant kernels=b",
    ),
]


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
    variants = {
        name: [f"amd :: gfx_arch :: {each}" for each in architectures]
        for name, architectures in builds.items()
    }
    if "--prefer-variant" in typed:
        variants["a"].append("x86_64 :: level :: v1")
    providers = {
        "amd": ROCM_BOOTSTRAP,
        "x86_64": Provider(static={"level": ["v1"]}),
    }
    manifest = make_manifest({**variants, "null": []}, providers=providers)
    index.add_release("kernels", "1.0", {}, manifest=manifest, plain=False)
    options = ["kernels", "--index-url", index.index_url, *typed, *strict]
    result = pip("install", "--dry-run", *options, env={BOOTSTRAP: "gfx942,gfx1151"})
    assert f"Would install kernels-1.0 ({label})" in result.stdout
    if warned is None:
        assert result.stderr == ""
    else:
        assert result.stderr.startswith(
            "WARNING: The variant a of kernels 1.0 has no code for the visible GPU with "
            f"gfx1151{warned}"
        )
        assert len(result.stderr.splitlines()) == 1
    # One GPU needs no word.
    result = pip("install", "--dry-run", *options, env={BOOTSTRAP: "gfx942"})
    assert result.stderr == ""


def test_several_gpus_are_explained(pip: Pip, index: IndexServer) -> None:
    builds = {"a": ONE, "b": BOTH}
    variants = {
        name: [f"amd :: gfx_arch :: {each}" for each in architectures]
        for name, architectures in builds.items()
    }
    manifest = make_manifest(variants, providers={"amd": ROCM_BOOTSTRAP})
    index.add_release("kernels", "1.0", {}, manifest=manifest, plain=False)
    gpus = {BOOTSTRAP: "gfx942,gfx1151,gfx1151"}
    options = ["--index-url", index.index_url]
    result = pip("variants", "explain", "kernels", *options, env=gpus)
    for line in (
        "      GPUs: gfx942, gfx1151",
        "    1. b: amd :: gfx_arch :: gfx942, amd :: gfx_arch :: gfx1151",
        "    2. a: amd :: gfx_arch :: gfx942; no code for gfx1151",
        "  b comes before a: it has code for all GPUs, and a has none for gfx1151",
    ):
        assert line in result.lines, result.stdout
    assert "GPUs: gfx942, gfx1151" in pip("variants", "host", env=gpus).stdout


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
    listed = {
        "nvidia": [
            {
                "name": "compute capability 10.0",
                "feature": "sm_arch",
                "values": ["100_real", "100_virtual"],
                "number": 2,
            },
            {
                "name": "compute capability 7.0",
                "feature": "sm_arch",
                "values": ["70_real", "70_virtual"],
                "number": 1,
            },
        ]
    }
    assert json.loads(result.stdout)["devices"] == listed
    one = nvml.environ(cuda=13000, driver="580.65.06", capabilities=["10.0"])
    assert "devices" not in json.loads(
        pip("variants", "host", "--json", env=one).stdout
    )


def test_several_gpus_are_in_a_host_file(
    pip: Pip, index: IndexServer, host: WriteHost
) -> None:
    """What is chosen with the file is what is chosen on the machine."""
    others = ("nvidia", "intel", "tpu", "x86_64", "aarch64")
    without = [f"--disable-variant-provider={each}" for each in others]
    gpus = {BOOTSTRAP: "gfx942,gfx1151,gfx1151"}
    written = pip("variants", "host", "--json", "--hardware", *without, env=gpus)
    described = json.loads(written.stdout)
    features = [
        {"feature": "gfx_arch", "values": ["gfx942", "gfx1151"]},
    ]
    assert described == {
        "host-schema": 1,
        "supported": {"amd": features},
        "devices": {
            "amd": [
                {
                    "name": "gfx942",
                    "feature": "gfx_arch",
                    "values": ["gfx942"],
                    "number": 1,
                },
                {
                    "name": "gfx1151",
                    "feature": "gfx_arch",
                    "values": ["gfx1151"],
                    "number": 1,
                },
            ]
        },
    }
    path = host(described)
    result = pip("variants", "host", "--json", "--hardware", "--variant-host", path)
    assert json.loads(result.stdout) == described
    builds = {
        name: [f"amd :: gfx_arch :: {each}" for each in architectures]
        for name, architectures in {"a": ONE, "b": BOTH}.items()
    }
    index.add_release("kernels", "1.0", {}, manifest=make_manifest(builds), plain=False)
    options = ["--index-url", index.index_url, "--variant-host", path]
    result = pip("install", "--dry-run", "kernels", *options)
    assert "Would install kernels-1.0 (b)" in result.stdout
