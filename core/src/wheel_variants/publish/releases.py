"""The files of releases in a folder or on an index page, and checks across files."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from packaging.utils import NormalizedName, parse_sdist_filename
from packaging.version import Version

from wheel_variants.labels import (
    MANIFEST_SUFFIX,
    InvalidManifestFilename,
    parse_manifest_filename,
)
from wheel_variants.manifest import Manifest
from wheel_variants.merging import Disagreement, Subject, disagreements, merge
from wheel_variants.publish.documents import to_json
from wheel_variants.publish.files import file_sha256, is_regular_below
from wheel_variants.publish.findings import Finding, found
from wheel_variants.publish.http import local_path
from wheel_variants.publish.manifest_rules import check_manifest
from wheel_variants.publish.output import track
from wheel_variants.publish.simple_index import IndexedFile, manifest_filename
from wheel_variants.publish.wheel_rules import CheckedWheel, check_wheel
from wheel_variants.publish.wheels import UnreadableWheel, WheelName, is_safe_name
from wheel_variants.rules import RULES

__all__ = [
    "Hashed",
    "Link",
    "Place",
    "ReleaseFiles",
    "ScannedFolder",
    "not_regular",
    "scan_folder",
]


#: Remedies for disagreements between manifests.
_REMEDIES = {
    Subject.NAMESPACES: (
        "Build all wheels of the release with the same list of namespaces, for example "
        "under [variant.default-priorities] in pyproject.toml; append new namespaces"
    ),
    Subject.PROPERTIES: (
        "Change the label of one wheel, or build both with the same properties, for "
        "example under [variant.properties] in pyproject.toml"
    ),
    Subject.PROVIDERS: (
        "Build both wheels with the same providers, for example under "
        "[variant.providers] in pyproject.toml"
    ),
    Subject.SCHEMAS: "Build all wheels of the release with the same --schema",
}
#: The remedy for a manifest that is older than the wheels.
_WRITE_AGAIN = "Write the manifest again with 'wheel-variants index'"


@dataclass(slots=True)
class ReleaseFiles:
    """The files of one release in a folder or on a page.

    :ivar prefix: the prefix of file names in messages.
    :ivar wheels: the names of the wheels.
    :ivar embedded: the metadata inside the variant wheels, by file name.
    :ivar manifest_name: the file name of the manifest, or None.
    :ivar manifest: the parsed manifest; None if missing or invalid.
    :ivar sdists: the names of the source distributions.
    """

    name: NormalizedName
    version: Version
    prefix: str = ""
    wheels: list[WheelName] = field(default_factory=list)
    embedded: dict[str, Manifest] = field(default_factory=dict)
    manifest_name: str | None = None
    manifest: Manifest | None = None
    sdists: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    @property
    def id(self) -> tuple[NormalizedName, Version]:
        """The project and version."""
        return self.name, self.version

    @property
    def labels(self) -> list[str]:
        """The labels of the wheels, sorted and without duplicates."""
        return sorted({each.label for each in self.wheels if each.label is not None})

    def wheels_of(self, label: str | None) -> list[WheelName]:
        """Return the wheels with *label*, or the plain wheels if *label* is None."""
        return [each for each in self.wheels if each.label == label]

    def check_agreement(self) -> Iterator[Finding]:
        """Check whether the wheels and the manifest agree."""
        prefix = self.prefix
        manifests = {f"{prefix}{name}": each for name, each in self.embedded.items()}
        own = f"{prefix}{self.manifest_name}"
        if self.manifest is not None:
            manifests[own] = self.manifest
        for each in disagreements(manifests) if manifests else ():
            rule, remedy = RULES[f"{each.subject.value}-agree"], _REMEDIES[each.subject]
            if own in each.names:
                remedy = f"{_WRITE_AGAIN}, or {remedy[:1].lower()}{remedy[1:]}"
            yield Finding(rule, each.names, f"The files {each.problem}", remedy)
        if len({each.schema for each in self.embedded.values()}) > 1:
            # A newer schema may require what an older one lacks.
            with suppress(Disagreement):
                merged = to_json(merge(self.embedded).document)
                findings = check_manifest(merged, own).findings
                yield from (each for each in findings if each.is_error)

    def check_labels(self) -> Iterator[Finding]:
        """Check whether the labels in the manifest match the labels of the wheels."""
        if self.manifest is None or not self.wheels:
            return
        subject = f"{self.prefix}{self.manifest_name}"
        labels, listed = set(self.labels), set(self.manifest.variants)
        for label in sorted(labels - listed):
            problem = (
                f"The manifest lacks label {label!r}, so installers ignore "
                f"{self.wheels_of(label)[0]}"
            )
            yield found("wheel-listed", subject, problem, _WRITE_AGAIN)
        if listed - labels:
            unused = ", ".join(sorted(listed - labels))
            problem = f"The manifest lists labels without wheels: {unused}"
            yield found("label-used", subject, problem)

    def check_fallback(self, place: str) -> Iterator[Finding]:
        """Check whether installers without variant support find a file to install.

        :param place: the folder or page of the release.
        """
        if self.sdists:
            return
        plain = {tag for wheel in self.wheels_of(None) for tag in wheel.tags}
        labeled = (each.plain for each in self.wheels if not each.tags & plain)
        missing = sorted(
            {"-".join(each[: -len(".whl")].split("-")[-3:]) for each in labeled}
        )
        if missing:
            others = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            yield found(
                "plain-fallback",
                place,
                f"{self} has no plain wheel for {', '.join(missing[:3])}{others}",
                "Publish a plain wheel; to make one from a variant, run 'wheel-variants "
                "build --from-label'",
            )

    def check_presence(self, place: str) -> Iterator[Finding]:
        """Check whether a release with variants has a manifest."""
        if self.labels and self.manifest_name is None:
            yield found(
                "manifest-present",
                place,
                f"{self} has variants, but {manifest_filename(*self.id)} is missing",
                "To write the manifest, run 'wheel-variants index'; on an index, also "
                "link to it",
            )


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a file.

    :ivar hashes: the digests in hexadecimal, by algorithm.
    """

    url: str
    filename: str
    hashes: dict[str, str] = field(default_factory=dict)
    yanked: bool = False

    @classmethod
    def of(cls, url: str, *, yanked: bool = False) -> Link:
        """Create a link from a URL and its fragment."""
        path, _, fragment = url.partition("#")
        hashes = dict(parse_qsl(fragment))
        name, label = _last_part(path), hashes.pop("variant", None)
        if label is not None:
            with suppress(UnreadableWheel):
                name = WheelName(name).without_local().labeled(label)
        return cls(path, name, hashes, yanked)

    @property
    def is_renamed(self) -> bool:
        """Whether only the page states the label (``wheel-variants adopt``)."""
        return self.filename != _last_part(self.url)

    @property
    def path(self) -> str | None:
        """The path of a ``file:`` URL, or None for any other URL."""
        return local_path(self.url)


