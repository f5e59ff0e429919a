"""``pip variants``: see what wheel variants mean for this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from optparse import Values

from pip._internal.cli import cmdoptions
from pip._internal.cli.base_command import Command
from pip._internal.cli.status_codes import ERROR, SUCCESS
from pip._internal.exceptions import CommandError
from pip._internal.utils._log import getLogger
from pip._internal.utils.misc import write_output
from pip._internal.variants import explain
from pip._internal.variants.options import variant_host
from pip._internal.variants.providers.chain import Providers

logger = getLogger(__name__)


class VariantsCommand(Command):
    """
    See what wheel variants mean for this machine.

    - host: Show what this machine supports, most preferred first. With --json, the
      output is what --variant-host takes on another machine.

    The exit status is 0, or 1 if what was asked for cannot be told.
    """

    ignore_require_venv = True
    usage = """
        %prog [options] host [--json] [--variant-host FILE|NAME]"""

    def add_options(self) -> None:
        """Add the options that say which machine is meant, and how to show it."""
        self.cmd_opts.add_option(cmdoptions.json())
        self.cmd_opts.add_option(variant_host())
        self.parser.insert_option_group(0, self.cmd_opts)

    def handler_map(self) -> dict[str, Callable[[Values, list[str]], None]]:
        """Give the functions that do what the first argument says."""
        return {"host": self.show_host}

    def run(self, options: Values, args: list[str]) -> int:
        """Do what the first argument says."""
        handlers = self.handler_map()
        if not args or args[0] not in handlers:
            actions = ", ".join(sorted(handlers))
            logger.error("Need an action (%s) to perform.", actions)
            return ERROR
        handlers[args[0]](options, args[1:])
        return SUCCESS

    def show_host(self, options: Values, args: list[str]) -> None:
        """Show what a machine supports, or describe it as a host file."""
        if args:
            raise CommandError(f"Too many arguments: {' '.join(args)}")
        providers = Providers.for_options(options, options.variant_host)
        if options.json:
            write_output(json.dumps(providers.described_host(), indent=2))
            return
        for namespace, answer in providers.survey().items():
            for line in explain.provider_lines(namespace, answer):
                write_output(line)
