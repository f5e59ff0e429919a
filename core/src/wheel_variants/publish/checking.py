"""Check wheels, manifests, folders and indexes by the rules for publishers.

Of the wheels on a server, one for each label is read by range requests, as installers do
if there is no manifest. The wheels of a ``file:`` index are read in full.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from wheel_variants.labels import (
    MANIFEST_SUFFIX,
    InvalidManifestFilename,
    parse_manifest_filename,
)
from wheel_variants.manifest import Manifest
from wheel_variants.manifest_parser import MAX_MANIFEST_SIZE
from wheel_variants.publish import release_rules, wheel_rules
from wheel_variants.publish.errors import (
    NothingFound,
    capital,
    said,
    without_credentials,
)
from wheel_variants.publish.files import open_regular
from wheel_variants.publish.findings import (
    CheckReport,
    Finding,
    Findings,
    found,
)
from wheel_variants.publish.http import HttpSession, NoRanges, RemoteFile, Unavailable
from wheel_variants.publish.manifest_rules import check_manifest
from wheel_variants.publish.pages import Link, Page, fetch, project_pages
from wheel_variants.publish.provider_lookup import ProviderLookup
from wheel_variants.publish.releases import FileProgress, Place, Release, scan_folder
from wheel_variants.publish.simple_index import HTML_PAGE
from wheel_variants.publish.wheel_file import UnreadableWheel, WheelName, wheel_in
from wheel_variants.publish.wheel_rules import CheckedWheel

__all__ = ["Check", "place_of"]

logger = logging.getLogger(__name__)

_SCHEMES = ("http://", "https://", "file:")
#: The name of metadata inside a wheel.
_EMBEDDED = "variant.json"
_JSON = "application/json, */*;q=0.1"
#: Bytes that are read at once of a wheel on a server.
_BUFFER = 16 << 10


class Check:
    """A check of some targets: wheels, manifests, folders of both, pages of indexes."""

    def __init__(
        self, session: HttpSession, providers: ProviderLookup, progress: FileProgress
    ) -> None:
        """Begin a check.

        :param progress: shows the progress of reading a folder.
        """
        self.report = CheckReport()
        self.session = session
        self.providers = providers
        self.progress = progress

    def target(self, target: str) -> None:
        """Check *target*, and add the findings to the report.

        :raises NothingFound: if there is no such file, folder or page.
        """
        if target.lower().startswith(_SCHEMES):
            self.url(target)
            return
        try:
            if not os.path.isdir(target):
                self.file(target)
            elif _is_page(target):
                self.url(Path(target).absolute().as_uri())
            else:
                self.folder(target)
        except OSError as error:
            raise NothingFound(
                target,
                said(error),
                "Name a wheel, a manifest, a folder of them, or the page of an index",
            ) from None

    def file(self, path: str) -> None:
        """Check one file by itself: a wheel, or else a manifest.

        :raises OSError: if it cannot be read.
        """
        name, findings = os.path.basename(path), self.report.findings
        if name.endswith(".whl"):
            self.report.wheels += 1
            checked = wheel_rules.check_wheel(path, path)
            findings += checked.findings
            findings += self.providers.check(checked.manifest, path)
            return
        manifest = self._manifest_file(path)
        if name.endswith(MANIFEST_SUFFIX):
            findings += _check_manifest_name(name, path)
        elif name == _EMBEDDED and manifest is not None and len(manifest.variants) != 1:
            problem = (
                f"A {_EMBEDDED} describes the one variant of its wheel, not "
                f"{', '.join(sorted(manifest.variants))}"
            )
            findings.append(found("wheel-label", path, problem))

    def folder(self, folder: str) -> None:
        """Check the wheels and manifests of a folder, each and together.

        :raises OSError: if something cannot be read.
        :raises NothingFound: if there are none.
        """
        findings, prefix = self.report.findings, os.path.join(folder, "")
        names = sorted(os.listdir(folder))
        wheels = [each for each in names if each.endswith(".whl")]
        manifests = [each for each in names if each.endswith(MANIFEST_SUFFIX)]
        if not wheels and not manifests:
            raise NothingFound(
                folder,
                "there are no wheels and no manifests in it; subfolders are not read",
                "Name a folder of wheels",
            )
        self.report.wheels += len(wheels)
        place = scan_folder(
            folder, {}, hashes=False, prefix=prefix, progress=self.progress
        )
        findings += place.findings
        for release in place.releases.values():
            for name, manifest in release.embedded.items():
                findings += self.providers.check(manifest, f"{prefix}{name}")
        for name in manifests:
            subject = f"{prefix}{name}"
            read = self._manifest_file(subject)
            findings += _check_manifest_name(name, subject)
            named = place.add(name)
            if named is not None:
                named.manifest_name, named.manifest = name, read
        for release in place.releases.values():
            if manifests:
                findings += _check_presence(place, release)
            # A manifest without wheels is checked alone.
            self._together(place, release, labels=bool(release.wheels))

    def url(self, url: str) -> None:
        """Check the page at *url*, or the pages of all projects that it lists.

        A wheel or a manifest at *url* is checked by itself.

        :raises NothingFound: if there is no such page.
        """
        link = Link.of(url)
        if link.filename.endswith((".whl", MANIFEST_SUFFIX)):
            self._page(place_of(Page(url.rpartition("/")[0], [link])), alone=True)
            return
        for page in project_pages(self.session, url):
            self._page(place_of(page))

    def _page(self, page: Place, *, alone: bool = False) -> None:
        """Check the files of a page.

        :param alone: whether it is one file that the user named, not a page.
        """
        report = self.report
        for name, reason in page.misnamed.items():
            rule, problem = "wheel-name", capital(reason)
            if not name.endswith(".whl"):
                rule, problem = "manifest-name", reason if alone else problem
            report.findings.append(found(rule, f"{page.prefix}{name}", problem))
        for release in page.releases.values():
            report.wheels += len(release.wheels)
            if release.manifest_name is not None:
                self._listed_manifest(page, release)
            elif not alone:
                report.findings += _check_presence(
                    page, release, ", and list it with the wheels"
                )
            if alone or release.labels:
                for label in (*release.labels, None):
                    self._listed_wheels(page, release, release.wheels_of(label))
            if not alone:
                self._together(page, release)

    def _together(self, place: Place, release: Release, *, labels: bool = True) -> None:
        """Check the files of one release together."""
        findings = self.report.findings
        findings += release_rules.check_agreement(release, prefix=place.prefix)
        if labels:
            findings += release_rules.check_labels(release, prefix=place.prefix)
        findings += release_rules.check_fallback(release, place.name)

    def _manifest_file(self, path: str) -> Manifest | None:
        with open_regular(path) as file:
            # One byte too many is enough to tell.
            return self._manifest(file.read(MAX_MANIFEST_SIZE + 1), path)

    def _listed_manifest(self, page: Place, release: Release) -> None:
        name = str(release.manifest_name)
        subject = f"{page.prefix}{name}"
        self.report.findings += _check_manifest_name(name, subject)
        link = page.links[name]
        try:
            _, _, data = fetch(self.session, link.url, MAX_MANIFEST_SIZE, _JSON)
        except Unavailable as error:
            self.report.manifests += 1
            problem = f"It cannot be fetched: {error}"
            self.report.findings.append(found("manifest-present", subject, problem))
        else:
            as_stated = _has_hashes(data, link.hashes)
            release.manifest = self._manifest(data, subject, as_stated=as_stated)

    def _manifest(
        self, data: bytes, subject: str, *, as_stated: bool = True
    ) -> Manifest | None:
        """Check a manifest.

        :param as_stated: whether its hash is the one on the page.
        """
        checked, findings = check_manifest(data, subject), self.report.findings
        self.report.manifests += 1
        findings += checked.findings
        if not as_stated:
            findings.append(
                found(
                    "manifest-hash",
                    subject,
                    "Its hash is not the one that the page states",
                    "Write the page again after the manifest",
                )
            )
        findings += self.providers.check(checked.manifest, subject)
        return checked.manifest

    def _listed_wheels(
        self, page: Place, release: Release, wheels: list[WheelName]
    ) -> None:
        """Check the wheels of one label that are files; of others, only the first."""
        for wheel in wheels:
            link, name = page.links[wheel.filename], wheel.filename
            findings, manifest = Findings(f"{page.prefix}{name}"), None
            if link.path is not None:
                checked = _check_local(link.path, findings)
                findings.extend(checked.findings)
                manifest = checked.manifest
            elif wheel is wheels[0] and page.sends_parts:
                manifest = self._look_into(page, wheel, findings)
            self.report.findings += findings
            if manifest is not None:
                release.embedded[name] = manifest

    def _look_into(
        self, page: Place, wheel: WheelName, findings: Findings
    ) -> Manifest | None:
        """Check the metadata inside a wheel on a server."""
        try:
            file = RemoteFile(self.session, page.links[wheel.filename].url)
            with wheel_in(io.BufferedReader(file, _BUFFER), wheel) as opened:
                if wheel.label is None:
                    metadata, subject = opened.metadata(), findings.subject
                    findings.extend(wheel_rules.check_markers(metadata, subject))
                    return None
                data = opened.read(_EMBEDDED)
        except NoRanges:
            page.sends_parts = False
            logger.warning(
                "The metadata inside the wheels of %s was not checked: the server cannot "
                "send parts of them. Check the folder that they come from",
                page.name,
            )
        except (UnreadableWheel, Unavailable) as error:
            rule = getattr(error, "rule", "wheel-readable")
            findings.add(rule, f"It cannot be read: {error}")
        else:
            if data is not None:
                checked = wheel_rules.check_embedded(
                    data, wheel.label, findings.subject
                )
                findings.extend(checked.findings)
                return checked.manifest
            findings.add("wheel-metadata", f"It has no {_EMBEDDED}")
        return None


def place_of(page: Page) -> Place:
    """Return the files of a page by release."""
    shown = without_credentials(page.url)
    place = Place(shown, f"{shown.removesuffix(HTML_PAGE).rstrip('/')}/")
    for link in page.files:
        place.add(link.filename, link)
    return place


def _has_hashes(data: bytes, hashes: Mapping[str, str]) -> bool:
    """Return whether *data* has these digests; those of unknown algorithms count."""
    return all(
        hashlib.new(name, data).hexdigest() == digest.lower()
        for name, digest in hashes.items()
        if name in ("sha256", "sha384", "sha512")
    )


def _check_local(path: str, findings: Findings) -> CheckedWheel:
    """Check a wheel of an index in a folder."""
    try:
        return wheel_rules.check_wheel(path, findings.subject)
    except OSError as error:
        findings.add("wheel-readable", f"It cannot be read: {said(error)}")
        return CheckedWheel(tuple(findings))


def _is_page(folder: str) -> bool:
    names = os.listdir(folder)
    return HTML_PAGE in names and not any(name.endswith(".whl") for name in names)


def _check_manifest_name(name: str, subject: str) -> Iterator[Finding]:
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


def _check_presence(
    place: Place, release: Release, to_do: str = ""
) -> Iterator[Finding]:
    """Check whether a release with variants has a manifest.

    :param to_do: what else to do, after writing it.
    """
    if release.labels and release.manifest_name is None:
        yield found(
            "manifest-present",
            place.name,
            f"There is no {release.due_manifest_name}, though {release} has variants",
            f"Write it with 'wheel-variants index'{to_do}",
        )
