"""Change the name and the version in the core metadata of a wheel, and in requirements.

All else stays as it was written, byte by byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import NormalizedName, canonicalize_name
from pip._vendor.packaging.version import InvalidVersion, Version

__all__ = ["Releases", "renamed"]

#: By project and version, the version that takes its place.
Releases = Mapping[tuple[NormalizedName, str], Version]


def renamed(
    metadata: bytes, project: NormalizedName, version: Version, releases: Releases
) -> bytes:
    """Return the core metadata of another release.

    :param project: its name; how that was written stays if it means the same.
    :param releases: what requirements with ``==`` name is replaced.
    """
    head, separator, body = metadata.partition(b"\n\n")
    lines = head.decode("utf-8", "surrogateescape").split("\n")
    changed = (_line(line, project, version, releases) for line in lines)
    return "\n".join(changed).encode("utf-8", "surrogateescape") + separator + body


def _line(
    line: str, project: NormalizedName, version: Version, releases: Releases
) -> str:
    key, colon, value = line.partition(":")
    end = "\r" if value.endswith("\r") else ""
    match key.lower():
        case "version":
            return f"{key}{colon} {version}{end}"
        case "name" if project != canonicalize_name(value.strip()):
            return f"{key}{colon} {project}{end}"
        case "requires-dist":
            return f"{key}{colon}{_requirement(value, releases)}"
    return line


def _requirement(value: str, releases: Releases) -> str:
    try:
        requirement = Requirement(value.strip())
    except (InvalidRequirement, RecursionError):
        return value
    project = canonicalize_name(requirement.name)
    for specifier in requirement.specifier:
        try:
            version = Version(specifier.version)
        except InvalidVersion:
            continue
        other = releases.get((project, str(version)))
        if specifier.operator in ("==", "===") and other is not None:
            written = re.escape(specifier.version)
            value = re.sub(rf"(===?\s*){written}", rf"\g<1>{other}", value, count=1)
    return value
