"""What others wrote is shown, and no terminal obeys it: by construction."""

from __future__ import annotations

import ast
import io
import logging
import re
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from pip._vendor.rich.console import Console

from pip._internal.console.output import Line, get_logger, write, write_document
from pip._internal.exceptions import DiagnosticPipError
from pip._internal.fast.optional_work import emit
from pip._internal.utils import logging as upstream
from pip._internal.variants import errors

#: Each of the kinds of what a terminal or a reader may take for something else.
HOSTILE = (
    *("\n", "\r", "\t", "\x00", "\x07", "\x08", "\x1b[2J", "\x1b]0;x\x07", "\x7f"),
    *("\x85", "\x9b31m", "\u2028", "\u2029", "\u200b", "\u200e", "\u200f", "\ufeff"),
    *("\u202a", "\u202e", "\u2066", "\u2069", "\ud800", "\udcff", "\xa0", "\U000e0001"),
)
TEXT = "a[red]b[/]" + "c".join(HOSTILE) + "d[link=https://x.example]e[/link]"

logger = get_logger("pip._internal.variants.test_output")


class Shown:
    """What upstream's handlers write, on a terminal or elsewhere."""

    def __init__(self, *, terminal: bool) -> None:
        self.stream = io.StringIO()
        self.console = Console(
            file=self.stream,
            force_terminal=terminal,
            color_system="standard" if terminal else None,
            soft_wrap=True,
            width=10_000,
        )

    @property
    def lines(self) -> list[str]:
        """Return the lines; the styles of this pip's own are left out."""
        text = re.sub(r"\x1b\[[0-9;]+m", "", self.stream.getvalue())
        return text.removesuffix("\n").split("\n")


@pytest.fixture(params=[False, True], ids=["file", "terminal"])
def shown(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shown]:
    """Make upstream's own handler write the log."""
    shown = Shown(terminal=request.param)
    monkeypatch.setattr(upstream, "_stdout_console", shown.console)
    handler = upstream.RichPipStreamHandler(shown.console)
    handler.setFormatter(upstream.IndentingFormatter("%(message)s"))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield shown
    root.removeHandler(handler)
    root.setLevel(level)


def check(lines: list[str], count: int = 1) -> None:
    """Check that so many lines show all of TEXT and do no more."""
    assert len(lines) == count, lines
    for line in lines:
        assert line.isprintable(), repr(line)
    joined = "".join(lines)
    assert "a[red]b[/]" in joined
    assert "[link=https://x.example]" in joined
    assert r"\x1b[2J" in joined


def test_a_record_is_one_line(shown: Shown) -> None:
    logger.warning("%s and %r", TEXT, TEXT)
    check(shown.lines)


def test_a_traceback(shown: Shown) -> None:
    try:
        raise ValueError(TEXT)
    except ValueError:
        logger.debug("It failed", exc_info=True)
    assert shown.lines[:2] == ["It failed", "Traceback (most recent call last):"]
    assert all(line.isprintable() for line in shown.lines)
    assert r"\x1b[2J" in "".join(shown.lines)


def test_a_record_that_is_held_back(shown: Shown) -> None:
    record = logger.makeRecord(logger.name, logging.WARNING, "", 0, "%s", (TEXT,), None)
    emit(deque([record, record]))
    check(shown.lines, 2)


def test_lines(shown: Shown) -> None:
    write([TEXT, TEXT])
    write([])
    check(shown.lines, 2)


