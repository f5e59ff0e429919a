"""``pip variants explain``: why a build is chosen, and the others are not."""

from __future__ import annotations

import optparse

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import ERROR, SUCCESS
from pip._internal.console.output import only_output
from pip._internal.console.styled import write_styled
from pip._internal.variants.commands.reports import write_report
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.output.documents import (
    lookup_document,
    options_document,
    selection_document,
)
from pip._internal.variants.output.explain import explain_lookup, explain_manifest
from pip._internal.variants.output.lookup import look_up, make_run
from pip._internal.variants.output.manifest_file import judge_manifest


def run(command: SessionCommandMixin, options: optparse.Values, args: list[str]) -> int:
    """Explain what would be installed for a requirement, or how a manifest is judged."""
    if len(args) + (options.manifest is not None) != 1:
        raise WrongUse("Need one REQUIREMENT, or --manifest FILE")
    if options.manifest is not None:
        return _explain_manifest(command, options)
    return _explain_requirement(command, options, args[0])


def _explain_requirement(
    command: SessionCommandMixin, options: optparse.Values, requirement: str
) -> int:
    with only_output(options):
        result = look_up(command.get_default_session(options), options, requirement)
    if options.json:
        write_report(lookup_document(result))
    else:
        write_styled(explain_lookup(result))
    if result.problem is not None:
        raise result.problem
    return SUCCESS


def _explain_manifest(command: SessionCommandMixin, options: optparse.Values) -> int:
    with only_output(options):
        run = make_run(command.get_default_session(options), options)
        selection, label = judge_manifest(run, options.manifest)
    if options.json:
        write_report(
            {
                "sources": [selection_document(selection)],
                "options": options_document(run),
            }
        )
    else:
        write_styled(explain_manifest(selection, label))
    return SUCCESS if selection.ranking.compatible else ERROR
