"""``pip variants list``: the variants of a release, and which one would be taken."""

from __future__ import annotations

import optparse

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import SUCCESS
from pip._internal.console.output import only_output
from pip._internal.console.styled import write_styled
from pip._internal.variants.commands.reports import write_report
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.output.documents import listing_document
from pip._internal.variants.output.listing import listed_offers, rows, tables
from pip._internal.variants.output.lookup import look_up


def run(command: SessionCommandMixin, options: optparse.Values, args: list[str]) -> int:
    """List the variants of the release that would be installed, or of all."""
    if len(args) != 1:
        raise WrongUse("Need one REQUIREMENT")
    with only_output(options):
        session = command.get_default_session(options)
        result = look_up(session, options, args[0])
        offers = listed_offers(result, all_versions=options.all_versions)
        if not offers and result.problem is not None:
            raise result.problem
        listed = [(each, rows(result, each)) for each in offers]
    if options.json:
        write_report(listing_document(result, listed))
    else:
        write_styled(tables(result, listed))
    return SUCCESS
