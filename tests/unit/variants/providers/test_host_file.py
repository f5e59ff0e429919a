"""Host files, valid and not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from optparse import Values
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.models.target_python import TargetPython
from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.host_file import (
    MARKER_VARIABLES,
    read_host_file,
)
from pip._internal.variants.providers.host_names import read_host
from pip._internal.variants.providers.target import target_of
from pip._internal.variants.selection.settings import Settings
from tests.lib.environments import REPOSITORY
from tests.lib.hosts import make_host

#: A machine, as pip writes it.
WHOLE: dict[str, Any] = {
    "host-schema": 1,
    "supported": {},
    "environment": {
        "implementation_name": "cpython",
        "implementation_version": "3.12.4",
        "os_name": "posix",
        "platform_machine": "x86_64",
        "platform_python_implementation": "CPython",
        "platform_release": "6.1.0",
        "platform_system": "Linux",
        "platform_version": "#1 SMP",
        "python_full_version": "3.12.4",
        "python_version": "3.12",
        "sys_platform": "linux",
    },
    "platforms": ["manylinux_2_28_x86_64", "linux_x86_64"],
    "abis": ["cp312"],
}


def test_hardware_alone(tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    path.write_text(json.dumps(make_host(x86_64="v3", amd=[])), encoding="utf-8")
    host = read_host_file(str(path))
    assert host.supported.features("x86_64") == (
        SupportedFeature("level", ("v3", "v2", "v1")),
    )
    assert host.supported.features("nvidia") == ()
    assert (host.environment, host.platforms, host.abis) == ({}, (), ())
    assert target_of(Settings(Values()), host) is None


def test_a_complete_file(tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    path.write_text(json.dumps(WHOLE), encoding="utf-8")
    host = read_host_file(str(path))
    assert host.platforms == ("manylinux_2_28_x86_64", "linux_x86_64")
    assert host.abis == ("cp312",)
    assert host.environment == WHOLE["environment"]
    assert WHOLE["environment"].keys() == MARKER_VARIABLES


def _whole(environment: Mapping[str, str] | None = None, **changes: Any) -> bytes:
    """Return a complete file with other markers and keys."""
    said = {**WHOLE["environment"], **(environment or {})}
    return json.dumps({**WHOLE, "environment": said, **changes}).encode()


LOWEST = "cuda_version_lower_bound 13.0"


def _with(**changes: Any) -> bytes:
    return json.dumps({"host-schema": 1, "supported": {}, **changes}).encode()


def _supporting(features: object) -> bytes:
    return _with(supported={"nvidia": features})


def _part(left_out: str) -> bytes:
    return json.dumps({k: v for k, v in WHOLE.items() if k != left_out}).encode()


LEVELS = {"feature": "level", "values": ["v1"]}
GPU = {"name": "gfx942", "number": 2, "feature": "gfx_arch", "values": ["gfx942"]}


def _gpus(*listed: object) -> bytes:
    features = [{"feature": "gfx_arch", "values": ["gfx942"]}]
    return _with(supported={"amd": features}, devices={"amd": listed})


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
    (_with(devices=[]), "'devices' is not a JSON object"),
    (_with(devices={"amd": [GPU]}), "has devices of 'amd', which it does not support"),
    (
        _with(supported={"amd": [LEVELS]}, devices={"amd": GPU}),
        "devices of 'amd' are not a list",
    ),
    (_gpus("gfx942"), "device of 'amd' is not a JSON object"),
    (_gpus({**GPU, "name": "\x1b[31m"}), "no device of 'amd'"),
    (_gpus({**GPU, "number": 0}), "no number of devices: 0"),
    (_gpus({**GPU, "number": True}), "no number of devices: True"),
    (_gpus({**GPU, "values": []}), "amd :: gfx_arch"),
    (_with(environment={"python": "3"}), "'python'"),
    (_with(environment={"python_version": 3}), "python_version"),
    *((_part(key), f"missing '{key}'") for key in ("platforms", "abis")),
    (_part("environment"), "missing in 'environment': implementation_name"),
    (_with(environment={"os_name": "nt"}), "part of a machine"),
    (_with(platforms=["linux_x86_64"]), "part of a machine"),
    (_with(abis=["cp312"]), "part of a machine"),
    (_whole({"python_full_version": "3.12junk"}), "3.12junk"),
    (_whole({"python_full_version": "03.012"}), "03.012"),
    (_whole({"python_full_version": "3.13.1"}), "others say '3.13'"),
    (_whole({"platform_system": "windows"}), "others say 'Linux'"),
    (_whole({"os_name": "nt"}), "others say 'posix'"),
    (_whole({"platform_python_implementation": "pypy"}), "others say 'CPython'"),
    (_whole({"sys_platform": "Linux"}), "is of Linux, x86_64, and"),
    (_whole({"sys_platform": "win32"}), "others say"),
    (_whole({"implementation_name": "CPython"}), "'cp312' is of cpython"),
    (_whole(abis=["cp311"]), "'cp311' is of 3.11"),
    (_whole(abis=["pypy312_pp73"]), "'pypy312_pp73' is of pypy"),
    (_whole(abis=["abi3", "none"]), "add its own ABI"),
    (_whole(platforms=["any"]), "'any' is no platform"),
    (
        _whole({"platform_machine": "aarch64"}),
        "is of linux, aarch64, and 'manylinux_2_28_x86_64' is not",
    ),
    (_whole(platforms=["win_amd64"]), "is of linux, x86_64, and 'win_amd64' is not"),
    (_whole(platforms=["macosx_99999999_0_arm64"]), "no such platform"),
    (_with(platforms="any"), "'platforms' is not a list"),
    (_with(platforms=["win-amd64"]), "'win-amd64'"),
    (_with(platforms=[3]), "no tag: 3"),
    (_with(abis={}), "'abis' is not a list"),
]


@pytest.mark.parametrize(("content", "problem"), INVALID)
def test_invalid(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "host.json"
    path.write_bytes(content)
    with pytest.raises(InvalidHostFile) as error:
        read_host_file(str(path))
    assert problem in str(error.value.context)
    assert "host.json" in str(error.value.message)


#: By sys_platform: os_name and platform_system.
SYSTEMS = {
    "linux": ("posix", "Linux"),
    "darwin": ("posix", "Darwin"),
    "win32": ("nt", "Windows"),
    "freebsd14": ("posix", "FreeBSD"),
}


@pytest.mark.parametrize(
    ("system", "machine", "platform"),
    [
        ("win32", "AMD64", "win32"),
        ("win32", "ARM64", "win_amd64"),
        ("linux", "x86_64", "linux_i686"),
        ("linux", "aarch64", "manylinux_2_31_armv7l"),
        ("darwin", "x86_64", "macosx_11_0_universal2"),
        ("darwin", "arm64", "macosx_11_0_arm64"),
        ("freebsd14", "amd64", "freebsd_14_0_release_amd64"),
    ],
)
def test_machines_with_a_python_for_others(
    tmp_path: Path, system: str, machine: str, platform: str
) -> None:
    path = tmp_path / "host.json"
    os_name, name = SYSTEMS[system]
    said = {"sys_platform": system, "os_name": os_name, "platform_system": name}
    said["platform_machine"] = machine
    path.write_bytes(_whole(said, platforms=[platform]))
    assert read_host_file(str(path)).environment["platform_machine"] == machine


SCHEMA = json.loads(
    (REPOSITORY / "docs/schemas/host.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
#: What no schema can say.
BEYOND = (
    *("repeated", "is of ", "others say", "no such platform", "'any' is no platform"),
    "which it does not support",
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
    providers = ProviderChain.for_settings(settings)
    target = target_of(settings, host)
    python = TargetPython() if target is None else target.python
    for tags in (python, None):
        VALIDATOR.validate(providers.described_host(providers.query_all(), tags))


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(InvalidHostFile) as error:
        read_host_file(str(tmp_path / "host.json"))
    assert "cannot be read" in str(error.value.context)
