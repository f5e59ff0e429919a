"""Write lock files: packages, their conditions and all their builds.

One entry contains all builds of a release (PEP 751, PEP 825).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from pip._vendor.packaging.version import Version

from pip._internal.console.output import get_logger
from pip._internal.console.texts import shortened
from pip._internal.models.direct_url import ArchiveInfo, DirectUrl
from pip._internal.operations.prepare import get_http_url
from pip._internal.utils.misc import hash_file
from pip._internal.variants.index.links import RenamedWheel
from pip._internal.variants.locks.conditions import (
    Condition,
    LockConflict,
    Locked,
    LockedVariant,
    group_name,
    marker_text,
)
from pip._internal.variants.locks.environments import (
    Document,
    current_documents,
    merged,
    with_marker,
)
from pip._internal.variants.locks.mode import Locks
from pip._internal.variants.locks.release import inlined
from pip._internal.variants.slots import LOCK

if TYPE_CHECKING:
    from pip._vendor.packaging.pylock import Pylock

    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.variants.locks.release import LockingRelease

    #: Creates a lock file from requirements, with paths relative to a folder.
    WriteLock = Callable[[Iterable[InstallRequirement], Path], Pylock]

logger = get_logger(__name__)


def lock_written(
    fn: WriteLock, install_requirements: Iterable[InstallRequirement], base_dir: Path
) -> Pylock:
    """Create the lock file with all variants and their dependencies.

    A lock file for a described machine has the markers of that machine.
    """
    requirements, documents = list(install_requirements), current_documents()
    mode = LOCK.of(requirements[0], Locks) if requirements else None
    if mode is not None and mode.releases:
        content: Mapping[str, Any] = _with_builds(fn, mode, base_dir)
    else:
        content = fn(requirements, base_dir).to_dict()
    if documents is not None:
        content = documents.add(content)
    elif mode is not None:
        content = merged([Document("", mode.environment, content)])
    if any("variants-json" in package for package in content["packages"]):
        logger.info(
            "The lock file contains variants: only installers that know variant "
            "labels can read it, on any platform. For a file that every installer "
            "can read, add --no-variants."
        )
    # pip uses no other attributes of the lock.
    return cast("Pylock", SimpleNamespace(to_dict=lambda: content))


def _with_builds(write: WriteLock, found: Locks, base_dir: Path) -> Mapping[str, Any]:
    """Return the lock file with all variants and their dependencies.

    :param found: the requirements to lock, whose missing hashes are added.
    :return: the TOML document.
    :raises LockConflict: if a locked package depends on an omitted variant, or if two
        variants would have the same dependency group.
    """
    conditions = found.conditions
    projects = {project for project, _ in conditions}
    _check_groups(conditions, projects, found.variants)
    variants = {
        project: _variants(release, found)
        for project, release in found.releases.items()
        if project in projects
    }
    locked = sorted(conditions, key=lambda each: (each[0], Version(each[1])))
    for project, version in locked:
        if project in variants:
            _complete(found.requirements[project, version], variants[project]["wheels"])
    # Sorted by name; versions of one project keep their order.
    lock = write([found.requirements[each] for each in locked], base_dir).to_dict()
    packages = [
        {
            **with_marker(package, marker_text(conditions[each])),
            **variants.get(each[0], {}),
        }
        for each, package in zip(locked, lock["packages"], strict=True)
    ]
    used = frozenset[LockedVariant | None]().union(*conditions.values())
    groups = [group_name(each) for each in used if each]
    return {**lock, "default-groups": groups, "packages": packages}


def _check_groups(
    conditions: Mapping[Locked, Condition],
    projects: Collection[str],
    variants: Iterable[LockedVariant],
) -> None:
    """Check that each group belongs to one locked variant."""
    for (project, version), condition in conditions.items():
        missing = [each for each in condition if each and each.project not in projects]
        if missing:
            raise LockConflict(
                f"Cannot lock {project} {version}: whether it is needed depends on the "
                "variant of a package that is not in the lock file.",
                [f"{each} needs {project}." for each in sorted(missing, key=str)],
            )
    named: dict[str, LockedVariant] = {}
    for variant in sorted(variants, key=str):
        other = named.setdefault(group_name(variant), variant)
        if other != variant:
            raise LockConflict(
                f"Cannot lock both {other} and {variant}: both would have the dependency "
                f"group '{group_name(variant)}'."
            )


def _variants(release: LockingRelease, found: Locks) -> dict[str, Any]:
    """Return the entry for the variants of a release: wheels and manifest."""
    locked = [build for build in release.builds if build in found.variants]
    labels = [build.label for build in locked if build.label is not None]
    links: list[Link] = []
    for build in locked:
        wheels = release.links_of(build)
        # One plain wheel is enough, as for upstream.
        links += wheels if build.label is not None else wheels[:1]
    assert release.source is not None, "it has variants"
    manifest = release.fetch_selections()[release.source].manifest
    plain = " and the plain wheel" if len(labels) < len(locked) else ""
    variants = f"the variant{'s' * (len(labels) > 1)} {shortened(labels)}"
    logger.info("Locking %s%s of %s", variants, plain, release)
    return {
        "wheels": [_locked_wheel(link, found.factory) for link in links],
        "variants-json": inlined(manifest, labels),
    }


def _locked_wheel(link: Link, factory: Factory) -> dict[str, Any]:
    # The label of a wheel on another site is in the fragment.
    url = link.url if isinstance(link, RenamedWheel) else link.url_without_fragment
    return {"name": link.filename, "url": url, "hashes": _hashes(link, factory)}


def _hashes(link: Link, factory: Factory) -> dict[str, str]:
    """Return the hashes that the lock file or index states, or else the wheel's own."""
    if link.has_hash:
        return link._hashes
    if link.is_file:
        path = link.file_path
    else:
        logger.info(
            "Downloading %s to compute its hash: the index does not state a hash",
            link.filename,
        )
        path = get_http_url(link, factory.preparer._download).path
    return {"sha256": hash_file(path)[0].hexdigest()}


def _complete(
    requirement: InstallRequirement, wheels: Iterable[dict[str, Any]]
) -> None:
    """Store the hash that stock pip expects in a requirement."""
    info = requirement.download_info
    for wheel in wheels:
        if info is not None and wheel["url"] == info.url:
            requirement.download_info = DirectUrl(
                url=wheel["url"], archive_info=ArchiveInfo(hashes=wheel["hashes"])
            )
