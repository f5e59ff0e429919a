"""The built-in provider ``abi_dependency``: builds for versions of another package.

``abi :: torch :: 2.9`` is a property of a build that runs with any torch 2.9, and with no
other (PEP 850, "ABI Dependency Provider"). The machine has no say: whoever installs such
a variant must install a torch of that version with it, so that the variant is one more
requirement. A value has one to three numbers and means what ``=={value}.*`` means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.utils import InvalidName, canonicalize_name

from pip._internal.variants.manifest import ABI_DEPENDENCY, Manifest
from pip._internal.variants.properties import Property, SupportedFeature
from pip._internal.variants.providers.answer import Answer

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

__all__ = [
    "InstalledVersion",
    "answer",
    "doubt_about",
    "has_dependencies",
    "requirements",
]

#: Gives the version of an installed distribution, by its normalised name.
InstalledVersion = Callable[["NormalizedName"], "Version | None"]

_NUMBER = "(?:0|[1-9][0-9]{0,8})"
_VALUE = re.compile(rf"{_NUMBER}(?:\.{_NUMBER}){{0,2}}")
#: Between two values, so many versions are excluded one by one.
_GAP = 50

_Release = tuple[int, ...]


def answer(
    manifest: Manifest,
    namespace: str,
    installed: InstalledVersion,
    project: str | None = None,
) -> Answer:
    """Give all versions that the variants of a manifest are for, preferred first.

    What is installed comes first, so that it need not be replaced; then the newest.

    :param project: normalised name of what the manifest is about, which cannot depend
        on itself.
    """
    stated = dict.fromkeys(
        Property(namespace, feature, value)
        for variant in manifest.variants.values()
        for feature, listed in variant.features.get(namespace, {}).items()
        for value in listed
    )
    doubts = {each: doubt_about(each) for each in stated}
    values: dict[str, set[str]] = {}
    for each, doubt in doubts.items():
        if doubt is None and canonicalize_name(each.feature) != project:
            values.setdefault(each.feature, set()).add(each.value)
    features = []
    for feature in sorted(values):
        own = installed(canonicalize_name(feature))

        def place(value: str, own: Version | None = own) -> tuple[bool, list[float]]:
            fits = own is not None and SpecifierSet(f"=={value}.*").contains(own, True)
            # Of 2 and 2.9, the former is for newer versions as well.
            return not fits, [-number for number in _numbers(value)] + [float("-inf")]

        features.append(
            SupportedFeature(feature, tuple(sorted(values[feature], key=place)))
        )
    reason = next(filter(None, doubts.values()), None)
    if not features and (reason is None or None in doubts.values()):
        reason = "it names no version of another package"
    return Answer(tuple(features), "this installation", reason=reason)


def doubt_about(stated: Property) -> str | None:
    """Say why a property of this provider means nothing, if so."""
    if not _is_project(stated.feature):
        return f"the property {stated} does not name the distribution in its normalised form"
    if not _is_version(stated.value):
        return (
            f"the property {stated} has no version of one to three numbers, of up to "
            "nine digits each and without leading zeros"
        )
    return None


def requirements(manifest: Manifest, label: str) -> list[str]:
    """Give the requirements (PEP 508) that a variant makes of other packages' versions."""
    variant = manifest.variant(label)
    if variant is None:
        return []
    return [
        f"{canonicalize_name(feature)}{_specifier(versions)}"
        for namespace in _namespaces(manifest)
        for feature, values in variant.features.get(namespace, {}).items()
        if _is_project(feature) and (versions := list(filter(_is_version, values)))
    ]


def has_dependencies(manifest: Manifest, labels: Iterable[str]) -> bool:
    """Tell whether any of *labels* is for certain versions of another package."""
    namespaces = _namespaces(manifest)
    variants = (manifest.variant(label) for label in labels)
    return any(
        namespace in variant.features
        for variant in variants
        if variant is not None
        for namespace in namespaces
    )


def _namespaces(manifest: Manifest) -> list[str]:
    return [
        namespace
        for namespace, provider in manifest.providers.items()
        if provider.builtin == ABI_DEPENDENCY
    ]


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
    """Give a specifier for what any of *values* accepts.

    Where too much lies between two of them, the older is left out.
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
        gap = list(_between(before[1], after[0]))
        if not gap:
            break
        first, excluded = before[0], [*gap, *excluded]
    if _following(first) == spans[-1][1]:
        return f"=={_text(first)}.*"
    parts = [f">={_text(first)}", f"<{_text(spans[-1][1])}"]
    return ",".join([*parts, *(f"!={each}.*" for each in excluded)])


def _following(release: _Release) -> _Release:
    return (*release[:-1], release[-1] + 1)


def _between(start: _Release, end: _Release) -> Iterator[str]:
    """Give the releases from *start* up to *end*, none if they cannot be counted."""
    siblings = len(start) == len(end) and start[:-1] == end[:-1]
    if siblings and end[-1] - start[-1] <= _GAP:
        for number in range(start[-1], end[-1]):
            yield _text((*start[:-1], number))


def _text(release: _Release) -> str:
    return ".".join(map(str, release))
