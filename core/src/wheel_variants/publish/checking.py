"""Check wheels, manifests, folders and indexes by the rules for publishers.

Of the wheels on a server, one for each label is read by range requests, as installers do
if there is no manifest. The wheels of a ``file:`` index are read in full.
"""

from __future__ import annotations

import functools
import hashlib
import io
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

from wheel_variants.labels import MANIFEST_SUFFIX
from wheel_variants.manifest import Manifest, ProviderKind
from wheel_variants.manifest_parser import MAX_MANIFEST_SIZE
from wheel_variants.provider_requirements import UnusableProvider, parse_requirement
from wheel_variants.publish import wheel_rules
from wheel_variants.publish.errors import (
    NothingFound,
    capital,
    said,
    without_credentials,
)
from wheel_variants.publish.files import open_regular
from wheel_variants.publish.findings import Finding, found
from wheel_variants.publish.http import HttpSession, NoRanges, RemoteFile, Unavailable
from wheel_variants.publish.known_providers import BUILT_IN_PACKAGES
from wheel_variants.publish.manifest_rules import CheckedManifest, check_manifest
from wheel_variants.publish.pages import project_pages, read_page
from wheel_variants.publish.releases import (
    Link,
    Place,
    Release,
    check_manifest_name,
    scan_folder,
)
from wheel_variants.publish.simple_index import HTML_PAGE
from wheel_variants.publish.wheels import UnreadableWheel, WheelName, wheel_in

__all__ = ["Check"]

logger = logging.getLogger(__name__)

_SCHEMES = ("http://", "https://", "file:")
#: The name of metadata inside a wheel.
_EMBEDDED = "variant.json"
_JSON = "application/json, */*;q=0.1"
#: Bytes that are read at once of a wheel on a server.
_BUFFER = 16 << 10


