"""Take a build for AMD GPUs with the extras for the GPUs of the target.

See :mod:`pip._internal.variants.core.device_extras`. Without its extra such a build sees
the GPU, and fails when it is used. So the resolver gets one more requirement,
``torch[device-gfx1151]``, where three things come together: the build was chosen for AMD
GPUs (variants by supported properties, a build of PyTorch's index by its backend), the kind
of the GPU was detected or declared, and the metadata has an extra of just that name.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint
from pip._internal.req.constructors import install_req_extend_extras
from pip._internal.variants.choice.installed import SELECTION_FILE, installed_build
from pip._internal.variants.choice.installed_records import recorded_build
from pip._internal.variants.choice.invocation import again, command
from pip._internal.variants.choice.reasons import build_name
from pip._internal.variants.choice.releases import weighed
from pip._internal.variants.choice.settings import NO_DEVICE_EXTRAS
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
    from pip._internal.resolution.resolvelib.candidates import (
        BaseCandidate,
        ExtrasCandidate,
    )
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.installed_records import InstalledBuild

__all__ = [
    "added_to_installed",
    "lost",
    "requirements",
    "tell",
    "tell_of_failure",
]

logger = get_logger(__name__)


class _Need(NamedTuple):
    """The extras that a build is taken with, and why not with others.

    :ivar devices: the kinds of GPUs that the target is known to have.
    :ivar offered: those that the build has extras for.
    :ivar extras: that it is taken with.
    :ivar left_out: what to say of those that would fit, and whose packages are not to be
        had in this run.
    :ivar is_locked: whether it is installed from a lock file.
    """

    devices: Sequence[str]
    offered: Sequence[str]
    extras: Sequence[str]
    left_out: str | None = None
    is_locked: bool = False


class _Needs:
    """What each candidate of a run was found to need."""

    def __init__(self) -> None:
        self.of: dict[int, _Need | None] = {}
        #: So that no other one comes to have the identity of a candidate.
        self.candidates: list[Candidate] = []


def requirements(
    context: Context, factory: Factory, candidate: Candidate
) -> Iterator[Requirement]:
    """Yield a candidate with each extra that it is taken with, as requirements of its own.

    :param candidate: a wheel that was chosen, or what is installed; without extras.
    """
    needs = context.part(_Needs)
    if id(candidate) not in needs.of:
        needs.of[id(candidate)] = _need(context, factory, candidate)
        needs.candidates.append(candidate)
    need = needs.of[id(candidate)]
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


def _need(context: Context, factory: Factory, candidate: Candidate) -> _Need | None:
    """Return what a candidate needs; None if there is nothing to say about it."""
    settings, project = context.settings, candidate.project_name
    is_locked = project in factory._finder._locked_links
    is_off = settings.no_device_extras and not is_locked
    if is_off or settings.ignore_dependencies or context.in_build:
        return None
    if project in context.with_device_extras:
        return None
    dist: BaseDistribution = vars(candidate)["dist"]
    provided = list(dist.iter_provided_extras())
    offered = devices_in(provided)
    if not offered:
        return None
    if candidate.source_link is None:
        need = _need_of_installed(context, candidate, provided, offered)
        if need is None or not is_locked:
            return need
        return _need_in_lock_file(context, factory, candidate, need)
    devices = _devices_of(context, candidate.source_link)
    if devices is None:
        return None
    before = context.installed_dists.get(project)
    if not devices and before is not None:
        # As after an upgrade where nothing tells the GPU, such as in a container.
        devices = _recorded(installed_build(before))
    need = _Need(devices, offered, chosen(provided, devices))
    return _need_in_lock_file(context, factory, candidate, need)


def _need_in_lock_file(
    context: Context, factory: Factory, candidate: Candidate, need: _Need
) -> _Need | None:
    """Leave out what cannot be locked, or is not: nothing else is to suffer from that."""
    dist: BaseDistribution = vars(candidate)["dist"]
    locked = factory._finder._locked_links
    is_from_lock = candidate.project_name in locked
    if is_from_lock:
        need = need._replace(is_locked=True)
        if context.settings.no_device_extras:
            return _need_in_spite(context, candidate, need, {*locked})
        there = [each for each in need.extras if _named_by(dist, each) <= {*locked}]
    elif _is_for_any(context, candidate.source_link):
        there = [each for each in need.extras if not _not_found(factory, dist, [each])]
    else:
        return need
    if len(there) == len(need.extras):
        return need
    which = _with(candidate, [each for each in need.extras if each not in there])
    what, fails = f"What {which} needs is not", "so computations on that GPU will fail"
    left_out = f"{what} to be found, nor locked, {fails}"
    if is_from_lock:
        again_locked = command(context.options, "lock", which)
        left_out = Hint(f"{what} in the lock file, {fails}. To lock it:", again_locked)
    return need._replace(extras=there, left_out=left_out)


def _need_in_spite(
    context: Context,
    candidate: Candidate,
    need: _Need,
    locked: Collection[NormalizedName],
) -> _Need | None:
    """Say which extras come from a lock file although the user wants none.

    Nothing in the file tells their packages from what the build itself needs on machines
    with that GPU.
    """
    dist: BaseDistribution = vars(candidate)["dist"]
    there = [each for each in need.extras if _named_by(dist, each) <= {*locked}]
    if not there:
        return None
    name = NO_DEVICE_EXTRAS.name
    left_out = Hint(
        f"{name} does not count for what is locked, so {_with(candidate, there)} comes "
        "from the lock file. To lock without it:",
        command(context.options, "lock", name, candidate.project_name),
    )
    return need._replace(extras=(), left_out=left_out)


def _devices_of(context: Context, link: Link) -> Sequence[str] | None:
    """Return the kinds of GPUs that a wheel was chosen for; None if for none."""
    release = weighed(context).release_of(link)
    if release is not None:
        return release.amd_devices(link)
    # One that the user named by path or URL, which suits.
    label, selection = label_of(link), weighed(context).selection_of(link)
    if label is None or selection is None:
        return None
    return selection.amd_devices(label)


def _need_of_installed(
    context: Context,
    candidate: Candidate,
    provided: Sequence[str],
    offered: Sequence[str],
) -> _Need | None:
    """Return what an installed build needs that the user named.

    There may be options without which this run finds none of it, or something else.
    """
    dist: BaseDistribution = vars(candidate)["dist"]
    build = installed_build(dist)
    if build is None:
        return None
    devices = _devices_here(context, build) or _recorded(build)
    extras = chosen(provided, devices)
    options = [
        option
        for room, mode in context.rooms.items()
        if mode is None
        for option in room.options_for(build)
    ]
    installed = {*context.installed_dists}
    lacking = [each for each in extras if not _named_by(dist, each) <= installed]
    if not (options and lacking):
        # What was once chosen by hand for other GPUs is not complained of.
        has_any = extras or (devices and not build.device_extras)
        return _Need(devices, offered, extras) if has_any else None
    left_out = Hint(
        f"{_name(candidate)} is installed without what {_with(candidate, lacking)} needs, "
        "so computations on that GPU will fail. To add it:",
        command(context.options, "install", *options, candidate.project_name),
    )
    return _Need(devices, offered, (), left_out)


def _devices_here(context: Context, build: InstalledBuild) -> Sequence[str]:
    """Return the kinds of GPUs of the target that an installed build was chosen for."""
    namespace, feature = PROPERTY
    if not any(each.namespace == namespace for each in build.supported):
        return ()
    providers = context.providers.without_plugins()
    answer = providers.ask(build.manifest, [namespace])[namespace]
    return kinds(answer.values(feature))


def added_to_installed(
    context: Context, candidates: Iterable[Candidate], requirements: RequirementSet
) -> Iterator[tuple[BaseDistribution, str, Sequence[str]]]:
    """Yield builds that stay installed while extras of theirs come beside.

    :param candidates: what is installed and needed with extras, typed or not.
    :param requirements: what is to be installed.
    :return: each with what is recorded of it, and all extras to record from now on.
    """
    installed, new = {*context.installed_dists}, requirements.requirements
    wanted: dict[NormalizedName, tuple[BaseDistribution, set[str]]] = {}
    for each in candidates:
        with_extras = cast("ExtrasCandidate", each)
        dist: BaseDistribution = vars(with_extras.base)["dist"]
        _, extras = wanted.setdefault(each.project_name, (dist, set()))
        extras |= {*map(canonicalize_name, with_extras.extras)}
    for dist, extras in wanted.values():
        # None if another installer put it there.
        build = recorded_build(dist, SELECTION_FILE, None)
        found = literal(extras)
        brought = (_named_by(dist, each) for each in found)
        if build is None or not any(name in new for names in brought for name in names):
            continue
        # What came with others is still there, unless somebody took it away.
        kept = [
            each for each in build.device_extras if _named_by(dist, each) <= installed
        ]
        yield dist, dist.read_text(SELECTION_FILE), literal([*kept, *found])


def _recorded(build: InstalledBuild | None) -> Sequence[str]:
    return () if build is None else devices_in(build.device_extras)


def _named_by(dist: BaseDistribution, extra: str) -> set[NormalizedName]:
    """Return the projects that an extra brings."""
    return {canonicalize_name(each.name) for each in _brought(dist, extra)}


def _brought(dist: BaseDistribution, extra: str) -> list[PackagingRequirement]:
    without = {str(each) for each in dist.iter_dependencies()}
    with_it = dist.iter_dependencies([extra])
    return [each for each in with_it if str(each) not in without]


def _not_found(
    factory: Factory, dist: BaseDistribution, extras: Iterable[str]
) -> list[str]:
    """Return what extras bring and no index or folder has."""
    found = factory._finder.find_best_candidate
    return [
        f"{each.name}{each.specifier}"
        for extra in extras
        for each in _brought(dist, extra)
        if each.url is None and not found(each.name, each.specifier).best_candidate
    ]


def lost(dist: BaseDistribution, installed: Mapping[NormalizedName, Version]) -> str:
    """Return what is not installed of what the recorded extras brought; empty if all is.

    :param installed: the versions of all that is.
    """
    build = installed_build(dist)
    brought = (
        _brought(dist, extra) for extra in (build.device_extras if build else ())
    )
    return _listed(
        [
            f"{each.name}{each.specifier}"
            for each in itertools.chain.from_iterable(brought)
            if (version := installed.get(canonicalize_name(each.name))) is None
            or not each.specifier.contains(version, prereleases=True)
        ]
    )


# What is told


def tell(
    context: Context,
    factory: Factory,
    found: Collection[Candidate],
    requirements: RequirementSet,
) -> None:
    """Say which extras were added, and what has none for the GPU that is there.

    :param found: all candidates that the resolver chose.
    :param requirements: what of it is to be installed.
    """
    versions = {each.project_name: each.version for each in found}
    needs = context.part(_Needs)
    for candidate in needs.candidates:
        need, version = needs.of[id(candidate)], versions.get(candidate.project_name)
        if need is None or version is None:
            continue
        dist: BaseDistribution = vars(candidate)["dist"]
        if candidate in found or _is_locked(context, candidate, version):
            brought = (_named_by(dist, each) for each in need.extras)
            is_new = candidate.source_link is not None or any(
                name in requirements.requirements for names in brought for name in names
            )
            _tell_one(context, candidate, need, is_new=is_new)
        elif candidate.version > version and need.extras:
            said = _older(factory, candidate, found, version, need)
            if said is not None:
                context.say_once(logging.WARNING, said)


def _older(
    factory: Factory,
    candidate: Candidate,
    found: Iterable[Candidate],
    version: Version,
    need: _Need,
) -> str | None:
    """Say that a newer version was passed over, which was looked at with its extras.

    :return: None if something else that was found rules it out.
    """
    dist: BaseDistribution = vars(candidate)["dist"]
    which = _with(candidate, need.extras)
    lacking = _not_found(factory, dist, need.extras)
    if not lacking and _is_ruled_out(candidate, found, need):
        return None
    why = f"and what {which} needs may be why"
    if lacking:
        why = f"since {_listed(lacking)} is not to be found, which {which} needs"
    return (
        f"{candidate.project_name} {version} was chosen instead of {candidate.version}, "
        f"{why} ({NO_DEVICE_EXTRAS.name} leaves it out)"
    )


def _is_ruled_out(
    candidate: Candidate, found: Iterable[Candidate], need: _Need
) -> bool:
    """Tell whether something needs another version that no extra brought."""
    own = vars(candidate)["dist"]
    brought = {name for each in need.extras for name in _named_by(own, each)}
    return any(
        not required.specifier.contains(candidate.version, prereleases=True)
        for each in found
        if each.project_name not in brought and "dist" in vars(each)
        for required in vars(each)["dist"].iter_dependencies()
        if canonicalize_name(required.name) == candidate.project_name
    )


def _is_locked(context: Context, candidate: Candidate, version: Version) -> bool:
    """Tell whether a build is one of several that are locked."""
    link = candidate.source_link
    return (
        candidate.version == version
        and link in context.device_extras
        and _is_for_any(context, link)
    )


def _tell_one(
    context: Context, candidate: Candidate, need: _Need, *, is_new: bool
) -> None:
    if need.extras and is_new:
        context.say_once(logging.INFO, _added(context, candidate, need))
    if need.left_out is not None:
        context.say_once(logging.WARNING, need.left_out)
    elif not need.extras:
        context.say_once(logging.WARNING, _missing(context, candidate, need))


def _added(context: Context, candidate: Candidate, need: _Need) -> str:
    is_one = len(need.extras) == 1
    extras = f"the extra{'' if is_one else 's'} {_listed(need.extras)}"
    off = f"({NO_DEVICE_EXTRAS.name} leaves {'it' if is_one else 'them'} out)"
    if need.is_locked:
        off = "(as locked)"
    others = [each for each in need.devices if each not in need.offered]
    but = f"; there is none for {_listed(others)}" if others else ""
    if _is_for_any(context, candidate.source_link):
        which = f"{'' if is_one else 'each '}for machines with that GPU"
        link = candidate.source_link
        build = build_name(_name(candidate), None if link is None else label_of(link))
        return f"Locking {extras} of {build}, {which}{but} {off}"
    whose = f"the GPU{'' if is_one else 's'} of the target machine"
    said = f"Adding {extras} to {_name(candidate)}, for {whose}{but} {off}"
    if context.settings.several_builds:
        said += ": the lock file is for such machines alone"
    return said


def _missing(context: Context, candidate: Candidate, need: _Need) -> str:
    name, fails = _name(candidate), "computations on that GPU will fail"
    if need.devices:
        why = f"{name} has no extra for {_listed(need.devices)}, so {fails}"
    elif _is_for_any(context, candidate.source_link):
        why = (
            f"The variants of {name} do not tell their GPUs; without its extra, {fails}"
        )
    else:
        why = f"Nothing tells for which GPU {name} is; without its extra, {fails}"
    offered = _listed([f"device-{each}" for each in need.offered])
    some = _with(candidate, ["device-gfxNNNN"])
    if need.is_locked:
        # The others are not in the file, and none of it may come from elsewhere.
        to_lock = command(context.options, "lock", some)
        return Hint(f"{why}. There is {offered}. To lock one:", to_lock)
    return Hint(
        f"{why}. There is {offered}. To take one:", again(context.options, some)
    )


def _is_for_any(context: Context, link: Link | None) -> bool:
    release = weighed(context).release_of(link)
    return release is not None and release.is_for_any


def _with(candidate: Candidate, extras: Sequence[str]) -> str:
    return f"{candidate.project_name}[{','.join(extras)}]"


def _name(candidate: Candidate) -> str:
    return f"{candidate.project_name} {candidate.version}"


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def tell_of_failure(context: Context) -> None:
    """Say which extras were looked for that nobody typed: that may be why it failed."""
    needs = context.part(_Needs)
    added = {
        _with(candidate, [extra])
        for candidate in needs.candidates
        if (need := needs.of[id(candidate)]) is not None
        for extra in need.extras
    }
    if added:
        logger.warning(
            "Besides what was typed, %s was looked for, since the target machine has "
            "such a GPU: %s leaves it out",
            _listed(sorted(added)),
            NO_DEVICE_EXTRAS.name,
        )
