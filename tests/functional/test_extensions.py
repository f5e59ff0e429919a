"""A torch extension whose builds are for certain versions of torch, and for certain GPUs.

Stand-ins with the names, labels, dependencies and markers that torch-nntile would have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced
from tests.lib.index import IndexServer
from tests.lib.manifests import Provider, cuda, make_manifest, manifest_file, nest
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]

ARCHITECTURES = ["70", "75", "80", "86", "89", "90"]
CU128 = nest(cuda("12.8", ARCHITECTURES))
CU130 = nest(cuda("13.0", ARCHITECTURES[1:]))
ABI = {"abi": Provider(builtin="abi_dependency")}
NO_GPU = {"PIP_VARIANT_HOST": "cpu-x86_64-v3"}

TORCH = make_manifest({"cu128": CU128, "cu130": CU130, "null": {}})
NNTILE = make_manifest(
    {
        "torch291_cu128": {"abi": {"torch": ["2.9.1"]}, **CU128},
        "torch2100_cu130": {"abi": {"torch": ["2.10.0"]}, **CU130},
        "torch291_cpu": {"abi": {"torch": ["2.9.1"]}},
    },
    namespaces=["abi", "nvidia"],
    providers=ABI,
)
BOUND = "nvidia :: cuda_version_lower_bound"
REQUIRES = [
    "torch>=2.9,<2.11",
    f"nvidia-cublas-cu12; '{BOUND} :: 12.8' in variant_properties",
    f"nvidia-cublas; '{BOUND} :: 13.0' in variant_properties",
]


@pytest.fixture
def nntile(index: IndexServer) -> IndexServer:
    """Return an index with two versions of torch and an extension of either."""
    for version in ("2.9.1", "2.10.0"):
        index.add_release("torch", version, {}, manifest=TORCH)
    index.add_release(
        "torch-nntile", "0.1.0", {}, manifest=NNTILE, plain=False, requires=REQUIRES
    )
    index.add(make_wheel("torch", "2.8"))
    index.add(make_wheel("nvidia-cublas-cu12", "12.8.4.1"))
    index.add(make_wheel("nvidia-cublas", "13.0.0"))
    return index


def chosen(result: Result) -> dict[str, str]:
    """Return the version of what would be installed, with its label."""
    (line,) = (line for line in result.lines if line.startswith("Would install"))
    versions = dict(
        each.rpartition("-")[::2] for each in re.findall(r"(\S+-[0-9]\S*)", line)
    )
    for label, name, version in re.findall(
        r"Using the variant (\S+) of (\S+) (\S+) ", result.stdout
    ):
        assert versions[name] == version
        versions[name] += f" {label}"
    return versions


CASES: Mapping[
    str, tuple[Sequence[str], Mapping[str, str | None], Mapping[str, str]]
] = {
    "A": (["torch==2.9.1"], NO_GPU, {"torch": "2.9.1 null"}),
    "B": (["torch==2.9.1"], forced("12.9", "8.9"), {"torch": "2.9.1 cu128"}),
    "C": (["torch"], forced("13.1"), {"torch": "2.10.0 cu130"}),
    "D": (["torch"], forced("12.6"), {"torch": "2.10.0 null"}),
    "E": (
        ["torch-nntile"],
        NO_GPU,
        {"torch-nntile": "0.1.0 torch291_cpu", "torch": "2.9.1 null"},
    ),
    "F": (
        ["torch-nntile"],
        forced("12.9", "8.9"),
        {
            "torch-nntile": "0.1.0 torch291_cu128",
            "torch": "2.9.1 cu128",
            "nvidia-cublas-cu12": "12.8.4.1",
        },
    ),
    "G": (
        ["torch-nntile"],
        forced("13.1"),
        {
            "torch-nntile": "0.1.0 torch2100_cu130",
            "torch": "2.10.0 cu130",
            "nvidia-cublas": "13.0.0",
        },
    ),
    "H": (
        ["torch-nntile", "torch==2.9.1"],
        forced("13.1"),
        {
            "torch-nntile": "0.1.0 torch291_cu128",
            "torch": "2.9.1 cu128",
            "nvidia-cublas-cu12": "12.8.4.1",
        },
    ),
    "L": (["torch==2.9.1", "--no-variants"], forced("12.9"), {"torch": "2.9.1"}),
}


@pytest.mark.parametrize("case", CASES)
def test_what_would_be_installed(pip: Pip, nntile: IndexServer, case: str) -> None:
    arguments, env, expected = CASES[case]
    command = ["install", "--dry-run", *arguments, "-i", nntile.index_url]
    result = pip(*command, env=env)
    assert chosen(result) == expected
    if case == "D":
        assert (
            "cu128 needs nvidia :: cuda_version_lower_bound :: 12.8 (the target has "
            in (result.stderr)
        )
    else:
        assert result.stderr == ""


def test_agreement_is_explained(pip: Pip, nntile: IndexServer) -> None:
    command = ["install", "--dry-run", "torch-nntile", "torch==2.9.1"]
    result = pip(*command, "-i", nntile.index_url, env=forced("13.1"))
    assert (
        "Taking cu128 of torch 2.9.1 instead of cu130, so that all variants are for "
        "CUDA 12 (--no-variant-agreement takes the best of each)"
    ) in result.lines


@pytest.mark.parametrize("place", ["line", "variable", "configuration"])
def test_no_agreement_where_none_is_wanted(
    venv: Environment, index: IndexServer, place: str
) -> None:
    both = {"cu12": cuda("12.0"), "cu13": cuda("13.0")}
    index.add_release("torch", "2.9.0", both)
    index.add_release("vision", "1.0", {"cu12": cuda("12.0")})
    command = ["install", "--dry-run", "torch", "vision", "-i", index.index_url]
    environ = {**forced("13.0"), "PIP_CONFIG_FILE": None}
    result = venv.pip(*command, env=environ)
    assert chosen(result) == {"torch": "2.9.0 cu12", "vision": "1.0 cu12"}
    if place == "line":
        command.append("--no-variant-agreement")
    elif place == "variable":
        environ["PIP_NO_VARIANT_AGREEMENT"] = "1"
    else:
        key = "global.no-variant-agreement"
        venv.pip("config", "--site", "set", key, "1", env={"PIP_CONFIG_FILE": None})
    result = venv.pip(*command, env=environ)
    assert chosen(result) == {"torch": "2.9.0 cu13", "vision": "1.0 cu12"}
    assert "Taking" not in result.stdout
    assert re.sub(r"\S+ -m pip", "pip", result.stderr) == (
        "WARNING: Packages for different CUDA versions come together: torch 2.9.0 (cu13) "
        "is for CUDA 13, vision 1.0 (cu12) is for CUDA 12. To take builds that agree, "
        "if any do: pip install torch vision --dry-run --index-url "
        f"{index.index_url}\n"
    )


def test_a_conflict_names_the_builds(pip: Pip, nntile: IndexServer) -> None:
    """Case I."""
    command = ["install", "torch-nntile", "torch==2.8", "-i", nntile.index_url]
    result = pip(*command, env=forced("13.1"), code=1)
    assert (
        "ERROR: torch-nntile 0.1.0 has variants that run here for torch==2.10.0.* "
        "(torch2100_cu130); torch==2.9.1.* (torch291_cu128, torch291_cpu)"
    ) in result.stderr
    assert "The user requested torch==2.8" in result.stdout


def test_what_is_installed_is_kept_and_judged(
    venv: Environment, nntile: IndexServer
) -> None:
    """Case J, and the same for a torch of another version."""
    options = ["-i", nntile.index_url]
    venv.pip("install", "torch==2.9.1", *options, env=NO_GPU)
    result = venv.pip("install", "torch-nntile", *options, env=forced("13.1"))
    assert "Using the variant torch291_cu128 of torch-nntile 0.1.0" in result.stdout
    assert venv.eval("torch.variant_label", "torch") == "null"
    (warning,) = result.stderr.splitlines()
    assert warning.startswith(
        "WARNING: torch 2.9.1 is installed as the variant null, but the variant cu130 "
        "suits this machine better"
    )
    command = warning.partition("To switch: ")[2].partition("pip ")[2].split()
    venv.pip(*command, *options, env=forced("13.1"))
    assert venv.eval("torch.variant_label", "torch") != "null"
    # What the variant needs is a dependency like any other from now on.
    result = venv.pip("install", "torch==2.10.0", *options, env=forced("13.1"))
    assert "torch-nntile 0.1.0 requires torch==2.9.1.*, but you have torch 2.10.0" in (
        result.stderr
    )
    assert "torch-nntile 0.1.0 has requirement torch==2.9.1.*" in (
        venv.pip("check", code=1).stdout
    )
    # The build for the new torch mends it.
    venv.pip("install", "torch-nntile", "torch==2.10.0", *options, env=forced("13.1"))
    assert venv.eval("torch_nntile.variant_label", "torch_nntile") == "torch2100_cu130"
    venv.pip("check")


def test_the_wheels_replace_a_missing_manifest(pip: Pip, nntile: IndexServer) -> None:
    """Case K, for the extension too."""
    for entries in nntile.projects.values():
        entries[:] = [e for e in entries if not e.file.filename.endswith(".json")]
    for case in "BEFGH":
        arguments, env, expected = CASES[case]
        command = ["install", "--dry-run", *arguments, "-i", nntile.index_url]
        assert chosen(pip(*command, env=env)) == expected


def test_another_machine(venv: Environment, nntile: IndexServer) -> None:
    """Case M: markers are the target's."""
    marker = "sys_platform == 'darwin' and 'nvidia' not in variant_namespaces"
    nntile.add(make_wheel("for-macs", "1.0"))
    nntile.add_release(
        *("app", "1.0", {}),
        manifest=make_manifest({"gpu": CU128, "null": {}}),
        requires=[f"for-macs; {marker}", "torch-nntile"],
    )
    command = ["download", "app", "-d", "there", "-i", nntile.index_url]
    command += ["--variant-host", "macos-14-arm64"]
    venv.pip(*command, "--only-binary", ":all:", env=forced("13.1"))
    names = {path.name for path in (venv.work / "there").iterdir()}
    assert {name for name in names if not name.startswith("for_macs")} == {
        "app-1.0-py3-none-any-null.whl",
        "torch-2.9.1-py3-none-any-null.whl",
        "torch_nntile-0.1.0-py3-none-any-torch291_cpu.whl",
    }


