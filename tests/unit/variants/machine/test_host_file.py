"""Host files, valid and not."""

from __future__ import annotations

import json
from optparse import Values
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pip._internal.models.target_python import TargetPython
from pip._internal.variants.choice.settings import Settings
from pip._internal.variants.core.properties import SupportedFeature
from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.machine.chain import Providers
from pip._internal.variants.machine.host_file import MARKER_VARIABLES, read_host_file
from pip._internal.variants.machine.hosts import read_host
from pip._internal.variants.machine.target import target_of
from tests.lib.environments import REPOSITORY
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


#: Contents of files, and what is wrong with them.
INVALID: list[tuple[bytes, str]] = [
    (b"", "not JSON"),
    (b"\xff", "not JSON"),
    (b"[" * 200_000, "nested too deeply"),
    (b"\xff\xfe{", "not JSON"),
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
    (_with(environment={"python_version": "three"}), "'three'"),
    (_with(environment={"python_version": "3"}), "'3'"),
    (_with(environment={"python_version": "3.12rc1"}), "it is as '3.12'"),
    (_with(environment={"python_version": "3.12.4"}), "it is as '3.12'"),
    (_with(environment={"python_full_version": "3.12junk"}), "3.12junk"),
    (_with(environment={"python_full_version": "03.012"}), "03.012"),
    (_with(environment={"platform_system": "windows"}), "write 'Windows'"),
    (_with(environment={"sys_platform": "macos"}), "write 'darwin'"),
    (_with(environment={"os_name": "NT"}), "write 'nt'"),
    (_with(environment={"implementation_name": "CPython"}), "write 'cpython'"),
    (
        _with(environment={"platform_python_implementation": "pypy"}),
        "write 'PyPy'",
    ),
    (_with(abis=["abi3", "none"]), "add its own ABI"),
    (
        _with(environment={"python_version": "3.12", "python_full_version": "3.13.1"}),
        "and the full one 3.13.1",
    ),
    (
        _with(abis=["cp311"], environment={"python_version": "3.12"}),
        "'cp311' is of 3.11",
    ),
    (
        _with(abis=["pypy311_pp73"], environment={"implementation_name": "cpython"}),
        "'pypy311_pp73' is of pypy",
    ),
    (_with(platforms=["any"]), "'any' is no platform"),
    (_with(environment={"sys_platform": "Linux"}), "write 'linux'"),
    (
        _with(environment={"sys_platform": "win32", "os_name": "posix"}),
        "Its 'os_name' is 'posix', not that of win32",
    ),
    (
        _with(environment={"sys_platform": "win32", "platform_system": "Linux"}),
        "Its 'platform_system' is 'Linux', not that of win32",
    ),
    (
        _with(
            platforms=["linux_x86_64"],
            supported={"aarch64": [{"feature": "version", "values": ["8a"]}]},
        ),
        "It supports 'aarch64', and its machine is x86_64",
    ),
    (
        _with(
            platforms=["manylinux_2_28_x86_64"],
            environment={"platform_machine": "aarch64"},
        ),
        "is of aarch64, and 'manylinux_2_28_x86_64' is not",
    ),
    (_with(platforms=["macosx_99999999_0_arm64"]), "no such platform"),
    (_with(platforms="any"), "'platforms' is not a list"),
    (_with(platforms=["win-amd64"]), "'win-amd64'"),
    (_with(platforms=[3]), "no tag: 3"),
    (_with(abis={}), "'abis' is not a list"),
    (
        _with(platforms=["win_amd64"], environment={"sys_platform": "linux"}),
        "is of linux, and 'win_amd64' is not",
    ),
]


@pytest.mark.parametrize(("content", "problem"), INVALID)
def test_invalid(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "host.json"
    path.write_bytes(content)
    with pytest.raises(InvalidHostFile) as error:
        read_host_file(str(path))
    assert problem in str(error.value.context)
    assert "host.json" in str(error.value.message)


@pytest.mark.parametrize(
    ("machine", "platform"),
    [
        ("AMD64", "win32"),
        ("ARM64", "win_amd64"),
        ("x86_64", "linux_i686"),
        ("aarch64", "manylinux_2_31_armv7l"),
        ("x86_64", "macosx_11_0_universal2"),
    ],
)
def test_machines_with_a_python_for_others(
    tmp_path: Path, machine: str, platform: str
) -> None:
    path = tmp_path / "host.json"
    path.write_bytes(
        _with(platforms=[platform], environment={"platform_machine": machine})
    )
    assert read_host_file(str(path)).environment["platform_machine"] == machine


def test_a_cpu_with_a_python_for_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    path.write_bytes(_with(platforms=["win32"], supported={"x86_64": [LEVELS]}))
    assert read_host_file(str(path)).environment["platform_machine"] == "x86"


SCHEMA = json.loads(
    (REPOSITORY / "docs/schemas/host.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
#: What no schema can say.
BEYOND = (
    *("repeated", "is of ", "the full one", "no such platform", "'any' is no platform"),
    *("write '", "not that of win32", "its machine is x86_64"),
)


def test_the_schema_is_one() -> None:
    VALIDATOR.check_schema(SCHEMA)
    markers = SCHEMA["properties"]["environment"]["properties"]
    assert markers.keys() == MARKER_VARIABLES


@pytest.mark.parametrize(("content", "problem"), INVALID)
def test_the_schema_refuses_what_pip_refuses(content: bytes, problem: str) -> None:
    if problem in ("not JSON", "nested too deeply"):
        return
    is_valid = VALIDATOR.is_valid(json.loads(content))
    assert is_valid == any(each in problem for each in BEYOND)


@pytest.mark.parametrize("name", ["", "cuda-12.8-sm_90", "macos-arm64-py313", "tpu"])
def test_the_schema_takes_what_pip_writes(name: str) -> None:
    host = read_host(name) if name else None
    settings = Settings(Values({"variant_host": name or None}))
    providers = Providers.for_settings(settings)
    target = target_of(settings, host)
    python = TargetPython() if target is None else target.python
    for tags in (python, None):
        VALIDATOR.validate(providers.described_host(providers.survey(), tags))


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(InvalidHostFile) as error:
        read_host_file(str(tmp_path / "host.json"))
    assert "cannot be read" in str(error.value.context)
