"""Check the rules for single wheels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wheel_variants.publish import wheels
from wheel_variants.publish.errors import capital
from wheel_variants.publish.files import sha256
from wheel_variants.publish.findings import FindingList, found
from wheel_variants.publish.manifest_rules import CheckedManifest, check_manifest

__all__ = ["CheckedWheel", "check_open_wheel", "check_record", "check_wheel"]


@dataclass(frozen=True, slots=True)
class CheckedWheel(CheckedManifest):
    """The metadata of a wheel, and the broken rules.

    :ivar metadata_sha256: the digest of the core metadata; None if unreadable.
    """

    metadata_sha256: str | None = None
    requires_python: str | None = None


def check_wheel(path: str, subject: str, *, is_new: bool = True) -> CheckedWheel:
    """Check the wheel at *path*.

    :param subject: the name of the wheel in findings.
    :param is_new: whether to verify the checksums of all files.
    :raises OSError: if the file cannot be read.
    """
    try:
        with wheels.open_wheel(path) as wheel:
            if is_new:
                wheel.check_integrity()
            return check_open_wheel(wheel, subject)
    except wheels.UnreadableWheel as error:
        return CheckedWheel((found(error.rule, subject, capital(str(error))),))


def check_open_wheel(
    wheel: wheels.WheelFile, subject: str, *, with_record: bool = True
) -> CheckedWheel:
    """Check an open wheel.

    :param with_record: whether to check RECORD, which may be large.
    :raises UnreadableWheel: if METADATA is missing, or files cannot be read.
    """
    metadata, data = wheel.metadata(), wheel.read("variant.json")
    embedded, findings = CheckedManifest(()), FindingList(subject)
    label = wheel.name.label
    marked = wheels.variant_marked(metadata) if label is None else []
    if label is not None and data is not None:
        embedded = _check_embedded(data, label, subject)
    elif label is not None:
        findings.add(
            "wheel-metadata",
            f"The name has the label {label!r}, but {wheel.dist_info} has no variant.json",
            "Build the wheel with 'wheel-variants build'; renaming a wheel does not make "
            "it a variant",
        )
    elif data is not None:
        findings.add(
            "wheel-metadata",
            "The wheel contains variant.json, but its name has no label",
            "Restore the name, or convert the variant to an ordinary wheel with "
            "'wheel-variants build --from-label'",
        )
    if marked:
        findings.add(
            "plain-markers",
            "Installers without variant support cannot parse these dependencies: "
            f"{'; '.join(marked)}",
            "Remove them from the plain wheel",
        )
    for problem in _problems_of_record(wheel, data) if with_record else ():
        findings.add("wheel-record", problem, "Build the wheel again")
    return CheckedWheel(
        (*embedded.findings, *findings),
        embedded.manifest,
        sha256(metadata),
        wheels.fields(metadata).get("requires_python"),
    )


def _check_embedded(data: bytes, label: str, subject: str) -> CheckedManifest:
    """Check the ``variant.json`` of a wheel with *label*."""
    checked = check_manifest(data, subject)
    if checked.manifest is None or set(checked.manifest.variants) == {label}:
        return checked
    listed = ", ".join(map(ascii, sorted(checked.manifest.variants)))
    renamed = found(
        "wheel-label",
        subject,
        f"variant.json describes {listed} instead of {label!r}",
        "Build the wheel with 'wheel-variants build'; renaming a wheel does not change "
        "the label inside",
    )
    return CheckedManifest((*checked.findings, renamed))


def check_record(wheel: wheels.WheelFile) -> None:
    """Check that RECORD agrees with the files of a wheel.

    :raises UnreadableWheel: if it does not.
    """
    for problem in _problems_of_record(wheel, None):
        raise wheels.UnreadableWheel(problem)


def _problems_of_record(wheel: wheels.WheelFile, data: bytes | None) -> Iterator[str]:
    try:
        rows = {row[0]: row for row in wheel.record()}
    except wheels.UnreadableWheel as error:
        yield str(error)
        return
    unlisted = {f"{wheel.dist_info}/{name}" for name in wheel.signatures}
    files = {each for each in wheel.members if not each.endswith("/")} - unlisted
    for problem, paths in (
        ("does not list", files - set(rows)),
        ("lists a missing file:", set(rows) - files),
    ):
        if paths:
            others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            yield f"RECORD {problem} {min(paths)}{others}"
    path = f"{wheel.dist_info}/variant.json"
    if data is not None and path in rows and rows[path][1] != wheels.record_hash(data):
        yield "The hash of variant.json in RECORD does not match the file"
