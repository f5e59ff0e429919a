"""The variants of releases as tables: ``pip variants list``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pip._vendor.wheel_variants.labels import split_label
from pip._vendor.wheel_variants.ordering import Mismatch

from pip._internal.console.styled import Grid, Line
from pip._internal.console.texts import Hint
from pip._internal.utils.misc import format_size, redact_auth_from_url
from pip._internal.variants.index.links import label_of, source_of, version_of
from pip._internal.variants.output import reasons
from pip._internal.variants.output.invocation import command
from pip._internal.variants.output.skipped_versions import (
    cause_of_file,
    evaluator_of,
    why,
)
from pip._internal.variants.selection.lookup_result import (
    Cause,
    File,
    LookupResult,
    Offer,
)

if TYPE_CHECKING:
    from pip._internal.models.link import Link

__all__ = ["ListingRow", "listed_offers", "rows", "tables"]

_COLUMNS = ("", "Rank", "Label", "Runs", "Size", "Platforms", "Why not")
_CHOSEN = "*"


@dataclass(frozen=True, slots=True)
class ListingRow:
    """The files with one label, or with none, on one source.

    :ivar label: None for plain wheels and source distributions.
    :ivar files: those that suit platform and Python first, best first.
    :ivar suitable: how many of them suit.
    :ivar rank: 1 for the best label; None if no file can be used.
    :ivar mismatches: what the target lacks.
    :ivar problem: what else prevents its use; None if nothing does.
    :ivar chosen: whether one of the files would be installed.
    """

    source: str
    label: str | None
    files: Sequence[File]
    suitable: int
    rank: int | None
    mismatches: Sequence[Mismatch]
    problem: str | None
    chosen: bool

    @property
    def platforms(self) -> Sequence[str]:
        """Return the platforms in the files' names; ``source`` for source distributions."""
        return list(dict.fromkeys(platform_of(file.link) for file in self.files))

    @property
    def size(self) -> int | None:
        """Return the size in bytes of the file that the target would take, if known."""
        return self.files[0].size if self.suitable else None


def platform_of(link: Link) -> str:
    """Return the platform tags in a file's name; ``source`` if it is no wheel."""
    if not link.is_wheel:
        return "source"
    return split_label(link.filename)[0].removesuffix(".whl").rpartition("-")[2]


def rows(result: LookupResult, offered: Offer) -> list[ListingRow]:
    """Return the rows of one version, in the order in which pip would take them.

    :param offered: the version; its variants are judged if they were not yet.
    :raises VariantLost: one cannot be judged, and the user is strict.
    """
    if offered.release is not None:
        result.run.reporter.problems(offered.release)
    suited = {link: place for place, link in enumerate(offered.links)}
    groups = _by_label(result, offered)
    for files in groups.values():
        files.sort(key=lambda file: suited.get(file.link, len(suited)))
    judged = {key: _judged(offered, files[0].link) for key, files in groups.items()}
    ranked = sorted({place for place, _, _ in judged.values() if place is not None})
    found = []
    for (source, label), files in groups.items():
        place, mismatches, problem = judged[source, label]
        suitable = sum(file.link in suited for file in files)
        found.append(
            ListingRow(
                source=source,
                label=label,
                files=files,
                suitable=suitable,
                rank=None if place is None else ranked.index(place) + 1,
                mismatches=mismatches,
                problem=problem if suitable else _absent(result, files),
                chosen=any(file.link == result.link for file in files),
            )
        )
    found.sort(key=lambda row: (row.rank is None, row.rank or 0, row.label or ""))
    return found


def _absent(result: LookupResult, files: Sequence[File]) -> str:
    """Return why none of the files with a label can be installed."""
    evaluator = evaluator_of(result.finder, result.project)
    cause, detail = cause_of_file(evaluator, files[0].link)
    if cause is Cause.PLATFORM:
        return "no file for this platform and Python"
    # The dates are too long for a table.
    return why(cause, "" if cause is Cause.UPLOAD_TIME else detail)


