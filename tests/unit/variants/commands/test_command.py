"""The frame of ``pip variants``: actions, each with options of its own."""

from __future__ import annotations

import pytest

from pip._internal.commands import create_command
from pip._internal.commands.variants import ACTIONS, VariantsCommand


@pytest.fixture
def command() -> VariantsCommand:
    made = create_command("variants", isolated=True)
    assert isinstance(made, VariantsCommand)
    return made


def _help(command: VariantsCommand) -> str:
    return command.parser.format_help()


def test_help_lists_every_action(command: VariantsCommand) -> None:
    assert all(f"- {name}: " in _help(command) for name in ACTIONS)
    assert set(command.handler_map()) == set(ACTIONS)


@pytest.mark.parametrize("name", ACTIONS)
def test_help_of_an_action_is_about_that_alone(
    command: VariantsCommand, name: str
) -> None:
    command.parse_args([name])
    text = _help(command)
    assert "The exit status is" in text
    assert "--json" in text
    others = set(ACTIONS) - {name}
    assert not any(f"Options of {other}" in text for other in others)


def test_another_action_is_needed(
    command: VariantsCommand, caplog: pytest.LogCaptureFixture
) -> None:
    options, args = command.parse_args(["guess"])
    assert command.run(options, args) == 1
    assert "Need an action (" in caplog.text
    assert all(name in caplog.text for name in ACTIONS)


@pytest.mark.parametrize("arguments", [[], ["-v"]])
def test_alone_it_tells_the_actions(
    command: VariantsCommand,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
) -> None:
    options, args = command.parse_args(arguments)
    assert command.run(options, args) == 0
    told = capsys.readouterr()
    assert all(f"- {name}: " in told.out for name in ACTIONS)
    assert told.err == ""


def test_general_options_may_come_first(command: VariantsCommand) -> None:
    options, args = command.parse_args(["-v", "host", "--variant-host", "cpu-aarch64"])
    assert (options.verbose, options.variant_host, args) == (1, "cpu-aarch64", ["host"])


def test_help_is_the_same_before_anything_is_parsed(
    command: VariantsCommand, capsys: pytest.CaptureFixture[str]
) -> None:
    command.parser.print_help()
    unparsed = capsys.readouterr().out
    parsed = create_command("variants", isolated=True)
    with pytest.raises(SystemExit, match="0"):
        parsed.parse_args(["--help"])
    assert unparsed == capsys.readouterr().out
    assert "Options of" not in unparsed
