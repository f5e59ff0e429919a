"""What is installed beside other packages goes together with them, or pip says so."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.index import IndexServer
from tests.lib.manifests import Properties, cuda
from tests.lib.wheels import make_wheel

GPU = forced("13.0", "9.0")
AMD: Properties = ["amd :: gfx_arch :: gfx942"]
BUILDS: Mapping[str, Properties] = {
    "cu130": cuda("13.0"),
    "cu126": cuda("12.6"),
    "null": {},
}


class Case(NamedTuple):
    """What is installed, and which torchvision comes beside it.

    :ivar installed: the arguments of the command that installs torch.
    :ivar label: of torchvision, with nothing else typed.
    :ivar said: by the second command; empty for no word about neighbors.
    """

    installed: Sequence[str]
    label: str
    said: str = ""


AGREED = "Choosing 'cu126' of torchvision 1.0 instead of 'cu130', to use "
APART = (
    "'torchvision' requires 'torch', but torchvision 1.0 (cu130) uses an accelerator "
    "and {} does not. To list the wheels of 'torch': pip variants list torch"
)
CASES: Mapping[str, Case] = {
    "the best": Case(["torch==2.10"], "cu130"),
    "another variant for CUDA": Case(
        ["torch==2.10", "--variant=torch=cu126"],
        "cu126",
        f"{AGREED}CUDA 12 like the installed torch 2.10 (cu126). To choose the best "
        "variant of each package instead, add --upgrade-variants",
    ),
    "a variant for the CPU, chosen explicitly": Case(
        ["torch==2.10", "--variant=torch=null"],
        "null",
        "Choosing 'null' of torchvision 1.0 instead of 'cu130', to use "
        "only the CPU like the installed torch 2.10 (null)",
    ),
    "a variant for the CPU, chosen by pip": Case(
        ["torch==2.10", "--variant-host=cpu"],
        "cu130",
        "torch 2.10 is installed as the variant 'null', but the variant 'cu130' is a better match",
    ),
    "a local version for the CPU": Case(
        ["torch==2.9+cpu"], "cu130", APART.format("torch 2.9+cpu")
    ),
    "a local version for CUDA": Case(
        ["torch==2.9+cu126"],
        "cu126",
        f"{AGREED}CUDA 12 like the installed torch 2.9+cu126 (cu126)",
    ),
    "requirements for CUDA": Case(
        ["torch==2.8"],
        "cu126",
        f"{AGREED}CUDA 12 like the installed torch 2.8 (requires nvidia-cublas-cu12)",
    ),
    "no word about CUDA": Case(["torch==2.6"], "cu130"),
}


@pytest.fixture
def packages(index: IndexServer) -> IndexServer:
    """Return an index with torch in many forms, and torchvision, which requires it."""
    index.add_release("torch", "2.10", dict(BUILDS), plain=False)
    index.add_release("torchvision", "1.0", dict(BUILDS), requires=["torch"])
    for version in ("2.9+cpu", "2.9+cu126", "2.6"):
        index.add(make_wheel("torch", version))
    index.add(make_wheel("torch", "2.8", requires=["nvidia-cublas-cu12"]))
    index.add(make_wheel("nvidia-cublas-cu12", "12.9"))
    return index


def install(venv: Environment, index: IndexServer, *arguments: str) -> Result:
    return venv.pip("install", *arguments, "-i", index.index_url, env=GPU)


def words(result: Result) -> str:
    return " ".join(f"{result.stdout} {result.stderr}".split())


def label_of(venv: Environment, name: str) -> str:
    return str(venv.eval(f"{name}.variant_label", name))


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_install_beside(
    venv: Environment, packages: IndexServer, case: str, strict: bool
) -> None:
    expected = CASES[case]
    install(venv, packages, *expected.installed)
    explain = ["variants", "explain", "--json", "torchvision"]
    explained = venv.pip(*explain, "-i", packages.index_url, env=GPU)
    assert json.loads(explained.stdout)["chosen"]["label"] == expected.label
    options = ["--strict-variants"] if strict else []
    result = install(venv, packages, "torchvision", *options)
    assert label_of(venv, "torchvision") == expected.label
    said = words(result)
    assert expected.said in said
    assert ("Choosing " in said) == expected.said.startswith("Choosing")
    assert said.count("WARNING") == (expected.said != "" and "Choosing" not in said)
    # What is installed already is no news.
    packages.add(make_wheel("other", "1.0"))
    assert "WARNING" not in words(install(venv, packages, "other"))


def test_upgrade_variants_takes_the_best(
    venv: Environment, packages: IndexServer
) -> None:
    install(venv, packages, *CASES["a local version for CUDA"].installed)
    result = install(venv, packages, "--upgrade-variants", "torchvision")
    assert label_of(venv, "torchvision") == "cu130"
    assert "need different CUDA or ROCm versions" in words(result)


def test_rocm_binds(
    venv: Environment, index: IndexServer, host: Callable[[Mapping[str, Any]], str]
) -> None:
    builds = {**BUILDS, "rocm64": AMD}
    index.add_release("torch", "2.10", builds, plain=False)
    index.add_release("torchvision", "1.0", builds, plain=False)
    gfx = [{"feature": "gfx_arch", "values": ["gfx942"]}]
    both = host(make_host(cuda="13.0", capability="9.0", amd=gfx))
    options = ["-i", index.index_url, "--variant-host", both]
    venv.pip("install", "torch", "--variant=torch=rocm64", *options)
    result = venv.pip("install", "torchvision", *options)
    assert label_of(venv, "torchvision") == "rocm64"
    assert "to use ROCm like the installed torch 2.10 (rocm64)" in words(result)


@pytest.mark.parametrize("is_by_check", [False, True])
def test_the_command_mends_it(
    venv: Environment, packages: IndexServer, is_by_check: bool
) -> None:
    install(venv, packages, "torchvision")
    said = words(install(venv, packages, "torch", "--variant=torch=null"))
    # A machine without a GPU has other worries.
    assert venv.pip("check").stderr.count("WARNING") == 1
    if is_by_check:
        said = words(venv.pip("check", env=GPU))
    install(venv, packages, *shlex.split(said.partition("of 'torch': pip install ")[2]))
    assert label_of(venv, "torch") == "cu130"


def test_the_command_of_check_mends_it(
    venv: Environment, packages: IndexServer
) -> None:
    install(venv, packages, "torchvision")
    apart = (
        "WARNING: These packages need different CUDA or ROCm versions: torchvision 1.0 "
        "(cu130) needs CUDA 13, torch 2.8 (requires nvidia-cublas-cu12) needs CUDA 12. To "
    )
    plain = install(venv, packages, *CASES["requirements for CUDA"].installed)
    listing = f"pip variants list torch --index-url {packages.index_url}"
    assert plain.stderr.endswith(f"{apart}list the wheels of 'torch': {listing}\n")
    venv.pip(*listing.split()[1:], env=GPU)
    matching = "pip install --variant torchvision=cu126 torchvision==1.0"
    said = venv.pip("check", env=GPU).stderr
    assert said == f"{apart}install matching variants: {matching}\n"
    install(venv, packages, *matching.split()[2:])
    assert label_of(venv, "torchvision") == "cu126"
    assert venv.pip("check", env=GPU).stderr == ""
