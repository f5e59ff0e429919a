"""Check wheels, manifests, folders and indexes by the rules for publishers.

Of the wheels on a server, one for each label is read by range requests, as installers do
if there is no manifest. The wheels of a ``file:`` index are read in full.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wheel_variants.labels import MANIFEST_SUFFIX
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
from wheel_variants.publish.findings import Finding, found
from wheel_variants.publish.http import HttpSession, NoRanges, RemoteFile, Unavailable
from wheel_variants.publish.manifest_rules import CheckedManifest, check_manifest
from wheel_variants.publish.pages import project_pages
from wheel_variants.publish.provider_lookup import ProviderLookup
from wheel_variants.publish.releases import Link, Place, Release, scan_folder
from wheel_variants.publish.simple_index import HTML_PAGE
from wheel_variants.publish.wheels import UnreadableWheel, WheelName, wheel_in

__all__ = ["Check", "CheckReport"]

logger = logging.getLogger(__name__)

_SCHEMES = ("http://", "https://", "file:")
#: The name of metadata inside a wheel.
_EMBEDDED = "variant.json"
_JSON = "application/json, */*;q=0.1"
#: Bytes that are read at once of a wheel on a server.
_BUFFER = 16 << 10


@dataclass(slots=True)
class CheckReport:
    """What was judged, and what is wrong with it."""

    findings: list[Finding] = field(default_factory=list)
    wheels: int = 0
    manifests: int = 0

    @property
    def errors(self) -> int:
        """The number of findings that must be fixed."""
        return sum(finding.is_error for finding in self.findings)

    @property
    def warnings(self) -> int:
        """The number of findings that may stay."""
        return len(self.findings) - self.errors


class Check:
    """A check of some targets: wheels, manifests, folders of both, pages of indexes."""

    def __init__(self, session: HttpSession, providers: ProviderLookup) -> None:
        self.report = CheckReport()
        self.session, self.providers = session, providers

    def target(self, target: str) -> None:
        """Check *target*, and add the findings to the report.

        :raises NothingFound: if there is no such file, folder or page.
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
            raise NothingFound(
                target,
                said(error),
                "Name a wheel, a manifest, a folder of them, or the page of an index",
            ) from None

    def _add(
        self, rule: str, subject: str, problem: str, remedy: str | None = None
    ) -> None:
        self.report.findings.append(found(rule, subject, problem, remedy))

    def _file(self, path: str) -> None:
        """Check one file by itself: a wheel, or else a manifest."""
        name, findings = os.path.basename(path), self.report.findings
        if name.endswith(".whl"):
            self.report.wheels += 1
            checked = wheel_rules.check_wheel(path, path)
            findings += checked.findings
            findings += self.providers.check(checked.manifest, path)
            return
        manifest = self._manifest_file(path)
        if name.endswith(MANIFEST_SUFFIX):
            findings += release_rules.check_manifest_name(name, path)
        elif name == _EMBEDDED and manifest is not None and len(manifest.variants) != 1:
            labels = ", ".join(sorted(manifest.variants))
            problem = (
                f"A {_EMBEDDED} describes the one variant of its wheel, not {labels}"
            )
            self._add("wheel-label", path, problem)

    def _folder(self, folder: str) -> None:
        """Check the wheels and manifests of a folder, each and together."""
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
        place = scan_folder(folder, {}, hashes=False, prefix=prefix)
        findings += place.findings
        for release in place.releases.values():
            for name, manifest in release.embedded.items():
                findings += self.providers.check(manifest, f"{prefix}{name}")
        for name in manifests:
            subject = f"{prefix}{name}"
            read = self._manifest_file(subject)
            findings += release_rules.check_manifest_name(name, subject)
            named = place.add(name)
            if named is not None:
                named.manifest_name, named.manifest = name, read
        for release in place.releases.values():
            if manifests:
                findings += release_rules.check_presence(release, folder)
            # A manifest without wheels is checked alone.
            self._together(release, folder, labels=bool(release.wheels))

    def _url(self, url: str) -> None:
        """Check the page at *url*, or the pages of all projects that it lists.

        A wheel or a manifest at *url* is checked by itself.
        """
        link = Link.of(url)
        if link.filename.endswith((".whl", MANIFEST_SUFFIX)):
            folder = without_credentials(url.rpartition("/")[0])
            page = Place(folder, f"{folder}/")
            page.add(link.filename, link)
            self._page(page, alone=True)
            return
        for page in project_pages(self.session, url):
            self._page(page)

    def _page(self, page: Place, *, alone: bool = False) -> None:
        """Check the files of a page.

        :param alone: whether it is one file that the user named, not a page.
        """
        for name, reason in page.misnamed.items():
            rule, problem = "wheel-name", capital(reason)
            if not name.endswith(".whl"):
                rule, problem = "manifest-name", reason if alone else problem
            self._add(rule, f"{page.prefix}{name}", problem)
        for release in page.releases.values():
            self.report.wheels += len(release.wheels)
            if release.manifest_name is not None:
                self._listed_manifest(page, release, release.manifest_name)
            elif not alone:
                to_do = ", and list it with the wheels"
                missing = release_rules.check_presence(release, page.name, to_do)
                self.report.findings += missing
            if alone or release.labels:
                for label in (*release.labels, None):
                    self._listed_wheels(page, release, release.wheels_of(label))
            if not alone:
                self._together(release, page.name)

    def _together(self, release: Release, place: str, *, labels: bool = True) -> None:
        """Check the files of one release together."""
        findings = self.report.findings
        findings += release_rules.check_agreement(release)
        if labels:
            findings += release_rules.check_labels(release)
        findings += release_rules.check_fallback(release, place)

    def _manifest_file(self, path: str) -> Manifest | None:
        with open_regular(path) as file:
            # One byte too many is enough to tell.
            return self._manifest(file.read(MAX_MANIFEST_SIZE + 1), path)

    def _listed_manifest(self, page: Place, release: Release, name: str) -> None:
        subject, link = f"{page.prefix}{name}", page.links[name]
        self.report.findings += release_rules.check_manifest_name(name, subject)
        try:
            _, _, data = self.session.fetch(link.url, MAX_MANIFEST_SIZE, _JSON)
        except Unavailable as error:
            self.report.manifests += 1
            self._add("manifest-present", subject, f"It cannot be fetched: {error}")
        else:
            release.manifest = self._manifest(data, subject, link.hashes)

    def _manifest(
        self, data: bytes, subject: str, hashes: Mapping[str, str] | None = None
    ) -> Manifest | None:
        """Check a manifest.

        :param hashes: the hashes on the page.
        """
        checked, findings = check_manifest(data, subject), self.report.findings
        self.report.manifests += 1
        findings += checked.findings
        if not _has_hashes(data, hashes or {}):
            problem = "Its hash is not the one that the page states"
            remedy = "Write the page again after the manifest"
            self._add("manifest-hash", subject, problem, remedy)
        findings += self.providers.check(checked.manifest, subject)
        return checked.manifest

    def _listed_wheels(
        self, page: Place, release: Release, wheels: list[WheelName]
    ) -> None:
        """Check the wheels of one label that are files; of others, only the first."""
        for wheel in wheels:
            path, checked = page.links[wheel.filename].path, CheckedManifest(())
            subject = f"{page.prefix}{wheel.filename}"
            try:
                if path is not None:
                    checked = wheel_rules.check_wheel(path, subject)
                elif wheel is wheels[0] and page.sends_parts:
                    checked = self._look_into(page, wheel, subject)
            except (OSError, UnreadableWheel, Unavailable) as error:
                why = said(error) if isinstance(error, OSError) else error
                rule = getattr(error, "rule", "wheel-readable")
                self._add(rule, subject, f"It cannot be read: {why}")
            self.report.findings += checked.findings
            if checked.manifest is not None:
                release.embedded[wheel.filename] = checked.manifest

    def _look_into(
        self, page: Place, wheel: WheelName, subject: str
    ) -> CheckedManifest:
        """Check the metadata inside a wheel on a server."""
        try:
            file = RemoteFile(self.session, page.links[wheel.filename].url)
            with wheel_in(io.BufferedReader(file, _BUFFER), wheel) as opened:
                if wheel.label is None:
                    marked = wheel_rules.check_markers(opened.metadata(), subject)
                    return CheckedManifest(tuple(marked))
                data = opened.read(_EMBEDDED)
        except NoRanges:
            page.sends_parts = False
            logger.warning(
                "The metadata inside the wheels of %s was not checked: the server cannot "
                "send parts of them. Check the folder that they come from",
                page.name,
            )
            return CheckedManifest(())
        if data is None:
            problem = f"It has no {_EMBEDDED}"
            return CheckedManifest((found("wheel-metadata", subject, problem),))
        return wheel_rules.check_embedded(data, wheel.label, subject)


def _has_hashes(data: bytes, hashes: Mapping[str, str]) -> bool:
    """Return whether *data* has these digests; those of unknown algorithms count."""
    return all(
        hashlib.new(name, data).hexdigest() == digest.lower()
        for name, digest in hashes.items()
        if name in ("sha256", "sha384", "sha512")
    )


def _is_page(folder: str) -> bool:
    names = os.listdir(folder)
    return HTML_PAGE in names and not any(name.endswith(".whl") for name in names)
