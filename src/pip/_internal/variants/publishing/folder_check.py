"""Judge the files of a folder, or one file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pip._vendor.packaging._variants import (
    MANIFEST_SUFFIX,
    InvalidManifestFilename,
    parse_manifest_filename,
)

from pip._internal.variants.core.manifest_parser import MAX_MANIFEST_SIZE
from pip._internal.variants.publishing.errors import NoSuchTarget
from pip._internal.variants.publishing.files import open_regular
from pip._internal.variants.publishing.manifest_rules import (
    CheckedManifest,
    check_manifest,
)
from pip._internal.variants.publishing.release_rules import (
    Release,
    check_agreement,
    check_fallback,
    check_labels,
    manifest_name,
)
from pip._internal.variants.publishing.rules import CheckReport, Findings
from pip._internal.variants.publishing.scanning import scan_folder
from pip._internal.variants.publishing.wheel_rules import check_wheel

if TYPE_CHECKING:
    from pip._internal.variants.publishing.provider_lookup import ProviderLookup
    from pip._internal.variants.publishing.scanning import FileProgress

__all__ = ["check_file", "check_folder", "check_manifest_name"]

#: The name of metadata inside a wheel.
_EMBEDDED = "variant.json"


def check_file(path: str, report: CheckReport, providers: ProviderLookup) -> None:
    """Judge one file by itself: a wheel, or else a manifest.

    :raises OSError: if it cannot be read.
    """
    if path.endswith(".whl"):
        report.wheels += 1
        checked = check_wheel(path, path)
        report.findings += checked.findings
        if checked.manifest is not None:
            report.findings += providers.check(checked.manifest, path)
        return
    name = os.path.basename(path)
    checked_manifest = _check_manifest_file(path, report, providers)
    findings = Findings(path)
    if name.endswith(MANIFEST_SUFFIX):
        check_manifest_name(name, findings)
    elif name == _EMBEDDED and checked_manifest.manifest is not None:
        labels = sorted(checked_manifest.manifest.variants)
        if len(labels) != 1:
            findings.add(
                "wheel-label",
                f"A {_EMBEDDED} describes the one variant of its wheel, not "
                f"{', '.join(labels)}",
            )
    report.findings += findings


def check_manifest_name(name: str, findings: Findings) -> Release | None:
    """Judge the file name of a manifest; give the release that it is of."""
    try:
        release = Release(*parse_manifest_filename(name))
    except InvalidManifestFilename as error:
        findings.add("manifest-name", f"{error}", _NAMING)
        return None
    expected = manifest_name(release)
    if name != expected:
        findings.add(
            "manifest-name",
            f"Its name is not normalised: {name!r}",
            f"Name it {expected}",
        )
    return release


_NAMING = "Name it like torch-2.8.0-variants.json"


def check_folder(
    folder: str,
    report: CheckReport,
    providers: ProviderLookup,
    progress: FileProgress,
) -> None:
    """Judge the wheels and manifests of a folder, each and together.

    :raises OSError: if something cannot be read.
    :raises NoSuchTarget: if there are none.
    """
    scanned = scan_folder(folder, {}, hashes=False, progress=progress)
    prefix = os.path.join(folder, "")
    wheels = [each for each in os.listdir(folder) if each.endswith(".whl")]
    report.wheels += len(wheels)
    report.findings += (each.within(prefix) for each in scanned.findings)
    for release in scanned.releases.values():
        for name, manifest in release.embedded.items():
            report.findings += providers.check(manifest, f"{prefix}{name}")
    releases = dict(scanned.releases)
    manifests = sorted(
        each for each in os.listdir(folder) if each.endswith(MANIFEST_SUFFIX)
    )
    if not wheels and not manifests:
        raise NoSuchTarget(
            folder,
            "There are no wheels and no manifests in it; folders in it are not looked at",
            "Name a folder of wheels",
        )
    for name in manifests:
        findings = Findings(f"{prefix}{name}")
        checked = _check_manifest_file(f"{prefix}{name}", report, providers)
        named = check_manifest_name(name, findings)
        if named is not None:
            release = releases.setdefault((named.name, named.version), named)
            release.manifest_name, release.manifest = name, checked.manifest
        report.findings += findings
    for release in releases.values():
        if manifests and release.labels and release.manifest_name is None:
            findings = Findings(folder)
            findings.add(
                "manifest-present",
                f"There is no {manifest_name(release)}, though {release} has variants",
                "Write it with 'pip variants index'",
            )
            report.findings += findings
        report.findings += check_agreement(release, prefix=prefix)
        if release.wheels:
            # A manifest without any is judged alone.
            report.findings += check_labels(release, prefix=prefix)
        report.findings += check_fallback(release, folder)


def _check_manifest_file(
    path: str, report: CheckReport, providers: ProviderLookup
) -> CheckedManifest:
    with open_regular(path) as file:
        # One byte more than what is too large is too large.
        checked = check_manifest(file.read(MAX_MANIFEST_SIZE + 1), path)
    report.manifests += 1
    report.findings += checked.findings
    if checked.manifest is not None:
        report.findings += providers.check(checked.manifest, path)
    return checked
