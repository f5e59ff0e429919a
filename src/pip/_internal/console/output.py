"""Write lines and documents to the terminal; escape control characters.

All output about variants goes through a logger of :func:`get_logger`, through :func:`write`
or a similar function here, or is an error of :mod:`pip._internal.variants.errors`. All of
these escape unprintable characters, line ends included. On a terminal, lines are folded
between words; in files and pipes, lines keep their length. No other module of the fork has
a logger, a console or a style; a test checks that.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from pip._vendor.rich._wrap import divide_line
from pip._vendor.rich.cells import cell_len
from pip._vendor.rich.text import Text

from pip._internal.console import printable
from pip._internal.console.texts import Hint
from pip._internal.utils._log import VerboseLogger, getLogger
from pip._internal.utils.logging import BrokenStdoutLoggingError, get_indentation

if TYPE_CHECKING:
    from pip._vendor.rich.console import Console, ConsoleOptions, RenderResult

#: Additional columns of indentation for continued lines.
_HANG = 2
#: Upstream's prefixes and styles, highest level first.
_LEVELS = ((logging.ERROR, "ERROR: ", "red"), (logging.WARNING, "WARNING: ", "yellow"))


class Line(NamedTuple):
    """A line of output.

    :ivar style: a style of rich.
    """

    text: str
    style: str = ""


def folded(said: str, width: int, style: str = "", prefix: str = "") -> Text:
    """Break a line between words, and before the command at the end of a hint.

    :param prefix: text to insert before the line.
    """
    sentence, command = said, ""
    if isinstance(said, Hint):
        sentence, command = said.sentence, said.command
    text = Text(printable(f"{prefix}{sentence}"), style)
    plain = text.plain
    hang = " " * (len(plain) - len(plain.lstrip()) + _HANG)
    starts: list[int] = []
    if cell_len(plain) > width:
        # A property is one word.
        one_word = plain.replace(" :: ", "_::_")
        starts = divide_line(one_word, width - len(hang), fold=False)
    lines = [*text.divide(starts)]
    for line in lines:
        line.rstrip()
    if command:
        lines.append(Text(printable(command), style))
    return Text(f"\n{hang}").join(lines)


class _Folded:
    """A line that is folded on a terminal."""

    def __init__(self, said: str, style: str = "", prefix: str = "") -> None:
        self._said, self._style, self._prefix = said, style, prefix

    def __str__(self) -> str:
        return printable(self._said)

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> RenderResult:
        """Yield the line, or its parts."""
        if console.is_terminal:
            width = options.max_width - get_indentation()
            yield folded(self._said, width, self._style, self._prefix)
        else:
            yield Text(f"{self._prefix}{self}", self._style)


class _PrintableFilter(logging.Filter):
    """A filter that makes log records printable, and folds them between words."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "rich", False):
            return True
        match record.msg, record.args:
            # This text may be a hint, which ends in a command.
            case "%s", (str() as said,):
                pass
            case _:
                said = record.getMessage()
        if record.exc_info:
            record.msg, record.args = printable(said), None
            traceback = logging.Formatter().formatException(record.exc_info)
            record.exc_text = "\n".join(map(printable, traceback.split("\n")))
            return True
        level = next((each for each in _LEVELS if record.levelno >= each[0]), None)
        prefix, style = ("", "") if level is None else level[1:]
        record.msg, record.args = "%s", (_Folded(said, style, prefix),)
        record.rich = True
        return True


_PRINTABLE = _PrintableFilter()


def get_logger(name: str) -> VerboseLogger:
    """Return the logger of a module; each record becomes one printable line.

    On a terminal, long lines are folded between words.
    """
    logger = getLogger(name)
    logger.addFilter(_PRINTABLE)
    return logger


_logger = get_logger(__name__)


def write(lines: Iterable[str | Line]) -> None:
    """Write lines, with escapes for unprintable characters."""
    for line in lines:
        said, style = line if isinstance(line, Line) else (line, "")
        _logger.info("%s", _Folded(said, style), extra={"rich": True})


def write_document(document: Mapping[str, Any]) -> None:
    """Write a JSON document in ASCII, the same on any terminal and with ``--quiet``.

    :raises BrokenStdoutLoggingError: if the output cannot be written.
    """
    try:
        print(json.dumps(document, indent=2), flush=True)
    except BrokenPipeError:
        raise BrokenStdoutLoggingError from None
    except OSError as error:
        _logger.error("pip cannot write its output: %s", error)
        raise BrokenStdoutLoggingError from None


def notice(lines: Iterable[str]) -> Text:
    """Format lines like stock pip's notices at the end of a run."""
    marked = [Text()]
    for line in lines:
        mark = Text.assemble(("[", "bold"), ("notice", "blue"), ("]", "bold"))
        marked.append(Text.assemble(mark, " ", printable(line)))
    return Text("\n").join(marked)


@contextmanager
def quietly(is_unwanted: bool = True) -> Iterator[None]:
    """Suppress progress output, which must not get into a JSON document, but not warnings."""
    before = logging.root.manager.disable
    if is_unwanted:
        logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)
