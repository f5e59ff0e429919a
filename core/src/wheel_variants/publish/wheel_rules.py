"""Check a wheel by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wheel_variants.publish import wheels
from wheel_variants.publish.errors import capital
from wheel_variants.publish.files import sha256
from wheel_variants.publish.findings import Finding, Findings, found
from wheel_variants.publish.manifest_rules import CheckedManifest, check_manifest

__all__ = ["CheckedWheel", "check_embedded", "check_markers", "check_wheel"]


@dataclass(frozen=True, slots=True)
class CheckedWheel(CheckedManifest):
    """A wheel with its ``variant.json``, and the rules that both break.

    :ivar metadata_sha256: digest of its core metadata; None if it cannot be read.
    """

    metadata_sha256: str | None = None
    requires_python: str | None = None


def check_wheel(path: str, subject: str) -> CheckedWheel:
    """Check the wheel at *path*.

    :param subject: its name in findings.
    :raises OSError: if the file cannot be read.
    """
    try:
        with wheels.open_wheel(path) as wheel:
            return _check_open(wheel, subject)
    except wheels.UnreadableWheel as error:
        return CheckedWheel((found(error.rule, subject, capital(str(error))),))


def _check_open(wheel: wheels.WheelFile, subject: str) -> CheckedWheel:
    metadata, data = wheel.metadata(), wheel.read("variant.json")
    embedded, findings = CheckedManifest(()), Findings(subject)
    label = wheel.name.label
    if label is None:
        if data is not None:
            findings.add(
                "wheel-metadata",
                "It has a variant.json and no label in its name",
                "Restore its name, or make it an ordinary wheel with 'wheel-variants "
                "build --from-label'",
            )
        findings.extend(check_markers(metadata, subject))
    elif data is None:
        findings.add(
            "wheel-metadata",
            f"It has the label {label!r} and no variant.json in {wheel.dist_info}",
            "Build it with 'wheel-variants build'; a wheel that was renamed is no variant",
        )
    else:
        embedded = check_embedded(data, label, subject)
        findings.extend(embedded.findings)
    for problem in _problems_of_record(wheel, data):
        findings.add("wheel-record", problem, "Build the wheel again")
    return CheckedWheel(
        tuple(findings),
        embedded.document,
        embedded.manifest,
        sha256(metadata),
        wheels.fields(metadata).get("requires_python"),
    )


def check_markers(metadata: bytes, subject: str) -> Iterator[Finding]:
    """Check the dependencies of a plain wheel."""
    marked = wheels.variant_marked(metadata)
    if marked:
        yield found(
            "plain-markers",
            subject,
            "Installers without support for variants cannot read these dependencies: "
            f"{'; '.join(marked)}",
            "Omit them from the plain wheel",
        )


def check_embedded(data: bytes, label: str, subject: str) -> CheckedManifest:
    """Check the ``variant.json`` of a wheel with this label."""
    checked = check_manifest(data, subject)
    variants = (checked.document or {}).get("variants")
    if not isinstance(variants, dict) or set(variants) == {label}:
        return checked
    listed = ", ".join(map(ascii, sorted(variants))) or "none"
    renamed = found(
        "wheel-label",
        subject,
        f"Its variant.json describes {listed} instead of {label!r}",
        "Build it with 'wheel-variants build'; a wheel that was renamed has another label "
        "inside",
    )
    return CheckedManifest((*checked.findings, renamed), checked.document)


def _problems_of_record(wheel: wheels.WheelFile, data: bytes | None) -> Iterator[str]:
    try:
        rows = {row[0]: row for row in wheel.record()}
    except wheels.UnreadableWheel as error:
        yield capital(str(error))
        return
    unlisted = {f"{wheel.dist_info}/{name}" for name in wheel.signatures}
    files = {each for each in wheel.members if not each.endswith("/")} - unlisted
    for problem, paths in (
        ("does not list", files - set(rows)),
        ("lists, though the wheel lacks it,", set(rows) - files),
    ):
        if paths:
            others = f" and {len(paths) - 1} others" if len(paths) > 1 else ""
            yield f"Its RECORD {problem} {min(paths)}{others}"
    path = f"{wheel.dist_info}/variant.json"
    if data is not None and path in rows and rows[path][1] != wheels.record_hash(data):
        yield "The hash of variant.json in its RECORD is not that of the file"
