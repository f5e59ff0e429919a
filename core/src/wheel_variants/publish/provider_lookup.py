"""Find out whether anybody can install the plugins that metadata names."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterator, Sequence

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

from wheel_variants.manifest import Manifest, ProviderKind
from wheel_variants.provider_requirements import UnusableProvider, parse_requirement
from wheel_variants.publish.errors import without_credentials
from wheel_variants.publish.findings import Finding, found
from wheel_variants.publish.http import HttpSession, Unavailable
from wheel_variants.publish.known_providers import BUILT_IN_PACKAGES
from wheel_variants.publish.pages import read_page

__all__ = ["ProviderLookup"]

logger = logging.getLogger(__name__)


class ProviderLookup:
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