def test_a_document(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_document({TEXT: [TEXT]})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert all(line.isascii() and line.isprintable() for line in lines)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("builtins.print", fail)
    with pytest.raises(upstream.BrokenStdoutLoggingError):
        write_document({})


def test_styles(shown: Shown) -> None:
    write([Line(TEXT, "green")])
    assert ("\x1b[32m" in shown.stream.getvalue()) == shown.console.is_terminal
    check(shown.lines)


class Refused(errors.VariantError):
    """An error of this test."""

    reference = "refused"


def show(error: DiagnosticPipError) -> None:
    """Show an error as upstream does."""
    logging.getLogger("upstream").error("%s", error, extra={"rich": True})


def test_errors(shown: Shown) -> None:
    show(Refused(TEXT, [TEXT, TEXT], [TEXT], [TEXT]))
    lines = [line for line in shown.lines if "[red]" in line]
    check(lines, 5)
    assert all(line.isprintable() for line in shown.lines)


@pytest.mark.parametrize(
    "error",
    [
        errors.VariantDisagreement(TEXT, TEXT, TEXT),
        *(kind(TEXT) for kind in (errors.WrongUse, errors.InvalidOption)),
        *(kind(TEXT) for kind in (errors.UnusableRequirement, errors.BuildConflict)),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_of_one_line(error: Exception) -> None:
    check([str(error)])


def test_the_words_of_an_error_are_one_line() -> None:
    assert errors.describe_error(ValueError("one\n  two\r\nthree.")) == "one two three"


#: The ways out that are upstream's or Python's: what is imported, called or asked for.
WAYS = frozenset(
    (
        *("print", "sys.stdout", "sys.stderr", "getLogger", "write_output"),
        *("get_console", "RichPipStreamHandler", "import warnings", "extra="),
        *("logging.getLogger", "logging.debug", "logging.info"),
        *("logging.warning", "logging.error", "logging.critical", "logging.log"),
    )
)
#: A module whose every name is one: styles, consoles and the like.
STYLES = "pip._vendor.rich"
#: Errors of others, which say what they are given; how messages of theirs are made.
ERRORS = frozenset(
    (
        *("DiagnosticPipError", "PipError", "InstallationError", "CommandError"),
        *("OptionValueError", "InvalidRequirement"),
    )
)
#: Those who may use some of them, by the end of the path, and why.
PROGRESS = {
    *("BarColumn", "DownloadColumn", "Progress", "TextColumn"),
    *("TaskProgressColumn", "TimeRemainingColumn", "TransferSpeedColumn"),
}
ALLOWED = {
    # It is the way out.
    "console/output.py": {
        *("Text", "cell_len", "divide_line"),
        *("Console", "ConsoleOptions", "RenderResult", *WAYS),
    },
    # What others derive their errors from, and raise, makes printable what it is given.
    "variants/errors.py": {
        *("Text", "Console", "ConsoleOptions", "RenderResult", *ERRORS)
    },
    # Its error is made printable.
    "fast/environment_lock.py": {"InstallationError"},
    "fast/wheel_store.py": {"CommandError"},
    "locks/reading.py": {"InstallationError"},
    "fast/unpacked_wheels.py": {"InstallationError"},
    # Records that were made printable when they were logged.
    "fast/optional_work.py": {"logging.getLogger"},
    # Nothing but numbers.
    "fast/download_progress.py": {*PROGRESS, "get_console", "sys.stdout"},
    # A bar with its own text.
    "providers/plugin_environment.py": {"get_console"},
    # A separate process, whose output this pip reads.
    "fast/compile_child.py": {"print"},
    # An error that tells a name, and is caught.
    "providers/plugin_limits.py": {"PipError"},
}


def ways_out(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Find the names by which something may leave, with their lines."""
    for node in ast.walk(tree):
        for name in _names(node):
            yield name, getattr(node, "lineno", 0)


def _names(node: ast.AST) -> Iterable[str]:
    """Return those names by which something may leave at *node*."""
    match node:
        case ast.ImportFrom(module=str(module)) if module.startswith(STYLES):
            return [each.name for each in node.names]
        case ast.ImportFrom(names=imported):
            return WAYS.intersection(each.name for each in imported)
        case ast.Import(names=imported):
            return WAYS.intersection(f"import {each.name}" for each in imported)
        case ast.Attribute(value=ast.Name(id="sys" | "logging")):
            return WAYS & {ast.unparse(node)}
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return WAYS & {name}
        case ast.keyword(arg="extra"):
            return ["extra="]
        case ast.ClassDef(bases=bases):
            return _errors(bases)
        case ast.Raise(exc=ast.Call(func=raised)):
            return _errors([raised])
    return ()


def _errors(named: list[ast.expr]) -> list[str]:
    last = (ast.unparse(each).rpartition(".")[2] for each in named)
    return [each for each in last if each in ERRORS]


def test_there_is_no_other_way_out(repository_root: Path) -> None:
    found = []
    overlay = repository_root / "src/pip/_internal"
    for path in sorted(overlay.rglob("*.py")):
        allowed: set[str] = set()
        for end, names in ALLOWED.items():
            if path.as_posix().endswith(end):
                allowed |= names
        found += [
            f"{path.relative_to(overlay)}:{line}: {name}"
            for name, line in ways_out(ast.parse(path.read_text(encoding="utf-8")))
            if name not in allowed
        ]
    assert found == []


@pytest.mark.parametrize(
    "statement",
    [
        "print(x)",
        "import warnings",
        "sys.stdout.write(x)",
        "from pip._internal.utils.misc import write_output",
        "from pip._internal.utils._log import getLogger",
        "logging.getLogger(__name__)",
        "logging.warning(x)",
        "from pip._vendor.rich.text import Text",
        "logger.info('%s', x, extra={'rich': True})",
        "class E(DiagnosticPipError): pass",
        "raise CommandError(x)",
        "raise optparse.OptionValueError(x)",
    ],
)
def test_each_other_way_would_be_found(statement: str) -> None:
    assert list(ways_out(ast.parse(statement)))