def _last_part(url: str) -> str:
    with suppress(ValueError):
        url = urlsplit(url).path
    return unquote(posixpath.basename(url))


@dataclass(slots=True)
class Place:
    """The files in a folder or on an index page.

    :ivar name: a path, or a URL without passwords, for messages.
    :ivar prefix: the prefix of file names in messages.
    :ivar releases: the releases by project and version.
    :ivar misnamed: the invalid names of wheels and manifests, with the reason.
    :ivar links: the links to the files of a page, by name.
    :ivar projects: the URLs of the project pages that a page lists.
    :ivar sends_parts: whether the server has answered all range requests so far.
    """

    name: str
    prefix: str = ""
    releases: dict[tuple[NormalizedName, Version], ReleaseFiles] = field(
        default_factory=dict
    )
    misnamed: dict[str, str] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    projects: list[str] = field(default_factory=list)
    sends_parts: bool = True

    def add(self, filename: str, link: Link | None = None) -> ReleaseFiles | None:
        """Add a file, and return its release, or None.

        If a release has several manifests, or a name has several links, the first manifest
        or link counts.
        """
        try:
            if filename.endswith(MANIFEST_SUFFIX):
                release = self._release(*parse_manifest_filename(filename))
                release.manifest_name = release.manifest_name or filename
            elif filename.endswith(".whl"):
                wheel = WheelName(filename)
                release = self._release(*wheel.release)
                if filename not in self.links:
                    release.wheels.append(wheel)
            elif (sdist := _sdist_release(filename)) is not None:
                release = self._release(*sdist)
                release.sdists.append(filename)
            else:
                # Installers also ignore other archives.
                return None
        except (InvalidManifestFilename, UnreadableWheel) as error:
            self.misnamed[filename] = str(error)
            return None
        if link is not None:
            self.links.setdefault(filename, link)
        return release

    def _release(self, name: NormalizedName, version: Version) -> ReleaseFiles:
        new = ReleaseFiles(name, version, self.prefix)
        return self.releases.setdefault((name, version), new)


