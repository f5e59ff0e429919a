"""Fail a run if a skipped test is not in the list of allowed skips.

The list is a text file with ``pattern: reason`` lines; a pattern is a regular expression
that must match the start of the reason for the skip.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--allowed-skips``."""
    parser.addoption(
        "--allowed-skips",
        type=Path,
        metavar="FILE",
        help="fail on a skip whose reason matches no line of this file",
    )


def read_patterns(path: Path) -> list[re.Pattern[str]]:
    """Return the patterns of a list of allowed skips.

    :raises pytest.UsageError: for a line without a reason.
    """
    patterns = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        pattern, separator, reason = line.rpartition(": ")
        if not separator or not reason.strip():
            raise pytest.UsageError(f"{path}: a skip without a reason: {line!r}")
        patterns.append(re.compile(pattern.strip()))
    return patterns


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the session if a skip is not in the list."""
    if _unlisted(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the skips that are not in the list."""
    unlisted = _unlisted(config)
    if unlisted:
        terminalreporter.section("skips that are not in the list", red=True)
        for node, reason in unlisted:
            terminalreporter.line(f"{node}: {reason}", red=True)


def _unlisted(config: pytest.Config) -> list[tuple[str, str]]:
    path: Path | None = config.getoption("--allowed-skips")
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if path is None or reporter is None:
        return []
    patterns = read_patterns(path)
    skips = [(r.nodeid, _reason(r)) for r in reporter.stats.get("skipped", ())]
    return [
        (node, reason)
        for node, reason in skips
        if not any(pattern.match(reason) for pattern in patterns)
    ]


def _reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
    return text.removeprefix("Skipped: ")