def test_a_broken_manifest_costs_its_variants(pip: Pip, nntile: IndexServer) -> None:
    """Case N."""
    nntile.add(manifest_file("torch", "2.9.1", b'{"variants": '))
    command = ["install", "--dry-run", "torch==2.9.1", "-i", nntile.index_url]
    result = pip(*command, env=forced("12.9"))
    assert chosen(result) == {"torch": "2.9.1"}
    assert "Ignoring the variant wheels of torch 2.9.1" in result.stderr


def test_a_label_that_the_manifest_lacks(pip: Pip, nntile: IndexServer) -> None:
    """Case O."""
    lacking = make_manifest({"cu130": CU130, "null": {}})
    nntile.add(manifest_file("torch", "2.9.1", lacking))
    command = ["install", "--dry-run", "-v", "torch==2.9.1", "-i", nntile.index_url]
    result = pip(*command, env=forced("12.9"))
    assert chosen(result) == {"torch": "2.9.1 null"}
    assert "cu128: the variants manifest does not describe it" in result.stdout


def test_a_manifest_that_contradicts_its_wheel(
    venv: Environment, nntile: IndexServer
) -> None:
    """Case P."""
    wrong = make_manifest({"cu128": cuda("11"), "null": {}})
    nntile.add(manifest_file("torch", "2.9.1", wrong))
    nntile.pages.core_metadata = False
    command = ["install", "torch==2.9.1", "-i", nntile.index_url]
    result = venv.pip(*command, env=forced("11.8", "8.6"))
    assert "nvidia :: cuda_version_lower_bound :: 12.8" in result.stdout
    assert venv.eval("torch.variant_label", "torch") == "null"


