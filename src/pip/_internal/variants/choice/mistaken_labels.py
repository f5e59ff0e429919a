"""Labels that were written where a version or an extra stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.packaging.version import InvalidVersion, Version

from pip._internal.variants.choice.installed import installed_build
from pip._internal.variants.choice.releases import weighed
from pip._internal.variants.errors import LabelInVersion
from pip._internal.variants.wheels.links import BuildLink, label_of

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.choice.context import Context

__all__ = ["label_in_version", "labels_as_extras"]


def label_in_version(
    finder: PackageFinder, project: NormalizedName, specifier: SpecifierSet
) -> LabelInVersion | None:
    """Give the error for a local version that is the label of a variant, if it is one.

    :param specifier: of which the project has no version.
    """
    for each in specifier:
        if each.operator not in ("==", "===") or "+" not in each.version:
            continue
        public, _, local = each.version.partition("+")
        for candidate in finder.find_all_candidates(project):
            label = label_of(candidate.link)
            if label is None or isinstance(candidate.link, BuildLink):
                continue
            if _is_version(f"{candidate.version}+{label}", each.version):
                return LabelInVersion(project, public, local, label)
    return None


def _is_version(one: str, other: str) -> bool:
    try:
        return Version(one) == Version(other)
    except InvalidVersion:
        return False


def labels_as_extras(
    context: Context, candidates: Iterable[Candidate]
) -> Iterator[str]:
    """Say which extras that were asked for are labels of variants, and no extras.

    :param candidates: that were chosen.
    """
    for candidate in candidates:
        parts = vars(candidate)
        base, extras = parts.get("base"), parts.get("extras")
        if base is None or not extras:
            continue
        labels = {canonicalize_name(label): label for label in _labels(context, base)}
        provided = {
            canonicalize_name(each) for each in base.dist.iter_provided_extras()
        }
        for extra in sorted(extras):
            name = canonicalize_name(extra)
            if name in labels and name not in provided:
                label, project = labels[name], candidate.project_name
                yield (
                    f"{label} is a variant of {project} {candidate.version}, not an "
                    f"extra: --variant {project}={label}"
                )


def _labels(context: Context, base: Candidate) -> Iterable[str]:
    release = weighed(context).release_of(base.source_link)
    if release is not None:
        return release.labels
    build = installed_build(vars(base)["dist"]) if base.is_installed else None
    return () if build is None else build.labels
