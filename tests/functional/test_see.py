"""``pip variants host`` and ``list``: see what a machine supports and what there is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.hosts import forced, make_host
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH, PluginSpec, cuda, make_manifest
from tests.lib.wheels import make_wheel

Pip = Callable[..., Result]
WriteHost = Callable[[str | Mapping[str, Any]], Path]

GPU = forced("12.8", "9.0")
LOWER = "nvidia :: cuda_version_lower_bound"


@pytest.fixture
def torch(index: IndexServer) -> list[str]:
    """Return the options for an index with the preview's torch."""
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    return ["--index-url", index.index_url]


def document(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["version"] == "1"
    return found


@pytest.mark.on_wheel
def test_host_steps(pip: Pip) -> None:
    result = pip(
        *("variants", "host", "-v", "--disable-variant-provider", "amd"),
        env={**GPU, "INTEL_VARIANT_PROVIDER_FORCE_DEVICE_IP": "20.1.0"},
    )
    *heads, last = [line for line in result.lines if not line.startswith(" ")]
    assert [head.split(" (")[0] for head in heads] == [
        *("nvidia", "amd", "intel", "tpu", "x86_64", "aarch64")
    ]
    assert re.fullmatch(
        r"nvidia \(built in, from NV_VARIANT_PROVIDER_FORCE_\w+, \w+\)", heads[0]
    )
    assert heads[1] == "amd (disabled, nothing supported)"
    assert last.endswith("pip variants setup")
    assert "intel (built in, from INTEL_VARIANT_PROVIDER_FORCE_DEVICE_IP" in heads[2]
    assert "  sm_arch: 90_real, 90_virtual" in result.lines


def test_host_a_host_file_is_what_it_was_made_from(pip: Pip, host: WriteHost) -> None:
    described = make_host(cuda="12.8", capability="9.0", x86_64="v2")
    command = ["variants", "host", "--json", "--variant-host", host(described)]
    written = json.loads(pip(*command).stdout)
    assert written["supported"] == described["supported"]
    written = json.loads(pip(*command, "--disable-variant-provider", "nvidia").stdout)
    assert list(written["supported"]) == ["x86_64"]


def test_host_providers_of_a_manifest(venv: Environment, index: IndexServer) -> None:
    plugin = (
        "class F:\n name, values, multi_value = 'kind', ['b2'], False\n"
        "def get_supported_configs():\n return [F()]\n"
    )
    index.add(make_wheel("npu-provider", "1.0", files={"npu_plugin.py": plugin}))
    manifest = make_manifest(
        {"a": ["npu :: kind :: b2"], "b": ["blas_lapack :: provider :: mkl"]},
        providers={"npu": PluginSpec(["npu-provider"], "npu_plugin")},
    )
    path = venv.work / "m.json"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    options = ["--manifest", str(path), "--index-url", index.index_url, "--verbose"]
    result = venv.pip("variants", "host", *options)
    assert result.lines[:2] == [
        "npu (no provider, nothing supported)",
        "  note: its provider requires untrusted plugins: npu-provider",
    ]
    assert index.log() == []

    options += ["--trust-variant-provider", "npu-provider"]
    result = venv.pip("variants", "host", *options)
    assert any(
        re.fullmatch(r"npu \(plugin, from the plugin npu-provider\)", line)
        for line in result.lines
    )
    assert "blas_lapack (static list, from the manifest)" in result.lines
    written = json.loads(venv.pip("variants", "host", "--json", *options).stdout)
    # What a manifest lists is not of the machine.
    assert written["supported"]["npu"] == [{"feature": "kind", "values": ["b2"]}]
    assert "blas_lapack" not in written["supported"]


def test_list_all_versions(pip: Pip, index: IndexServer, torch: list[str]) -> None:
    index.add_release("torch", "2.7.0", {"cu118": cuda("11.8")})
    index.add_release("torch", "2.6.0", {"cu118": cuda("11.8")})
    index.add(make_wheel("torch", "2.9.0"))
    options = ["--all-versions", *torch]
    result = pip("variants", "list", "torch>=2.7", *options, env=GPU)
    titles = [line for line in result.lines if line.startswith("torch ")]
    assert [title.split()[1] for title in titles] == ["2.8.0", "2.7.0"]
    assert result.lines[-1] == "torch-2.9.0-py3-none-any.whl would be installed."
    assert "--hardware needs" in pip("variants", "host", "--hardware", code=1).stderr
    # As with pip inspect, --quiet has no effect on a document.
    options += ["-q", "--json"]
    found = document(pip("variants", "list", "torch", *options, env=GPU))
    assert [each["version"] for each in found["versions"]] == [
        *("2.8.0", "2.7.0", "2.6.0")
    ]


def test_list_installed(venv: Environment, torch: list[str]) -> None:
    venv.pip("install", "torch", *torch)
    venv.pip("variants", "list", "torch", "--no-index", code=1)


def test_list_json(
    pip: Pip, index: IndexServer, torch: list[str], host: WriteHost
) -> None:
    machine = host(make_host(cuda="12.6", capability="9.0"))
    options = [*torch, "--variant-host", machine, "--json"]
    result = pip("variants", "list", "torch==2.8.0", *options)
    (version,) = document(result)["versions"]
    variants = {each["label"]: each for each in version["variants"]}
    ranks = {label: each["rank"] for label, each in variants.items()}
    assert ranks == {"cu126": 1, "00000000": 2, None: 3, "cu128": None, "cu129": None}
    assert [label for label, each in variants.items() if each["chosen"]] == ["cu126"]
    (mismatch,) = variants["cu128"]["mismatches"]
    assert (mismatch["feature"], mismatch["wanted"]) == (LOWER, ["12.8"])
    (file,) = variants["cu126"]["files"]
    assert file["url"] == index.file_url(file["filename"])


def test_list_what_does_not_run_is_listed(
    pip: Pip, torch: list[str], index: IndexServer
) -> None:
    index.add_release("only", "1.0", {"cu130": cuda("13.0")}, plain=False)
    index.clear_log()
    result = pip("variants", "list", "only", *torch, env=GPU)
    paths = [path for _, path in index.log()]
    assert paths == ["/simple/only/", "/files/only-1.0-variants.json"]
    assert re.match(r" +cu130 no +.* any +CUDA 13\.0", result.lines[2])


def test_list_variants_beside_a_plain_wheel(pip: Pip, torch: list[str]) -> None:
    result = pip("variants", "list", "torch", *torch, "--no-variants")
    why = result.lines[1].index("Why not")
    assert {line[why:] for line in result.lines[3:-1]} == {
        f"variants are off (available: {label})"
        for label in ("00000000", "cu126", "cu128", "cu129")
    }


def test_list_nothing_to_list(pip: Pip, torch: list[str]) -> None:
    result = pip("variants", "list", "other", *torch, code=1)
    assert result.stdout == ""
    assert result.stderr == "ERROR: No matching distribution found for other\n"
    assert "Specify one REQUIREMENT" in pip("variants", "list", code=1).stderr


def test_names_are_completed(venv: Environment) -> None:
    def completed(words: str) -> list[str]:
        environ = {
            "PIP_AUTO_COMPLETE": "1",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        }
        return venv.pip(code=1, env=environ).stdout.split()

    actions = ["host", "list", "explain", "setup"]
    assert completed("pip variants ")[-4:] == actions
    assert completed("pip variants ex") == ["explain"]
    assert "--variant-host=" in completed("pip variants explain --variant")
    # What belongs to other actions is not offered.
    assert "--hardware" in completed("pip variants host ")
    assert "--hardware" not in completed("pip variants explain ")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("install --varient torch=x torch", "--varient (did you mean --variant?)"),
        ("variants list --jsn torch", "--jsn (did you mean --json?)"),
        ("install --frobnicate torch", "--frobnicate"),
        # An abbreviation of --prefer-binary, as with stock pip
        ("install --prefer torch --frobnicate", "--frobnicate"),
    ],
)
def test_a_mistyped_option_is_proposed(pip: Pip, typed: str, said: str) -> None:
    result = pip(*typed.split(), code=2)
    assert result.stderr.endswith(f"\nno such option: {said}\n")


def test_json_is_a_format(pip: Pip, torch: list[str]) -> None:
    command = ["variants", "list", "torch", *torch]
    json_output = pip(*command, "--json", env=GPU).stdout
    assert pip(*command, "--format", "json", env=GPU).stdout == json_output
    assert (
        pip(*command, "--format=columns", env=GPU).stdout
        == pip(*command, env=GPU).stdout
    )
