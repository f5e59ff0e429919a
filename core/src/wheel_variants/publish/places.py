"""Files of releases in one place: a folder, or a page of an index."""

from __future__ import annotations

from dataclasses import dataclass, field

from packaging.utils import (
    NormalizedName,
    parse_sdist_filename,
)
from packaging.version import Version

from wheel_variants.labels import (
    MANIFEST_SUFFIX,
    InvalidManifestFilename,
    parse_manifest_filename,
)
from wheel_variants.manifest import Manifest
from wheel_variants.publish.pages import Link
from wheel_variants.publish.wheel_file import UnreadableWheel, WheelName

__all__ = ["Place", "Release", "sdist_release"]


@dataclass(slots=True)
class Release:
    """The files of one release, as one place offers them.

    :ivar wheels: names of its wheels.
    :ivar embedded: the metadata of its variant wheels that were read, by file name.
    :ivar manifest_name: the file name of its manifest; None if there is none.
    :ivar manifest: the parsed manifest; None if it cannot be used.
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
        """The labels of its wheels, each once, in order."""
        return sorted({each.label for each in self.wheels if each.label is not None})

    @property
    def files(self) -> list[str]:
        """The names of its wheels and source distributions, in order."""
        return sorted([*(each.filename for each in self.wheels), *self.sdists])

    @property
    def due_manifest_name(self) -> str:
        """The file name that its manifest must have (PEP 825)."""
        return f"{self.name.replace('-', '_')}-{self.version}{MANIFEST_SUFFIX}"

    def wheels_of(self, label: str | None) -> list[WheelName]:
        """Return the wheels with a label, or those without one for None."""
        return [each for each in self.wheels if each.label == label]


@dataclass(slots=True)
class Place:
    """A folder, or a page of an index, with the files there.

    :ivar name: a path, or a URL without passwords, for messages.
    :ivar prefix: put before the names of its files in messages.
    :ivar releases: by project and version.
    :ivar misnamed: names that end like those of wheels or manifests and are invalid,
        with the reason.
    :ivar links: links to the files of a page, by name.
    :ivar sends_parts: whether its server has always sent parts of files.
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
        """Add a file, and return its release; None if it belongs to none.

        Of several manifests of a release, or links of one name, the first one counts.
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
                    # Installers ignore other archives too.
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
    except ValueError:
        return None
