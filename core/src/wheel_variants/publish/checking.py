"""Check wheels, manifests, folders and indexes against the rules for publishers.

On a server, the check reads one wheel per label with range requests, as installers do if
there is no manifest. The check reads all wheels of a ``file:`` index in full.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

from wheel_variants.built_in import BUILT_IN_PLUGINS
from wheel_variants.labels import MANIFEST_SUFFIX, parse_manifest_filename
from wheel_variants.manifest import Manifest
from wheel_variants.manifest_parser import MAX_MANIFEST_SIZE
from wheel_variants.provider_requirements import UnusableProvider, parse_requirement
from wheel_variants.publish.errors import (
    NothingFound,
    capital,
    os_reason,
    without_credentials,
)
from wheel_variants.publish.files import file_sha256, is_regular_below, open_regular
from wheel_variants.publish.findings import Finding, found
from wheel_variants.publish.http import (
    HttpSession,
    NoRangeSupport,
    RemoteFile,
    Unavailable,
)
from wheel_variants.publish.manifest_rules import CheckedManifest, check_manifest
from wheel_variants.publish.pages import project_pages, read_page
from wheel_variants.publish.releases import (
    Link,
    Place,
    ReleaseFiles,
    not_regular,
    scan_folder,
)
from wheel_variants.publish.simple_index import HTML_PAGE, manifest_filename
from wheel_variants.publish.wheel_rules import check_open_wheel, check_wheel
from wheel_variants.publish.wheels import (
    ATTESTATIONS,
    UnreadableWheel,
    WheelName,
    wheel_in,
)

__all__ = ["Check"]

logger = logging.getLogger(__name__)

_HINT = "Specify a wheel, a manifest, a folder with both, or the page of an index"
_NAME_HINT = "Use a name such as torch-2.8.0-variants.json"
_SCHEMES = ("http://", "https://", "file:")
#: If a client accepts JSON, devpi sends a description instead of the file.
_ANY = "*/*"
_FILES = (".whl", MANIFEST_SUFFIX)
#: Files that have no variants, but are often beside wheels.
_OTHERS = (".tar.gz", ".zip", ".whl.metadata", *ATTESTATIONS)


class Check:
    """A check of wheels, manifests, folders of both, and index pages."""

    def __init__(self, session: HttpSession, indexes: Sequence[str]) -> None:
        """Start a check.

        :param indexes: URLs of the indexes to search for provider plugins, if any.
        """
        self.session = session
        self._indexes = [f"{each.rstrip('/')}/" for each in indexes]
        self._versions = functools.cache(self._find_versions)
        self.findings: list[Finding] = []
        self.wheels = self.manifests = 0

    def target(self, target: str) -> None:
        """Check *target*, and record the findings.

        :raises NothingFound: if the file, folder or page does not exist.
        """
        try:
            if target.lower().startswith(_SCHEMES):
                self._url(target)
            elif not os.path.isdir(target):
                self._file(target)
            elif _is_page(target):
                self._url(Path(target).absolute().as_uri())
            else:
                self._folder(target)
        except OSError as error:
            where = error.filename or target
            raise NothingFound(where, os_reason(error), _HINT) from None

    def _file(self, path: str) -> None:
        """Check one file: a wheel or a manifest; ignore files without variants."""
        with open_regular(path) as file:
            # One extra byte shows that the file is too large.
            data = file.read(MAX_MANIFEST_SIZE + 1)
        if path.endswith(_FILES):
            self._alone(path, Path(path).absolute().as_uri())
        elif path.endswith(".json"):
            self._manifest(data, path)
        elif not path.endswith(_OTHERS):
            raise NothingFound(path, "not a wheel or a manifest", _HINT)

    def _folder(self, folder: str) -> None:
        """Check the wheels and manifests of a folder, and whether they agree."""
        prefix = os.path.join(folder, "")
        place = scan_folder(folder, {}, hashes=False, prefix=prefix)
        # Invalid wheel names are already in the findings.
        place.misnamed.clear()
        names = sorted(os.listdir(folder))
        manifests = [each for each in names if each.endswith(MANIFEST_SUFFIX)]
        for name in manifests:
            if is_regular_below(folder, name):
                url = Path(folder, name).absolute().as_uri()
                place.add(name, Link(url, name))
            else:
                self.findings.append(not_regular(f"{prefix}{name}"))
        if not manifests and not any(each.endswith(".whl") for each in names):
            raise NothingFound(
                folder,
                "the folder contains no wheels or manifests; subfolders are not read",
                "Specify a folder of wheels",
            )
        self.findings += place.findings
        self._place(place, needs_manifests=bool(manifests))

    def _url(self, url: str) -> None:
        """Check the page at *url*, or the pages of all projects that the page lists.

        If *url* is a wheel or a manifest, only that file is checked.
        """
        if Link.of(url).filename.endswith(_FILES):
            self._alone(without_credentials(url), url)
        else:
            for page in project_pages(self.session, url):
                self._place(page)

    def _alone(self, subject: str, url: str) -> None:
        """Check only the wheel or the manifest at *url*."""
        link = Link.of(url)
        place = Place(subject, subject.removesuffix(link.filename))
        place.add(link.filename, link)
        self._place(place, alone=True)

    def _place(
        self, place: Place, *, alone: bool = False, needs_manifests: bool = True
    ) -> None:
        """Check the files of a folder or page.

        :param alone: whether the user named a single file.
        :param needs_manifests: whether a release with variants must have a manifest.
        """
        findings = self.findings
        for name, reason in place.misnamed.items():
            subject = f"{place.prefix}{name}"
            is_manifest = name.endswith(MANIFEST_SUFFIX)
            rule = "manifest-name" if is_manifest else "wheel-name"
            remedy = _NAME_HINT if is_manifest else None
            findings.append(found(rule, subject, capital(reason), remedy))
        for release in place.releases.values():
            self.wheels += len(release.wheels)
            if release.manifest_name is not None:
                self._listed_manifest(place, release, release.manifest_name)
            elif needs_manifests and not alone:
                findings += release.check_presence(place.name)
            if alone or release.labels:
                for label in (*release.labels, None):
                    self._listed_wheels(place, release, release.wheels_of(label))
            for name, manifest in release.embedded.items():
                findings += self._plugins(manifest, f"{place.prefix}{name}")
            if not alone:
                findings += release.check_agreement()
                findings += release.check_labels()
                findings += release.check_fallback(place.name)

    def _listed_manifest(self, place: Place, release: ReleaseFiles, name: str) -> None:
        subject, link = f"{place.prefix}{name}", place.links[name]
        due = manifest_filename(*parse_manifest_filename(name))
        if name != due:
            problem = f"The file name is not normalized: {name!r}"
            remedy = f"Rename the file to {due}"
            self.findings.append(found("manifest-name", subject, problem, remedy))
        try:
            data = self.session.fetch(link.url, MAX_MANIFEST_SIZE, _ANY).body
        except Unavailable as error:
            self.manifests += 1
            problem = f"The manifest cannot be fetched: {error}"
            self.findings.append(found("manifest-present", subject, problem))
            return
        release.manifest = self._manifest(data, subject)
        if not _has_hashes(data, link.hashes):
            problem = "The manifest does not match the hash on the page"
            remedy = "Write the page again after writing the manifest"
            self.findings.append(found("manifest-hash", subject, problem, remedy))

    def _manifest(self, data: bytes, subject: str) -> Manifest | None:
        """Check a manifest."""
        checked = check_manifest(data, subject)
        self.manifests += 1
        self.findings += checked.findings
        if checked.manifest is not None:
            self.findings += self._plugins(checked.manifest, subject)
        return checked.manifest

    def _listed_wheels(
        self, place: Place, release: ReleaseFiles, wheels: list[WheelName]
    ) -> None:
        """Check the wheels of one label: all local files, or the first file on a server."""
        findings = self.findings
        for wheel in wheels:
            link, subject = place.links.get(wheel.filename), f"{place.prefix}{wheel}"
            if link is None:
                continue
            try:
                if link.path is not None:
                    checked: CheckedManifest = check_wheel(link.path, subject)
                    expected = link.hashes.get("sha256")
                    if expected and file_sha256(link.path) != expected.lower():
                        problem = "The wheel does not match the hash on the page"
                        remedy = "Write the page again after building the wheel"
                        findings.append(found("wheel-hash", subject, problem, remedy))
                elif wheel is wheels[0] and place.sends_parts and not link.is_renamed:
                    with wheel_in(RemoteFile(self.session, link.url), wheel) as opened:
                        checked = check_open_wheel(opened, subject, with_record=False)
                else:
                    continue
            except NoRangeSupport:
                place.sends_parts = False
                logger.warning(
                    "Did not check the metadata inside the wheels of %s: the server does "
                    "not support range requests. Check the folder of the wheels instead",
                    place.name,
                )
                continue
            except (OSError, UnreadableWheel, Unavailable) as error:
                why = os_reason(error) if isinstance(error, OSError) else error
                rule = getattr(error, "rule", "wheel-readable")
                problem = f"The wheel cannot be read: {why}"
                findings.append(found(rule, subject, problem))
                continue
            findings += checked.findings
            if checked.manifest is not None:
                release.embedded[wheel.filename] = checked.manifest

    def _plugins(self, manifest: Manifest, subject: str) -> Iterator[Finding]:
        """Check that the plugins in *manifest* can be installed.

        Built-in plugins need not be installed; plugins with a URL are skipped.
        """
        places = " or ".join(map(without_credentials, self._indexes))
        for provider in manifest.providers.values() if places else ():
            for text in dict.fromkeys(provider.requires):
                # The rule provider-requires reports invalid requirements.
                with suppress(UnusableProvider):
                    requirement = parse_requirement(text, provider.namespace)
                    if self._can_be_installed(requirement, provider.namespace):
                        continue
                    yield found(
                        "provider-installable",
                        subject,
                        f"The provider for {provider.namespace!r} cannot be installed: "
                        f"{places} has no wheel of '{requirement}', and installers do "
                        "not include it",
                        "Publish the provider, name another one, or list the supported "
                        "values",
                    )

    def _can_be_installed(self, requirement: Requirement, namespace: str) -> bool:
        """Return whether a plugin is built in, available, or not searched for."""
        name = canonicalize_name(requirement.name)
        return (
            requirement.url is not None
            or name in BUILT_IN_PLUGINS.get(namespace, ())
            # Another finding reports this.
            or requirement.specifier.is_unsatisfiable()
            or any(
                any(requirement.specifier.filter(self._versions(index, name)))
                for index in self._indexes
            )
        )

    def _find_versions(self, index: str, name: NormalizedName) -> list[Version]:
        """Return the versions with plain wheels, which installers require for plugins."""
        try:
            page = read_page(self.session, f"{index}{name}/")
        except (Unavailable, ValueError) as error:
            shown = without_credentials(index)
            logger.warning("Cannot search for %s on %s: %s", name, shown, error)
            return []
        return [
            wheel.version
            for release in page.releases.values()
            for wheel in release.wheels_of(None)
            if wheel.name == name and not page.links[wheel.filename].yanked
        ]


def _has_hashes(data: bytes, hashes: Mapping[str, str]) -> bool:
    """Return whether *data* has these digests; ignore digests of unknown algorithms."""
    return all(
        hashlib.new(name, data).hexdigest() == digest.lower()
        for name, digest in hashes.items()
        if name in ("sha256", "sha384", "sha512")
    )


def _is_page(folder: str) -> bool:
    names = os.listdir(folder)
    return HTML_PAGE in names and not any(name.endswith(".whl") for name in names)
