"""``pip variants check``: judge what is published by the rules for publishers."""

from __future__ import annotations

import optparse
from collections.abc import Iterable

from pip._vendor.wheel_variants.rules import Rule

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import ERROR, SUCCESS
from pip._internal.console.styled import Line, write_styled
from pip._internal.console.texts import counted
from pip._internal.variants.commands.progress import file_progress
from pip._internal.variants.commands.reports import write_report
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.publishing.checking import Check
from pip._internal.variants.publishing.findings import CheckReport, Finding
from pip._internal.variants.publishing.provider_lookup import ProviderLookup

_HIGHLIGHTS = {
    r"^  error:": "bold red",
    r"^  warning:": "bold yellow",
    r"\[[^]]+\]$": "dim",
}


def run(command: SessionCommandMixin, options: optparse.Values, args: list[str]) -> int:
    """Judge each target, and say what is wrong."""
    if not args:
        raise WrongUse("Need a TARGET: a wheel, a manifest, a folder or an index URL")
    session = command.get_default_session(options)
    providers = ProviderLookup(session, options)
    check = Check(session, providers, file_progress(options.progress_bar))
    for target in args:
        check.target(target)
    report = check.report
    failed = report.errors or (options.strict and report.warnings)
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
        write_styled(Line(line, highlights=_HIGHLIGHTS) for line in _lines(report))
    return ERROR if failed else SUCCESS


def _lines(report: CheckReport) -> Iterable[str]:
    alike: dict[tuple[Rule, str, str | None], list[Finding]] = {}
    for finding in report.findings:
        key = (finding.rule, finding.problem, finding.remedy)
        alike.setdefault(key, []).append(finding)
    for (rule, problem, remedy), findings in alike.items():
        first = findings[0]
        also = f" and {len(findings) - 1} more" if len(findings) > 1 else ""
        yield f"{' and '.join(first.subjects)}{also}"
        yield f"  {rule.severity.value}: {problem}. [{rule.id}; {rule.source}]"
        if remedy is not None:
            yield f"  {remedy}."
    yield (
        f"Checked {counted(report.wheels, 'wheel')} and "
        f"{counted(report.manifests, 'manifest')}: {counted(report.errors, 'error')}, "
        f"{counted(report.warnings, 'warning')}."
    )
