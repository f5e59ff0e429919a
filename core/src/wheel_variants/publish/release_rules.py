"""Check the files of one release together."""

from __future__ import annotations

from collections.abc import Iterator

from wheel_variants.labels import InvalidManifestFilename, parse_manifest_filename
from wheel_variants.merging import Subject, disagreements
from wheel_variants.publish.findings import Finding, found
from wheel_variants.publish.releases import Release
from wheel_variants.rules import RULES

__all__ = [
    "check_agreement",
    "check_fallback",
    "check_labels",
    "check_manifest_name",
    "check_presence",
]

#: What to do, by what manifests disagree about.
_REMEDIES = {
    Subject.NAMESPACES: (
        "Build the wheels of a release with the same list of namespaces, which "
        "[variant.default-priorities] in pyproject.toml may hold; add new ones at its end"
    ),
    Subject.PROPERTIES: (
        "Give the wheel with the other properties another label, or build both with the "
        "same ones; [variant.properties] in pyproject.toml may hold them"
    ),
    Subject.PROVIDERS: (
        "Build both wheels with the same providers; [variant.providers] in "
        "pyproject.toml may hold them"
    ),
    Subject.SCHEMAS: "Build the wheels of a release with the same --schema",
}
#: What to do about a manifest that is older than the wheels.
_WRITE_AGAIN = "Write the manifest again with 'wheel-variants index'"


def check_agreement(release: Release) -> Iterator[Finding]:
    """Check whether the wheels and the manifest agree."""
    prefix = release.prefix
    manifests = {f"{prefix}{name}": each for name, each in release.embedded.items()}
    own = f"{prefix}{release.manifest_name}"
    if release.manifest is not None:
        manifests[own] = release.manifest
    for disagreement in disagreements(manifests) if manifests else ():
        remedy = _REMEDIES[disagreement.subject]
        if own in disagreement.names:
            remedy = f"{_WRITE_AGAIN}, or {remedy[:1].lower()}{remedy[1:]}"
        problem = f"They {disagreement.problem}"
        rule = RULES[f"{disagreement.subject.value}-agree"]
        yield Finding(rule, disagreement.names, problem, remedy)


def check_labels(release: Release) -> Iterator[Finding]:
    """Check whether the manifest lists exactly the labels of the wheels."""
    if release.manifest is None:
        return
    subject = f"{release.prefix}{release.manifest_name}"
    labels, listed = release.labels, set(release.manifest.variants)
    for label in labels:
        if label not in listed:
            first, *_ = release.wheels_of(label)
            problem = (
                f"The label {label!r} is missing, so that installers ignore "
                f"{first.filename}"
            )
            yield found("wheel-listed", subject, problem, _WRITE_AGAIN)
    unused = sorted(listed - set(labels))
    if unused:
        problem = f"It lists labels that no wheel has: {', '.join(unused)}"
        yield found("label-used", subject, problem)


def check_fallback(release: Release, place: str) -> Iterator[Finding]:
    """Check whether installers without support for variants find a wheel too.

    :param place: the folder or page of the release.
    """
    if release.sdists:
        return
    plain = {tag for wheel in release.wheels_of(None) for tag in wheel.tags}
    missing = sorted(
        {
            "-".join(wheel.plain[: -len(".whl")].split("-")[-3:])
            for wheel in release.wheels
            if wheel.label is not None and not wheel.tags & plain
        }
    )
    if missing:
        others = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        yield found(
            "plain-fallback",
            place,
            f"{release} has no plain wheel for {', '.join(missing[:3])}{others}",
            "Publish one; 'wheel-variants build --from-label' makes it from a variant",
        )


def check_manifest_name(name: str, subject: str) -> Iterator[Finding]:
    """Check the file name of a manifest."""
    try:
        due = Release(*parse_manifest_filename(name)).due_manifest_name
    except InvalidManifestFilename as error:
        remedy = "Name it like torch-2.8.0-variants.json"
        yield found("manifest-name", subject, str(error), remedy)
        return
    if name != due:
        problem = f"Its name is not normalised: {name!r}"
        yield found("manifest-name", subject, problem, f"Name it {due}")


def check_presence(release: Release, place: str, to_do: str = "") -> Iterator[Finding]:
    """Check whether a release with variants has a manifest.

    :param to_do: what else to do, after writing it.
    """
    if release.labels and release.manifest_name is None:
        yield found(
            "manifest-present",
            place,
            f"There is no {release.due_manifest_name}, though {release} has variants",
            f"Write it with 'wheel-variants index'{to_do}",
        )
