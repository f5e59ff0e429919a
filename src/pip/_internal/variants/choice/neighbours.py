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

from pip._internal.variants.core.abi_dependency import requirements

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.choice.context import Context

__all__ = [
    "Installed",
    "beside_installed",
    "is_upgraded",
    "replaced",
    "requirements_of",
    "unfit",
]


class Installed:
    """What is installed, or in the lock files that are installed from."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def installed(self, project: NormalizedName) -> Version | None:
        """Give the version that is locked, or installed and not to be upgraded."""
        context = self._context
        if project in context.locked_versions:
            return context.locked_versions[project]
        dist = context.installed_dists.get(project)
        return None if dist is None or is_upgraded(context, project) else dist.version

    def settled(self, project: NormalizedName) -> str | None:
        """Say that ``--no-deps`` brings nothing of what the user did not name."""
        context = self._context
        if not context.given("ignore_dependencies"):
            return None
        if project in context.named or project in context.locked_versions:
            return None
        dist = context.installed_dists.get(project)
        what = f"{project} is not" if dist is None else f"{project} {dist.version} is"
        return f"{what} installed, and --no-deps leaves it at that"


def is_upgraded(context: Context, project: NormalizedName) -> bool:
    """Tell whether the user asked for the newest version of *project*."""
    given = vars(context.options).get
    eager = given("upgrade_strategy") == "eager" and not given("ignore_dependencies")
    return bool(given("upgrade")) and (eager or project in context.named)


def beside_installed(context: Context, ranked: Sequence[Link]) -> Link:
    """Give the best wheel that lets what is installed stay; the best file if none does.

    :param ranked: the files of a release that may be installed, best first.
    """
    keeping = (
        link for link in ranked if link.is_wheel and not any(replaced(context, link))
    )
    return next(keeping, ranked[0])


def replaced(
    context: Context, link: Link
) -> Iterator[tuple[BaseDistribution, Requirement]]:
    """Give what the variant at *link* would replace unasked, and what it wants instead.

    Whoever chooses a label by hand, or upgrades, has asked for it.
    """
    release = context.release_of(link)
    if release is not None and release.chosen_label is not None:
        return
    yield from unfit(context, requirements_of(context, link))


def unfit(
    context: Context,
    requirements: Iterable[Requirement],
    found: Mapping[NormalizedName, Version] = MappingProxyType({}),
) -> Iterator[tuple[BaseDistribution, Requirement]]:
    """Give what is installed and meets not what is required.

    :param found: the versions that a run has come to; of what is not among them, that
        which is installed counts unless it is to be upgraded.
    """
    for wanted in requirements:
        name = canonicalize_name(wanted.name)
        dist = context.installed_dists.get(name)
        if dist is None or (name not in found and is_upgraded(context, name)):
            continue
        version = found.get(name, dist.version)
        if not wanted.specifier.contains(version, prereleases=True):
            yield dist, wanted


def requirements_of(context: Context, link: Link) -> Iterator[Requirement]:
    """Give what the variant at *link* requires of other packages' versions."""
    from pip._internal.variants.wheels.links import label_of

    label, selection = label_of(link), context.selection_of(link)
    if label is not None and selection is not None and selection.manifest is not None:
        yield from map(Requirement, requirements(selection.manifest, label))
