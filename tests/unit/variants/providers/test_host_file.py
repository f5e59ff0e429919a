"""Host files, valid and not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from optparse import Values
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pip._internal.models.target_python import TargetPython
from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.host_file import MARKER_VARIABLES, read_host_file
from pip._internal.variants.providers.host_names import read_host
from pip._internal.variants.providers.target import target_of
from pip._internal.variants.settings import Settings
from tests.lib.environments import REPOSITORY

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
    (b"[]", "not a JSON object"),
    (b"{}", "host-schema"),
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
    (_with(devices={"amd": [GPU]}), "devices of 'amd', but no supported features"),
    (
        _with(supported={"amd": [LEVELS]}, devices={"amd": GPU}),
        "'amd' in 'devices' is not a list",
    ),
    (_gpus("gfx942"), "device of 'amd' is not a JSON object"),
    (_gpus({**GPU, "name": "\x1b[31m"}), "Invalid device of 'amd'"),
    (_gpus({**GPU, "number": 0}), "Invalid number of devices: 0"),
    (_gpus({**GPU, "number": True}), "Invalid number of devices: True"),
    (_gpus({**GPU, "values": []}), "amd :: gfx_arch"),
    (_with(environment={"python": "3"}), "'python'"),
    (_with(environment={"python_version": 3}), "python_version"),
    *((_part(key), f"Missing: '{key}'") for key in ("platforms", "abis")),
    (_part("environment"), "Missing: in 'environment': implementation_name"),
    (_with(environment={"os_name": "nt"}), "part of a machine"),
    (_with(platforms=["linux_x86_64"]), "part of a machine"),
    (_with(abis=["cp312"]), "part of a machine"),
    (_whole({"python_full_version": "3.12junk"}), "3.12junk"),
    (_whole({"python_full_version": "03.012"}), "03.012"),
    (_whole({"python_full_version": "3.40"}), "3.40"),
    (_whole(platforms=["ios_9_999_arm64_iphoneos"]), "'ios_9_999"),
    (_whole(platforms=["macosx_99999999_0_arm64"]), "'macosx_99999999"),
    (_with(platforms="any"), "'platforms' is not a list"),
    (_with(platforms=["win-amd64"]), "'win-amd64'"),
    (_with(platforms=[3]), "Invalid tag in 'platforms': 3"),
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


SCHEMA = json.loads(
    (REPOSITORY / "docs/schemas/host.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
#: What no schema can say.
BEYOND = ("repeated", "but no supported features", "999")


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
