"""Judge wheels, manifests, folders and indexes by the rules for publishers.

On a server, one wheel of each label is looked into, by range requests, as installers do
if there is no manifest. The wheels of a ``file:`` index are read in full.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from pip._vendor.wheel_variants.labels import (
    MANIFEST_SUFFIX,
    InvalidManifestFilename,
    parse_manifest_filename,
)
from pip._vendor.wheel_variants.manifest import Manifest
from pip._vendor.wheel_variants.manifest_parser import MAX_MANIFEST_SIZE

from pip._internal.console.output import get_logger
from pip._internal.console.texts import capital
from pip._internal.exceptions import DiagnosticPipError, PipError
from pip._internal.models.link import Link
from pip._internal.network.session import PipSession
from pip._internal.utils.urls import path_to_url
from pip._internal.variants.publishing import release_rules, wheel_rules
from pip._internal.variants.publishing.errors import NoSuchTarget
from pip._internal.variants.publishing.files import open_regular
from pip._internal.variants.publishing.findings import (
    CheckReport,
    Finding,
    Findings,
    found,
)
from pip._internal.variants.publishing.manifest_rules import check_manifest
from pip._internal.variants.publishing.places import Place, Release
from pip._internal.variants.publishing.provider_lookup import ProviderLookup
from pip._internal.variants.publishing.remote_index import page_of, project_pages
from pip._internal.variants.publishing.scanning import FileProgress, scan_folder
from pip._internal.variants.publishing.simple_index import HTML_PAGE
from pip._internal.variants.publishing.wheel_file import WheelName
from pip._internal.variants.wheels.remote_wheels import (
    NoRanges,
    WheelUnreadable,
    remote_wheel,
)
from pip._internal.variants.wheels.sources import (
    ManifestUnavailable,
    fetch_manifest_bytes,
    unattended,
)

__all__ = ["Check"]

logger = get_logger(__name__)

_SCHEMES = ("http://", "https://", "file:")
#: The name of metadata inside a wheel.
_EMBEDDED = "variant.json"


class Check:
    """A check of some targets: wheels, manifests, folders of both, pages of indexes."""

    def __init__(
        self, session: PipSession, providers: ProviderLookup, progress: FileProgress
    ) -> None:
        """Begin a check.

        :param progress: shows how far the files of a folder are read.
        """
        self.report = CheckReport()
        self.session = session
        self.providers = providers
        self.progress = progress

    def target(self, target: str) -> None:
        """Judge what *target* names, and add the findings to the report.

        :raises NoSuchTarget: if there is nothing of the kind.
        """
        if target.lower().startswith(_SCHEMES):
            self.url(target)
            return
        try:
            if not os.path.isdir(target):
                self.file(target)
            elif _is_page(target):
                self.url(path_to_url(target))
            else:
                self.folder(target)
        except OSError as error:
            raise NoSuchTarget(
                target,
                f"{error.filename or target}: {error.strerror or error}",
                "Name a wheel, a manifest, a folder of them, or the page of an index",
            ) from None

    def file(self, path: str) -> None:
        """Judge one file by itself: a wheel, or else a manifest.

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
        """Judge the wheels and manifests of a folder, each and together.

        :raises OSError: if something cannot be read.
        :raises NoSuchTarget: if there are none.
        """
        findings, prefix = self.report.findings, os.path.join(folder, "")
        names = sorted(os.listdir(folder))
        wheels = [each for each in names if each.endswith(".whl")]
        manifests = [each for each in names if each.endswith(MANIFEST_SUFFIX)]
        if not wheels and not manifests:
            raise NoSuchTarget(
                folder,
                "There are no wheels and no manifests in it; folders in it are not looked at",
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
            # A manifest without wheels is judged alone.
            self._together(place, release, labels=bool(release.wheels))

    def url(self, url: str) -> None:
        """Judge the page at *url*, or the pages of all projects that it lists.

        A wheel or a manifest at *url* is judged by itself.

        :raises NoSuchTarget: if there is no such page.
        """
        link = Link(url)
        if link.filename.endswith((".whl", MANIFEST_SUFFIX)):
            self._page(page_of(url.rpartition("/")[0], [link]), alone=True)
            return
        for page in project_pages(self.session, url):
            self._page(page)

    def _page(self, page: Place, *, alone: bool = False) -> None:
        """Judge what a page links to.

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
                    page, release, ", and have it listed with the wheels"
                )
            if alone or release.labels:
                for label in (*release.labels, None):
                    self._listed_wheels(page, release, release.wheels_of(label))
            if not alone:
                self._together(page, release)

    def _together(self, place: Place, release: Release, *, labels: bool = True) -> None:
        """Judge the files of one release together."""
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
        try:
            data, as_stated = fetch_manifest_bytes(self.session, page.links[name])
        except ManifestUnavailable as error:
            self.report.manifests += 1
            problem = f"It cannot be had: {error}"
            self.report.findings.append(found("manifest-present", subject, problem))
        else:
            release.manifest = self._manifest(data, subject, as_stated=as_stated)

    def _manifest(
        self, data: bytes, subject: str, *, as_stated: bool = True
    ) -> Manifest | None:
        """Judge a manifest.

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
        """Judge the wheels of one label that are files; of others, only the first."""
        for wheel in wheels:
            link, name = page.links[wheel.filename], wheel.filename
            findings, manifest = Findings(f"{page.prefix}{name}"), None
            if link.is_file:
                checked = wheel_rules.check_wheel(link.file_path, findings.subject)
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
        """Judge what a wheel on a server says of itself."""
        try:
            link = page.links[wheel.filename]
            with unattended(self.session) as budget:
                dist = remote_wheel(self.session, link, budget)
            if wheel.label is not None:
                data = dist.read_text(_EMBEDDED).encode("utf-8")
                checked = wheel_rules.check_embedded(
                    data, wheel.label, findings.subject
                )
                findings.extend(checked.findings)
                return checked.manifest
            metadata = dist.read_text("METADATA").encode("utf-8")
            findings.extend(wheel_rules.check_markers(metadata, findings.subject))
        except NoRanges:
            page.sends_parts = False
            logger.warning(
                "What the wheels of %s say was not judged: the server cannot send parts "
                "of them. Check the folder that they come from.",
                page.name,
            )
        except FileNotFoundError:
            findings.add("wheel-metadata", f"It has no {_EMBEDDED}")
        except (WheelUnreadable, PipError, OSError) as error:
            said = error.message if isinstance(error, DiagnosticPipError) else error
            findings.add("wheel-readable", f"It cannot be read: {said}")
        return None


def _is_page(folder: str) -> bool:
    names = os.listdir(folder)
    return HTML_PAGE in names and not any(name.endswith(".whl") for name in names)


def _check_manifest_name(name: str, subject: str) -> Iterator[Finding]:
    """Judge the file name of a manifest."""
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
    """Judge whether a release with variants has a manifest.

    :param to_do: what else to do, after writing it.
    """
    if release.labels and release.manifest_name is None:
        yield found(
            "manifest-present",
            place.name,
            f"There is no {release.due_manifest_name}, though {release} has variants",
            f"Write it with 'pip variants index'{to_do}",
        )
