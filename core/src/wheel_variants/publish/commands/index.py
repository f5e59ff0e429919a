"""``pip variants index``: manifests, and a static index, of a folder of wheels."""

from __future__ import annotations

import optparse
import os
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.cli.status_codes import SUCCESS
from pip._internal.console.output import get_logger, write
from pip._internal.console.texts import counted
from pip._internal.variants.commands.progress import file_progress
from pip._internal.variants.commands.reports import write_report
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.publishing.indexing import (
    IndexReport,
    ReleaseReport,
    make_index,
)

logger = get_logger(__name__)


def run(command: SessionCommandMixin, options: optparse.Values, args: list[str]) -> int:
    """Make an index of a folder, and say what was written."""
    if len(args) != 1:
        raise WrongUse(f"Need one DIR of wheels, got {len(args)}")
    (folder,) = args
    report = make_index(
        folder,
        options.output or folder,
        simple=options.simple,
        progress=file_progress(options.progress_bar),
    )
    for warning in report.warnings:
        logger.warning("%s.", warning)
    if options.json:
        write_report(asdict(report, dict_factory=_with_hyphens))
    else:
        write(_lines(report))
    return SUCCESS


def _lines(report: IndexReport) -> Iterator[str]:
    unchanged = report.files - report.read
    known = f", {unchanged} of them unchanged since the last run" if unchanged else ""
    yield f"Found {counted(report.files, 'file')}{known}."
    for release in report.releases:
        yield _release_line(release)
    if report.pages is None:
        return
    yield f"Wrote an index to {report.pages}. To try it:"
    served = os.path.dirname(report.pages) or os.curdir
    yield f"  python -m http.server -b 127.0.0.1 -d {served}"
    # Prefer a release with variants.
    tried = max(report.releases, key=lambda release: len(release.labels))
    page = os.path.basename(report.pages)
    yield (
        f"  pip install --extra-index-url http://127.0.0.1:8000/{page}/ "
        f"{tried.name}=={tried.version}"
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
