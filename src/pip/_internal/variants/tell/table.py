"""Show the variants of releases as tables: ``pip variants list``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pip._internal.console.styled import Grid, Line
from pip._internal.console.texts import Hint
from pip._internal.utils.misc import format_size, redact_auth_from_url
from pip._internal.variants.choice import reasons
from pip._internal.variants.choice.decision import Decision, Offer
from pip._internal.variants.choice.invocation import command

if TYPE_CHECKING:
    from pip._internal.variants.tell.listing import Row

__all__ = ["tables"]

_COLUMNS = ("", "Rank", "Label", "Runs", "Size", "Platforms", "Why not")
_CHOSEN = "*"


def tables(
    decision: Decision, listed: Sequence[tuple[Offer, Sequence[Row]]]
) -> Iterator[Line | Grid]:
    """Give a table for each version, and what there is to know beside them."""
    for number, (offered, rows) in enumerate(listed):
        if number:
            yield Line("")
        several = len({row.source for row in rows}) > 1
        title = f"{decision.project} {offered.version}"
        if not several:
            title += f" on {redact_auth_from_url(rows[0].source)}"
        yield Line(title, "bold")
        columns = (*_COLUMNS, "Source") if several else _COLUMNS
        cells = [_cells(row)[: len(columns)] for row in rows]
        styles = [_style(row) for row in rows]
        yield Grid(columns, cells, styles)
    yield from map(Line, _notes(decision, listed))


def _style(row: Row) -> str:
    return "green" if row.chosen else "dim" if row.rank is None else ""


def _cells(row: Row) -> tuple[str, ...]:
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
    decision: Decision, listed: Sequence[tuple[Offer, Sequence[Row]]]
) -> Iterator[str]:
    if any(row.chosen for _, rows in listed for row in rows):
        yield f"{_CHOSEN} would be installed."
    elif decision.link is not None:
        yield f"{decision.link.filename} would be installed."
    if decision.problem is not None:
        yield Hint(
            "Nothing would be installed. What tells why:",
            command(
                decision.context.options, "variants", "explain", decision.requirement
            ),
        )
    shown = {offered.version for offered, _ in listed}
    others = [
        str(offered.version)
        for offered in decision.offers
        if offered.has_variants and offered.version not in shown
    ]
    if others:
        yield f"Other versions with variants: {reasons.shortened(others)}"