def test_packages_that_have_no_version_in_common_are_warned_of(
    pip: Pip, nntile: IndexServer
) -> None:
    nntile.add_release("old-kernels", "1.0", {"cu118": cuda("11.8")}, plain=False)
    command = ["install", "--dry-run", "torch", "old-kernels", "-i", nntile.index_url]
    result = pip(*command, env=forced("13.1"))
    assert chosen(result) == {"torch": "2.10.0 cu130", "old-kernels": "1.0 cu118"}
    assert (
        "WARNING: Packages for different CUDA versions come together: torch 2.10.0 "
        "(cu130) is for CUDA 13, old-kernels 1.0 (cu118) is for CUDA 11. No "
        "other variants of these versions agree. To list them: pip variants list "
        f"old-kernels torch --index-url {nntile.index_url}\n"
    ) in result.stderr


def test_what_stays_installed_has_a_say(venv: Environment, nntile: IndexServer) -> None:
    options = ["-i", nntile.index_url]
    nntile.add_release("kernels", "1.0", {}, manifest=TORCH)
    venv.pip("install", "torch", *options, env=forced("12.9"))
    result = venv.pip(
        "install", "--dry-run", "kernels", "torch", *options, env=forced("13")
    )
    assert chosen(result) == {"kernels": "1.0 cu128"}


