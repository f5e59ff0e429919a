"""Limits on the installation of provider plugins: all that limits any installation.

The user sets them on the command line, in the configuration and in the environment.
Upstream lets requirements files change these settings, so they are copied before one is
read. A requirements file can limit plugins further. It never allows more: no other index,
no pre-release, no host without certificates.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.exceptions import PipError
from pip._internal.models.format_control import FormatControl
from pip._internal.models.release_control import ReleaseControl
from pip._internal.models.search_scope import SearchScope
from pip._internal.req.constructors import (
    install_req_from_line,
    install_req_from_parsed_requirement,
)
from pip._internal.utils.misc import build_netloc, remove_auth_from_url
from pip._internal.variants.providers.plugin_query import PluginFailed

if TYPE_CHECKING:
    import datetime

    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.network.session import PipSession
    from pip._internal.req.req_file import ParsedRequirement
    from pip._internal.req.req_install import InstallRequirement

__all__ = ["LimitSettings", "PluginLimits", "UntrustedProvider"]

#: Set for the pip that fills a build environment, since the indexes of requirements files
#: are on its command line too.
_INHERITED = "_PIP_VARIANTS_PLUGIN_LIMITS"


class LimitSettings(Protocol):
    """The options of a command that limit any installation."""

    trusted_providers: frozenset[NormalizedName]
    uploaded_prior_to: datetime.datetime | None
    format_control: FormatControl | None
    release_control: ReleaseControl | None

    @property
    def require_hashes(self) -> bool:
        """Tell whether everything needs a hash; requirements files may set this later."""

    @property
    def no_require_hashes(self) -> bool:
        """Tell whether a hash for one package does not require hashes for the others."""

    @property
    def constraint_files(self) -> list[str]:
        """Return the constraints files that the user named, those for builds last."""


class UntrustedProvider(PipError):
    """Packages are needed whose code the user does not trust.

    :ivar projects: all that are known to be needed; nothing was asked about them.
    """

    def __init__(self, *projects: str) -> None:
        super().__init__(f"{', '.join(projects)} is not trusted")
        self.projects = projects


class PluginLimits:
    """The limits of one run of pip.

    :ivar trusted: the packages whose code may run to find out what is supported.
    :ivar uploaded_prior_to: when a plugin must have been uploaded, if the user limits that.
    """

    def __init__(
        self, settings: LimitSettings, session: PipSession, scope: SearchScope
    ) -> None:
        """Copy the user's settings, before a requirements file is read.

        :param settings: of the command; requirements files will change them.
        :param scope: the indexes and folders of the command, likewise.
        """
        self._settings, self._session = settings, session
        self.trusted = settings.trusted_providers
        self.uploaded_prior_to = settings.uploaded_prior_to
        formats = settings.format_control or FormatControl()
        releases = settings.release_control or ReleaseControl()
        self._index_urls = [*scope.index_urls]
        self._find_links = [*scope.find_links]
        self._trusted_hosts = _trusted_hosts(session)
        self._with_wheels = {
            each
            for each in self.trusted
            if "binary" in formats.get_allowed_formats(each)
        }
        self._with_prereleases = {*filter(releases.allows_prereleases, self.trusted)}
        self._require_hashes = settings.require_hashes
        self._no_require_hashes = settings.no_require_hashes
        self._noted: list[InstallRequirement] = []
        if inherited := os.environ.get(_INHERITED):
            self._inherit(json.loads(inherited))

    def environ(self) -> dict[str, str]:
        """Return the variables that hand these limits to a pip for a build environment.

        They contain no password.

        :raises PipError: if a constraints file cannot be read.
        """
        said = {
            "index_urls": [*map(remove_auth_from_url, self._index_urls)],
            "find_links": [*map(remove_auth_from_url, self._find_links)],
            "trusted_hosts": sorted(self._trusted_hosts),
            "with_wheels": sorted(self._with_wheels),
            "with_prereleases": sorted(self._with_prereleases),
            "require_hashes": self.require_hashes,
            "no_require_hashes": self._no_require_hashes,
            "constraints": [
                (str(each.req or each.link), each.comes_from, each.hash_options)
                for each in self.constraints()
            ],
        }
        return {_INHERITED: json.dumps(said)}

    def _inherit(self, said: Mapping[str, Any]) -> None:
        """Take over what the user told the pip that started this one.

        This one was told the passwords of indexes.
        """
        self._index_urls = _with_passwords(said["index_urls"], self._index_urls)
        self._find_links = _with_passwords(said["find_links"], self._find_links)
        self._trusted_hosts = {*said["trusted_hosts"]}
        self._with_wheels = {*said["with_wheels"]}
        self._with_prereleases = {*said["with_prereleases"]}
        self._require_hashes = said["require_hashes"]
        self._no_require_hashes = said["no_require_hashes"]
        self._noted += (
            install_req_from_line(
                text, comes_from=comes_from, hash_options=hashes, constraint=True
            )
            for text, comes_from, hashes in said["constraints"]
        )

    def scope(self, *, no_index: bool) -> SearchScope:
        """Return where plugins are looked for.

        :param no_index: whether a requirements file rules indexes out.
        """
        return SearchScope(
            find_links=[*self._find_links],
            index_urls=[] if no_index else [*self._index_urls],
            no_index=no_index,
        )

    @property
    def require_hashes(self) -> bool:
        """Whether only packages with a hash from the user may be installed."""
        if self._settings.require_hashes or self._require_hashes:
            return True
        is_any_given = any(each.hash_options for each in self.constraints())
        return is_any_given and not self._no_require_hashes

    @property
    def release_control(self) -> ReleaseControl:
        """The pre-releases that may be taken: those that the user allows.

        A manifest or a constraint that names one is not enough.
        """
        now = self._settings.release_control or ReleaseControl()
        excluded = {
            each
            for each in self._with_prereleases
            if now.allows_prereleases(each) is False
        }
        return ReleaseControl({*self._with_prereleases - excluded}, {":all:"})

    def constraints(self) -> list[InstallRequirement]:
        """Return the constraints of all files of the run, those for builds included.

        :raises PipError: if one cannot be read.
        """
        return [*self._noted, *self._of_unread_files]

    def note(self, parsed: ParsedRequirement) -> None:
        """Add a constraint that the command has read."""
        self._noted.append(install_req_from_parsed_requirement(parsed))

    @cached_property
    def _of_unread_files(self) -> list[InstallRequirement]:
        """The constraints of files that the command has not read itself."""
        from pip._internal.req.req_file import parse_requirements

        noted = [str(each.comes_from) for each in self._noted]
        return [
            install_req_from_parsed_requirement(parsed)
            for path in dict.fromkeys(self._settings.constraint_files)
            if not any(each.startswith(f"-c {path} (line ") for each in noted)
            for parsed in parse_requirements(path, self._session, constraint=True)
        ]

    def check_trusted(self, project: NormalizedName) -> None:
        """Check that a package may be installed, before anything is asked about it.

        :raises UntrustedProvider: if the user does not trust it.
        :raises PluginFailed: if another limit excludes it.
        """
        if project not in self.trusted:
            raise UntrustedProvider(project)
        now = self._settings.format_control or FormatControl()
        is_excluded = "binary" not in now.get_allowed_formats(project)
        if is_excluded or project not in self._with_wheels:
            raise PluginFailed(
                f"--no-binary rules wheels of {project} out, and plugins are never built"
            )
        if self.require_hashes and not any(
            each.hash_options for each in _of({project}, self.constraints())
        ):
            raise PluginFailed(
                f"{project} has no hash, which --require-hashes needs: a file that -c "
                "names can give it one"
            )
        added = sorted(_trusted_hosts(self._session) - self._trusted_hosts)
        if added:
            raise PluginFailed(
                f"a requirements file trusts {', '.join(added)} without certificates, "
                "which is not for it to say where code is to be trusted too: "
                f"{' '.join(f'--trusted-host {host}' for host in added)} on the command "
                "line says so"
            )

    def applying(self, prereleases: Collection[NormalizedName]) -> list[str]:
        """Say for messages what limits the versions that may be installed.

        :param prereleases: projects that have pre-releases.
        """
        said = [
            f"the constraint {each.req} ({each.comes_from})"
            for each in _of(self.trusted, self.constraints())
        ]
        if self.uploaded_prior_to is not None:
            said.append(f"--uploaded-prior-to {self.uploaded_prior_to.isoformat()}")
        said += [
            f"pre-releases of {project} need --pre or --all-releases {project}"
            for project in sorted(prereleases)
            if not self.release_control.allows_prereleases(project)
        ]
        return list(dict.fromkeys(said))


def _of(
    projects: Collection[str], constraints: Iterable[InstallRequirement]
) -> Iterable[InstallRequirement]:
    """Return the constraints on some projects."""
    return (e for e in constraints if e.name and canonicalize_name(e.name) in projects)


def _trusted_hosts(session: PipSession) -> set[str]:
    """Return the hosts that need no certificate, each with its port if it was given."""
    return {build_netloc(*origin) for origin in session.pip_trusted_origins}


def _with_passwords(said: Iterable[str], own: Iterable[str]) -> list[str]:
    known = {remove_auth_from_url(url): url for url in own}
    return [known.get(url, url) for url in said]
