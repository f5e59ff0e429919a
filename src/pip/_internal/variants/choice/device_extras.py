"""Take a build for AMD GPUs with the extras for the GPUs of the target.

See :mod:`pip._internal.variants.core.device_extras`. Without its extra such a build sees
the GPU, and fails when it is used. So the resolver gets one more requirement,
``torch[device-gfx1151]``, where three things come together: the build was chosen for AMD
GPUs (variants by supported properties, a build of PyTorch's index by its backend), the kind
of the GPU was detected or declared, and the metadata has an extra of just that name.

An upgrade keeps the extras that the installed build has: those of which all packages are
there, however they came. With which a build was installed is recorded for ``pip check``.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.req.constructors import install_req_extend_extras
from pip._internal.variants.choice.installed import installed_build
from pip._internal.variants.choice.releases import weighed
from pip._internal.variants.core.device_extras import (
    PROPERTY,
    chosen,
    devices_in,
    kinds,
    literal,
)
from pip._internal.variants.wheels.links import label_of

if TYPE_CHECKING:
    from pip._vendor.packaging.requirements import Requirement as PackagingRequirement
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.resolution.resolvelib.candidates import BaseCandidate
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.variants.choice.context import Context

__all__ = [
    "Lack",
    "Need",
    "is_for_any",
    "is_new",
    "is_passed_over",
    "lost",
    "needs",
    "present",
    "requirements",
]


class Lack(enum.Enum):
    """Why extras that fit are left out: what they need cannot be had in this run."""

    #: It is not to be found, and so not locked.
    NOT_FOUND = enum.auto()
    #: The lock file that is installed from does not have it.
    NOT_LOCKED = enum.auto()
    #: Nor is it installed, and without certain options it is not looked for.
    NOT_INSTALLED = enum.auto()


class Need(NamedTuple):
    """The extras that a build is taken with, and why not with others.

    :ivar candidate: the build, without extras.
    :ivar devices: the kinds of GPUs that the target is known to have.
    :ivar offered: those that the build has extras for.
    :ivar extras: that it is taken with: for these GPUs, and what is there before.
    :ivar left_out: those that would fit too.
    :ivar lack: why they are left out.
    :ivar options: those without which what they need is not looked for.
    :ivar is_locked: whether it is installed from a lock file.
    """

    candidate: Candidate
    devices: Sequence[str]
    offered: Sequence[str]
    extras: Sequence[str]
    left_out: Sequence[str] = ()
    lack: Lack | None = None
    options: Sequence[str] = ()
    is_locked: bool = False


class _Needs(dict[int, tuple["Candidate", "Need | None"]]):
    """What each candidate of a run was found to need, by its identity.

    The candidate is held so that no other one comes to have that.
    """


def needs(context: Context) -> list[Need]:
    """Return what was found in this run, also of builds that were not chosen then."""
    return [need for _, need in context.part(_Needs).values() if need is not None]


def requirements(
    context: Context, factory: Factory, candidate: Candidate
) -> Iterator[Requirement]:
    """Yield a candidate with each extra that it is taken with, as requirements of its own.

    :param candidate: a wheel that was chosen, or what is installed; without extras.
    """
    found = context.part(_Needs)
    if id(candidate) not in found:
        found[id(candidate)] = candidate, _need(context, factory, candidate)
    _, need = found[id(candidate)]
    if need is None:
        return
    key = candidate.source_link or candidate.project_name
    context.device_extras[key] = need.extras
    base = cast("BaseCandidate", candidate)
    for extra in need.extras:
        # As it would be had the user typed it.
        typed = install_req_extend_extras(base._ireq, [extra])
        with_it = factory._make_extras_candidate(
            base, frozenset([extra]), comes_from=typed
        )
        yield factory.make_requirement_from_candidate(with_it)


def _need(context: Context, factory: Factory, candidate: Candidate) -> Need | None:
    """Return what a candidate needs; None if there is nothing to say about it."""
    settings, project = context.settings, candidate.project_name
    if settings.no_device_extras or settings.ignore_dependencies or context.in_build:
        return None
    if project in context.with_device_extras:
        return None
    dist, link = _dist(candidate), candidate.source_link
    provided = list(dist.iter_provided_extras())
    offered = devices_in(provided)
    devices = _devices_of(context, link, dist) if offered else None
    if devices is None:
        return None
    is_locked = project in factory._finder._locked_links
    before = context.installed_dists.get(project)
    had = () if before is None else present(before, context.installed_dists)
    # A lock file tells what to install for the GPU.
    wanted = devices if is_locked and devices else [*devices, *devices_in(had)]
    extras = chosen(provided, wanted)
    if link is None and not (extras or devices):
        return None
    need = Need(candidate, devices, offered, extras, is_locked=is_locked)
    return _without_what_is_lacking(context, factory, need)


def _without_what_is_lacking(context: Context, factory: Factory, need: Need) -> Need:
    """Leave out extras whose packages cannot be had where nothing else may suffer."""
    dist, link = _dist(need.candidate), need.candidate.source_link
    options: Sequence[str] = ()
    if need.is_locked:
        lack, locked = Lack.NOT_LOCKED, factory._finder._locked_links
        there = [each for each in need.extras if _names(dist, each) <= {*locked}]
    elif is_for_any(context, link):
        lack = Lack.NOT_FOUND
        there = [each for each in need.extras if not _not_found(factory, dist, each)]
    elif link is None and (options := _options_for(context, dist)):
        lack, installed = Lack.NOT_INSTALLED, context.installed_dists
        there = [e for e in need.extras if not _lacking(_brought(dist, e), installed)]
    else:
        return need
    left_out = [each for each in need.extras if each not in there]
    if not left_out:
        return need
    return need._replace(extras=there, left_out=left_out, lack=lack, options=options)


def _options_for(context: Context, dist: BaseDistribution) -> list[str]:
    """Return the options without which this run finds nothing for an installed build."""
    build = installed_build(dist)
    return [
        option
        for room, mode in context.rooms.items()
        if mode is None and build is not None
        for option in room.options_for(build)
    ]


def _devices_of(
    context: Context, link: Link | None, dist: BaseDistribution
) -> Sequence[str] | None:
    """Return the kinds of GPUs that a build was chosen for; None if for none.

    :param link: None if it is installed.
    """
    if link is None:
        return _devices_of_installed(context, dist)
    release = weighed(context).release_of(link)
    if release is not None:
        return release.amd_devices(link)
    # One that the user named by path or URL, which suits.
    label, selection = label_of(link), weighed(context).selection_of(link)
    if label is None or selection is None:
        return None
    return selection.amd_devices(label)


def _devices_of_installed(
    context: Context, dist: BaseDistribution
) -> Sequence[str] | None:
    build = installed_build(dist)
    if build is None:
        return None
    namespace, feature = PROPERTY
    if not any(each.namespace == namespace for each in build.supported):
        return ()
    providers = context.providers.without_plugins()
    answer = providers.ask(build.manifest, [namespace])[namespace]
    return kinds(answer.values(feature))


#: What is installed, by name.
_Installed = Mapping["NormalizedName", "BaseDistribution"]


def present(dist: BaseDistribution, installed: _Installed) -> tuple[str, ...]:
    """Return the extras for GPUs of which all packages are installed, sorted."""
    return tuple(
        extra
        for extra in literal(dist.iter_provided_extras())
        if (brought := _brought(dist, extra)) and not _lacking(brought, installed)
    )


def lost(dist: BaseDistribution, installed: _Installed) -> dict[str, list[str]]:
    """Return what is not installed of what the extras of a build need, by extra.

    That is what it was installed with, and what is there for other versions of it.
    """
    build = installed_build(dist)
    recorded = () if build is None else build.device_extras
    found = {}
    for extra in literal(dist.iter_provided_extras()):
        brought = _brought(dist, extra)
        names = {canonicalize_name(each.name) for each in brought}
        lacking = _lacking(brought, installed)
        if lacking and (extra in recorded or names <= {*installed}):
            found[extra] = lacking
    return found


def _lacking(
    brought: Iterable[PackagingRequirement], installed: _Installed
) -> list[str]:
    return [
        f"{each.name}{each.specifier}"
        for each in brought
        if (dist := installed.get(canonicalize_name(each.name))) is None
        or not each.specifier.contains(dist.version, prereleases=True)
    ]


def _names(dist: BaseDistribution, extra: str) -> set[NormalizedName]:
    """Return the projects that an extra brings."""
    return {canonicalize_name(each.name) for each in _brought(dist, extra)}


def _brought(dist: BaseDistribution, extra: str) -> list[PackagingRequirement]:
    without = {str(each) for each in dist.iter_dependencies()}
    with_it = dist.iter_dependencies([extra])
    return [each for each in with_it if str(each) not in without]


def _not_found(factory: Factory, dist: BaseDistribution, extra: str) -> bool:
    """Tell whether no index or folder has what an extra brings."""
    found = factory._finder.find_best_candidate
    return any(
        each.url is None and not found(each.name, each.specifier).best_candidate
        for each in _brought(dist, extra)
    )


def _dist(candidate: Candidate) -> BaseDistribution:
    dist: BaseDistribution = vars(candidate)["dist"]
    return dist


def is_for_any(context: Context, link: Link | None) -> bool:
    """Tell whether a build is locked for whatever machine there is."""
    release = weighed(context).release_of(link)
    return release is not None and release.is_for_any


def is_new(
    need: Need, found: Iterable[Candidate], requirements: RequirementSet
) -> bool:
    """Tell whether the build, or anything that its extras bring, is to be installed.

    :param found: all that was chosen.
    :param requirements: what of it is to be installed.
    """
    if need.candidate.source_link is not None:
        return True
    dists = {each.project_name: _dist(each) for each in found if "dist" in vars(each)}
    # What the build itself needs is there, whatever its extras need.
    own = dists.pop(need.candidate.project_name, _dist(need.candidate))
    due = {name for extra in need.extras for name in _names(own, extra)}
    while due:
        name = due.pop()
        if name in requirements.requirements:
            return True
        if name in dists:
            needed = dists.pop(name).iter_dependencies()
            due |= {canonicalize_name(each.name) for each in needed}
    return False


def is_passed_over(need: Need, found: Iterable[Candidate], version: Version) -> bool:
    """Tell whether an older version may have been chosen for what the extras need.

    :param found: all that was chosen.
    :param version: the one that was.
    :return: False if something else that was chosen rules the newer one out.
    """
    newer = need.candidate
    if not (newer.version > version and need.extras):
        return False
    brought = {name for each in need.extras for name in _names(_dist(newer), each)}
    return not any(
        not required.specifier.contains(newer.version, prereleases=True)
        for each in found
        if each.project_name not in brought and "dist" in vars(each)
        for required in _dist(each).iter_dependencies()
        if canonicalize_name(required.name) == newer.project_name
    )