class Check:
    """A check of some targets: wheels, manifests, folders of both, pages of indexes."""

    def __init__(self, session: HttpSession, indexes: Sequence[str]) -> None:
        """Begin a check.

        :param indexes: URLs; without any, no provider plugin is looked for.
        """
        self.session, self.providers = session, _ProviderLookup(session, indexes)
        self.findings: list[Finding] = []
        self.wheels = self.manifests = 0

    def target(self, target: str) -> None:
        """Check *target*, and add to the findings.

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
        self.findings.append(found(rule, subject, problem, remedy))

    def _file(self, path: str) -> None:
        """Check one file by itself: a wheel, or else a manifest."""
        name, findings = os.path.basename(path), self.findings
        if name.endswith(".whl"):
            self.wheels += 1
            checked = wheel_rules.check_wheel(path, path)
            findings += checked.findings
            findings += self.providers.check(checked.manifest, path)
            return
        manifest = self._manifest_file(path)
        if name.endswith(MANIFEST_SUFFIX):
            findings += check_manifest_name(name, path)
        elif name == _EMBEDDED and manifest is not None and len(manifest.variants) != 1:
            labels = ", ".join(sorted(manifest.variants))
            problem = (
                f"A {_EMBEDDED} describes the one variant of its wheel, not {labels}"
            )
            self._add("wheel-label", path, problem)

    def _folder(self, folder: str) -> None:
        """Check the wheels and manifests of a folder, each and together."""
        findings, prefix = self.findings, os.path.join(folder, "")
        names = sorted(os.listdir(folder))
        wheels = [each for each in names if each.endswith(".whl")]
        manifests = [each for each in names if each.endswith(MANIFEST_SUFFIX)]
        if not wheels and not manifests:
            raise NothingFound(
                folder,
                "there are no wheels and no manifests in it; subfolders are not read",
                "Name a folder of wheels",
            )
        self.wheels += len(wheels)
        place = scan_folder(folder, {}, hashes=False, prefix=prefix)
        findings += place.findings
        for release in place.releases.values():
            for name, manifest in release.embedded.items():
                findings += self.providers.check(manifest, f"{prefix}{name}")
        for name in manifests:
            subject = f"{prefix}{name}"
            read = self._manifest_file(subject)
            findings += check_manifest_name(name, subject)
            named = place.add(name)
            if named is not None:
                named.manifest_name, named.manifest = name, read
        for release in place.releases.values():
            if manifests:
                findings += release.check_presence(folder)
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
            self.wheels += len(release.wheels)
            if release.manifest_name is not None:
                self._listed_manifest(page, release, release.manifest_name)
            elif not alone:
                to_do = ", and list it with the wheels"
                missing = release.check_presence(page.name, to_do)
                self.findings += missing
            if alone or release.labels:
                for label in (*release.labels, None):
                    self._listed_wheels(page, release, release.wheels_of(label))
            if not alone:
                self._together(release, page.name)

    def _together(self, release: Release, place: str, *, labels: bool = True) -> None:
        """Check the files of one release together."""
        findings = self.findings
        findings += release.check_agreement()
        if labels:
            findings += release.check_labels()
        findings += release.check_fallback(place)

    def _manifest_file(self, path: str) -> Manifest | None:
        with open_regular(path) as file:
            # One byte too many is enough to tell.
            return self._manifest(file.read(MAX_MANIFEST_SIZE + 1), path)

    def _listed_manifest(self, page: Place, release: Release, name: str) -> None:
        subject, link = f"{page.prefix}{name}", page.links[name]
        self.findings += check_manifest_name(name, subject)
        try:
            _, _, data = self.session.fetch(link.url, MAX_MANIFEST_SIZE, _JSON)
        except Unavailable as error:
            self.manifests += 1
            self._add("manifest-present", subject, f"It cannot be fetched: {error}")
        else:
            release.manifest = self._manifest(data, subject, link.hashes)

    def _manifest(
        self, data: bytes, subject: str, hashes: Mapping[str, str] | None = None
    ) -> Manifest | None:
        """Check a manifest.

        :param hashes: the hashes on the page.
        """
        checked, findings = check_manifest(data, subject), self.findings
        self.manifests += 1
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
                elif (
                    wheel is wheels[0]
                    and page.sends_parts
                    and not page.links[wheel.filename].is_renamed
                ):
                    checked = self._look_into(page, wheel, subject)
            except (OSError, UnreadableWheel, Unavailable) as error:
                why = said(error) if isinstance(error, OSError) else error
                rule = getattr(error, "rule", "wheel-readable")
                self._add(rule, subject, f"It cannot be read: {why}")
            self.findings += checked.findings
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


class _ProviderLookup:
    """Looks for plugins on the indexes that the user named, once for each plugin."""

    def __init__(self, session: HttpSession, indexes: Sequence[str]) -> None:
        """Use *indexes*; without any, no plugin is looked for."""
        self._session = session
        self._indexes = [f"{each.rstrip('/')}/" for each in indexes]
        self._versions = functools.cache(self._find_versions)

    def check(self, manifest: Manifest | None, subject: str) -> Iterator[Finding]:
        """Check the plugins that *manifest* names.

        Built-in ones need not be installed; those with a URL are not looked for.
        """
        places = " or ".join(map(without_credentials, self._indexes))
        for provider in manifest.providers.values() if manifest and places else ():
            if provider.kind is not ProviderKind.PLUGIN:
                continue
            for text in dict.fromkeys(provider.requires):
                try:
                    requirement = parse_requirement(text, provider.namespace)
                except UnusableProvider:
                    # The rule provider-requires reports it.
                    continue
                if not self._can_be_installed(requirement, provider.namespace):
                    yield found(
                        "provider-installable",
                        subject,
                        f"Nobody can install the provider of {provider.namespace!r}: "
                        f"{places} offers no wheel of {requirement}, and installers do "
                        "not include it",
                        "Publish it, name another one, or list the supported values",
                    )

    def _can_be_installed(self, requirement: Requirement, namespace: str) -> bool:
        """Return whether a plugin is built in or offered, or is not looked for."""
        name = canonicalize_name(requirement.name)
        return (
            requirement.url is not None
            or name in BUILT_IN_PACKAGES.get(namespace, ())
            # The metadata alone shows it.
            or requirement.specifier.is_unsatisfiable()
            or any(
                any(requirement.specifier.filter(self._versions(index, name)))
                for index in self._indexes
            )
        )

    def _find_versions(self, index: str, name: NormalizedName) -> list[Version]:
        """Return the versions of plain wheels, from which alone plugins are installed."""
        try:
            page = read_page(self._session, f"{index}{name}/")
        except (Unavailable, ValueError) as error:
            shown = without_credentials(index)
            logger.warning("Cannot look for %s on %s: %s", name, shown, error)
            return []
        return [
            wheel.version
            for release in page.releases.values()
            for wheel in release.wheels_of(None)
            if wheel.name == name and not page.links[wheel.filename].yanked
        ]
