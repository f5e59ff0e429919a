"""Host files, valid and not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pip._internal.variants.core.properties import SupportedFeature
from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.machine.host_file import read_host_file
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
    # What follows from it is said, too.
    assert host.environment == {
        "platform_system": "Windows",
        "sys_platform": "win32",
        "os_name": "nt",
    }
    assert (host.platforms, host.abis) == ((), ())


def test_a_platform_and_an_interpreter(tmp_path: Path) -> None:
    described = {
        "host-schema": 1,
        "supported": {},
        "environment": {"implementation_name": "cpython", "python_version": "3.12"},
        "platforms": ["macosx_14_0_arm64", "macosx_13_0_universal2"],
        "abis": ["cp312"],
    }
    path = tmp_path / "host.json"
    path.write_text(json.dumps(described), encoding="utf-8")
    host = read_host_file(str(path))
    assert host.platforms == ("macosx_14_0_arm64", "macosx_13_0_universal2")
    assert host.abis == ("cp312",)
    assert host.environment == {
        "implementation_name": "cpython",
        "implementation_version": "3.12.0",
        "os_name": "posix",
        "platform_machine": "arm64",
        "platform_python_implementation": "CPython",
        "platform_system": "Darwin",
        "python_full_version": "3.12.0",
        "python_version": "3.12",
        "sys_platform": "darwin",
    }


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
        (_with(environment={"python_version": "three"}), "'three.0'"),
        (_with(platforms="any"), "'platforms' is not a list"),
        (_with(platforms=["win-amd64"]), "'win-amd64'"),
        (_with(platforms=[3]), "no tag: 3"),
        (_with(abis={}), "'abis' is not a list"),
        (
            _with(platforms=["win_amd64"], environment={"sys_platform": "linux"}),
            "is of linux, and 'win_amd64' is not",
        ),
    ],
)
def test_invalid(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "host.json"
    path.write_bytes(content)
    with pytest.raises(InvalidHostFile) as error:
        read_host_file(str(path))
    assert problem in str(error.value.context)
    assert "host.json" in str(error.value.message)


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(InvalidHostFile) as error:
        read_host_file(str(tmp_path / "host.json"))
    assert "cannot be read" in str(error.value.context)
