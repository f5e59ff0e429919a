"""``pip variants list``: list the variants of a release."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from optparse import Values
from typing import TYPE_CHECKING, Any

from pip._vendor.wheel_variants.labels import split_label
from pip._vendor.wheel_variants.ordering import Mismatch

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import SUCCESS
from pip._internal.console.output import Line, quietly, write
from pip._internal.console.texts import Hint, shortened
from pip._internal.fast.pages import listed_size
from pip._internal.utils.misc import format_size, redact_auth_from_url, tabulate
from pip._internal.variants.commands.actions import write_report
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.index.links import label_of, source_of, version_of
from pip._internal.variants.output import skipped_versions
from pip._internal.variants.output.documents import mismatch_document
from pip._internal.variants.output.invocation import command as command_to_type
from pip._internal.variants.output.lookup import look_up
from pip._internal.variants.output.reasons import describe_values, problems_of
from pip._internal.variants.output.skipped_versions import (
    LookupResult,
    Offer,
    SkipCause,
)

if TYPE_CHECKING:
    from pip._internal.models.link import Link

_COLUMNS = ("", "Rank", "Label", "Runs", "Size", "Platforms", "Why not")
_CHOSEN = "*"


def run(command: SessionCommandMixin, options: Values, args: list[str]) -> int:
    """List the variants of the release that pip would install, or of all releases."""
    if len(args) != 1:
        raise WrongUse("Specify one REQUIREMENT")
    with quietly(options.json):
        session = command.get_default_session(options)
        result = look_up(session, options, args[0])
        offers = _listed_offers(result, all_versions=options.all_versions)
        if not offers:
            raise result.problem or WrongUse(f"No variants of {args[0]} found")
        listed = [(each, _rows(result, each)) for each in offers]
    if options.json:
        write_report(_document(result, listed))
    else:
        write(_tables(result, listed))
    return SUCCESS


@dataclass(frozen=True, slots=True)
class _Row:
    """The files with one label, or without a label, from one source.

    :ivar source: the page or folder that lists the files.
    :ivar label: the label; None for plain wheels and source distributions.
    :ivar files: the files; those that suit platform and Python come first, best first.
    :ivar suitable: the number of files that suit platform and Python.
    :ivar rank: the rank of the label, 1 for the best; None if no file can be used.
    :ivar mismatches: the properties that the target lacks.
    :ivar problem: another reason for not using the files, or None.
    :ivar chosen: whether pip would install one of the files.
    """

    source: str
    label: str | None
    files: Sequence[Link]
    suitable: int
    rank: int | None
    mismatches: Sequence[Mismatch]
    problem: str | None
    chosen: bool

    @property
    def kind(self) -> str:
        """The kind of the files: ``variant``, ``plain`` or ``source``."""
        if self.label is not None:
            return "variant"
        return "plain" if any(file.is_wheel for file in self.files) else "source"

    @property
    def platforms(self) -> Sequence[str]:
        """The platforms in the file names; ``source`` for source distributions."""
        return list(dict.fromkeys(_platform_of(file) for file in self.files))

    @property
    def size(self) -> int | None:
        """The size in bytes of the file for the target, or None if unknown."""
        return _size_of(self.files[0]) if self.suitable else None


#: Versions, each with its rows.
_Listed = Sequence[tuple[Offer, Sequence[_Row]]]


def _size_of(link: Link) -> int | None:
    """Return the size of a file in bytes, or None if only a request would show the size."""
    try:
        return os.path.getsize(link.file_path) if link.is_file else listed_size(link)
    except OSError:
        return None


def _platform_of(link: Link) -> str:
    """Return the platform tags in a file name; ``source`` for other files."""
    if not link.is_wheel:
        return "source"
    return split_label(link.filename)[0].removesuffix(".whl").rpartition("-")[2]


def _rows(result: LookupResult, offered: Offer) -> list[_Row]:
    """Return the rows of one version, in order of preference.

    :param offered: the version, with variants that may not be checked yet.
    :raises VariantLost: if pip cannot check a variant, in strict mode.
    """
    if offered.release is not None:
        result.run.reporter.report(problems_of(offered.release))
    suited = {link: place for place, link in enumerate(offered.links)}
    groups: dict[tuple[str, str | None], list[Link]] = {}
    for file in result.files:
        if version_of(file, result.project) == offered.version:
            groups.setdefault((source_of(file), label_of(file)), []).append(file)
    for files in groups.values():
        files.sort(key=lambda file: suited.get(file, len(suited)))
    judged = {key: _judged(offered, files[0]) for key, files in groups.items()}
    ranked = sorted({place for place, _, _ in judged.values() if place is not None})
    found = []
    for (source, label), files in groups.items():
        place, mismatches, problem = judged[source, label]
        suitable = sum(file in suited for file in files)
        found.append(
            _Row(
                source=source,
                label=label,
                files=files,
                suitable=suitable,
                rank=None if place is None else ranked.index(place) + 1,
                mismatches=mismatches,
                problem=problem if suitable else _absent(result, files),
                chosen=result.link in files,
            )
        )
    found.sort(key=lambda row: (row.rank is None, row.rank or 0, row.label or ""))
    return found


def _absent(result: LookupResult, files: Sequence[Link]) -> str:
    """Return why none of *files* can be installed."""
    cause, detail = skipped_versions.cause_of_files(result.run, result.project, files)
    if cause is SkipCause.PLATFORM:
        return "no file for this platform and Python"
    # Dates are too long for a table.
    return skipped_versions.why(cause, "" if cause is SkipCause.UPLOAD_TIME else detail)


def _judged(
    offered: Offer, link: Link
) -> tuple[tuple[int, int] | None, Sequence[Mismatch], str | None]:
    """Return the rank of a file, the mismatches of its variant, and another problem.

    :return: the rank, or None if the file cannot be used; the mismatches; the problem, or
        None.
    """
    release, label = offered.release, label_of(link)
    if release is None or label is None:
        is_offered = link in offered.links
        return (len(offered.links), 0) if is_offered else None, (), None
    selections = release.fetch_selections()
    # Another source may describe a label that this source does not describe.
    selection = release.fetch_selection_of(link) or selections.get(source_of(link))
    if selection is None:
        return None, (), None
    ranking = selection.ranking
    if label in ranking.compatible:
        place = list(selections).index(selection.source)
        return (place, ranking.compatible.index(label)), (), None
    if label in ranking.unknown:
        return None, (), selection.problem or "the manifest does not describe it"
    return None, ranking.rejected.get(label, ()), None


def _listed_offers(result: LookupResult, *, all_versions: bool) -> list[Offer]:
    """Return the versions to list: the version to install, or all versions with variants.

    If pip would install no version, return the newest version with variants instead.
    """
    with_variants = [each for each in result.offers if each.has_variants]
    if all_versions:
        return with_variants
    if result.chosen is not None:
        return [result.chosen]
    return with_variants[:1]


def _tables(result: LookupResult, listed: _Listed) -> Iterator[Line]:
    """Yield a table for each version, and notes."""
    for number, (offered, rows) in enumerate(listed):
        if number:
            yield Line("")
        several = len({row.source for row in rows}) > 1
        title = f"{result.project} {offered.version}"
        if not several:
            title += f" on {redact_auth_from_url(rows[0].source)}"
        yield Line(title, "bold")
        (heading, *lines), _ = tabulate([_COLUMNS, *map(_cells, rows)])
        yield Line(heading, "bold")
        for row, line in zip(rows, lines, strict=True):
            yield Line(line, _style(row))
            if several:
                yield Line(f"    on {redact_auth_from_url(row.source)}", _style(row))
    yield from map(Line, _notes(result, listed))


def _style(row: _Row) -> str:
    return "green" if row.chosen else "dim" if row.rank is None else ""


def _cells(row: _Row) -> tuple[str, ...]:
    label = row.label or f"({row.kind})"
    why_not = row.problem or "; ".join(
        describe_values(str(each.feature), each.wanted, " or ")
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
    )


def _notes(result: LookupResult, listed: _Listed) -> Iterator[str]:
    if any(row.chosen for _, rows in listed for row in rows):
        yield f"{_CHOSEN} would be installed."
    elif result.link is not None:
        yield f"{result.link.filename} would be installed."
    if result.problem is not None:
        words = "variants", "explain", result.requirement
        typed = command_to_type(result.run.settings.options, *words)
        yield Hint("Nothing would be installed. To see why:", typed)
    listed_versions = {offered.version for offered, _ in listed}
    others = [
        str(offered.version)
        for offered in result.offers
        if offered.has_variants and offered.version not in listed_versions
    ]
    if others:
        yield f"Other versions with variants: {shortened(others)}"


def _document(result: LookupResult, listed: _Listed) -> dict[str, Any]:
    """Describe the files of versions, by label."""
    return {
        "requirement": result.requirement,
        "project": result.project,
        "versions": [
            {
                "version": str(offered.version),
                "variants": list(map(_row_document, rows)),
            }
            for offered, rows in listed
        ],
    }


def _row_document(row: _Row) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "label": row.label,
        "source": redact_auth_from_url(row.source),
        "rank": row.rank,
        "compatible": row.rank is not None,
        "chosen": row.chosen,
        "platforms": row.platforms,
        "size": row.size,
        "mismatches": [mismatch_document(each) for each in row.mismatches],
        "problem": row.problem,
        "files": [
            {
                "filename": file.filename,
                "url": redact_auth_from_url(file.url_without_fragment),
                "size": _size_of(file),
                "suitable": at < row.suitable,
            }
            for at, file in enumerate(row.files)
        ],
    }
