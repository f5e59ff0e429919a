"""Files of releases in one place, which is a folder or a page of an index."""

from __future__ import annotations

from dataclasses import dataclass, field

from pip._vendor.packaging._variants import (
    MANIFEST_SUFFIX,
    InvalidManifestFilename,
    parse_manifest_filename,
)
from pip._vendor.packaging.utils import (
    InvalidSdistFilename,
    NormalizedName,
    parse_sdist_filename,
)
from pip._vendor.packaging.version import InvalidVersion, Version

from pip._internal.models.link import Link
from pip._internal.variants.core.manifest import Manifest
from pip._internal.variants.publishing.wheel_file import UnreadableWheel, WheelName

__all__ = ["Place", "Release", "sdist_release"]


@dataclass(slots=True)
class Release:
    """The files of one release, as one place offers them.

    :ivar wheels: names of its wheels.
    :ivar embedded: what its variant wheels say, by file name; those that were read.
    :ivar manifest_name: the file name of its manifest; None if there is none.
    :ivar manifest: what that says; None if it cannot be used.
    :ivar sdists: names of its source distributions.
    """

    name: NormalizedName
    version: Version
    wheels: list[WheelName] = field(default_factory=list)
    embedded: dict[str, Manifest] = field(default_factory=dict)
    manifest_name: str | None = None
    manifest: Manifest | None = None
    sdists: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def labels(self) -> list[str]:
        """Return the labels that there are wheels of, each once, in order."""
        return sorted({each.label for each in self.wheels if each.label is not None})

    @property
    def files(self) -> list[str]:
        """Return the names of its wheels and source distributions, in order."""
        return sorted([*(each.filename for each in self.wheels), *self.sdists])

    @property
    def due_manifest_name(self) -> str:
        """Return the file name that its manifest is to have (PEP 825)."""
        return f"{self.name.replace('-', '_')}-{self.version}{MANIFEST_SUFFIX}"

    def wheels_of(self, label: str | None) -> list[WheelName]:
        """Return the wheels of a label; the plain ones for None."""
        return [each for each in self.wheels if each.label == label]


@dataclass(slots=True)
class Place:
    """A place with files.

    :ivar name: a path, or a URL without passwords, to be shown.
    :ivar prefix: what stands before the names of its files, to be shown.
    :ivar releases: by project and version.
    :ivar misnamed: names of files that are no wheels and no manifests, though they end
        like those; with the reason.
    :ivar links: to the files of a page, by name.
    :ivar sends_parts: False once a server sent no part of a file.
    """

    name: str
    prefix: str
    releases: dict[tuple[NormalizedName, Version], Release] = field(
        default_factory=dict
    )
    misnamed: dict[str, str] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    sends_parts: bool = True

    def add(self, filename: str, link: Link | None = None) -> Release | None:
        """Add a file to its release, which is returned; None if it is of none.

        Of several manifests of a release, or files of one name, the first one counts.
        """
        try:
            if filename.endswith(MANIFEST_SUFFIX):
                release = self._release(*parse_manifest_filename(filename))
                release.manifest_name = release.manifest_name or filename
            elif filename.endswith(".whl"):
                wheel = WheelName(filename)
                release = self._release(wheel.name, wheel.version)
                if filename not in self.links:
                    release.wheels.append(wheel)
            else:
                sdist = sdist_release(filename)
                if sdist is None:
                    # Archives of another kind, which no installer looks at.
                    return None
                release = self._release(*sdist)
                release.sdists.append(filename)
        except (InvalidManifestFilename, UnreadableWheel) as error:
            self.misnamed[filename] = str(error)
            return None
        if link is not None:
            self.links.setdefault(filename, link)
        return release

    def _release(self, name: NormalizedName, version: Version) -> Release:
        return self.releases.setdefault((name, version), Release(name, version))


def sdist_release(filename: str) -> tuple[NormalizedName, Version] | None:
    """Return the release of a source distribution; None for any other file."""
    try:
        return parse_sdist_filename(filename)
    except (InvalidSdistFilename, InvalidVersion):
        return None
