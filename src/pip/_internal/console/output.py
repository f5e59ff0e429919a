"""The one way out: what others wrote is shown on a terminal, and never obeyed by it.

All that is said of variants leaves through a logger of :func:`get_logger`, through
:func:`write` and its like (:mod:`.styled`), or as an error of :mod:`.errors`. Each shows escapes in place
of what is not printable, line ends among them: a line ends where this pip ends it.
Nothing else here has a logger, a console or a style; a test sees to that.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from pip._vendor.rich.text import Text

from pip._internal.console import printable
from pip._internal.utils._log import VerboseLogger, getLogger

if TYPE_CHECKING:
    import optparse

    from pip._internal.console.wrapped import Paragraph

__all__ = [
    "filtered",
    "get_logger",
    "only_output",
    "printable_output",
    "text_of",
    "write",
    "write_document",
]


def _escape(record: logging.LogRecord, said: Iterable[str]) -> None:
    """Leave nothing in a record that a terminal would obey, of these lines and more."""
    record.msg, record.args = "\n".join(map(printable, said)), None
    if record.exc_info and not record.exc_text:
        traceback = logging.Formatter().formatException(record.exc_info)
        record.exc_text = "\n".join(map(printable, traceback.split("\n")))


class _PrintableLines(logging.Filter):
    """Make records of upstream's printable, which may have several lines."""

    def filter(self, record: logging.LogRecord) -> bool:
        # What is made of paragraphs is printable by now.
        if not getattr(record, "rich", False):
            _escape(record, record.getMessage().split("\n"))
        return True


class _Paragraph(logging.Filter):
    """Make this pip's own records printable, whose lines end between words."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "rich", False):
            return True
        if record.exc_info:
            _escape(record, [record.getMessage()])
            return True
        match record.msg, record.args:
            # What it says at the end may be a command to type.
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


#: As upstream's formatter and handlers have it, the highest first.
_LEVELS = (
    (logging.ERROR, "ERROR: ", "red"),
    (logging.WARNING, "WARNING: ", "yellow"),
)


_PARAGRAPH, _PRINTABLE_LINES = _Paragraph(), _PrintableLines()


def get_logger(name: str) -> VerboseLogger:
    """Return the logger of a module, each record of which is one printable line.

    On a terminal that is as many as it takes, with whole words.
    """
    logger = getLogger(name)
    logger.addFilter(_PARAGRAPH)
    return logger


_logger = get_logger(__name__)


def write(lines: Iterable[str | Paragraph]) -> None:
    """Write lines, apart from what is not printable in them."""
    from pip._internal.console.wrapped import Wrapped, paragraph

    listed = [paragraph(each) if isinstance(each, str) else each for each in lines]
    if listed:
        _logger.info("%s", Wrapped(listed), extra={"rich": True})


def write_document(document: Mapping[str, Any]) -> None:
    """Write a JSON document, in ASCII, as it is on any terminal."""
    text = Text(json.dumps(document, indent=2))
    _logger.info("%s", text, extra={"rich": True})


def text_of(lines: Iterable[str]) -> Text | None:
    """Return lines for upstream to show as they are; None if there are none."""
    return Text("\n".join(map(printable, lines))) or None


@contextmanager
def only_output(options: optparse.Values) -> Iterator[None]:
    """Keep what pip says on its way out of a JSON document; warnings go elsewhere."""
    before = logging.root.manager.disable
    if options.json:
        logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)


@contextmanager
def filtered(by: logging.Filter) -> Iterator[None]:
    """Filter all records, upstream's among them."""
    handlers = list(logging.getLogger().handlers)
    for handler in handlers:
        handler.addFilter(by)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(by)


def printable_output() -> AbstractContextManager[None]:
    """See to it that a terminal obeys nothing in upstream's records either."""
    return filtered(_PRINTABLE_LINES)
