"""``pip variants explain``: explain why pip selects a file and skips others.

Only terminals show styles, so the plain text includes all information.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from optparse import Values
from typing import TYPE_CHECKING

from pip._vendor.wheel_variants.abi_dependency import wanted
from pip._vendor.wheel_variants.comparison import Comparison

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import ERROR, SUCCESS
from pip._internal.console.output import Line, quietly, write
from pip._internal.console.texts import with_label
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.commands.actions import write_report
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.index.links import label_of
from pip._internal.variants.output import documents, reasons
from pip._internal.variants.output.hosts import provider_lines
from pip._internal.variants.output.lookup import judge_manifest, look_up, make_run
from pip._internal.variants.output.skipped_versions import (
    LookupResult,
    absent_variants,
    explain_skipped_versions,
)
from pip._internal.variants.selection.installed import installed_label

if TYPE_CHECKING:
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release

_HEADING, _TAKEN, _REFUSED = "bold", "green", "red"


def run(command: SessionCommandMixin, options: Values, args: list[str]) -> int:
    """Explain what pip would install for a requirement, or how pip ranks a manifest."""
    if len(args) + (options.manifest is not None) != 1:
        raise WrongUse("Specify one REQUIREMENT, or --manifest FILE")
    if options.manifest is not None:
        return _explain_manifest(command, options)
    with quietly(options.json):
        result = look_up(command.get_default_session(options), options, args[0])
    if options.json:
        write_report(documents.lookup_document(result))
    else:
        write(_lookup_lines(result))
    if result.problem is not None:
        raise result.problem
    return SUCCESS


def _explain_manifest(command: SessionCommandMixin, options: Values) -> int:
    with quietly(options.json):
        run = make_run(command.get_default_session(options), options)
        selection, label = judge_manifest(run, options.manifest)
    if options.json:
        write_report(
            {
                "sources": [documents.selection_document(selection)],
                "options": documents.options_document(run),
            }
        )
    else:
        write(manifest_lines(selection, label))
    return SUCCESS if selection.ranking.compatible else ERROR


def _lookup_lines(result: LookupResult) -> Iterator[Line]:
    """Yield the considered versions, and how pip selected a file."""
    yield Line(f"What pip install would choose for {result.requirement}", _HEADING)
    if not result.run.enabled:
        yield Line(
            "Variants are off: pip considers only plain wheels and source "
            "distributions."
        )
    yield Line("")
    yield Line("Versions, newest first", _HEADING)
    yield from _indented(explain_skipped_versions(result.skipped_versions))
    chosen = result.chosen
    if chosen is None:
        yield Line("  No other version remains.")
    elif result.problem is None:
        would = "would be chosen in a new environment" if result.stays else "chosen"
        yield Line(f"  {chosen.version}: {would}", _TAKEN)
    else:
        yield Line(f"  {chosen.version}: refused", _REFUSED)
    if chosen is not None and chosen.release is not None and chosen.release.reached:
        yield from _release_lines(result, chosen.release)
        agreement = result.run.attempt.agreement
        if result.link is not None and agreement is not None:
            name = reasons.build_name(chosen.release, label_of(result.link))
            yield Line(
                f"pip chose {name} for {agreement}, to match the installed packages."
            )
    yield Line("")
    if result.stays and result.installed is not None:
        dist = result.installed
        named = with_label(str(dist.version), installed_label(dist))
        yield Line(
            f"Nothing would be installed: {dist.raw_name} {named} is installed and "
            "satisfies the requirement. See --upgrade and --upgrade-variants.",
            _TAKEN,
        )
    elif result.link is not None:
        yield Line(f"{result.link.filename} would be installed.", _TAKEN)
    else:
        yield Line("Nothing would be installed. pip install would fail with:", _REFUSED)


def _release_lines(result: LookupResult, release: Release) -> Iterator[Line]:
    """Yield the decisions about the variants of a release."""
    for selection in release.fetch_selections().values():
        where = redact_auth_from_url(selection.source)
        yield Line("")
        yield Line(f"Variants of {release} on {where}", _HEADING)
        yield from _indented(_selection_lines(selection, release.chosen_label))
    absent = absent_variants(result.run, release)
    if absent:
        yield Line("")
        yield Line(f"Variants of {release} that cannot be installed", _HEADING)
    for label, reason in absent.items():
        yield Line(f"  {label}: {reason}", _REFUSED)


def manifest_lines(selection: Selection, chosen_label: str | None) -> Iterator[Line]:
    """Yield the decisions about the variants of a manifest.

    :param chosen_label: the user's label; None if the user selected none.
    """
    yield from _selection_lines(selection, chosen_label)
    yield Line("")
    taken = chosen_label or next(iter(selection.ranking.compatible), None)
    if taken is not None:
        yield Line(f"pip would choose the variant '{taken}'.", _TAKEN)
    else:
        yield Line("pip would choose no variant.", _REFUSED)


def _selection_lines(selection: Selection, chosen_label: str | None) -> Iterator[Line]:
    manifest = selection.manifest
    if selection.problem is not None:
        yield Line(f"No manifest: {selection.problem}")
        return
    schema = (manifest.schema or "").rpartition("/")[2].removesuffix(".json")
    yield Line(f"Manifest: {selection.origin}" + (f" ({schema})" if schema else ""))
    if selection.answers:
        yield Line("Supported values of the features that these variants use", _HEADING)
    for namespace, answer in selection.answers.items():
        used = {
            feature
            for variant in manifest.variants.values()
            for feature in variant.features.get(namespace, ())
        }
        for line in provider_lines(namespace, answer, used):
            yield Line(f"  {line}")
    yield from _order_lines(selection, chosen_label)
    refused = (*selection.ranking.rejected, *selection.ranking.unknown)
    if refused:
        yield Line("Variants that do not run", _HEADING)
    for label in refused:
        yield Line(f"  {reasons.rejection(selection, label)}", _REFUSED)


def _order_lines(selection: Selection, chosen_label: str | None) -> Iterator[Line]:
    """Yield the compatible variants, best first, and the reason for the first place."""
    compatible = selection.ranking.compatible
    if compatible:
        yield Line("Variants that run, best first", _HEADING)
    taken = chosen_label or next(iter(compatible), None)
    for place, label in enumerate(compatible, start=1):
        line = f"  {place}. {label}: {reasons.why_chosen(selection, label)}"
        missed = selection.devices_left_out(label)
        if missed:
            line += f"; no code for {' and '.join(map(str, missed))}"
        versions = wanted(selection.manifest, label)
        if versions:
            line += f"; requires {' and '.join(versions)}"
        yield Line(line, _TAKEN if label == taken else "")
    two = reasons.first_two(selection)
    if two is not None:
        first, second, found = two
        missed = selection.devices_left_out(second)
        if missed and not selection.devices_left_out(first):
            reason = f"it has code for all GPUs; {second} has no code for {missed[0]}"
        else:
            reason = _reason(found, second)
        yield Line(f"{first} comes before {second}: {reason}")


def _reason(found: Comparison, second: str) -> str:
    one, other = found.first, found.second
    if one is None:
        return "both match the same properties, so label order decides (null is last)"
    if other is None:
        return f"it also has {reasons.describe_properties([one])}"
    return (
        f"it has {reasons.describe_properties([one])}, which ranks above {second}'s "
        f"{reasons.describe_properties([other])} in {found.criterion.value} order"
    )


def _indented(lines: Iterable[Line]) -> Iterator[Line]:
    for line in lines:
        yield Line(f"  {line.text}", line.style)
