"""``wheel-variants index``: write manifests and a static index for a folder of wheels."""

from __future__ import annotations

import argparse
import logging
import os
import shlex
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from wheel_variants.publish.errors import counted
from wheel_variants.publish.indexing import IndexReport, ReleaseReport, make_index
from wheel_variants.publish.output import write, write_report

__all__ = ["HELP", "add_arguments", "run"]

HELP = "Write the manifests of a folder of wheels, and optionally a static index."

logger = logging.getLogger(__name__)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add = parser.add_argument
    add("folder", metavar="DIR", help="The folder of wheels, without subfolders.")
    add(
        "--simple",
        action="store_true",
        help="Also write the pages of a static index, which any web server can serve.",
    )
    add(
        "-o",
        "--output",
        metavar="DIR",
        help="Write manifests and pages to this folder. With --simple, also link or copy "
        "the wheels there (default: the folder of the wheels).",
    )
    add("--json", action="store_true", help="Print a report in JSON.")


def run(options: argparse.Namespace) -> int:
    """Write the index of a folder, and print a report."""
    output = options.output or options.folder
    report = make_index(options.folder, output, simple=options.simple)
    for warning in report.warnings:
        logger.warning("%s", warning)
    if options.json:
        write_report(asdict(report, dict_factory=_with_hyphens))
    else:
        write(_lines(report))
    return 0


def _lines(report: IndexReport) -> Iterator[str]:
    unchanged = report.files - report.read
    known = f", {unchanged} unchanged since the last run" if unchanged else ""
    yield f"Found {counted(report.files, 'file')}{known}."
    for release in report.releases:
        yield _release_line(release)
    if report.removed:
        removed = counted(len(report.removed), "outdated file")
        yield f"Removed {removed}: {', '.join(report.removed)}"
    if report.pages is None:
        return
    yield f"Wrote an index to {report.pages}. To try the index, run:"
    served = os.path.dirname(report.pages) or os.curdir
    yield f"  python -m http.server -b 127.0.0.1 -d {shlex.quote(served)}"
    # Prefer a release with variants.
    tried = max(report.releases, key=lambda release: len(release.labels))
    page = os.path.basename(report.pages)
    yield (
        f"  pip install --extra-index-url http://127.0.0.1:8000/{page}/ "
        f"{shlex.quote(f'{tried.name}=={tried.version}')}"
    )


def _release_line(release: ReleaseReport) -> str:
    plain = counted(release.plain_wheels, "plain wheel")
    if release.manifest is None:
        return f"{release.name} {release.version}: {plain}"
    labels = ", ".join(release.labels)
    return (
        f"{release.name} {release.version}: {counted(len(release.labels), 'variant')} "
        f"({labels}), {plain}; {release.manifest}"
    )


def _with_hyphens(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name.replace("_", "-"): value for name, value in items}
