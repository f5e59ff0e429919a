"""The versions of other packages, as one run of pip knows them.

Builds may be for certain versions of another package (PEP 850, "ABI Dependency
Provider"): of what is installed, and of what may come to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    from pip._internal.variants.selection.run import Run

__all__ = ["beside_installed", "replaced", "requirements_of", "unfit"]


def beside_installed(run: Run, ranked: Sequence[Link]) -> Link:
    """Return the best wheel that lets what is installed stay; the best file if none does.

    :param ranked: the files of a release that may be installed, best first.
    """
    keeping = (
        link for link in ranked if link.is_wheel and not any(replaced(run, link))
    )
    return next(keeping, ranked[0])


def replaced(run: Run, link: Link) -> Iterator[tuple[BaseDistribution, Requirement]]:
    """Yield what the variant at *link* would replace unasked, and what it wants instead.

    Whoever chooses a label by hand, or upgrades, has asked for it.
    """
    release = run.decisions.release_of(link)
    if release is not None and release.chosen_label is not None:
        return
    yield from unfit(run, requirements_of(run, link))


def unfit(
    run: Run,
    requirements: Iterable[Requirement],
    found: Mapping[NormalizedName, Version] = MappingProxyType({}),
) -> Iterator[tuple[BaseDistribution, Requirement]]:
    """Yield what is installed and does not meet the requirements, with the requirement.

    :param found: the versions that a run has come to; for other projects the installed
        version counts, unless it is to be upgraded.
    """
    for wanted in requirements:
        name = canonicalize_name(wanted.name)
        dist = run.request.dists.get(name)
        if dist is None or (name not in found and run.request.is_upgraded(name)):
            continue
        version = found.get(name, dist.version)
        if not wanted.specifier.contains(version, prereleases=True):
            yield dist, wanted


def requirements_of(run: Run, link: Link) -> Iterator[Requirement]:
    """Yield what the variant at *link* requires of other packages' versions."""
    label, selection = label_of(link), run.decisions.selection_of(link)
    if label is not None and selection is not None and selection.manifest is not None:
        yield from map(Requirement, requirements(selection.manifest, label))
