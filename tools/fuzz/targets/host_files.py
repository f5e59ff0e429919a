"""Fuzz host files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from optparse import Values
from typing import Any

from hypothesis import strategies as st

from pip._vendor.wheel_variants.properties import is_valid_namespace, is_valid_value

from pip._internal.variants.errors import InvalidHostFile, VariantError
from pip._internal.variants.providers.host_file import MARKER_VARIABLES, read_host_file
from pip._internal.variants.providers.target import target_of
from pip._internal.variants.settings import Settings
from tests.lib.hosts import HOSTS
from tools.fuzz.shapes import ANYTHING, VALUE, mostly, named
from tools.fuzz.target import FOLDER, FuzzTarget, check_error, structured

__all__ = ["TARGETS"]

_SETTINGS = Settings(Values())
#: The words that environments, platforms and ABIs may contain.
_WORDS = (
    *("linux", "win32", "darwin", "Windows", "x86_64", "arm64", "cpython", "pypy"),
    *("3.12", "3.13.0rc1", "3", "win_amd64", "manylinux_2_28_x86_64", "any"),
    *("macosx_11_0_universal2", "linux_riscv64", "ios_13_0_arm64_iphoneos"),
    *("cp312", "cp313t", "pypy311_pp73", "none", "abi3", "cp"),
)
#: All markers of a machine.
_ENVIRONMENT = {
    **dict.fromkeys(("implementation_version", "python_full_version"), "3.12.4"),
    **{"implementation_name": "cpython", "platform_python_implementation": "CPython"},
    **{"os_name": "posix", "platform_system": "Linux", "sys_platform": "linux"},
    **{"platform_machine": "x86_64", "platform_release": "6", "platform_version": "1"},
    "python_version": "3.12",
}


def _run(data: bytes) -> None:
    path = FOLDER / "host.json"
    path.write_bytes(data)
    try:
        host = read_host_file(str(path))
    except InvalidHostFile as error:
        check_error(error)
        return
    for namespace, features in host.supported.items():
        assert is_valid_namespace(namespace)
        for feature in features:
            assert is_valid_namespace(feature.name)
            assert feature.values
            assert all(map(is_valid_value, feature.values))
    assert set(host.environment) <= MARKER_VARIABLES
    assert all(isinstance(value, str) for value in host.environment.values())
    try:
        target = target_of(_SETTINGS, host)
    except VariantError as error:
        check_error(error)
        return
    if target is not None:
        assert target.environment.keys() >= MARKER_VARIABLES
        assert target.differences
        assert isinstance(target.is_elsewhere, bool)


_NAME = named("nvidia", "level", "sm_arch", "a")
_WORD = named(*_WORDS)
_FEATURE = st.fixed_dictionaries(
    {"feature": mostly(_NAME), "values": mostly(st.lists(mostly(VALUE), max_size=4))}
)
_CHANGES = st.dictionaries(
    st.sampled_from(sorted(MARKER_VARIABLES)), mostly(_WORD), max_size=4
)
_FILES = st.fixed_dictionaries(
    {
        "host-schema": mostly(st.just(1)),
        "supported": mostly(
            st.dictionaries(
                _NAME, mostly(st.lists(mostly(_FEATURE), max_size=3)), max_size=3
            )
        ),
    },
    optional={
        "environment": mostly(
            _CHANGES.map(lambda changes: {**_ENVIRONMENT, **changes}),
            _CHANGES | ANYTHING,
        ),
        "platforms": mostly(st.lists(_WORD, max_size=3)),
        "abis": mostly(st.lists(_WORD, max_size=2)),
    },
)


def _check(host: Any) -> None:
    _run(json.dumps(host).encode("ascii"))


def _seeds() -> Iterator[bytes]:
    for host in HOSTS.values():
        yield json.dumps(host).encode()
    whole = {
        "host-schema": 1,
        "supported": {},
        "environment": _ENVIRONMENT,
        "platforms": ["manylinux_2_28_x86_64"],
        "abis": ["cp312"],
    }
    yield json.dumps(whole).encode()


TARGETS = (
    structured("host", _check, _FILES),
    FuzzTarget("host-bytes", _run, _seeds),
)
