"""What goes into a lock file: each package, when it is needed, and all its builds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.models.direct_url import ArchiveInfo, DirectUrl
from pip._internal.operations.prepare import get_http_url
from pip._internal.utils.direct_url_helpers import direct_url_from_link
from pip._internal.utils.misc import hash_file
from pip._internal.variants.choice import reasons
from pip._internal.variants.locks.conditions import (
    Ambiguity,
    Build,
    Condition,
    Locked,
    conditions,
)
from pip._internal.variants.locks.errors import LockConflict
from pip._internal.variants.slots import LOCK_PLAN
from pip._internal.variants.tell.refusals import refuse_unknown_labels

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.core.manifest import Manifest
    from pip._internal.variants.locks.locking import Locking, LockingRelease

__all__ = ["LockedWheel", "Plan", "Variants", "plan_of", "resolve_to_lock"]

logger = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LockedWheel:
    """A wheel as lock files name it, with at least one hash."""

    name: str
    url: str
    hashes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Variants:
    """The builds of a package that are locked.

    :ivar labels: of those that are variants.
    :ivar wheels: of all of them.
    """

    manifest: Manifest
    labels: tuple[str, ...]
    wheels: tuple[LockedWheel, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to lock.

    :ivar requirements: what is locked, in each version that is needed.
    :ivar conditions: when each is needed.
    :ivar variants: the builds of each project that has variants.
    :ivar builds: all builds that are locked.
    """

    requirements: Mapping[Locked, InstallRequirement]
    conditions: Mapping[Locked, Condition]
    variants: Mapping[str, Variants]
    builds: frozenset[Build]


def plan_of(requirements: Iterable[InstallRequirement]) -> Plan | None:
    """Give the plan that requirements are part of; None where there are no variants."""
    for requirement in requirements:
        return LOCK_PLAN.of(requirement, Plan)
    return None


def resolve_to_lock(
    context: Context,
    locking: Locking,
    resolver: Resolver,
    resolve: Callable[[], RequirementSet],
) -> RequirementSet:
    """Resolve once, and with variants as often as it takes to know what each needs.

    :param resolve: resolves once.
    :return: what the first run found; each requirement knows the plan.

    :raises LockConflict: if what depends on the builds cannot be written down.
    :raises VariantLabelNotFound: if a label was chosen by hand that nothing has.
    """
    found: list[RequirementSet] = []
    requirements: dict[Locked, InstallRequirement] = {}

    def note(once: RequirementSet) -> None:
        assert resolver._result is not None, "it has resolved"
        found.append(once)
        for project, requirement in once.requirements.items():
            version = str(resolver._result.mapping[project].version)
            requirements.setdefault((project, version), requirement)

    locking.explore(context, resolver, resolve, note)
    refuse_unknown_labels(context, list(locking.releases.values()))
    if locking.releases:
        try:
            needed = conditions(locking.runs)
        except Ambiguity as error:
            raise _two_versions(error) from None
        needed = {locked: needed[locked] for locked in requirements}
        _refuse_missing_packages(needed)
        builds = frozenset[Build]().union(*(run.builds for run in locking.runs))
        variants = {
            project: _variants(release, builds, resolver.factory)
            for project, release in locking.releases.items()
            if any(project == locked for locked, _ in requirements)
        }
        for (project, _), requirement in requirements.items():
            if project in variants:
                _complete(requirement, variants[project])
        plan = Plan(requirements, needed, variants, builds)
        for requirement in found[0].requirements.values():
            # Upstream hands nothing else on to what writes the lock file.
            LOCK_PLAN.set(requirement, plan)
    return found[0]


def _two_versions(error: Ambiguity) -> LockConflict:
    lines = [
        f"{error.project} {version}: {reasons.shortened(list(map(str, builds)))}"
        for version, builds in error.versions.items()
    ]
    return LockConflict(
        f"Builds that may be installed together need {error.project} in different "
        "versions.",
        lines,
    )


def _refuse_missing_packages(needed: Mapping[Locked, Condition]) -> None:
    """Refuse what depends on the build of a package that is not locked itself."""
    projects = {project for project, _ in needed}
    for (project, version), condition in needed.items():
        missing = {
            build
            for terms in condition
            for build in terms
            if build.project not in projects
        }
        if missing:
            raise LockConflict(
                f"Whether {project} {version} is needed depends on the build of a "
                "package that is left out of the lock file.",
                [f"{build} needs it" for build in sorted(missing, key=str)],
            )


def _variants(
    release: LockingRelease, builds: Iterable[Build], factory: Factory
) -> Variants:
    locked = [build for build in release.builds if build in builds]
    labels = tuple(build.label for build in locked if build.label is not None)
    links: list[Link] = []
    for build in locked:
        wheels = release.links_of(build)
        # Of plain wheels one is enough, as upstream has it.
        links += wheels if build.label is not None else wheels[:1]
    assert release.source is not None, "it has variants"
    manifest = release.selections[release.source].manifest
    assert manifest is not None, "its labels come from it"
    plain = " and the plain build" if len(labels) < len(locked) else ""
    variants = f"the variant{'s' * (len(labels) > 1)} {reasons.shortened(labels)}"
    logger.info("Locking %s%s of %s", variants, plain, release)
    return Variants(
        manifest, labels, tuple(_locked_wheel(link, factory) for link in links)
    )


def _locked_wheel(link: Link, factory: Factory) -> LockedWheel:
    url = direct_url_from_link(link)
    return LockedWheel(link.filename, url.url, _hashes(link, url, factory))


def _hashes(link: Link, url: DirectUrl, factory: Factory) -> Mapping[str, str]:
    """Give the hash that the index states; without one, that of the wheel itself."""
    candidate = factory._link_candidate_cache.get(link)
    for known in (url, candidate and candidate._ireq.download_info):
        if known and known.archive_info and known.archive_info.hashes:
            return known.archive_info.hashes
    if link.is_file:
        path = link.file_path
    else:
        logger.info(
            "Downloading %s to lock its hash, which its index does not state",
            link.filename,
        )
        path = get_http_url(link, factory.preparer._download).path
    return {"sha256": hash_file(path)[0].hexdigest()}


def _complete(requirement: InstallRequirement, variants: Variants) -> None:
    """Have a requirement know its hash, which upstream takes for granted."""
    info = requirement.download_info
    for wheel in variants.wheels:
        if info is not None and wheel.url == info.url:
            requirement.download_info = DirectUrl(
                url=wheel.url, archive_info=ArchiveInfo(hashes=wheel.hashes)
            )
