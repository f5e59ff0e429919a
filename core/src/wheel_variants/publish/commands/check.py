"""``wheel-variants check``: check the rules for publishers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from rich.text import Text

from wheel_variants.publish.checking import Check
from wheel_variants.publish.errors import NothingFound, counted
from wheel_variants.publish.findings import Finding
from wheel_variants.publish.http import HttpSession, add_http_options
from wheel_variants.publish.output import printable, write, write_report
from wheel_variants.rules import Rule, Severity

__all__ = ["HELP", "add_arguments", "run"]

HELP = "Check wheels, manifests, folders and indexes against the rules for publishers."

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add = parser.add_argument
    add(
        "targets",
        nargs="+",
        metavar="TARGET",
        help="A wheel, a manifest, a folder with both, or the URL of an index page.",
    )
    add("--strict", action="store_true", help="Treat warnings as errors.")
    add(
        "-i",
        "--index-url",
        dest="indexes",
        action="append",
        default=[],
        metavar="URL",
        help="Check that this index offers the provider plugins that metadata requires. "
        "Can be used multiple times (default: do not look for plugins).",
    )
    add("--json", action="store_true", help="Print a report in JSON.")
    add_http_options(parser)


def run(options: argparse.Namespace) -> int:
    """Check each target, and print the findings."""
    with HttpSession(options) as session:
        check = Check(session, options.indexes)
        failed = None
        for target in options.targets:
            try:
                check.target(target)
            except NothingFound as error:
                failed = failed or error
    if failed is not None and not check.findings:
        raise failed
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
        write([*_lines(check.findings), total])
    if failed is not None:
        # The findings of the other targets are not lost.
        raise failed
    return int(bool(errors or (options.strict and warnings)))


def _lines(findings: Iterable[Finding]) -> Iterator[str | Text]:
    alike: dict[tuple[Rule, str, str | None], list[Finding]] = {}
    for finding in findings:
        key = (finding.rule, finding.problem, finding.remedy)
        alike.setdefault(key, []).append(finding)
    for (rule, problem, remedy), same in alike.items():
        more = f" and {len(same) - 1} more" if len(same) > 1 else ""
        yield f"{' and '.join(same[0].subjects)}{more}"
        yield Text.assemble(
            (f"  {rule.severity.value}:", _STYLES[rule.severity]),
            printable(f" {problem}. "),
            (f"[{rule.id}; {rule.source}]", "dim"),
        )
        if remedy is not None:
            yield f"  {remedy}."
