"""Find out whether anybody can install the plugins that metadata names."""

from __future__ import annotations

import optparse
from functools import cached_property
from importlib import import_module

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.manifest import Manifest

from pip._internal.index.collector import LinkCollector
from pip._internal.index.package_finder import PackageFinder
from pip._internal.models.format_control import FormatControl
from pip._internal.models.selection_prefs import SelectionPreferences
from pip._internal.network.session import PipSession
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.machine.chain import BUILTIN_NAMESPACES
from pip._internal.variants.publishing.findings import Finding, Findings
from pip._internal.variants.publishing.provider_rules import requirements_of

__all__ = ["ProviderLookup"]


class ProviderLookup:
    """Looks for plugins on the indexes of one run, once for each."""

    def __init__(self, session: PipSession, options: optparse.Values) -> None:
        """Use the indexes that the options of the command name."""
        self._session = session
        self._options = options
        self._offered: dict[str, bool] = {}

    def check(self, manifest: Manifest | None, subject: str) -> list[Finding]:
        """Judge the plugins that *manifest* names, if it can be used.

        Built-in ones need not be installed, and those with an address are not looked for.
        """
        findings = Findings(subject)
        for namespace, requirement in requirements_of(manifest) if manifest else ():
            if (
                requirement.url is None
                and canonicalize_name(requirement.name) not in _built_in(namespace)
                # Otherwise the metadata alone says so.
                and not requirement.specifier.is_unsatisfiable()
                and not self._is_offered(requirement)
            ):
                findings.add(
                    "provider-installable",
                    f"Nobody can install the provider of {namespace!r}: "
                    f"{self._places()} offers no wheel of {requirement}, and pip does "
                    "not bring it along",
                    "Publish it, name another one, or list the supported values",
                )
        return list(findings)

    def _is_offered(self, requirement: Requirement) -> bool:
        key = f"{canonicalize_name(requirement.name)}{requirement.specifier}"
        if key not in self._offered:
            if self._finder is None:
                return True
            found = self._finder.find_best_candidate(
                requirement.name, requirement.specifier
            )
            self._offered[key] = found.best_candidate is not None
        return self._offered[key]

    @cached_property
    def _finder(self) -> PackageFinder | None:
        """What looks for packages; None if there is nowhere to look."""
        options = self._options
        if options.no_index and not options.find_links:
            return None
        return PackageFinder.create(
            link_collector=LinkCollector.create(self._session, options=options),
            # Plugins are installed from wheels alone.
            selection_prefs=SelectionPreferences(
                allow_yanked=False, format_control=FormatControl(set(), {":all:"})
            ),
        )

    def _places(self) -> str:
        options = self._options
        urls = (
            [] if options.no_index else [options.index_url, *options.extra_index_urls]
        )
        places = [*urls, *(options.find_links or [])]
        return " or ".join(redact_auth_from_url(str(each)) for each in places)


def _built_in(namespace: str) -> frozenset[str]:
    if namespace not in BUILTIN_NAMESPACES:
        return frozenset()
    module = import_module(f"pip._internal.variants.machine.{namespace}")
    packages: frozenset[str] = module.PACKAGES
    return packages
