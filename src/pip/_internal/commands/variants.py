"""``pip variants``: see, understand and publish wheel variants."""

from __future__ import annotations

import optparse
from importlib import import_module
from typing import cast

from pip._internal.cli import cmdoptions
from pip._internal.cli.base_command import Command
from pip._internal.cli.req_command import SessionCommandMixin
from pip._internal.cli.status_codes import ERROR
from pip._internal.utils._log import getLogger
from pip._internal.variants.actions.action import Action, OptionMaker

logger = getLogger(__name__)

#: Each is a module of its name.
ACTIONS = ("host",)


def _action(name: str) -> Action:
    return cast(Action, import_module(f"pip._internal.variants.actions.{name}"))


class VariantsCommand(Command, SessionCommandMixin):
    """See, understand and publish wheel variants."""

    ignore_require_venv = True
    usage = "\n".join(f"\n        %prog [options] {_action(n).USAGE}" for n in ACTIONS)

    def add_options(self) -> None:
        """Add the options of all actions."""
        made: dict[OptionMaker, None] = dict.fromkeys(
            option for name in ACTIONS for option in _action(name).OPTIONS
        )
        for make in (cmdoptions.json, *made):
            self.cmd_opts.add_option(make())
        self.parser.insert_option_group(0, self.cmd_opts)
        self.parser.description = "\n".join(
            [
                f"{self.__doc__}\n",
                *(f"- {name}: {_action(name).SUMMARY}" for name in ACTIONS),
                "\nThe exit status is 0, or 1 if what was asked for cannot be told.",
            ]
        )

    def run(self, options: optparse.Values, args: list[str]) -> int:
        """Do what the first argument says."""
        if not args or args[0] not in ACTIONS:
            logger.error("Need an action (%s) to perform.", ", ".join(ACTIONS))
            return ERROR
        return _action(args[0]).run(self, options, args[1:])
