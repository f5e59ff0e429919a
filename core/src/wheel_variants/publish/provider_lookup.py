"""Find out whether anybody can install the plugins that metadata names."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from wheel_variants.manifest import Manifest
from wheel_variants.publish.errors import without_credentials
from wheel_variants.publish.findings import Finding, Findings
from wheel_variants.publish.http import HttpSession, Unavailable
from wheel_variants.publish.known_providers import BUILT_IN_PACKAGES
from wheel_variants.publish.pages import read_page
from wheel_variants.publish.provider_rules import requirements_of
from wheel_variants.publish.wheel_file import UnreadableWheel, WheelName

__all__ = ["ProviderLookup"]

logger = logging.getLogger(__name__)


class ProviderLookup:
    """Looks for plugins on the indexes that the user named, once for each plugin."""

    def __init__(self, session: HttpSession, indexes: Sequence[str]) -> None:
        """Use *indexes*; without any, no plugin is looked for."""
        self._session = session
        self._indexes = [f"{each.rstrip('/')}/" for each in indexes]
        self._offered: dict[str, bool] = {}

    def check(self, manifest: Manifest | None, subject: str) -> list[Finding]:
        """Check the plugins that *manifest* names.

        Built-in ones need not be installed; those with a URL are not looked for.
        """
        findings = Findings(subject)
        for namespace, requirement in requirements_of(manifest) if manifest else ():
            if (
                self._indexes
                and requirement.url is None
                and canonicalize_name(requirement.name)
                not in BUILT_IN_PACKAGES.get(namespace, ())
                # Otherwise the metadata alone shows it.
                and not requirement.specifier.is_unsatisfiable()
                and not self._is_offered(requirement)
            ):
                places = " or ".join(map(without_credentials, self._indexes))
                findings.add(
                    "provider-installable",
                    f"Nobody can install the provider of {namespace!r}: {places} offers "
                    f"no wheel of {requirement}, and installers do not include it",
                    "Publish it, name another one, or list the supported values",
                )
        return list(findings)

    def _is_offered(self, requirement: Requirement) -> bool:
        key = f"{canonicalize_name(requirement.name)}{requirement.specifier}"
        if key not in self._offered:
            self._offered[key] = any(
                self._is_on(index, requirement) for index in self._indexes
            )
        return self._offered[key]

    def _is_on(self, index: str, requirement: Requirement) -> bool:
        name = canonicalize_name(requirement.name)
        try:
            links = read_page(self._session, f"{index}{name}/").files
        except (Unavailable, ValueError) as error:
            shown = without_credentials(index)
            logger.warning("Cannot look for %s on %s: %s", name, shown, error)
            return False
        versions = []
        for link in links:
            try:
                wheel = WheelName(link.filename)
            except UnreadableWheel:
                continue
            # Plugins are installed from plain wheels alone.
            if wheel.name == name and wheel.label is None and not link.yanked:
                versions.append(wheel.version)
        return any(requirement.specifier.filter(versions))
