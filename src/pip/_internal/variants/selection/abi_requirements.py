"""What builds require of other packages' versions (PEP 850, "ABI Dependency Provider")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.abi_dependency import requirements

from pip._internal.variants.index.links import label_of

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.request import Request

__all__ = ["requirements_of", "unfit"]


def unfit(
    request: Request,
    requirements: Iterable[Requirement],
    found: Mapping[NormalizedName, Version] = MappingProxyType({}),
) -> Iterator[tuple[BaseDistribution, Requirement]]:
    """Yield what is installed and does not meet the requirements, with the requirement.

    :param found: the versions that a run has come to; for other projects the installed
        version counts, unless it is to be upgraded.
    """
    for wanted in requirements:
        name = canonicalize_name(wanted.name)
        dist = request.dists.get(name)
        if dist is None or (name not in found and request.is_upgraded(name)):
            continue
        version = found.get(name, dist.version)
        if not wanted.specifier.contains(version, prereleases=True):
            yield dist, wanted


def requirements_of(selection: Selection | None, link: Link) -> Iterator[Requirement]:
    """Yield what the variant at *link* requires of other packages' versions.

    :param selection: the decision that it is part of.
    """
    label = label_of(link)
    if label is not None and selection is not None and selection.manifest is not None:
        yield from map(Requirement, requirements(selection.manifest, label))
