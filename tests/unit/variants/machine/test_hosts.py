"""Host files, valid and not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pip._internal.variants.core.properties import SupportedFeature
from pip._internal.variants.errors import InvalidHostFile, UnknownHost
from pip._internal.variants.machine.hosts import read_host, read_host_file
from tests.lib.hosts import make_host


def test_a_host(tmp_path: Path) -> None:
    described = make_host(
        x86_64="v3", environment={"platform_system": "Windows"}, amd=[]
    )
    path = tmp_path / "host.json"
    path.write_text(json.dumps(described), encoding="utf-8")
    host = read_host_file(str(path))
    assert host.supported.features("x86_64") == (
        SupportedFeature("level", ("v3", "v2", "v1")),
    )
    assert host.supported.features("nvidia") == ()
    assert host.environment == {"platform_system": "Windows"}


LOWEST = "cuda_version_lower_bound 13.0"


def _with(**changes: Any) -> bytes:
    return json.dumps({"host-schema": 1, "supported": {}, **changes}).encode()


def _supporting(features: object) -> bytes:
    return _with(supported={"nvidia": features})


LEVELS = {"feature": "level", "values": ["v1"]}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "host-schema"),
        (_with(**{"host-schema": 2}), "2"),
        (_with(**{"host-schema": True}), "True"),
        (_with(supported=None), "'supported'"),
        (_with(suported={}), "suported"),
        (_with(supported={"NVIDIA": []}), "'NVIDIA'"),
        (_supporting({}), "not a list"),
        (_supporting(["v3"]), "'v3'"),
        (_supporting([{"feature": "Level", "values": ["v1"]}]), "'Level'"),
        (_supporting([{"feature": "level"}]), "nvidia :: level"),
        (_supporting([{"feature": "level", "values": []}]), "nvidia :: level"),
        (_supporting([{"feature": "level", "values": "v3"}]), "nvidia :: level"),
        (_supporting([{"feature": "level", "values": [3]}]), "3"),
        (_supporting([LEVELS, LEVELS]), "repeated"),
        (_with(environment={"python": "3"}), "'python'"),
        (_with(environment={"python_version": 3}), "python_version"),
    ],
)
def test_invalid(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "host.json"
    path.write_bytes(content)
    with pytest.raises(InvalidHostFile) as error:
        read_host_file(str(path))
    assert problem in str(error.value.context)
    assert "host.json" in str(error.value.message)


@pytest.mark.parametrize("name", ["cuda-99.9", "cuda-99.9-sm_90", "cuda-12.8-sm_10"])
def test_a_name_of_no_gpu(name: str) -> None:
    with pytest.raises(InvalidHostFile) as error:
        read_host(name)
    assert "No GPU is like that." in str(error.value.context)


@pytest.mark.parametrize(
    ("name", "supported", "environment"),
    [
        ("tpu", {"tpu": "present true"}, {}),
        ("tpu-x86_64-v2", {"tpu": "present true", "x86_64": "level v2"}, {}),
        ("cuda-13.0-aarch64", {"nvidia": LOWEST, "aarch64": "version 8a"}, {}),
        (
            "cuda-13.0-tegra",
            {"nvidia": LOWEST, "aarch64": "version 8a"},
            {"platform_release": "tegra"},
        ),
    ],
)
def test_names(
    name: str, supported: dict[str, str], environment: dict[str, str]
) -> None:
    host = read_host(name)
    assert host.environment == environment
    best = {
        namespace: host.supported.features(namespace)[0] for namespace in host.supported
    }
    assert {
        namespace: f"{feature.name} {feature.values[0]}"
        for namespace, feature in best.items()
    } == supported


@pytest.mark.parametrize("name", ["tegra", "cpu-tegra", "tpu-aarch64", "tpu-tegra"])
def test_no_such_name(name: str) -> None:
    with pytest.raises(UnknownHost):
        read_host(name)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(InvalidHostFile) as error:
        read_host_file(str(tmp_path / "host.json"))
    assert "cannot be read" in str(error.value.context)
