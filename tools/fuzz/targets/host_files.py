"""Host files."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from optparse import Values
from pathlib import Path

from pip._vendor.wheel_variants.properties import is_valid_namespace, is_valid_value

from pip._internal.variants.errors import InvalidHostFile, VariantError
from pip._internal.variants.providers.host_file import MARKER_VARIABLES, read_host_file
from pip._internal.variants.providers.target import target_of
from pip._internal.variants.selection.settings import Settings
from tests.lib.hosts import HOSTS
from tools.fuzz.choices import Choices
from tools.fuzz.shapes import VALUES
from tools.fuzz.target import MEMORY, Target, failed, structured

__all__ = ["TARGETS"]

_SETTINGS = Settings(Values())
#: What environments, platforms and ABIs may hold.
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
_FOLDER = tempfile.TemporaryDirectory(dir=MEMORY, prefix="fuzz-hosts-")


def _run(data: bytes) -> None:
    path = Path(_FOLDER.name, "host.json")
    path.write_bytes(data)
    try:
        host = read_host_file(str(path))
    except InvalidHostFile as error:
        failed(error)
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
        failed(error)
        return
    if target is not None:
        assert target.environment.keys() >= MARKER_VARIABLES
        assert target.differences
        assert isinstance(target.is_elsewhere, bool)


def _check(choices: Choices) -> None:
    mostly = choices.mostly

    def name() -> str:
        names = ("nvidia", "level", "sm_arch", "a")
        return choices.text() if choices.rarely() else choices.one_of(names)

    def word() -> str:
        return choices.text() if choices.rarely() else choices.one_of(_WORDS)

    def feature() -> dict[str, object]:
        return {
            "feature": mostly(name),
            "values": mostly(
                lambda: choices.several(
                    lambda: mostly(lambda: choices.one_of(VALUES)), 0, 4
                )
            ),
        }

    variables = sorted(MARKER_VARIABLES)
    host = {
        "host-schema": mostly(lambda: 1),
        "supported": mostly(
            lambda: choices.table(
                name,
                lambda: mostly(lambda: choices.several(lambda: mostly(feature), 0, 3)),
                0,
                3,
            )
        ),
        **choices.some_of(
            {
                "environment": lambda: mostly(
                    lambda: {
                        **(_ENVIRONMENT if not choices.rarely() else {}),
                        **choices.table(
                            lambda: choices.one_of(variables),
                            lambda: mostly(word),
                            0,
                            4,
                        ),
                    }
                ),
                "platforms": lambda: mostly(lambda: choices.several(word, 0, 3)),
                "abis": lambda: mostly(lambda: choices.several(word, 0, 2)),
            }
        ),
    }
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
    structured("host", _check),
    Target(
        "host-bytes",
        _run,
        _seeds,
        tokens=[
            *(b'"host-schema"', b'"supported"', b'"environment"', b'"feature"'),
            *(b'"platforms"', b'"abis"', b'"python_version"', b'"sys_platform"'),
            *(b'"values"', b'"platform_system"', b"NaN", b"1e999", b'"\\ud800"'),
        ],
    ),
)
