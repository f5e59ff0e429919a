"""Tell a whole decision as a person would: ``pip variants explain``.

This module makes texts; it decides and prints nothing. Styles show on terminals alone,
so the plain text says everything.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pip._vendor.wheel_variants.abi_dependency import wanted
from pip._vendor.wheel_variants.comparison import Comparison, Criterion

from pip._internal.console.styled import Line
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import label_of
from pip._internal.variants.output import reasons, sentences
from pip._internal.variants.output.skipped_versions import (
    CAUSES,
    absent_variants,
    why,
)
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.lookup_result import (
    Cause,
    LookupResult,
    SkippedVersion,
)

if TYPE_CHECKING:
    from pip._vendor.wheel_variants.manifest import Manifest

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release

__all__ = ["explain_lookup", "explain_manifest", "explain_skipped_versions"]

_HEADING, _TAKEN, _REFUSED, _ASIDE = "bold", "green", "red", "dim"

#: How many versions one line names.
_SHOWN_VERSIONS = 6


def explain_lookup(result: LookupResult) -> Iterator[Line]:
    """Yield which versions were considered, and how a file of one was chosen."""
    yield Line(f"What pip install takes for {result.requirement}", _HEADING)
    if not result.run.enabled:
        yield Line("Variants are off: only plain wheels and sources are considered.")
    yield Line("")
    yield Line("Versions, newest first", _HEADING)
    yield from _indented(explain_skipped_versions(result.skipped_versions))
    chosen = result.chosen
    if chosen is None:
        yield Line("  No other version is left.")
    elif result.problem is None:
        would = "would be taken in a new environment" if result.stays else "taken"
        yield Line(f"  {chosen.version}: {would}", _TAKEN)
    else:
        yield Line(f"  {chosen.version}: refused", _REFUSED)
    if chosen is not None and chosen.release is not None and chosen.release.reached:
        yield from _explain_release(chosen.release)
        yield from _explain_absent(result.finder, chosen.release)
        if result.link is not None:
            yield from _explain_installed(result, chosen.release, result.link)
    yield Line("")
    if result.stays and result.installed is not None:
        yield Line(
            f"Nothing would be installed: {_installed(result.installed)}", _TAKEN
        )
    elif result.link is not None:
        yield Line(f"{result.link.filename} would be installed.", _TAKEN)
    else:
        yield Line("Nothing would be installed; pip install ends with:", _REFUSED)


def _explain_installed(
    result: LookupResult, release: Release, link: Link
) -> Iterator[Line]:
    """Yield why another variant than the best one goes with what is installed."""
    best = release.fetch_ranked()[0]
    if best != link:
        stays = " and ".join(
            f"{dist.raw_name} {dist.version}" for dist, _ in release.replaced(best)
        )
        yield Line(f"{stays} stays installed, which {label_of(best)} would replace.")
    if result.bound_by:
        named = " and ".join(f"{each.name} ({each.label})" for each in result.bound_by)
        yield Line(
            f"{label_of(link)} is taken: it is for {result.bound_by[0].runtime}, like the "
            f"installed {named}."
        )


def _installed(dist: BaseDistribution) -> str:
    build = installed_build(dist)
    label = "" if build is None or build.label is None else f" ({build.label})"
    return (
        f"{dist.raw_name} {dist.version}{label} is installed and satisfies the "
        "requirement. See --upgrade and --upgrade-variants."
    )


def explain_skipped_versions(
    passed: Sequence[SkippedVersion], project: str = ""
) -> Iterator[Line]:
    """Yield why versions are not taken, in as few lines as possible.

    :param project: named before each version if it is not empty.
    """
    begin = f"{project} " if project else ""
    for (cause, detail), grouped in itertools.groupby(
        passed, lambda each: (each.cause, each.detail)
    ):
        group = list(grouped)
        if cause is Cause.VARIANTS:
            for each in group:
                yield Line(f"{begin}{each.version}: {CAUSES[cause]}", _REFUSED)
                if each.offer is not None and each.offer.release is not None:
                    for line in sentences.rejections(each.offer.release):
                        yield Line(f"  {line}")
            continue
        versions = [str(each.version) for each in group]
        shown = ", ".join(versions[:_SHOWN_VERSIONS])
        if len(versions) > _SHOWN_VERSIONS:
            shown += f" and {len(versions) - _SHOWN_VERSIONS} more"
        yield Line(f"{begin}{shown}: {why(cause, detail)}", _ASIDE)


def _explain_release(release: Release) -> Iterator[Line]:
    for selection in release.fetch_selections().values():
        where = redact_auth_from_url(selection.source)
        yield Line("")
        yield Line(f"Variants of {release} on {where}", _HEADING)
        yield from _indented(_explain_selection(selection, release.chosen_label))


def _explain_absent(finder: PackageFinder, release: Release) -> Iterator[Line]:
    """Return why variants that are listed for a release have no file to take."""
    absent = absent_variants(finder, release)
    if absent:
        yield Line("")
        yield Line(f"Variants of {release} that cannot be installed", _HEADING)
    for label, reason in absent.items():
        yield Line(f"  {label}: {reason}", _REFUSED)


def explain_manifest(selection: Selection, chosen_label: str | None) -> Iterator[Line]:
    """Yield how the variants that a manifest alone describes were judged.

    :param chosen_label: chosen by hand; None if none was.
    """
    yield from _explain_selection(selection, chosen_label)
    yield Line("")
    taken = chosen_label or next(iter(selection.ranking.compatible), None)
    if taken is not None:
        yield Line(f"The variant {taken} would be taken.", _TAKEN)
    else:
        yield Line("No variant would be taken.", _REFUSED)


def _explain_selection(
    selection: Selection, chosen_label: str | None
) -> Iterator[Line]:
    manifest = selection.manifest
    if manifest is None:
        yield Line(f"No manifest: {selection.problem}")
        return
    schema = (manifest.schema or "").rpartition("/")[2].removesuffix(".json")
    yield Line(f"Manifest: {selection.origin}" + (f" ({schema})" if schema else ""))
    if selection.answers:
        yield Line("What the target supports of what they ask for", _HEADING)
    for namespace, answer in selection.answers.items():
        used = _used_features(manifest, namespace)
        for line in sentences.provider_lines(namespace, answer, used):
            yield Line(f"  {line}")
    yield from _explain_order(selection, manifest, chosen_label)
    refused = (*selection.ranking.rejected, *selection.ranking.unknown)
    if refused:
        yield Line("Variants that do not run", _HEADING)
    for label in refused:
        yield Line(f"  {reasons.rejection(selection, label)}", _REFUSED)


def _explain_order(
    selection: Selection, manifest: Manifest, chosen_label: str | None
) -> Iterator[Line]:
    """Yield which variants run, best first, and why the first one comes first."""
    compatible = selection.ranking.compatible
    if compatible:
        yield Line("Variants that run, best first", _HEADING)
    taken = chosen_label or next(iter(compatible), None)
    for place, label in enumerate(compatible, start=1):
        line = f"  {place}. {label}: {sentences.counting(selection, label)}"
        missed = selection.devices_left_out(label)
        if missed:
            line += f"; no code for {' and '.join(map(str, missed))}"
        versions = wanted(manifest, label)
        if versions:
            line += f"; to be installed with {' and '.join(versions)}"
        yield Line(line, _TAKEN if label == taken else "")
    two = sentences.first_two(selection)
    if two is not None:
        first, second, found = two
        missed = selection.devices_left_out(second)
        if missed and not selection.devices_left_out(first):
            reason = f"it has code for all GPUs, and {second} has none for {missed[0]}"
        else:
            reason = _reason(found, second)
        yield Line(f"{first} comes before {second}: {reason}")


def _used_features(manifest: Manifest, namespace: str) -> set[str]:
    return {
        feature
        for variant in manifest.variants.values()
        for feature in variant.features.get(namespace, ())
    }


def _reason(found: Comparison, second: str) -> str:
    one, other = found.first, found.second
    if one is None:
        if found.criterion is Criterion.NULL:
            return "both have the same properties, and the null variant comes last"
        return "the same properties count for both, and labels are in ascending order"
    if other is None:
        return f"it has {one}, and the same as {second} otherwise"
    if found.criterion is Criterion.PREFERENCE:
        return f"it has {one}, which --prefer-variant {found.preference} puts first"
    if found.criterion is Criterion.NAMESPACE:
        return (
            f"it has {one}, and {second} has {other}; the manifest puts the namespace "
            f"{one.namespace} before {other.namespace}"
        )
    if found.criterion is Criterion.FEATURE:
        return (
            f"it has {one}, and {second} has {other}; of {one.namespace}, "
            f"{one.feature} comes before {other.feature}"
        )
    return (
        f"of {one.namespace} :: {one.feature}, {one.value} comes before {other.value}"
    )


def _indented(lines: Iterable[Line]) -> Iterator[Line]:
    for line in lines:
        yield Line(f"  {line.text}", line.style)
