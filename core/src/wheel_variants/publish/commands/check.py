"""``wheel-variants check``: the rules for publishers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from rich.text import Text

from wheel_variants.publish.checking import Check
from wheel_variants.publish.errors import counted
from wheel_variants.publish.findings import Finding
from wheel_variants.publish.http import HttpSession, add_http_options
from wheel_variants.publish.output import printable, write, write_report
from wheel_variants.rules import Rule

__all__ = ["HELP", "add_arguments", "run"]

HELP = "Check wheels, manifests, folders and indexes by the rules for publishers."

_STYLES = {
    r"^  error:": "bold red",
    r"^  warning:": "bold yellow",
    r"\[[^]]+\]$": "dim",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add = parser.add_argument
    add(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="A wheel, a manifest, a folder of both, or the URL of an index page.",
    )
    add("--strict", action="store_true", help="Treat warnings as errors.")
    add(
        "-i",
        "--index-url",
        dest="indexes",
        action="append",
        default=[],
        metavar="URL",
        help="Check that the index at URL has the provider plugins that metadata names; "
        "may be repeated. By default, plugins are not looked for.",
    )
    add("--json", action="store_true", help="Write a report in JSON.")
    add_http_options(parser)


def run(options: argparse.Namespace) -> int:
    """Check each target, and write the findings."""
    with HttpSession(options) as session:
        check = Check(session, options.indexes)
        for target in options.targets:
            check.target(target)
    errors = sum(finding.is_error for finding in check.findings)
    warnings = len(check.findings) - errors
    if options.json:
        document = {
            "findings": [finding.to_dict() for finding in check.findings],
            "errors": errors,
            "warnings": warnings,
            "wheels": check.wheels,
            "manifests": check.manifests,
        }
        write_report(document)
    else:
        total = (
            f"Checked {counted(check.wheels, 'wheel')} and "
            f"{counted(check.manifests, 'manifest')}: {counted(errors, 'error')}, "
            f"{counted(warnings, 'warning')}."
        )
        write(map(_styled, [*_lines(check.findings), total]))
    return int(bool(errors or (options.strict and warnings)))


def _styled(line: str) -> Text:
    text = Text(printable(line))
    for pattern, style in _STYLES.items():
        text.highlight_regex(pattern, style)
    return text


def _lines(findings: Iterable[Finding]) -> Iterator[str]:
    alike: dict[tuple[Rule, str, str | None], list[Finding]] = {}
    for finding in findings:
        key = (finding.rule, finding.problem, finding.remedy)
        alike.setdefault(key, []).append(finding)
    for (rule, problem, remedy), same in alike.items():
        more = f" and {len(same) - 1} more" if len(same) > 1 else ""
        yield f"{' and '.join(same[0].subjects)}{more}"
        yield f"  {rule.severity.value}: {problem}. [{rule.id}; {rule.source}]"
        if remedy is not None:
            yield f"  {remedy}."
