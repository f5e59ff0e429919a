"""Lines that are folded between words to the width of the terminal.

Elsewhere, in a file for instance, they keep their length.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.rich.cells import cell_len
from pip._vendor.rich.text import Text

from pip._internal.console import printable
from pip._internal.console.texts import Hint
from pip._internal.utils.logging import get_indentation

if TYPE_CHECKING:
    from pip._vendor.rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["Paragraph", "Wrapped", "notice", "paragraph", "paragraphs"]

#: Columns by which continued lines are indented further.
_HANG = 2
#: A property is one word.
_WORD = re.compile(r"\S+(?: :: \S+)*")
#: What a shell takes for one argument.
_ARGUMENT = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s'"])+""")


class Paragraph(NamedTuple):
    """A line of text, folded into several where it is too long.

    :ivar command: at its end, in lines of its own; empty for none.
    """

    text: Text
    command: str = ""

    def __str__(self) -> str:
        return f"{self.text.plain} {self.command}".rstrip()


def paragraph(said: str, style: str = "") -> Paragraph:
    """Make a paragraph of a line, which may be a hint."""
    if isinstance(said, Hint):
        return Paragraph(Text(printable(said.said), style), printable(said.command))
    return Paragraph(Text(printable(said), style))


class Wrapped:
    """Paragraphs for a console.

    :param prefix: put before the first one.
    """

    def __init__(self, paragraphs: Iterable[Paragraph], prefix: str = "") -> None:
        self._paragraphs = list(paragraphs)
        self._prefix = prefix

    def __str__(self) -> str:
        return "\n".join(map(str, self._paragraphs))

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> RenderResult:
        """Yield the lines."""
        width = None
        if console.is_terminal:
            width = options.max_width - get_indentation()
        for at, (text, command) in enumerate(self._paragraphs):
            shown = text
            if self._prefix and not at:
                shown = Text.assemble((self._prefix, text.style), text)
            yield from _lines(Paragraph(shown, command), width)


def notice(lines: Iterable[str]) -> Wrapped:
    """Make what upstream shows at the end of a run, in its form: each line marked."""
    shown = [Paragraph(Text())]
    for text, command in map(paragraph, lines):
        mark = Text.assemble(("[", "bold"), ("notice", "blue"), ("]", "bold"))
        shown.append(Paragraph(Text.assemble(mark, " ", text), command))
    return Wrapped(shown)


def paragraphs(lines: Iterable[str | Text], width: int) -> Text:
    """Fold lines to *width*, and join them into one text."""
    made = (Paragraph(e) if isinstance(e, Text) else paragraph(e) for e in lines)
    return Text("\n").join(line for each in made for line in _lines(each, width))


def _lines(shown: Paragraph, width: int | None) -> Iterator[Text]:
    """Yield the lines of a paragraph; a *width* of None means no limit."""
    text, command = shown
    if width is None:
        yield text if not command else Text.assemble(text, " ", command)
        return
    plain = text.plain
    indent = len(plain) - len(plain.lstrip())
    hang = " " * (indent + _HANG)
    starts = list(_line_starts(plain, width, len(hang)))
    for at, line in enumerate(text.divide(starts)):
        line.rstrip()
        yield line if not at else Text.assemble(hang, line, style=text.style)
    if command:
        shown_lines = _command_lines(command, width, hang)
        yield from (Text(line, style=text.style) for line in shown_lines)


def _line_starts(plain: str, width: int, hang: int) -> Iterator[int]:
    """Yield where lines begin, from the second one on."""
    begin, room = 0, width
    for word in _WORD.finditer(plain):
        start, end = word.span()
        if cell_len(plain[begin:end]) > room and plain[begin:start].strip():
            yield start
            begin, room = start, width - hang


def _command_lines(command: str, width: int, indent: str) -> Iterator[str]:
    """Break a command into lines as a shell reads them."""
    if os.name == "nt":
        # The shell is unknown here, and shells differ.
        yield f"{indent}{command}"
        return
    line = ""
    arguments = _ARGUMENT.findall(command)
    for argument in _with_values(arguments, width - len(indent) - 4):
        if line.strip() and cell_len(f"{line} {argument}") > width - 2:
            yield f"{line} \\"
            line = f"{indent}  {argument}"
        else:
            line = f"{line} {argument}" if line else f"{indent}{argument}"
    yield line


def _with_values(arguments: list[str], room: int) -> list[str]:
    """Join each option with what follows it, perhaps its value, if that fits."""
    joined: list[str] = []
    for before, argument in pairwise(("", *arguments)):
        is_value = before.startswith("-") and not argument.startswith("-")
        if is_value and cell_len(f"{before} {argument}") <= room:
            joined[-1] += f" {argument}"
        else:
            joined.append(argument)
    return joined
