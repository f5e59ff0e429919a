"""Judge what the pages of an index offer.

Of the wheels on a server one for each label is looked into, by range requests, as
installers do where there is no manifest; those of a ``file:`` index are read in full.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pip._vendor.packaging._variants import (
    MANIFEST_SUFFIX,
    InvalidManifestFilename,
    parse_manifest_filename,
)

from pip._internal.console.output import get_logger
from pip._internal.console.texts import capital
from pip._internal.exceptions import DiagnosticPipError, PipError
from pip._internal.models.link import Link
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.publishing.core_metadata import variant_marked
from pip._internal.variants.publishing.folder_check import check_manifest_name
from pip._internal.variants.publishing.manifest_rules import check_manifest
from pip._internal.variants.publishing.release_rules import (
    Release,
    check_agreement,
    check_fallback,
    check_labels,
    manifest_name,
)
from pip._internal.variants.publishing.remote_index import (
    OfferedRelease,
    project_pages,
)
from pip._internal.variants.publishing.rules import CheckReport, Findings
from pip._internal.variants.publishing.wheel_file import UnreadableWheel, WheelName
from pip._internal.variants.publishing.wheel_rules import check_embedded, check_wheel
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

if TYPE_CHECKING:
    from pip._internal.network.session import PipSession
    from pip._internal.variants.publishing.provider_lookup import ProviderLookup

__all__ = ["check_index"]

logger = get_logger(__name__)


def check_index(
    url: str, report: CheckReport, session: PipSession, providers: ProviderLookup
) -> None:
    """Judge the page at *url*, or the pages of all projects that it lists.

    A wheel or a manifest at *url* is judged by itself.

    :raises NoSuchTarget: if there is no such page.
    """
    link = Link(url)
    if link.filename.endswith((".whl", MANIFEST_SUFFIX)):
        shown = redact_auth_from_url(url).rpartition("/")[0]
        _PageCheck(shown, report, session, providers).check_file(link)
        return
    for page in project_pages(session, url):
        check = _PageCheck(page.url, report, session, providers)
        for name, reason in page.misnamed.items():
            findings = Findings(check.subject(name))
            rule = "wheel-name" if name.endswith(".whl") else "manifest-name"
            findings.add(rule, capital(reason))
            report.findings += findings
        for offered in page.releases.values():
            check.check_release(offered)


class _PageCheck:
    def __init__(
        self,
        url: str,
        report: CheckReport,
        session: PipSession,
        providers: ProviderLookup,
    ) -> None:
        self.url = url
        self.prefix = f"{url.removesuffix('index.html').rstrip('/')}/"
        self.report = report
        self.session = session
        self.providers = providers
        self.ranges = True

    def subject(self, filename: str) -> str:
        """Name a file of the page, wherever it is."""
        return f"{self.prefix}{filename}"

    def check_file(self, link: Link) -> None:
        """Judge a wheel or a manifest that may be of any page."""
        name = str(link.filename)
        findings = Findings(self.subject(name))
        try:
            if name.endswith(MANIFEST_SUFFIX):
                release = Release(*parse_manifest_filename(name))
                self._check_manifest(OfferedRelease(release), link)
            else:
                wheel = WheelName(name)
                release = Release(wheel.name, wheel.version)
                self.report.wheels += 1
                self._check_wheels(OfferedRelease(release, {name: link}), [wheel])
        except InvalidManifestFilename as error:
            findings.add("manifest-name", str(error))
        except UnreadableWheel as error:
            findings.add("wheel-name", capital(str(error)))
        self.report.findings += findings

    def check_release(self, offered: OfferedRelease) -> None:
        """Judge the files of one release."""
        release, report = offered.release, self.report
        report.wheels += len(release.wheels)
        for link in offered.manifests[:1]:
            self._check_manifest(offered, link)
        if release.labels and not offered.manifests:
            findings = Findings(self.url)
            findings.add(
                "manifest-present",
                f"There is no {manifest_name(release)}, though {release} has variants",
                "Write it with 'pip variants index', and have it listed with the wheels",
            )
            report.findings += findings
        for label in release.labels:
            self._check_wheels(offered, release.wheels_of(label))
        if release.labels:
            self._check_wheels(offered, release.wheels_of(None))
        report.findings += check_agreement(release, prefix=self.prefix)
        report.findings += check_labels(release, prefix=self.prefix)
        report.findings += check_fallback(release, self.url)

    def _check_manifest(self, offered: OfferedRelease, link: Link) -> None:
        self.report.manifests += 1
        name = str(link.filename)
        findings = Findings(self.subject(name))
        offered.release.manifest_name = name
        check_manifest_name(name, findings)
        try:
            data, as_stated = fetch_manifest_bytes(self.session, link)
        except ManifestUnavailable as error:
            findings.add("manifest-present", f"It cannot be had: {error}")
        else:
            checked = check_manifest(data, findings.subject)
            offered.release.manifest = checked.manifest
            findings.extend(checked.findings)
            if not as_stated:
                findings.add(
                    "manifest-hash",
                    "Its hash is not the one that the page states",
                    "Write the page again after the manifest",
                )
            if checked.manifest is not None:
                findings.extend(
                    self.providers.check(checked.manifest, findings.subject)
                )
        self.report.findings += findings

    def _check_wheels(self, offered: OfferedRelease, wheels: list[WheelName]) -> None:
        for wheel in wheels:
            link = offered.links[wheel.filename]
            if link.is_file:
                checked = check_wheel(link.file_path, self.subject(wheel.filename))
                self.report.findings += checked.findings
                if checked.manifest is not None:
                    offered.release.embedded[wheel.filename] = checked.manifest
        if wheels and not offered.links[wheels[0].filename].is_file:
            self._look_into(offered, wheels[0])

    def _look_into(self, offered: OfferedRelease, wheel: WheelName) -> None:
        """Judge what a wheel on a server says of itself."""
        if not self.ranges:
            return
        findings = Findings(self.subject(wheel.filename))
        try:
            link = offered.links[wheel.filename]
            with unattended(self.session) as budget:
                dist = remote_wheel(self.session, link, budget)
            if wheel.label is None:
                _check_markers(dist.read_text("METADATA"), findings)
            else:
                data = dist.read_text("variant.json").encode("utf-8")
                _, manifest = check_embedded(data, wheel.label, findings)
                if manifest is not None:
                    offered.release.embedded[wheel.filename] = manifest
        except NoRanges:
            self.ranges = False
            logger.warning(
                "What the wheels of %s say was not judged: the server cannot send parts "
                "of them. Check the folder that they come from.",
                self.url,
            )
        except FileNotFoundError:
            findings.add("wheel-metadata", "It has no variant.json")
        except WheelUnreadable as error:
            findings.add("wheel-readable", f"It cannot be read: {error}")
        except DiagnosticPipError as error:
            findings.add("wheel-readable", f"It cannot be read: {error.message}")
        except (PipError, OSError) as error:
            findings.add("wheel-readable", f"It cannot be read: {error}")
        self.report.findings += findings


def _check_markers(metadata: str, findings: Findings) -> None:
    marked = variant_marked(metadata.encode("utf-8"))
    if marked:
        findings.add(
            "plain-markers",
            "Installers that know no variants cannot read these dependencies: "
            f"{'; '.join(marked)}",
            "Leave them out of the plain wheel",
        )
