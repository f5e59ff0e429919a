"""Actions of ``pip variants`` that are commands of ``wheel-variants`` now."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest

from tests.lib.environments import Result

Pip = Callable[..., Result]

MOVED = ("build", "adopt", "index", "check")


@pytest.mark.parametrize("name", MOVED)
@pytest.mark.parametrize(
    "arguments",
    [["a wheel.whl", "--label", "it's", "-d", "$OUT"], ["--help"]],
    ids=["arguments", "help"],
)
def test_they_name_the_new_command(pip: Pip, name: str, arguments: list[str]) -> None:
    result = pip("variants", name, *arguments, code=1)
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("ERROR: This command moved to wheel-variants. ")
    assert "install wheel_variants-*.whl with its [cli] extra" in line
    typed = shlex.split(line.partition("then run: ")[2])
    assert typed == ["wheel-variants", name, *arguments]


@pytest.mark.parametrize("option", [["--plugin", "a folder"], ["--plugin=a folder"]])
def test_trying_a_plugin(pip: Pip, option: list[str]) -> None:
    result = pip("variants", "host", *option, code=1)
    assert "then run: wheel-variants plugin 'a folder'\n" in result.stderr


def test_they_show_no_credentials(pip: Pip) -> None:
    url = "https://user:secret@index.example/simple/"
    result = pip("-v", "variants", "check", url, code=1)
    assert "secret" not in result.output
    assert "wheel-variants check https://CREDENTIALS@index.example/simple/" in (
        result.stderr
    )
