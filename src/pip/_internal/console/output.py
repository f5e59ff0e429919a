"""The one way out: what others wrote is shown on a terminal, and never obeyed by it.

All that is said of variants leaves through a logger of :func:`get_logger`, through
:func:`write` and its like (:mod:`.styled`), or as an error of :mod:`.errors`. Each shows escapes in place
of what is not printable, line ends among them: a line ends where this pip ends it.
Nothing else here has a logger, a console or a style; a test sees to that.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
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


class _Printable(logging.Filter):
    """Leave nothing in a record that a terminal would obey."""

    def filter(self, record: logging.LogRecord) -> bool:
        # What is made of paragraphs is printable by now.
        if not getattr(record, "rich", False):
            self._make_printable(record)
        return True

    def _make_printable(self, record: logging.LogRecord) -> None:
        said = self._split(record.getMessage())
        record.msg, record.args = "\n".join(map(printable, said)), None
        if record.exc_info and not record.exc_text:
            traceback = logging.Formatter().formatException(record.exc_info)
            record.exc_text = "\n".join(map(printable, traceback.split("\n")))

    def _split(self, message: str) -> Sequence[str]:
        return (message,)


class _PrintableLines(_Printable):
    """The same for records of upstream's, which may have several lines."""

    def _split(self, message: str) -> Sequence[str]:
        return message.split("\n")


class _Paragraph(_Printable):
    """The same for this pip's own, whose lines end between words on a terminal."""

    def _make_printable(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            super()._make_printable(record)
            return
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
def printable_output() -> Iterator[None]:
    """Hold for upstream's records, too, that a terminal obeys nothing in them."""
    handlers = list(logging.getLogger().handlers)
    for handler in handlers:
        handler.addFilter(_PRINTABLE_LINES)
    try:
        yield
    finally:
        for handler in handlers:
            handler.removeFilter(_PRINTABLE_LINES)
