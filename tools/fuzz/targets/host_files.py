"""Host files."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pip._internal.variants.core.properties import is_valid_namespace, is_valid_value
from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.machine.host_file import MARKER_VARIABLES, read_host_file
from tests.lib.hosts import HOSTS
from tools.fuzz.choices import Choices
from tools.fuzz.shapes import VALUES
from tools.fuzz.target import MEMORY, Target, failed, structured

__all__ = ["TARGETS"]

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


def _check(choices: Choices) -> None:
    mostly = choices.mostly

    def name() -> str:
        names = ("nvidia", "level", "sm_arch", "a")
        return choices.text() if choices.rarely() else choices.one_of(names)

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
                    lambda: choices.table(
                        lambda: choices.one_of(variables),
                        lambda: mostly(choices.text),
                        0,
                        3,
                    )
                )
            }
        ),
    }
    _run(json.dumps(host).encode("ascii"))


def _seeds() -> Iterator[bytes]:
    for host in HOSTS.values():
        yield json.dumps(host).encode()
    environment = {"platform_system": "Linux", "python_version": "3.12"}
    yield json.dumps(
        {"host-schema": 1, "supported": {}, "environment": environment}
    ).encode()


TARGETS = (
    structured("host", _check),
    Target(
        "host-bytes",
        _run,
        _seeds,
        tokens=[
            *(b'"host-schema"', b'"supported"', b'"environment"', b'"feature"'),
            *(b'"values"', b'"platform_system"', b"NaN", b"1e999", b'"\\ud800"'),
        ],
    ),
)
