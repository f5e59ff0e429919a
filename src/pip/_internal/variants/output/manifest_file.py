"""Read a manifest that the user names, to judge it without an index."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import NormalizedName
from pip._vendor.wheel_variants.labels import (
    InvalidManifestFilename,
    parse_manifest_filename,
)
from pip._vendor.wheel_variants.manifest import InvalidManifest, Manifest
from pip._vendor.wheel_variants.manifest_parser import (
    MAX_MANIFEST_SIZE,
    parse_manifest,
)

from pip._internal.variants.errors import UnusableManifest
from pip._internal.variants.output.reasons import unanswered, unsupported
from pip._internal.variants.selection.ranking import (
    Origin,
    OriginKind,
    Selection,
    select,
)

if TYPE_CHECKING:
    from pip._internal.variants.selection.run import Run

__all__ = ["judge_manifest", "read_manifest"]

#: The path that means standard input.
STANDARD_INPUT = "-"


def read_manifest(path: str) -> Manifest:
    """Read the manifest in a file, or from standard input.

    :raises UnusableManifest: if it cannot be read, or is none.
    """
    try:
        if path == STANDARD_INPUT:
            data = sys.stdin.buffer.read(MAX_MANIFEST_SIZE + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(MAX_MANIFEST_SIZE + 1)
    except OSError as error:
        problem = f"it cannot be read: {error.strerror}"
        raise UnusableManifest(path, problem) from None
    try:
        return parse_manifest(data)
    except InvalidManifest as error:
        raise UnusableManifest(path, str(error)) from None


def judge_manifest(run: Run, path: str) -> tuple[Selection, str | None]:
    """Judge all variants that a manifest describes, whatever wheels there are.

    :return: the decision, and the label that was chosen by hand if it has that one.
    :raises UnusableManifest: if there is no manifest at *path*.
    :raises UnsupportedVariant: if a label chosen by hand does not suit the target.
    :raises VariantLost: if something cannot be judged, and the user is strict.
    """
    manifest, project = read_manifest(path), _project_of(path)
    selection = select(
        path,
        manifest,
        manifest.variants,
        run.target.providers,
        run.overrides.preferences,
        project=project,
        origin=Origin(OriginKind.FILE, path),
    )
    run.reporter.report(unanswered(path, selection))
    chosen = next(iter(run.overrides.applying_labels(project, manifest.variants)), None)
    if chosen is not None and chosen not in selection.ranking.compatible:
        raise unsupported(f"The variant {chosen} in {path}", chosen, [selection])
    return selection, chosen


def _project_of(path: str) -> NormalizedName | None:
    """Return the project that a manifest is of, if its file is named as it should be."""
    try:
        return parse_manifest_filename(os.path.basename(path))[0]
    except InvalidManifestFilename:
        return None
