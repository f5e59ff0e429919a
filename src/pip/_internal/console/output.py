"""The one way out: a terminal shows what others wrote, and never obeys it.

All output about variants goes through a logger of :func:`get_logger`, through :func:`write`
and its like (:mod:`.styled`), or is an error of :mod:`.errors`. Each shows escapes in place
of what is not printable, line ends included: a line ends only where this pip ends it.
Nothing else here has a logger, a console or a style; a test sees to that.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pip._vendor.rich.text import Text

from pip._internal.console import printable
from pip._internal.utils._log import VerboseLogger, getLogger

if TYPE_CHECKING:
    import optparse

    from pip._internal.console.wrapped import Paragraph

__all__ = [
    "get_logger",
    "only_output",
    "printable_output",
    "text_of",
    "write",
    "write_document",
]


def _escape(record: logging.LogRecord, said: Iterable[str]) -> None:
    """Make a record say these lines, without anything that a terminal would obey."""
    record.msg, record.args = "\n".join(map(printable, said)), None
    if record.exc_info and not record.exc_text:
        traceback = logging.Formatter().formatException(record.exc_info)
        record.exc_text = "\n".join(map(printable, traceback.split("\n")))


class _PrintableLines(logging.Filter):
    """Makes upstream's records printable, which may have several lines."""

    def filter(self, record: logging.LogRecord) -> bool:
        # Paragraphs are printable already.
        if not getattr(record, "rich", False):
            _escape(record, record.getMessage().split("\n"))
        return True


class _Paragraph(logging.Filter):
    """Makes this pip's own records printable, and folds them between words."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "rich", False):
            return True
        if record.exc_info:
            _escape(record, [record.getMessage()])
            return True
        match record.msg, record.args:
            # It may be a hint, which ends in a command.
            case "%s", (str() as said,):
                pass
            case _:
                said = record.getMessage()
        from pip._internal.console.wrapped import Wrapped, paragraph

        level = next((each for each in _LEVELS if record.levelno >= each[0]), None)
        prefix, style = ("", "") if level is None else level[1:]
        shown = Wrapped([paragraph(said, style)], prefix)
        record.msg, record.args, record.rich = "%s", (shown,), True
        return True


#: Prefixes and styles as upstream has them, the highest level first.
_LEVELS = (
    (logging.ERROR, "ERROR: ", "red"),
    (logging.WARNING, "WARNING: ", "yellow"),
)


_PARAGRAPH, _PRINTABLE_LINES = _Paragraph(), _PrintableLines()


def get_logger(name: str) -> VerboseLogger:
    """Return the logger of a module; each of its records is one printable line.

    On a terminal, long lines are folded between words.
    """
    logger = getLogger(name)
    logger.addFilter(_PARAGRAPH)
    return logger


_logger = get_logger(__name__)


def write(lines: Iterable[str | Paragraph]) -> None:
    """Write lines, with escapes for what is not printable."""
    from pip._internal.console.wrapped import Wrapped, paragraph

    listed = [paragraph(each) if isinstance(each, str) else each for each in lines]
    if listed:
        _logger.info("%s", Wrapped(listed), extra={"rich": True})


def write_document(document: Mapping[str, Any]) -> None:
    """Write a JSON document in ASCII, the same on any terminal."""
    text = Text(json.dumps(document, indent=2))
    _logger.info("%s", text, extra={"rich": True})


def text_of(lines: Iterable[str]) -> Text | None:
    """Return lines for upstream to show as they are; None if there are none."""
    return Text("\n".join(map(printable, lines))) or None


@contextmanager
def only_output(options: optparse.Values) -> Iterator[None]:
    """Keep pip's progress out of a JSON document; warnings go elsewhere."""
    before = logging.root.manager.disable
    if options.json:
        logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)


@contextmanager
def printable_output() -> Iterator[None]:
    """Keep terminals from obeying upstream's records for a while, too."""
    handlers = list(logging.getLogger().handlers)
    for handler in handlers:
        handler.addFilter(_PRINTABLE_LINES)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(_PRINTABLE_LINES)
