"""Output with styles; where they cannot be shown, without them (see :mod:`.output`).

Only commands of variants have some, so that nothing of this is loaded for others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.rich.text import Text

from pip._internal.utils.logging import get_console
from pip._internal.variants.output import get_logger, write
from pip._internal.variants.texts import printable

if TYPE_CHECKING:
    from pip._vendor.rich.console import JustifyMethod
    from pip._vendor.rich.table import Table

__all__ = ["Grid", "Line", "write_styled"]

_logger = get_logger(__name__)


class Line(NamedTuple):
    """A line of output.

    :ivar style: of all of it, in the words of rich.
    :ivar highlights: further styles, by the regular expression of what has them.
    """

    text: str
    style: str = ""
    highlights: Mapping[str, str] = {}


class Grid(NamedTuple):
    """A table: with lines and colours on terminals, of columns of text elsewhere.

    :ivar styles: of the rows, in the words of rich.
    :ivar numeric: the columns that are of numbers.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    styles: Sequence[str]
    numeric: Sequence[str] = ()


def write_styled(shown: Iterable[Line | Grid]) -> None:
    """Write what has styles; where they cannot be shown, without them."""
    if not get_console().is_terminal:
        write(line for each in shown for line in _plain(each))
        return
    for each in shown:
        styled = _table(each) if isinstance(each, Grid) else _styled(each)
        _logger.info("%s", styled, extra={"rich": True})


def _styled(line: Line) -> Text:
    text = Text(printable(line.text), line.style)
    for pattern, style in line.highlights.items():
        text.highlight_regex(pattern, style)
    return text


def _table(grid: Grid) -> Table:
    from pip._vendor.rich.box import SIMPLE_HEAD
    from pip._vendor.rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in grid.columns:
        justify: JustifyMethod = "right" if column in grid.numeric else "left"
        table.add_column(Text(printable(column)), justify=justify)
    for row, style in zip(grid.rows, grid.styles, strict=True):
        table.add_row(*(Text(printable(cell)) for cell in row), style=style)
    return table


def _plain(shown: Line | Grid) -> list[str]:
    if isinstance(shown, Line):
        return [shown.text]
    from pip._internal.utils.misc import tabulate

    rows = [list(map(printable, row)) for row in (shown.columns, *shown.rows)]
    return tabulate(rows)[0]
