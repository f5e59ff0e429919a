"""``pip variants list``: the variants of a release, and which one would be taken."""

from __future__ import annotations

import optparse
from typing import TYPE_CHECKING

from pip._internal.cli.status_codes import SUCCESS
from pip._internal.console.output import only_output, write_document
from pip._internal.console.styled import write_styled
from pip._internal.variants.choice.settings import OPTIONS as TABLE
from pip._internal.variants.choice.settings import allowed
from pip._internal.variants.commands.lookup_options import LOOKUP_OPTIONS
from pip._internal.variants.errors import WrongUse

if TYPE_CHECKING:
    from pip._internal.cli.index_command import SessionCommandMixin

SUMMARY = "List the variants of a release, best first."
USAGE = "list [options] REQUIREMENT"
STATUS = "The exit status is 0, or 1 if there is nothing of that requirement."

OPTIONS = (*allowed(TABLE, "list"), *LOOKUP_OPTIONS)


def run(command: SessionCommandMixin, options: optparse.Values, args: list[str]) -> int:
    """List the variants of the release that would be installed, or of all."""
    from pip._internal.variants.tell.documents import listing_document, with_header
    from pip._internal.variants.tell.listing import listed_offers, rows, tables
    from pip._internal.variants.tell.lookup import look_up

    if len(args) != 1:
        raise WrongUse("Need one REQUIREMENT")
    with only_output(options):
        session = command.get_default_session(options)
        decision = look_up(session, options, args[0])
        offers = listed_offers(decision, all_versions=options.all_versions)
        if not offers and decision.problem is not None:
            raise decision.problem
        listed = [(each, rows(decision, each)) for each in offers]
    if options.json:
        write_document(with_header(listing_document(decision, listed)))
    else:
        write_styled(tables(decision, listed))
    return SUCCESS
