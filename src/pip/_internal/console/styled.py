"""Output with styles, where these can be shown (see :mod:`.output`).

Only ``pip variants`` has such output; other commands do not load this.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pip._vendor.rich.cells import cell_len, set_cell_size

from pip._internal.console import printable
from pip._internal.console.output import write
from pip._internal.console.wrapped import Paragraph, paragraph
from pip._internal.utils.logging import get_console

__all__ = ["Grid", "Line", "folded", "shown_width", "write_styled"]


#: Columns are not made narrower than this.
_NARROW = 16


class Line(NamedTuple):
    """A line of output.

    :ivar style: of the whole line, in the words of rich.
    :ivar highlights: further styles, by regular expressions for the parts.
    """

    text: str
    style: str = ""
    highlights: Mapping[str, str] = {}


class Grid(NamedTuple):
    """A table, which is folded to the width of the terminal.

    :ivar styles: of the rows, in the words of rich.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    styles: Sequence[str]


def write_styled(shown: Iterable[Line | Grid]) -> None:
    """Write lines and tables, with their styles where these can be shown."""
    lines: list[Line] = []
    for each in shown:
        if isinstance(each, Grid):
            lines += folded(each, shown_width())
        else:
            lines.append(each)
    write(map(_paragraph, lines))


def shown_width() -> int:
    """Return the width of the output in columns."""
    console = get_console()
    # A file or pipe has a width only if the user says so.
    return console.width if console.is_terminal else shutil.get_terminal_size().columns


def _paragraph(line: Line) -> Paragraph:
    made = paragraph(line.text, line.style)
    for pattern, style in line.highlights.items():
        made.text.highlight_regex(pattern, style)
    return made


def folded(grid: Grid, width: int) -> Iterator[Line]:
    """Yield the lines of a table, at most *width* wide unless words are longer.

    Columns are folded between words. The last ones, if there is no place for them, stand
    below their rows.
    """
    rows = [list(map(printable, row)) for row in (grid.columns, *grid.rows)]
    count = len(grid.columns)
    widths = _widths(rows, width)
    while sum(widths) + len(widths) - 1 > width and count > 1:
        count -= 1
        widths = _widths([row[:count] for row in rows], width)
    for row, style in zip(rows, ("bold", *grid.styles), strict=True):
        cells = [_fold(cell, room) for cell, room in zip(row, widths, strict=False)]
        for line in range(max(map(len, cells))):
            parts = (
                set_cell_size(cell[line] if line < len(cell) else "", room)
                for cell, room in zip(cells, widths, strict=True)
            )
            yield Line(" ".join(parts).rstrip(), style)
        if row is not rows[0]:
            for name, cell in zip(rows[0][count:], row[count:], strict=True):
                if cell:
                    yield Line(f"    {name}: {cell}", style)


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the widths of columns; the widest ones give way first."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    least = []
    for column, now in zip(columns, widths, strict=True):
        longest = max((cell_len(e) for cell in column for e in cell.split()), default=0)
        least.append(min(now, max(_NARROW, longest)))
    for _ in range(sum(widths) + len(widths) - 1 - width):
        loose = [at for at, each in enumerate(widths) if each > least[at]]
        if not loose:
            break
        widths[max(loose, key=widths.__getitem__)] -= 1
    return widths


def _fold(cell: str, width: int) -> list[str]:
    lines = [""]
    for word in cell.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and cell_len(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
