"""``pip variants``: see and understand wheel variants."""

from __future__ import annotations

import optparse
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from pip._internal.cli import cmdoptions
from pip._internal.cli.base_command import Command
from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import ERROR, SUCCESS
from pip._internal.console.output import get_logger, printable_output
from pip._internal.console.texts import Hint, without_credentials
from pip._internal.variants.commands.actions import ACTIONS, OptionMaker
from pip._internal.variants.commands.formatting import HelpFormatter
from pip._internal.variants.commands.moved import MOVED, moved_words

logger = get_logger(__name__)

#: The program that has former actions, and what they were if not the same.
_MOVED_TO, _FORMER_NAMES = "wheel-variants", {"plugin": "host --plugin"}

#: Their options stand together, as in other commands.
_UPSTREAM_GROUPS = (cmdoptions.package_selection_group, cmdoptions.index_group)


class VariantsCommand(Command, SessionCommandMixin):
    """See and understand wheel variants."""

    ignore_require_venv = True
    usage = "".join(f"\n        %prog {each.usage}" for each in ACTIONS.values())

    def add_options(self) -> None:
        """Add the options of all actions, with a group for each."""
        readers: dict[OptionMaker, list[str]] = {cmdoptions.json: list(ACTIONS)}
        for name, action in ACTIONS.items():
            for make in action.options:
                readers.setdefault(make, []).append(name)
        titles = {
            make: group["name"]
            for group in _UPSTREAM_GROUPS
            for make in group["options"]
        }
        groups = {
            title: optparse.OptionGroup(self.parser, title)
            for title in (
                *(f"Options of {name}" for name in ACTIONS),
                *(group["name"] for group in _UPSTREAM_GROUPS),
            )
        }
        self._readers: dict[optparse.Option, list[str]] = {}
        for make, names in readers.items():
            own = f"Options of {names[0]}" if len(names) == 1 else None
            title = titles.get(make, own)
            group = self.cmd_opts if title is None else groups[title]
            self._readers[group.add_option(make())] = names
        shown = [self.cmd_opts, *groups.values()]
        for position, group in enumerate(each for each in shown if each.option_list):
            self.parser.insert_option_group(position, group)
        self.parser.description = "\n".join(
            [
                f"{self.__doc__}\n",
                *(f"- {name}: {each.summary}" for name, each in ACTIONS.items()),
                f"- {', '.join(MOVED)}: now commands of wheel-variants.",
            ]
        )
        self.parser.formatter = HelpFormatter()
        self.parser.formatter.set_parser(self.parser)
        _complete(self)
        # `pip help variants` prints the help without parsing anything.
        self._parsed = False
        self.parser.print_help = self._print_help  # type: ignore[method-assign]

    def _print_help(self, file: Any = None) -> None:
        if not self._parsed:
            self.fit([])
        type(self.parser).print_help(self.parser, file)

    def handler_map(self) -> dict[str, Callable[[optparse.Values, list[str]], Any]]:
        """Return the actions by name; shells complete the names."""
        return {name: partial(each.run, self) for name, each in ACTIONS.items()}

    def parse_args(self, args: list[str]) -> tuple[optparse.Values, list[str]]:
        """Parse the arguments; an action takes only its own options."""
        self._parsed = True
        parsed: tuple[optparse.Values, list[str]]
        moved = moved_words(args)
        if moved:
            # Its options are unknown here.
            parsed = super().parse_args([])
            return parsed[0], [_MOVED_TO, *moved]
        self.fit(args)
        parsed = super().parse_args(args)
        return parsed

    def fit(self, args: list[str]) -> None:
        """Narrow parser and help to the action that the arguments begin with."""
        if args and args[0] in ACTIONS:
            action = ACTIONS[args[0]]
            self._narrow(args[0])
            self.parser.set_usage(f"\n        %prog {action.usage}")
            self.parser.set_description(f"{action.summary}\n\n{action.status}")
        elif not set(args) & set(ACTIONS):
            # The options of all actions together would hide the actions.
            self._narrow(None)
            self.parser.set_description(
                f"{self.parser.description}\n\nEach has options: "
                f"{self.parser.get_prog_name()} ACTION --help"
            )

    def _narrow(self, name: str | None) -> None:
        """Keep only the options of one action, or none."""
        for option, readers in self._readers.items():
            if name not in readers:
                self.parser.remove_option(option.get_opt_string())
        groups = self.parser.option_groups
        self.parser.option_groups = [each for each in groups if each.option_list]

    def _run_wrapper(
        self, level_number: int, options: optparse.Values, args: list[str]
    ) -> int:
        with printable_output():
            return super()._run_wrapper(level_number, options, args)

    @contextmanager
    def pip_version_check(
        self,
        options: optparse.Values,  # noqa: ARG002
        args: list[str],  # noqa: ARG002
    ) -> Iterator[None]:
        """Do not look for a newer pip: actions may need no network."""
        yield

    def run(self, options: optparse.Values, args: list[str]) -> int:
        """Run the action that the first argument names; without any, print the help."""
        if not args:
            self.parser.print_help()
            return SUCCESS
        if args[0] == _MOVED_TO:
            said = (
                f"'pip variants {_FORMER_NAMES.get(args[1], args[1])}' is now a command "
                f"of {_MOVED_TO}. Install the file wheel_variants-*.whl of the release "
                "with [cli], then type:"
            )
            typed = without_credentials(shlex.join(args), "CREDENTIALS")
            logger.error("%s", Hint(said, typed))
            return ERROR
        handlers = self.handler_map()
        if args[0] not in handlers:
            logger.error("Need an action (%s) to perform.", ", ".join(ACTIONS))
            return ERROR
        status: int = handlers[args[0]](options, args[1:])
        return status


def _complete(command: VariantsCommand) -> None:
    """Have shells complete an action first, and then its options."""
    words = os.environ.get("COMP_WORDS", "").split()[1:]
    if "PIP_AUTO_COMPLETE" not in os.environ or command.name not in words:
        return
    given = words[words.index(command.name) + 1 :]
    # The last word is to be completed, unless a new one is due.
    is_begun = os.environ.get("COMP_CWORD", "") == str(len(words))
    before, current = (given[:-1], given[-1]) if is_begun and given else (given, "")
    action = next((word for word in before if word in ACTIONS), None)
    if action is not None:
        command.fit([action])
    elif current.startswith("-"):
        command.fit([])
    else:
        for option in command.parser.option_list_all:
            option.help = optparse.SUPPRESS_HELP
