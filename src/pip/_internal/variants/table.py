"""Show the variants of releases as tables: ``pip variants list``.

On a terminal the tables have lines and colours; elsewhere they are columns of text that
do not depend on its width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pip._vendor.rich.box import SIMPLE_HEAD
from pip._vendor.rich.table import Table
from pip._vendor.rich.text import Text

from pip._internal.utils.misc import format_size, redact_auth_from_url, tabulate
from pip._internal.variants import explain
from pip._internal.variants.decision import Decision, Offer

if TYPE_CHECKING:
    from pip._vendor.rich.console import RenderableType

    from pip._internal.variants.listing import Row

__all__ = ["tables"]

_COLUMNS = ("", "Rank", "Label", "Runs", "Size", "Platforms", "Why not")
_CHOSEN = "*"


def tables(
    decision: Decision,
    listed: Sequence[tuple[Offer, Sequence[Row]]],
    *,
    is_terminal: bool,
) -> Iterator[RenderableType]:
    """Give a table for each version, and what there is to know beside them."""
    for number, (offered, rows) in enumerate(listed):
        if number:
            yield Text("")
        several = len({row.source for row in rows}) > 1
        title = f"{decision.project} {offered.version}"
        if not several:
            title += f" on {redact_auth_from_url(rows[0].source)}"
        yield Text(title, "bold")
        columns = (*_COLUMNS, "Source") if several else _COLUMNS
        cells = [_cells(row)[: len(columns)] for row in rows]
        if is_terminal:
            yield _rich_table(columns, rows, cells)
        else:
            lines, _ = tabulate([columns, *cells])
            yield from map(Text, lines)
    yield from map(Text, _notes(decision, listed))


def _rich_table(
    columns: Sequence[str], rows: Sequence[Row], cells: Sequence[Sequence[str]]
) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        is_number = column in ("Rank", "Size")
        table.add_column(column, justify="right" if is_number else "left")
    for row, texts in zip(rows, cells, strict=True):
        style = "green" if row.chosen else "dim" if row.rank is None else ""
        table.add_row(*map(Text, texts), style=style)
    return table


def _cells(row: Row) -> tuple[str, ...]:
    if row.label is None:
        is_plain = any(file.link.is_wheel for file in row.files)
        label = "(plain)" if is_plain else "(source)"
    else:
        label = row.label
    why_not = row.problem or "; ".join(
        f"{each.feature} :: {explain.shortened(each.wanted, ' or ')}"
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
        yield "Nothing would be installed; pip variants explain tells why."
    shown = {offered.version for offered, _ in listed}
    others = [
        str(offered.version)
        for offered in decision.offers
        if offered.has_variants and offered.version not in shown
    ]
    if others:
        yield f"Other versions with variants: {explain.shortened(others)}"
