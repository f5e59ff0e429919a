"""Change the name and version of projects in core metadata and in requirements.

The rest of the metadata stays the same, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

from wheel_variants.publish.wheels import UnreadableWheel, WheelFile, WheelName, is_of

__all__ = ["Releases", "Twins", "check_renaming", "renamed", "renamed_requirement"]

#: The new version of each release, by project and old version.
Releases = Mapping[tuple[NormalizedName, Version], Version]
#: The project that replaces each twin, by name of the twin.
Twins = Mapping[NormalizedName, NormalizedName]
#: The separator between the headers and the description.
_END = re.compile(rb"\r?\n\r?\n")


def check_renaming(wheel: WheelFile, new: WheelName) -> None:
    """Check that the name and version of a wheel can be changed.

    :raises UnreadableWheel: if a change is impossible.
    """
    stem, release = new.stem, new.release
    if not is_of(renamed(wheel.metadata(), *release, {}), *release):
        raise UnreadableWheel(
            "the name or version in METADATA spans several lines, so wheel-variants "
            "cannot change the lines"
        )
    if wheel.dist_info != f"{stem}.dist-info":
        folders = {member.partition("/")[0] for member in wheel.members}
        taken = folders & {f"{stem}.dist-info", f"{stem}.data"}
        if taken:
            raise UnreadableWheel(f"the wheel already contains the folder {min(taken)}")


def renamed(
    metadata: bytes,
    project: NormalizedName,
    version: Version,
    releases: Releases,
    twins: Twins = MappingProxyType({}),
) -> bytes:
    """Return the core metadata of another release.

    :param project: the new name; the original spelling is kept if it is equivalent.
    :param releases: versions to replace in requirements with ``==``.
    :param twins: names to replace in requirements.
    """
    end = _END.search(metadata)
    length = len(metadata) if end is None else end.start()
    lines = metadata[:length].decode("utf-8", "surrogateescape").split("\n")
    for at, line in enumerate(lines):
        key, colon, value = line.partition(":")
        cr = "\r" if value.endswith("\r") else ""
        match key.lower():
            case "version":
                value = f" {version}{cr}"
            case "name" if project != canonicalize_name(value.strip()):
                value = f" {project}{cr}"
            case "requires-dist":
                value = renamed_requirement(value, releases, twins)
        lines[at] = f"{key}{colon}{value}"
    return "\n".join(lines).encode("utf-8", "surrogateescape") + metadata[length:]


def renamed_requirement(
    value: str, releases: Releases, twins: Twins = MappingProxyType({})
) -> str:
    """Return a requirement with replaced twins and replaced versions after ``==``."""
    try:
        # Some versions of packaging cannot parse variant markers.
        requirement = Requirement(value.partition(";")[0].strip())
    except (InvalidRequirement, RecursionError):
        return value
    project = canonicalize_name(requirement.name)
    for specifier in requirement.specifier:
        try:
            version = Version(specifier.version)
        except ValueError:
            continue
        other = releases.get((project, version))
        if specifier.operator in ("==", "===") and other is not None:
            written = re.escape(specifier.version)
            value = re.sub(rf"(===?\s*){written}", rf"\g<1>{other}", value, count=1)
    if project in twins and requirement.url is None:
        value = value.replace(requirement.name, twins[project], 1)
    return value
