"""Files of releases in one place: a folder, or a page of an index.

What the files of one release must agree about is checked here too.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, unquote, urlsplit

from packaging.utils import NormalizedName, parse_sdist_filename
from packaging.version import Version

from wheel_variants.labels import (
    MANIFEST_SUFFIX,
    InvalidManifestFilename,
    parse_manifest_filename,
)
from wheel_variants.manifest import Manifest
from wheel_variants.manifest_parser import parse_document
from wheel_variants.merging import Subject, disagreements
from wheel_variants.publish.files import file_sha256, is_regular_below
from wheel_variants.publish.findings import Finding, Findings, found
from wheel_variants.publish.http import local_path
from wheel_variants.publish.output import track
from wheel_variants.publish.simple_index import FileFacts
from wheel_variants.publish.wheel_rules import check_wheel
from wheel_variants.publish.wheels import UnreadableWheel, WheelName, is_safe_name
from wheel_variants.rules import RULES

__all__ = [
    "Link",
    "Place",
    "Release",
    "ScannedFolder",
    "check_manifest_name",
    "scan_folder",
]


#: What to do, by what manifests disagree about.
_REMEDIES = {
    Subject.NAMESPACES: (
        "Build the wheels of a release with the same list of namespaces, which "
        "[variant.default-priorities] in pyproject.toml may hold; add new ones at its end"
    ),
    Subject.PROPERTIES: (
        "Give the wheel with the other properties another label, or build both with the "
        "same ones; [variant.properties] in pyproject.toml may hold them"
    ),
    Subject.PROVIDERS: (
        "Build both wheels with the same providers; [variant.providers] in "
        "pyproject.toml may hold them"
    ),
    Subject.SCHEMAS: "Build the wheels of a release with the same --schema",
}
#: What to do about a manifest that is older than the wheels.
_WRITE_AGAIN = "Write the manifest again with 'wheel-variants index'"


@dataclass(slots=True)
class Release:
    """The files of one release, as one place offers them.

    :ivar prefix: put before the names of its files in messages.
    :ivar wheels: names of its wheels.
    :ivar embedded: the metadata of its variant wheels that were read, by file name.
    :ivar manifest_name: the file name of its manifest; None if there is none.
    :ivar manifest: the parsed manifest; None if it cannot be used.
    :ivar sdists: names of its source distributions.
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
    def labels(self) -> list[str]:
        """The labels of its wheels, each once, in order."""
        return sorted({each.label for each in self.wheels if each.label is not None})

    @property
    def due_manifest_name(self) -> str:
        """The file name that its manifest must have (PEP 825)."""
        return f"{self.name.replace('-', '_')}-{self.version}{MANIFEST_SUFFIX}"

    def wheels_of(self, label: str | None) -> list[WheelName]:
        """Return the wheels with a label, or those without one for None."""
        return [each for each in self.wheels if each.label == label]

    def check_agreement(self) -> Iterator[Finding]:
        """Check whether the wheels and the manifest agree."""
        prefix = self.prefix
        manifests = {f"{prefix}{name}": each for name, each in self.embedded.items()}
        own = f"{prefix}{self.manifest_name}"
        if self.manifest is not None:
            manifests[own] = self.manifest
        for disagreement in disagreements(manifests) if manifests else ():
            remedy = _REMEDIES[disagreement.subject]
            if own in disagreement.names:
                remedy = f"{_WRITE_AGAIN}, or {remedy[:1].lower()}{remedy[1:]}"
            problem = f"They {disagreement.problem}"
            rule = RULES[f"{disagreement.subject.value}-agree"]
            yield Finding(rule, disagreement.names, problem, remedy)

    def check_labels(self) -> Iterator[Finding]:
        """Check whether the manifest lists exactly the labels of the wheels."""
        if self.manifest is None:
            return
        subject = f"{self.prefix}{self.manifest_name}"
        labels, listed = self.labels, set(self.manifest.variants)
        for label in labels:
            if label not in listed:
                first, *_ = self.wheels_of(label)
                problem = (
                    f"The label {label!r} is missing, so that installers ignore "
                    f"{first.filename}"
                )
                yield found("wheel-listed", subject, problem, _WRITE_AGAIN)
        unused = sorted(listed - set(labels))
        if unused:
            problem = f"It lists labels that no wheel has: {', '.join(unused)}"
            yield found("label-used", subject, problem)

    def check_fallback(self, place: str) -> Iterator[Finding]:
        """Check whether installers without support for variants find a wheel too.

        :param place: the folder or page of the release.
        """
        if self.sdists:
            return
        plain = {tag for wheel in self.wheels_of(None) for tag in wheel.tags}
        missing = sorted(
            {
                "-".join(wheel.plain[: -len(".whl")].split("-")[-3:])
                for wheel in self.wheels
                if wheel.label is not None and not wheel.tags & plain
            }
        )
        if missing:
            others = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            yield found(
                "plain-fallback",
                place,
                f"{self} has no plain wheel for {', '.join(missing[:3])}{others}",
                "Publish one; 'wheel-variants build --from-label' makes it from a variant",
            )

    def check_presence(self, place: str, to_do: str = "") -> Iterator[Finding]:
        """Check whether a release with variants has a manifest.

        :param to_do: what else to do, after writing it.
        """
        if self.labels and self.manifest_name is None:
            yield found(
                "manifest-present",
                place,
                f"There is no {self.due_manifest_name}, though {self} has variants",
                f"Write it with 'wheel-variants index'{to_do}",
            )


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a file.

    :ivar hashes: digests in hexadecimal, by algorithm.
    """

    url: str
    filename: str
    hashes: dict[str, str] = field(default_factory=dict)
    yanked: bool = False

    @classmethod
    def of(cls, url: str, *, yanked: bool = False) -> Link:
        """Return a link of which little more is known than its URL."""
        path, _, fragment = url.partition("#")
        hashes = dict(parse_qsl(fragment))
        name, label = _last_part(path), hashes.pop("variant", None)
        if label is not None:
            with suppress(UnreadableWheel):
                name = WheelName(name).without_local().labelled(label)
        return cls(path, name, hashes, yanked)

    @property
    def is_renamed(self) -> bool:
        """Whether the page alone states its label (``wheel-variants adopt``)."""
        return self.filename != _last_part(self.url)

    @property
    def path(self) -> str | None:
        """The path of a ``file:`` URL; None for any other."""
        return local_path(self.url)


def _last_part(url: str) -> str:
    return unquote(posixpath.basename(urlsplit(url).path))


@dataclass(slots=True)
class Place:
    """A folder, or a page of an index, with the files there.

    :ivar name: a path, or a URL without passwords, for messages.
    :ivar prefix: put before the names of its files in messages.
    :ivar releases: by project and version.
    :ivar misnamed: names that end like those of wheels or manifests and are invalid,
        with the reason.
    :ivar links: links to the files of a page, by name.
    :ivar projects: the URLs of the pages of projects that a page lists.
    :ivar sends_parts: whether its server has always sent parts of files.
    """

    name: str
    prefix: str = ""
    releases: dict[tuple[NormalizedName, Version], Release] = field(
        default_factory=dict
    )
    misnamed: dict[str, str] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    projects: list[str] = field(default_factory=list)
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
            elif (sdist := _sdist_release(filename)) is not None:
                release = self._release(*sdist)
                release.sdists.append(filename)
            else:
                # Installers ignore other archives too.
                return None
        except (InvalidManifestFilename, UnreadableWheel) as error:
            self.misnamed[filename] = str(error)
            return None
        if link is not None:
            self.links.setdefault(filename, link)
        return release

    def _release(self, name: NormalizedName, version: Version) -> Release:
        new = Release(name, version, self.prefix)
        return self.releases.setdefault((name, version), new)


def _sdist_release(filename: str) -> tuple[NormalizedName, Version] | None:
    """Return the release of a source distribution; None for any other file."""
    try:
        return parse_sdist_filename(filename)
    except ValueError:
        return None


@dataclass(slots=True)
class ScannedFolder(Place):
    """The files of a folder.

    Its releases are sorted, and include broken wheels.

    :ivar files: facts about the wheels and source distributions without errors, by name.
    :ivar findings: the rules that each file breaks by itself.
    :ivar read: how many files were read, because they are new or changed.
    """

    files: dict[str, FileFacts] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    read: int = 0


def scan_folder(
    folder: str, known: Mapping[str, FileFacts], *, hashes: bool, prefix: str = ""
) -> ScannedFolder:
    """Read the files of a folder, but not of folders in it.

    :param known: facts from earlier runs, by file name.
    :param hashes: whether the digests of all files are needed.
    :param prefix: put before names of files in findings.
    :raises OSError: if something cannot be read.
    """
    result = ScannedFolder(folder, prefix)
    listed = dict(_listed(result))
    result.files = {
        name: known[name]
        for name, facts in listed.items()
        if name in known
        and (known[name].size, known[name].modified) == (facts.size, facts.modified)
        and not (hashes and known[name].sha256 is None)
    }
    to_read = [name for name in listed if name not in result.files]
    for name in track(to_read):
        path, facts = os.path.join(folder, name), listed[name]
        if name.endswith(".whl"):
            checked = check_wheel(path, f"{prefix}{name}")
            result.findings += checked.findings
            if checked.has_errors:
                continue
            facts = replace(
                facts,
                metadata_sha256=checked.metadata_sha256,
                requires_python=checked.requires_python,
                document=checked.document,
            )
        digest = file_sha256(path) if hashes else None
        result.files[name] = replace(facts, sha256=digest)
    result.read = len(to_read)
    result.files = dict(sorted(result.files.items()))
    _group(result, listed)
    return result


def _group(result: ScannedFolder, names: Iterable[str]) -> None:
    """Sort files by release."""
    for name in names:
        release, facts = result.add(name), result.files.get(name)
        if release is not None and facts is not None and facts.document is not None:
            release.embedded[name] = parse_document(facts.document)
    result.releases = dict(sorted(result.releases.items()))


def _listed(result: ScannedFolder) -> Iterator[tuple[str, FileFacts]]:
    """Yield the wheels and source distributions of a folder that may be published."""
    folder = result.name
    for name in sorted(os.listdir(folder)):
        sdist, findings = _sdist_release(name), Findings(f"{result.prefix}{name}")
        if name.startswith(".") or not (name.endswith(".whl") or sdist):
            continue
        if not is_regular_below(folder, name):
            findings.add(
                "regular-file",
                "It is not a regular file of the folder, nor a link to one",
                "Put the file itself there",
            )
        if sdist is not None and not is_safe_name(name, sdist[0]):
            problem = f"Its name is invalid: {name!r}"
            findings.add("sdist-name", problem, "Build it again, or remove it")
        result.findings += findings
        if not any(findings):
            status = os.stat(os.path.join(folder, name))
            yield name, FileFacts(status.st_size, status.st_mtime_ns)


def check_manifest_name(name: str, subject: str) -> Iterator[Finding]:
    """Check the file name of a manifest."""
    try:
        due = Release(*parse_manifest_filename(name)).due_manifest_name
    except InvalidManifestFilename as error:
        remedy = "Name it like torch-2.8.0-variants.json"
        yield found("manifest-name", subject, str(error), remedy)
        return
    if name != due:
        problem = f"Its name is not normalised: {name!r}"
        yield found("manifest-name", subject, problem, f"Name it {due}")
