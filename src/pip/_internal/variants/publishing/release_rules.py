"""Judge the files of one release together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pip._vendor.packaging._variants import MANIFEST_SUFFIX
from pip._vendor.packaging.tags import Tag
from pip._vendor.packaging.utils import NormalizedName
from pip._vendor.packaging.version import Version

from pip._internal.variants.core.manifest import Manifest
from pip._internal.variants.core.merging import Subject, disagreements
from pip._internal.variants.publishing.rules import Finding, Findings
from pip._internal.variants.publishing.wheel_file import WheelName

__all__ = [
    "Release",
    "check_agreement",
    "check_fallback",
    "check_labels",
    "manifest_name",
]

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
            "Give the wheel with the other properties another label, or build both with the "
            "same ones; [variant.properties] in pyproject.toml may hold them"
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


@dataclass(slots=True)
class Release:
    """The files of one release, as one place offers them.

    :ivar wheels: names of its wheels.
    :ivar embedded: what its variant wheels say, by file name; those that were read.
    :ivar manifest_name: the file name of its manifest; None if there is none.
    :ivar manifest: what that says; None if it cannot be used.
    :ivar sdists: names of its source distributions.
    """

    name: NormalizedName
    version: Version
    wheels: list[WheelName] = field(default_factory=list)
    embedded: dict[str, Manifest] = field(default_factory=dict)
    manifest_name: str | None = None
    manifest: Manifest | None = None
    sdists: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def labels(self) -> list[str]:
        """Give the labels that there are wheels of, each once, in order."""
        return sorted({each.label for each in self.wheels if each.label is not None})

    @property
    def files(self) -> list[str]:
        """Give the names of its wheels and source distributions, in order."""
        return sorted([*(each.filename for each in self.wheels), *self.sdists])

    def wheels_of(self, label: str | None) -> list[WheelName]:
        """Give the wheels of a label; the plain ones for None."""
        return [each for each in self.wheels if each.label == label]


def check_agreement(release: Release, *, prefix: str = "") -> list[Finding]:
    """Judge whether the wheels, and the manifest, say the same.

    :param prefix: comes before names of files.
    """
    findings = Findings()
    manifests = {f"{prefix}{name}": each for name, each in release.embedded.items()}
    if release.manifest is not None:
        manifests[f"{prefix}{release.manifest_name}"] = release.manifest
    for disagreement in disagreements(manifests) if manifests else ():
        rule, remedy = _RULES[disagreement.subject]
        own = f"{prefix}{release.manifest_name}"
        if own in disagreement.names:
            remedy = f"Write the manifest again with 'pip variants index', or {_lower(remedy)}"
        findings.add(
            rule,
            f"They {disagreement.problem}",
            remedy,
            subjects=disagreement.names,
        )
    return list(findings)


def check_labels(release: Release, *, prefix: str = "") -> list[Finding]:
    """Judge whether the manifest lists the labels of the wheels, and no others."""
    findings = Findings(f"{prefix}{release.manifest_name}")
    if release.manifest is None:
        return []
    listed = set(release.manifest.variants)
    for label in release.labels:
        if label not in listed:
            (first, *_) = release.wheels_of(label)
            findings.add(
                "wheel-listed",
                f"The label {label!r} is missing, so that installers ignore "
                f"{first.filename}",
                "Write the manifest again with 'pip variants index'",
            )
    unused = sorted(listed - set(release.labels))
    if unused:
        findings.add(
            "label-used", f"It lists labels that no wheel has: {', '.join(unused)}"
        )
    return list(findings)


def check_fallback(release: Release, place: str) -> list[Finding]:
    """Judge whether installers that know no variants find something too.

    :param place: where the release is offered.
    """
    if not release.labels or release.sdists:
        return []
    findings = Findings(place)
    plain = _tags(release.wheels_of(None))
    missing = sorted(
        {
            "-".join(wheel.plain[: -len(".whl")].split("-")[-3:])
            for label in release.labels
            for wheel in release.wheels_of(label)
            if not wheel.tags & plain
        }
    )
    if missing:
        others = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        findings.add(
            "plain-fallback",
            f"{release} has no plain wheel for {', '.join(missing[:3])}{others}",
            "Publish one; 'pip variants build --from-label' makes it from a variant",
        )
    return list(findings)


def manifest_name(release: Release) -> str:
    """Give the file name of a release's manifest (PEP 825)."""
    name = release.name.replace("-", "_")
    return f"{name}-{release.version}{MANIFEST_SUFFIX}"


def _tags(wheels: Iterable[WheelName]) -> frozenset[Tag]:
    return frozenset(tag for wheel in wheels for tag in wheel.tags)


def _lower(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"
