"""Check the files of one release together."""

from __future__ import annotations

from collections.abc import Iterator

from wheel_variants.merging import Subject, disagreements
from wheel_variants.publish.findings import Finding, found
from wheel_variants.publish.releases import Release
from wheel_variants.rules import RULES

__all__ = ["check_agreement", "check_fallback", "check_labels"]

_RULES = {
    Subject.NAMESPACES: (
        "namespaces-agree",
        (
            "Build the wheels of a release with the same list of namespaces, which "
            "[variant.default-priorities] in pyproject.toml may hold; add new ones at its "
            "end"
        ),
    ),
    Subject.PROPERTIES: (
        "properties-agree",
        (
            "Give the wheel with the other properties another label, or build both with "
            "the same ones; [variant.properties] in pyproject.toml may hold them"
        ),
    ),
    Subject.PROVIDERS: (
        "providers-agree",
        (
            "Build both wheels with the same providers; [variant.providers] in "
            "pyproject.toml may hold them"
        ),
    ),
    Subject.SCHEMAS: (
        "schemas-agree",
        "Build the wheels of a release with the same --schema",
    ),
}


def check_agreement(release: Release, *, prefix: str = "") -> Iterator[Finding]:
    """Check whether the wheels and the manifest agree.

    :param prefix: put before the names of files.
    """
    manifests = {f"{prefix}{name}": each for name, each in release.embedded.items()}
    own = f"{prefix}{release.manifest_name}"
    if release.manifest is not None:
        manifests[own] = release.manifest
    for disagreement in disagreements(manifests) if manifests else ():
        rule, remedy = _RULES[disagreement.subject]
        if own in disagreement.names:
            remedy = (
                "Write the manifest again with 'wheel-variants index', or "
                f"{remedy[:1].lower()}{remedy[1:]}"
            )
        problem = f"They {disagreement.problem}"
        yield Finding(RULES[rule], disagreement.names, problem, remedy)


def check_labels(release: Release, *, prefix: str = "") -> Iterator[Finding]:
    """Check whether the manifest lists exactly the labels of the wheels."""
    if release.manifest is None:
        return
    subject = f"{prefix}{release.manifest_name}"
    labels, listed = release.labels, set(release.manifest.variants)
    for label in labels:
        if label not in listed:
            first, *_ = release.wheels_of(label)
            yield found(
                "wheel-listed",
                subject,
                f"The label {label!r} is missing, so that installers ignore "
                f"{first.filename}",
                "Write the manifest again with 'wheel-variants index'",
            )
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