def _sdist_release(filename: str) -> tuple[NormalizedName, Version] | None:
    """Return the release of a source distribution, or None for any other file."""
    try:
        return parse_sdist_filename(filename)
    except ValueError:
        return None


class Hashed(NamedTuple):
    """The known digest of a file.

    :ivar modified: the modification time of the file, in nanoseconds.
    :ivar inode: the number that a file gets when it replaces another file.
    """

    size: int
    modified: int
    inode: int
    sha256: str


@dataclass(slots=True)
class ScannedFolder(Place):
    """The files in a folder.

    The releases are sorted, and include broken wheels.

    :ivar files: the wheels and source distributions without errors, by name.
    :ivar hashed: the digests of these files, if needed.
    :ivar findings: the broken rules of single files.
    :ivar read: the number of new and changed files.
    """

    files: dict[str, IndexedFile] = field(default_factory=dict)
    hashed: dict[str, Hashed] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    read: int = 0


def scan_folder(
    folder: str, known: Mapping[str, Hashed], *, hashes: bool, prefix: str = ""
) -> ScannedFolder:
    """Read the files of a folder, without subfolders.

    :param known: the digests from earlier runs, by file name.
    :param hashes: whether the digests of all files are needed.
    :param prefix: the prefix of file names in findings.
    :raises OSError: if a file cannot be read.
    """
    result = ScannedFolder(folder, prefix, hashed={} if hashes else dict(known))
    for name in track(list(_listed(result))):
        release, path = result.add(name), os.path.join(folder, name)
        status, old = os.stat(path), known.get(name)
        same = status.st_size, status.st_mtime_ns, status.st_ino
        is_new = old is None or old[:3] != same
        checked = CheckedWheel(())
        if name.endswith(".whl"):
            checked = check_wheel(path, f"{prefix}{name}", is_new=is_new)
            result.findings += checked.findings
            if any(each.is_error for each in checked.findings):
                continue
        assert release is not None, "the name is valid"
        if checked.manifest is not None:
            release.embedded[name] = checked.manifest
        if old is not None and not is_new:
            result.hashed[name] = old
        else:
            result.read += 1
        if hashes and name not in result.hashed:
            result.hashed[name] = Hashed(*same, file_sha256(path))
        result.files[name] = IndexedFile(
            *(name, release.version, status.st_size),
            result.hashed[name].sha256 if hashes else None,
            checked.metadata_sha256,
            checked.requires_python,
        )
    result.releases = dict(sorted(result.releases.items()))
    return result


def _listed(result: ScannedFolder) -> Iterator[str]:
    """Yield the publishable wheels and source distributions of a folder."""
    folder = result.name
    for name in sorted(os.listdir(folder)):
        sdist, subject = _sdist_release(name), f"{result.prefix}{name}"
        if name.startswith(".") or not (name.endswith(".whl") or sdist):
            continue
        if not is_regular_below(folder, name):
            result.findings.append(not_regular(subject))
        elif sdist is not None and not is_safe_name(name, sdist[0]):
            problem = f"Invalid file name: {name!r}"
            remedy = "Build the file again, or remove it"
            result.findings.append(found("sdist-name", subject, problem, remedy))
        else:
            yield name


def not_regular(subject: str) -> Finding:
    """Return the finding for a file that is not read."""
    problem = "Not a regular file in the folder, or a link to one"
    return found("regular-file", subject, problem, "Replace it with a regular file")
