"""``pip variants``: inspect and explain wheel variants."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from optparse import Values
from typing import Any

from pip._internal.cli import cmdoptions
from pip._internal.cli.base_command import Command
from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import ERROR, SUCCESS
from pip._internal.console.output import get_logger
from pip._internal.variants.commands.actions import ACTIONS, MOVED

logger = get_logger(__name__)


class VariantsCommand(Command, SessionCommandMixin):
    """Inspect and explain wheel variants."""

    ignore_require_venv = True
    usage = "".join(f"\n        %prog {each.usage}" for each in ACTIONS.values())

    def add_options(self) -> None:
        """Describe the actions; the options of an action are added later."""
        actions = [f"- {name}: {each.summary}" for name, each in ACTIONS.items()]
        rest = "\nFor the options of an action: pip variants ACTION --help"
        self.parser.set_description("\n".join([self.__doc__ or "", "", *actions, rest]))
        if "PIP_AUTO_COMPLETE" in os.environ:
            # A shell completes options; pip parses nothing.
            self.fit(os.environ.get("COMP_WORDS", "").split())

    def fit(self, args: list[str]) -> None:
        """Add the options of the action that the arguments name, if any."""
        action = next((ACTIONS[each] for each in args if each in ACTIONS), None)
        if action is None:
            return
        if action.groups:
            # The action is about what pip install does, so it reads the same section.
            self.parser.name = "install"
        # Code that reads manifests also uses the options that limit a look-up.
        self.parser.set_defaults(
            ignore_requires_python=False,
            platforms=[],
            python_version=None,
            implementation=None,
            abis=[],
        )
        for make in (cmdoptions.json, *action.options):
            self.cmd_opts.add_option(make())
        groups = (
            cmdoptions.make_option_group(dict(each), self.parser)
            for each in action.groups
        )
        for position, group in enumerate([self.cmd_opts, *groups]):
            self.parser.insert_option_group(position, group)
        self.cmd_opts.add_option(
            "--format",
            type="choice",
            choices=("columns", "json"),
            default="columns",
            help="Select the output format: columns (default) or json (same as --json).",
        )
        self.parser.set_usage(f"\n        %prog {action.usage}")
        self.parser.set_description(f"{action.summary}\n\n{action.status}")

    def handler_map(self) -> dict[str, Callable[[Values, list[str]], Any]]:
        """Return the actions by name, for shell completion."""
        return {name: partial(each.run, self) for name, each in ACTIONS.items()}

    def parse_args(self, args: list[str]) -> tuple[Values, list[str]]:
        """Parse the arguments; an action accepts only its own options."""
        words = [each for each in args if not each.startswith("-")]
        if words and ACTIONS.keys().isdisjoint(words):
            # pip cannot parse the options of an unknown action.
            options, _ = super().parse_args([])
            return options, words
        self.fit(args)
        options, rest = super().parse_args(args)
        if vars(options).get("format") == "json":
            options.json = True
        return options, rest

    @contextmanager
    def pip_version_check(
        self,
        options: Values,  # noqa: ARG002
        args: list[str],  # noqa: ARG002
    ) -> Iterator[None]:
        """Skip the check for a newer pip, because actions may work offline."""
        yield

    def run(self, options: Values, args: list[str]) -> int:
        """Run the action that the first argument names; without arguments, print the help."""
        if not args:
            self.parser.print_help()
            return SUCCESS
        if args[0] in MOVED:
            said = "From the release, install wheel_variants-*.whl[cli], then run"
            logger.error('"%s" moved. %s: wheel-variants %s', args[0], said, args[0])
            return ERROR
        if args[0] not in ACTIONS:
            meant = difflib.get_close_matches(args[0], ACTIONS, 1)
            actions = f"; the actions are {', '.join(ACTIONS)}"
            instead = f' - maybe you meant "{meant[0]}"' if meant else actions
            logger.error('unknown action "%s"%s', args[0], instead)
            return ERROR
        return ACTIONS[args[0]].run(self, options, args[1:])
