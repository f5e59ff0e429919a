"""``pip variants host``: show what a machine supports, or write its host file."""

from __future__ import annotations

import json
import optparse
from typing import TYPE_CHECKING

from pip._internal.cli.status_codes import SUCCESS
from pip._internal.exceptions import CommandError
from pip._internal.utils.misc import write_output
from pip._internal.variants import explain
from pip._internal.variants.options import variant_host
from pip._internal.variants.providers.chain import Providers

if TYPE_CHECKING:
    from pip._internal.commands.variants import VariantsCommand

SUMMARY = "Show what this machine supports, most preferred first."
USAGE = "host [--json] [--variant-host FILE|NAME]"
STATUS = "The exit status is 0, or 1 if the host file does not describe a machine."
OPTIONS = (variant_host,)


def run(command: VariantsCommand, options: optparse.Values, args: list[str]) -> int:
    """Show what a machine supports; with ``--json``, as a host file."""
    if args:
        raise CommandError(f"Too many arguments: {' '.join(args)}")
    providers = Providers.for_options(options, options.variant_host)
    if options.json:
        write_output(json.dumps(providers.described_host(), indent=2))
        return SUCCESS
    for namespace, answer in providers.survey().items():
        for line in explain.provider_lines(namespace, answer):
            write_output(line)
    return SUCCESS
