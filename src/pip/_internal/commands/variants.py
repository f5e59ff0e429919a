"""``pip variants``: see, understand and publish wheel variants."""

from __future__ import annotations

import optparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any, cast

from pip._internal.cli import cmdoptions
from pip._internal.cli.base_command import Command
from pip._internal.cli.req_command import SessionCommandMixin
from pip._internal.cli.status_codes import ERROR
from pip._internal.utils._log import getLogger
from pip._internal.variants.actions.action import Action, OptionMaker

logger = getLogger(__name__)

#: Each is a module of its name.
ACTIONS = ("host", "build", "index", "check")


def _action(name: str) -> Action:
    return cast(Action, import_module(f"pip._internal.variants.actions.{name}"))


class VariantsCommand(Command, SessionCommandMixin):
    """See, understand and publish wheel variants."""

    ignore_require_venv = True
    usage = "\n".join(f"\n        %prog [options] {_action(n).USAGE}" for n in ACTIONS)

    def add_options(self) -> None:
        """Add the options of all actions, in a group for each."""
        readers: dict[OptionMaker, list[str]] = {cmdoptions.json: list(ACTIONS)}
        for name in ACTIONS:
            for make in _action(name).OPTIONS:
                readers.setdefault(make, []).append(name)
        groups = {
            name: optparse.OptionGroup(self.parser, f"Options of {name}")
            for name in ACTIONS
        }
        self._readers: dict[optparse.Option, list[str]] = {}
        for make, names in readers.items():
            group = groups[names[0]] if len(names) == 1 else self.cmd_opts
            self._readers[group.add_option(make())] = names
        shown = [self.cmd_opts, *groups.values()]
        for position, group in enumerate(each for each in shown if each.option_list):
            self.parser.insert_option_group(position, group)
        self.parser.description = "\n".join(
            [
                f"{self.__doc__}\n",
                *(f"- {name}: {_action(name).SUMMARY}" for name in ACTIONS),
            ]
        )

    def handler_map(
        self,
    ) -> dict[str, Callable[[optparse.Values, list[str]], Any]]:
        """Give the actions by name; shells complete the names."""
        return {name: partial(_action(name).run, self) for name in ACTIONS}

    def parse_args(self, args: list[str]) -> tuple[optparse.Values, list[str]]:
        """Parse the arguments; after the name of an action, only what is its own."""
        if args and args[0] in ACTIONS:
            self._narrow(args[0])
        return super().parse_args(args)

    def _narrow(self, name: str) -> None:
        """Leave the options and the help of one action."""
        for option, readers in self._readers.items():
            if name not in readers:
                self.parser.remove_option(option.get_opt_string())
        groups = self.parser.option_groups
        self.parser.option_groups = [each for each in groups if each.option_list]
        action = _action(name)
        self.parser.set_usage(f"\n        %prog {action.USAGE}")
        self.parser.set_description(f"{action.SUMMARY}\n\n{action.STATUS}")

    @contextmanager
    def pip_version_check(
        self,
        options: optparse.Values,  # noqa: ARG002
        args: list[str],  # noqa: ARG002
    ) -> Iterator[None]:
        """Look for no newer pip: what is asked for here may need no network."""
        yield

    def run(self, options: optparse.Values, args: list[str]) -> int:
        """Do what the first argument says."""
        handlers = self.handler_map()
        if not args or args[0] not in handlers:
            logger.error("Need an action (%s) to perform.", ", ".join(ACTIONS))
            return ERROR
        status: int = handlers[args[0]](options, args[1:])
        return status
