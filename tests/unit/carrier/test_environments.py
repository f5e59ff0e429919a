"""Which arguments of ``python -m venv`` are folders."""

from __future__ import annotations

import pytest

from pip_variants.environments import folders


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["env"], ["env"]),
        (["--clear", "one", "two", "--upgrade"], ["one", "two"]),
        (["--prompt", "name", "env"], ["env"]),
        (["env", "--prompt"], ["env"]),
        (["--prompt=name", "env"], ["env"]),
        (["--pro", "name", "env"], ["env"]),
        (["--", "--prompt", "env"], ["--prompt", "env"]),
        (["--upgrade-deps", "env", "--without-pip"], ["env"]),
    ],
)
def test_folders(arguments: list[str], expected: list[str]) -> None:
    assert list(folders(arguments)) == expected
