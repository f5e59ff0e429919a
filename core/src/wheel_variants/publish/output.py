"""Terminal output of the commands; control characters from files are escaped."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import Progress
from rich.text import Text

from wheel_variants.publish.errors import PublishError, without_credentials

__all__ = [
    "logs_to_stderr",
    "printable",
    "show_error",
    "tool_version",
    "track",
    "write",
    "write_report",
]

T = TypeVar("T")

#: The logger of all modules; `write` prints nothing if the level of this logger is above
#: INFO.
_LOGGER = logging.getLogger("wheel_variants")
#: The version of JSON reports. Increase it for incompatible changes.
_REPORT_VERSION = "1"


def printable(text: str) -> str:
    """Return *text* with escapes for unprintable characters, without credentials."""
    text = without_credentials(text)
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def tool_version() -> str:
    """Return the version of this distribution, or ``unknown`` in a checkout."""
    try:
        return version("wheel-variants")
    except PackageNotFoundError:
        return "unknown"


@contextmanager
def logs_to_stderr(verbosity: int) -> Iterator[None]:
    """Write log records to stderr, such as ``warning: …``.

    :param verbosity: 0 for warnings and normal output, more than 0 for debug messages,
        less than 0 for less output.
    """
    levels = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)
    handler, level = _LogHandler(), _LOGGER.level
    _LOGGER.setLevel(levels[min(max(1 - verbosity, 0), len(levels) - 1)])
    _LOGGER.addHandler(handler)
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)
        _LOGGER.setLevel(level)


class _LogHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        line = f"{record.levelname.lower()}: {printable(record.getMessage())}"
        style = "yellow" if record.levelno >= logging.WARNING else "dim"
        _console(stderr=True).print(Text(line, style))


def write(lines: Iterable[str | Text]) -> None:
    """Print lines to stdout, unless ``--quiet`` suppresses normal output."""
    console = _console()
    for line in lines if _LOGGER.isEnabledFor(logging.INFO) else ():
        console.print(Text(printable(line)) if isinstance(line, str) else line)


def write_report(document: Mapping[str, Any]) -> None:
    """Print a JSON report to stdout, in ASCII."""
    report = {"version": _REPORT_VERSION, "wheel_variants_version": tool_version()}
    sys.stdout.write(f"{json.dumps({**report, **document}, indent=2)}\n")


def show_error(error: PublishError) -> None:
    """Print an error, its details and its hints to stderr."""
    console = _console(stderr=True)
    console.print(Text.assemble(("error: ", "bold red"), printable(error.message)))
    for line in error.details:
        console.print(Text(f"  {printable(line)}"))
    for hint in error.hints:
        console.print(Text.assemble(("hint: ", "bold cyan"), printable(hint)))


def track(items: Sequence[T], description: str = "Reading") -> Iterator[T]:
    """Yield the items, with a progress bar on a terminal."""
    console = _console(stderr=True)
    is_shown = console.is_terminal and _LOGGER.isEnabledFor(logging.INFO)
    with Progress(console=console, transient=True, disable=not is_shown) as progress:
        yield from progress.track(items, description=description)


def _console(*, stderr: bool = False) -> Console:
    return Console(stderr=stderr, soft_wrap=True, highlight=False)