def test_a_label_by_hand_is_not_overruled(pip: Pip, nntile: IndexServer) -> None:
    command = ["install", "--dry-run", "torch-nntile", "torch==2.9.1"]
    by_hand = ["--variant", "torch=cu130", "-i", nntile.index_url]
    result = pip(*command, *by_hand, env=forced("13.1"))
    assert chosen(result)["torch"] == "2.9.1 cu130"
    assert "Packages for different CUDA versions come together" in result.stderr


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("torch", {"torch": "2.10.0 cu128", "ext": "1.0 a"}),
        ("torch==2.9.1", {"torch": "2.9.1 cu128", "ext": "1.0 a"}),
        ("torch==2.8", {"torch": "2.8", "ext": "1.0 b"}),
    ],
)
def test_one_build_for_several_versions(
    pip: Pip, nntile: IndexServer, wanted: str, expected: Mapping[str, str]
) -> None:
    variants = {
        "a": {"abi": {"torch": ["2.10", "2.9"]}},
        "b": {"abi": {"torch": ["2.8", "2.7"]}},
    }
    manifest = make_manifest(variants, providers=ABI)
    nntile.add_release("ext", "1.0", {}, manifest=manifest, plain=False)
    command = ["install", "--dry-run", "ext", wanted, "-i", nntile.index_url]
    assert chosen(pip(*command, env=forced("12.9"))) == expected


def test_an_older_extension_is_better_than_none(pip: Pip, nntile: IndexServer) -> None:
    variants = {"a": {"abi": {"torch": ["3.0"]}}, "b": {"abi": {"missing": ["1"]}}}
    manifest = make_manifest(variants, providers=ABI)
    nntile.add_release("torch-nntile", "0.2.0", {}, manifest=manifest, plain=False)
    command = ["install", "--dry-run", "torch-nntile", "-i", nntile.index_url]
    result = pip(*command, env=forced("12.9"))
    assert chosen(result)["torch-nntile"] == "0.1.0 torch291_cu128"