def _by_label(
    result: LookupResult, offered: Offer
) -> dict[tuple[str, str | None], list[File]]:
    """Return the files of a version by source and label."""
    groups: dict[tuple[str, str | None], list[File]] = {}
    for file in result.files:
        if version_of(file.link, result.project) == offered.version:
            key = source_of(file.link), label_of(file.link)
            groups.setdefault(key, []).append(file)
    return groups


def _judged(
    offered: Offer, link: Link
) -> tuple[tuple[int, int] | None, Sequence[Mismatch], str | None]:
    """Return the place of a file, by source, then by label, and what is against it.

    :return: the place is None if the file cannot be used.
    """
    release, label = offered.release, label_of(link)
    if release is None or label is None:
        is_offered = link in offered.links
        return (len(offered.links), 0) if is_offered else None, (), None
    selections = list(release.fetch_selections().values())
    own = release.fetch_selection_of(link)
    if own is not None and label in own.ranking.compatible:
        place = selections.index(own), own.ranking.compatible.index(label)
        return place, (), None
    # Another source may know a label that this one does not describe.
    selection = own or release.fetch_selections().get(source_of(link))
    if selection is None:
        return None, (), None
    if label in selection.ranking.unknown:
        return None, (), selection.problem or "the manifest does not describe it"
    return None, selection.ranking.rejected.get(label, ()), None


def listed_offers(result: LookupResult, *, all_versions: bool) -> list[Offer]:
    """Return the versions to list: all with variants, or the one that would be taken.

    If none would be, the newest one with variants stands for it.
    """
    with_variants = [each for each in result.offers if each.has_variants]
    if all_versions:
        return with_variants
    if result.chosen is not None:
        return [result.chosen]
    return with_variants[:1]


def tables(
    result: LookupResult, listed: Sequence[tuple[Offer, Sequence[ListingRow]]]
) -> Iterator[Line | Grid]:
    """Yield a table for each version, and notes."""
    for number, (offered, rows) in enumerate(listed):
        if number:
            yield Line("")
        several = len({row.source for row in rows}) > 1
        title = f"{result.project} {offered.version}"
        if not several:
            title += f" on {redact_auth_from_url(rows[0].source)}"
        yield Line(title, "bold")
        columns = (*_COLUMNS, "Source") if several else _COLUMNS
        cells = [_cells(row)[: len(columns)] for row in rows]
        styles = [_style(row) for row in rows]
        yield Grid(columns, cells, styles)
    yield from map(Line, _notes(result, listed))


def _style(row: ListingRow) -> str:
    return "green" if row.chosen else "dim" if row.rank is None else ""


def _cells(row: ListingRow) -> tuple[str, ...]:
    if row.label is None:
        is_plain = any(file.link.is_wheel for file in row.files)
        label = "(plain)" if is_plain else "(source)"
    else:
        label = row.label
    why_not = row.problem or "; ".join(
        f"{each.feature} :: {reasons.shortened(each.wanted, ' or ')}"
        for each in row.mismatches
    )
    return (
        _CHOSEN if row.chosen else "",
        "" if row.rank is None else str(row.rank),
        label,
        "no" if row.rank is None else "yes",
        "" if row.size is None else format_size(row.size),
        ", ".join(row.platforms),
        why_not,
        redact_auth_from_url(row.source),
    )


def _notes(
    result: LookupResult, listed: Sequence[tuple[Offer, Sequence[ListingRow]]]
) -> Iterator[str]:
    if any(row.chosen for _, rows in listed for row in rows):
        yield f"{_CHOSEN} would be installed."
    elif result.link is not None:
        yield f"{result.link.filename} would be installed."
    if result.problem is not None:
        yield Hint(
            "Nothing would be installed. What tells why:",
            command(
                result.run.settings.options, "variants", "explain", result.requirement
            ),
        )
    shown = {offered.version for offered, _ in listed}
    others = [
        str(offered.version)
        for offered in result.offers
        if offered.has_variants and offered.version not in shown
    ]
    if others:
        yield f"Other versions with variants: {reasons.shortened(others)}"
