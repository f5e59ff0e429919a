"""What goes into a lock file: each package, when it is needed, and all its builds.

All builds of a release are written into one entry (PEP 751, PEP 825).
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pip._vendor.packaging.markers import Marker
from pip._vendor.packaging.pylock import Package, PackageWheel, Pylock
from pip._vendor.packaging.version import Version

from pip._internal.console.output import get_logger
from pip._internal.models.direct_url import ArchiveInfo, DirectUrl
from pip._internal.operations.prepare import get_http_url
from pip._internal.utils.direct_url_helpers import direct_url_from_link
from pip._internal.utils.misc import hash_file
from pip._internal.variants.errors import VariantError
from pip._internal.variants.index.links import RenamedWheel
from pip._internal.variants.locks.conditions import (
    Ambiguity,
    Condition,
    Locked,
    LockedVariant,
    Unresolved,
    group_names,
    marker_text,
)
from pip._internal.variants.locks.documents import inlined
from pip._internal.variants.locks.environments import Documents
from pip._internal.variants.output import reasons
from pip._internal.variants.slots import LOCK_ENVIRONMENT, LOCK_PLAN, LOCKED

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.variants.locks.exploration import Exploration
    from pip._internal.variants.locks.release import LockingRelease

__all__ = ["Plan", "lock_written", "make_plan", "two_versions"]

logger = get_logger(__name__)


class LockConflict(VariantError):
    """What depends on the builds that are chosen cannot be put into one lock file."""

    reference = "variant-lock-conflict"

    def __init__(self, problem: str, why: Iterable[str]) -> None:
        hint = (
            "Lock fewer builds: --variant LABEL or --variant PACKAGE=LABEL, once for "
            "each that is wanted; for several kinds of machines, a file each."
        )
        super().__init__(problem, why, [hint])


class Variants(NamedTuple):
    """The wheels of a package that are locked.

    :ivar document: the manifest of those that are variants, as TOML has it.
    :ivar wheels: of all of them, each with at least one hash.
    """

    document: Mapping[str, Any]
    wheels: Sequence[PackageWheel]


class Plan(NamedTuple):
    """What to lock.

    :ivar requirements: what is locked, in each version that is needed.
    :ivar conditions: when each is needed.
    :ivar variants: the wheels of each project that has variants.
    :ivar builds: all variants that are locked.
    """

    requirements: Mapping[Locked, InstallRequirement]
    conditions: Mapping[Locked, Condition]
    variants: Mapping[str, Variants]
    builds: frozenset[LockedVariant]


def make_plan(found: Exploration, factory: Factory) -> Plan:
    """Plan a lock file with what several resolutions found.

    :param found: each of its requirements is made to know its hash.
    :raises LockConflict: if what a variant needs is locked, and the variant is not.
    """
    conditions = found.conditions()
    projects = {project for project, _ in conditions}
    _refuse_missing_packages(conditions, projects)
    variants = {
        project: _variants(release, found.variants, factory)
        for project, release in found.releases.items()
        if project in projects
    }
    for (project, _), requirement in found.requirements.items():
        if project in variants:
            _complete(requirement, variants[project])
    return Plan(found.requirements, conditions, variants, found.variants)


def two_versions(error: Ambiguity) -> LockConflict:
    """Return the error for the user."""
    lines = [
        f"{error.project} {version}: {reasons.shortened(list(map(str, builds)))}"
        for version, builds in error.versions.items()
    ]
    return LockConflict(
        f"Builds that may be installed together need {error.project} in different "
        "versions.",
        lines,
    )


def not_resolved(
    error: Unresolved, problems: Mapping[tuple[LockedVariant, str], str]
) -> LockConflict:
    """Return the error for the user.

    :param problems: what could not be resolved, and why.
    """
    found = (
        why
        for (variant, node), why in problems.items()
        if error.node == node and variant == error.variant
    )
    why = next(found, "")
    what = error.node if error.variant is None else f"{error.variant} as {error.node}"
    return LockConflict(
        f"Cannot lock {what} with all variants that may come with it.", [why]
    )


def _refuse_missing_packages(
    conditions: Mapping[Locked, Condition], projects: Collection[str]
) -> None:
    """Refuse what depends on the variant of a package that is not locked itself."""
    for (project, version), condition in conditions.items():
        asked = frozenset[LockedVariant]().union(*condition)
        missing = [each for each in asked if each.project not in projects]
        if missing:
            raise LockConflict(
                f"Whether {project} {version} is needed depends on the variant of a "
                "package that is left out of the lock file.",
                [f"{each} needs it" for each in sorted(missing, key=str)],
            )


def _variants(
    release: LockingRelease, builds: Iterable[LockedVariant], factory: Factory
) -> Variants:
    locked = [build for build in release.builds if build in builds]
    labels = tuple(build.label for build in locked if build.label is not None)
    links: list[Link] = []
    for build in locked:
        wheels = release.links_of(build)
        # Of plain wheels one is enough, as upstream has it.
        links += wheels if build.label is not None else wheels[:1]
    assert release.source is not None, "it has variants"
    manifest = release.fetch_selections()[release.source].manifest
    assert manifest is not None, "its labels come from it"
    plain = " and the plain build" if len(labels) < len(locked) else ""
    variants = f"the variant{'s' * (len(labels) > 1)} {reasons.shortened(labels)}"
    logger.info("Locking %s%s of %s", variants, plain, release)
    return Variants(
        inlined(manifest, labels), [_locked_wheel(link, factory) for link in links]
    )


def _locked_wheel(link: Link, factory: Factory) -> PackageWheel:
    url = direct_url_from_link(link)
    hashes = _hashes(link, url, factory)
    # The label of a wheel elsewhere is in the fragment.
    location = link.url if isinstance(link, RenamedWheel) else url.url
    return PackageWheel(name=link.filename, url=location, hashes=hashes)


def _hashes(link: Link, url: DirectUrl, factory: Factory) -> Mapping[str, str]:
    """Return the hash that the index states; without one, that of the wheel itself."""
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


@dataclasses.dataclass(frozen=True, init=False)
class VariantPackage(Package):
    """An entry of a lock file with the manifest of its variants.

    :ivar variants_json: the manifest as TOML has it.
    """

    variants_json: Mapping[str, Any] | None = None

    def __init__(self, package: Package, variants: Variants) -> None:
        fields = {name: getattr(package, name) for name in _FIELDS}
        super().__init__(**{**fields, "wheels": variants.wheels})
        object.__setattr__(self, "variants_json", variants.document)


_FIELDS = [field.name for field in dataclasses.fields(Package)]


def lock_written(
    fn: Callable[[Iterable[InstallRequirement], Path], Pylock],
    install_requirements: Iterable[InstallRequirement],
    base_dir: Path,
) -> Pylock:
    """Make the lock file with all builds, and with all that any of them needs.

    One for a machine that was described says for which.
    """
    requirements = list(install_requirements)
    if not requirements:
        return fn(requirements, base_dir)
    lock = _with_builds(fn, requirements, base_dir)
    environment = LOCK_ENVIRONMENT.of(requirements[0], dict)
    documents = LOCKED.of(requirements[0], Documents)
    if documents is not None:
        return documents.add(lock, environment or {})
    if environment is None:
        return lock
    marker = " and ".join(f"{name} == {value!r}" for name, value in environment.items())
    return dataclasses.replace(lock, environments=[Marker(marker)])


def _with_builds(
    fn: Callable[[Iterable[InstallRequirement], Path], Pylock],
    requirements: Sequence[InstallRequirement],
    base_dir: Path,
) -> Pylock:
    plan = LOCK_PLAN.of(requirements[0], Plan)
    if plan is None:
        return fn(requirements, base_dir)
    locked = sorted(plan.requirements, key=lambda each: (each[0], Version(each[1])))
    # Sorted by name; versions of one project keep the order in which they come.
    lock = fn([plan.requirements[each] for each in locked], base_dir)
    names = group_names(plan.builds)
    packages = []
    for each, package in zip(locked, lock.packages, strict=True):
        marker = marker_text(plan.conditions[each], names)
        if marker is not None:
            package = dataclasses.replace(package, marker=Marker(marker))
        variants = plan.variants.get(each[0])
        if variants is not None:
            package = VariantPackage(package, variants)
        packages.append(package)
    used = frozenset[LockedVariant]().union(
        *itertools.chain.from_iterable(plan.conditions.values())
    )
    groups = sorted(names[each] for each in used)
    return dataclasses.replace(lock, packages=packages, default_groups=groups or None)
