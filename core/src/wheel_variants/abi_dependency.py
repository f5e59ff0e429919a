"""The built-in provider ``abi_dependency``: variants for versions of another package.

A variant with the property ``abi :: torch :: 2.9`` runs with torch 2.9 only (PEP 850,
"ABI Dependency Provider"). Nothing is detected on the machine: such a variant requires a
torch of that version. A value has one to three numbers and means ``=={value}.*``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from packaging.specifiers import SpecifierSet
from packaging.utils import InvalidName, NormalizedName, canonicalize_name
from packaging.version import Version

from wheel_variants.manifest import ABI_DEPENDENCY, Manifest
from wheel_variants.properties import Property, SupportedFeature

__all__ = [
    "PackageVersions",
    "distance",
    "ignored_reason",
    "requirements",
    "supported",
    "wanted",
]

_NUMBER = "(?:0|[1-9][0-9]{0,8})"
_VALUE = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{0,2}}")
#: The maximum number of versions between two values to exclude individually, at each level:
#: no project has a 1.64 between 1.13 and 2.9.
_GAP = 50
#: The number of excluded releases from which older values are left out.
_MOST_EXCLUDED = 200

_Release = tuple[int, ...]


class PackageVersions(Protocol):
    """Access to the versions of other packages."""

    def installed(self, project: NormalizedName) -> Version | None:
        """Return the installed version that pip may keep, or None."""

    def fixed_reason(self, project: NormalizedName) -> str | None:
        """Return why only the installed version is possible, or None."""


def supported(
    manifest: Manifest,
    namespace: str,
    package_versions: PackageVersions | None,
    project: str | None = None,
) -> tuple[tuple[SupportedFeature, ...], str | None]:
    """Return all versions that the variants of a manifest support, preferred first.

    The installed version comes first, so that pip can keep it; newer versions come before
    older ones. If no other version can be installed, only the installed version is listed.

    :param package_versions: the versions of other packages; None if unknown.
    :param project: the normalized name of the manifest's project, which cannot depend on
        itself.
    """
    stated = dict.fromkeys(
        Property(namespace, feature, value)
        for variant in manifest.variants.values()
        for feature, listed in variant.features.get(namespace, {}).items()
        for value in listed
    )
    doubts = {each: ignored_reason(each) for each in stated}
    values: dict[str, set[str]] = {}
    for each, doubt in doubts.items():
        if doubt is None and canonicalize_name(each.feature) != project:
            values.setdefault(each.feature, set()).add(each.value)
    # One example of a meaningless property is enough.
    features, reasons = [], list(itertools.islice(filter(None, doubts.values()), 1))
    for feature in sorted(values):
        possible, why_none = _possible(values[feature], feature, package_versions)
        if why_none is None:
            features.append(SupportedFeature(feature, tuple(possible)))
        else:
            reasons.append(why_none)
    if not values and (not reasons or None in doubts.values()):
        reasons = ["the manifest names no version of another package"]
    reason = "; ".join(reasons) or None
    return tuple(features), reason


def _possible(
    values: Iterable[str], feature: str, package_versions: PackageVersions | None
) -> tuple[list[str], str | None]:
    """Return the possible *values*, preferred first, and the reason if none is possible."""
    # 2 comes before 2.9: it also accepts newer versions.
    newest = sorted(
        values,
        key=lambda value: [*(-number for number in _numbers(value)), float("-inf")],
    )
    if package_versions is None:
        return newest, None
    name = canonicalize_name(feature)
    own, fixed_reason = (
        package_versions.installed(name),
        package_versions.fixed_reason(name),
    )
    fitting = [value for value in newest if own is not None and _fits(value, own)]
    if fixed_reason is not None:
        return fitting, None if fitting else fixed_reason
    return [*fitting, *(value for value in newest if value not in fitting)], None


def ignored_reason(stated: Property) -> str | None:
    """Return why a property of this provider is ignored, or None."""
    if not _is_project(stated.feature):
        return (
            f"property '{stated}' does not use the normalized name of the distribution"
        )
    if not _is_version(stated.value):
        return (
            f"property '{stated}' needs a version of one to three numbers, each with up "
            "to nine digits and no leading zeros"
        )
    return None


def _fits(value: str, version: Version) -> bool:
    return SpecifierSet(f"=={value}.*").contains(version, prereleases=True)


def requirements(manifest: Manifest, label: str) -> list[str]:
    """Return the requirements of a variant for other packages (PEP 508)."""
    wanted = _wanted(manifest, label)
    return [f"{project}{_specifier(values)}" for project, values in wanted]


def wanted(manifest: Manifest, label: str) -> list[str]:
    """Return the versions of other packages that a variant needs, for messages."""
    return [
        f"{project}==" + " or ".join(f"{value}.*" for value in values)
        for project, values in _wanted(manifest, label)
    ]


def _wanted(
    manifest: Manifest, label: str
) -> Iterator[tuple[NormalizedName, Sequence[str]]]:
    """Yield the projects that a variant depends on, with their versions, newest first."""
    variant = manifest.variant(label)
    for namespace in _namespaces(manifest):
        for feature, values in variant.features.get(namespace, {}).items():
            versions = sorted(filter(_is_version, values), key=_numbers, reverse=True)
            if _is_project(feature) and versions:
                yield canonicalize_name(feature), versions


def distance(
    manifest: Manifest, label: str, versions: Mapping[NormalizedName, Version]
) -> list[list[int]]:
    """Return the distance between the versions that a variant requires and *versions*.

    Distances are comparable between the variants of one project.
    """
    return [
        min(
            [abs(a - b) for a, b in zip(_numbers(value), other.release, strict=False)]
            for value in values
        )
        for project, values in _wanted(manifest, label)
        if (other := versions.get(project)) is not None
    ]


def _namespaces(manifest: Manifest) -> list[str]:
    providers = manifest.providers.values()
    return [each.namespace for each in providers if each.builtin == ABI_DEPENDENCY]


def _is_project(feature: str) -> bool:
    try:
        name = canonicalize_name(feature, validate=True)
    except InvalidName:
        return False
    return name.replace("-", "_") == feature


def _is_version(value: str) -> bool:
    return _VALUE.fullmatch(value) is not None


def _numbers(value: str) -> _Release:
    return tuple(map(int, value.split(".")))


def _specifier(values: Iterable[str]) -> str:
    """Return a specifier for all versions that any of *values* accepts.

    If there are too many versions between two values, the older value is left out.
    """
    spans: list[tuple[_Release, _Release]] = []
    for release in sorted(map(_numbers, values)):
        following = _following(release)
        if spans and release < spans[-1][1]:
            continue  # 2.9 after 2
        if spans and spans[-1][1] == release:
            spans[-1] = (spans[-1][0], following)
        else:
            spans.append((release, following))
    first, excluded = spans[-1][0], list[str]()
    for before, after in zip(reversed(spans[:-1]), reversed(spans[1:]), strict=True):
        gap = _between(before[1], after[0])
        if gap is None or len(excluded) > _MOST_EXCLUDED:
            break
        first, excluded = before[0], [*gap, *excluded]
    if _following(first) == spans[-1][1]:
        return f"=={_text(first)}.*"
    parts = [f">={_text(first)}", f"<{_text(spans[-1][1])}"]
    return ",".join([*parts, *(f"!={each}.*" for each in excluded)])


def _following(release: _Release) -> _Release:
    return (*release[:-1], release[-1] + 1)


def _between(start: _Release, end: _Release) -> list[str] | None:
    """Return the releases from *start* up to *end*, or None if there are too many.

    Each release stands for all releases that start with it. The last 1.x before 2.0 is
    unknown, so the list is longer than any real series of releases.
    """
    found: list[str] = []
    # The number of shared components; *end* is greater, so one of its components differs.
    shared = next(
        at for at, number in enumerate(end) if start[at : at + 1] != (number,)
    )
    while len(start) > shared + 1:
        *parents, number = start
        found += (_text((*parents, number + more)) for more in range(_GAP))
        start = _following(tuple(parents))
    for at in range(shared, len(end)):
        first = start[at] if at < len(start) else 0
        if end[at] - first > _GAP:
            return None
        found += (_text((*end[:at], number)) for number in range(first, end[at]))
    return found


def _text(release: _Release) -> str:
    return ".".join(map(str, release))
