"""``wheel-variants check``: the rules for publishers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from rich.text import Text

from wheel_variants.publish.checking import Check, CheckReport
from wheel_variants.publish.errors import counted
from wheel_variants.publish.findings import Finding
from wheel_variants.publish.http import HttpSession, add_http_options
from wheel_variants.publish.output import printable, write, write_report
from wheel_variants.publish.provider_lookup import ProviderLookup
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
        check = Check(session, ProviderLookup(session, options.indexes))
        for target in options.targets:
            check.target(target)
    report = check.report
    if options.json:
        document = {
            "findings": [finding.to_dict() for finding in report.findings],
            "errors": report.errors,
            "warnings": report.warnings,
            "wheels": report.wheels,
            "manifests": report.manifests,
        }
        write_report(document)
    else:
        write(map(_styled, _lines(report)))
    return int(bool(report.errors or (options.strict and report.warnings)))


def _styled(line: str) -> Text:
    text = Text(printable(line))
    for pattern, style in _STYLES.items():
        text.highlight_regex(pattern, style)
    return text


def _lines(report: CheckReport) -> Iterator[str]:
    alike: dict[tuple[Rule, str, str | None], list[Finding]] = {}
    for finding in report.findings:
        key = (finding.rule, finding.problem, finding.remedy)
        alike.setdefault(key, []).append(finding)
    for (rule, problem, remedy), findings in alike.items():
        more = f" and {len(findings) - 1} more" if len(findings) > 1 else ""
        yield f"{' and '.join(findings[0].subjects)}{more}"
        yield f"  {rule.severity.value}: {problem}. [{rule.id}; {rule.source}]"
        if remedy is not None:
            yield f"  {remedy}."
    yield (
        f"Checked {counted(report.wheels, 'wheel')} and "
        f"{counted(report.manifests, 'manifest')}: {counted(report.errors, 'error')}, "
        f"{counted(report.warnings, 'warning')}."
    )
