"""The frame of ``pip variants``: actions, each with its own options."""

from __future__ import annotations

import pytest

from pip._internal.commands import create_command
from pip._internal.commands.variants import ACTIONS, VariantsCommand


@pytest.fixture
def command() -> VariantsCommand:
    made = create_command("variants", isolated=True)
    assert isinstance(made, VariantsCommand)
    return made


@pytest.mark.parametrize("name", ACTIONS)
def test_help_of_an_action_is_about_that_alone(
    command: VariantsCommand, name: str
) -> None:
    command.parse_args([name])
    text = command.parser.format_help()
    assert "The exit status is" in text
    assert "--json" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["guess", "--help"], f'action "guess"; the actions are {", ".join(ACTIONS)}'),
        (["explane", "torch", "--unknown"], '"explane" - maybe you meant "explain"'),
        (["build", "a.whl", "--label", "x"], "then run: wheel-variants build"),
        (["check", "--help"], "variants-*.whl[cli], then run: wheel-variants check"),
    ],
)
def test_another_action_is_needed(
    command: VariantsCommand,
    caplog: pytest.LogCaptureFixture,
    arguments: list[str],
    said: str,
) -> None:
    assert command.run(*command.parse_args(arguments)) == 1
    assert said in caplog.text


@pytest.mark.parametrize("arguments", [[], ["-v"]])
def test_alone_it_tells_the_actions(
    command: VariantsCommand, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert set(command.handler_map()) == set(ACTIONS)
    assert command.run(*command.parse_args(arguments)) == 0
    told = capsys.readouterr()
    assert all(f"- {name}: " in told.out for name in ACTIONS)
    assert told.err == ""


def test_help_is_the_same_before_anything_is_parsed(
    command: VariantsCommand, capsys: pytest.CaptureFixture[str]
) -> None:
    command.parser.print_help()
    unparsed = capsys.readouterr().out
    parsed = create_command("variants", isolated=True)
    with pytest.raises(SystemExit, match="0"):
        parsed.parse_args(["--help"])
    assert unparsed == capsys.readouterr().out
    assert "--variant-host" not in unparsed
