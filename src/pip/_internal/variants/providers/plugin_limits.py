"""Apply the user's limits on installations to provider plugins.

The limits come from the command line, the configuration and the environment. Upstream lets
requirements files change these settings, so this module copies them before upstream reads
any file. A requirements file can limit plugins further, but can never allow more: no other
index, no pre-release, no host without certificates.
"""

from __future__ import annotations

from copy import deepcopy
from functools import cached_property
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.exceptions import PipError
from pip._internal.models.format_control import FormatControl
from pip._internal.models.release_control import ReleaseControl
from pip._internal.models.search_scope import SearchScope
from pip._internal.req.constructors import install_req_from_parsed_requirement
from pip._internal.utils.misc import build_netloc
from pip._internal.variants.providers.plugin_query import PluginFailed

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.network.session import PipSession
    from pip._internal.req.req_file import ParsedRequirement
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.settings import Settings


class UntrustedProvider(PipError):
    """The user does not trust the code of a required package.

    :ivar project: the name of the package; pip has sent no request for it.
    """

    def __init__(self, project: str) -> None:
        super().__init__(f"{project} is not trusted")
        self.project = project


class PluginLimits:
    """The limits of one run of pip.

    :ivar uploaded_prior_to: the latest upload time that the user allows for plugins, or None.
    """

    def __init__(
        self, settings: Settings, session: PipSession, scope: SearchScope
    ) -> None:
        """Copy the user's settings before reading requirements files.

        :param settings: the settings of the command, which requirements files change later.
        :param scope: the indexes and folders of the command, which requirements files change
            later.
        """
        self._settings, self._session = settings, session
        self.uploaded_prior_to = settings.uploaded_prior_to
        self._formats = deepcopy(settings.format_control or FormatControl())
        self._releases = deepcopy(settings.release_control or ReleaseControl())
        self._index_urls = [*scope.index_urls]
        self._find_links = [*scope.find_links]
        self._trusted_hosts = _trusted_hosts(session)
        self._noted: list[InstallRequirement] = []

    def scope(self, *, no_index: bool) -> SearchScope:
        """Return the search scope for plugins.

        :param no_index: whether a requirements file disables indexes.
        """
        return SearchScope(
            find_links=[*self._find_links],
            index_urls=[] if no_index else [*self._index_urls],
            no_index=no_index,
        )

    @property
    def require_hashes(self) -> bool:
        """Whether only packages with a user-provided hash may be installed."""
        if self._settings.require_hashes:
            return True
        is_any_given = any(each.hash_options for each in self.constraints())
        return is_any_given and not self._settings.no_require_hashes

    @property
    def release_control(self) -> ReleaseControl:
        """The pre-releases that the user allows.

        Pre-releases need permission even if a manifest or a constraint names them.
        """
        now = self._settings.release_control or ReleaseControl()
        allowed = {
            each
            for each in self._settings.trusted_providers
            if self._releases.allows_prereleases(each)
            and now.allows_prereleases(each) is not False
        }
        return ReleaseControl({*allowed}, {":all:"})

    def constraints(self) -> list[InstallRequirement]:
        """Return all constraints of the run, including build constraints.

        :raises PipError: if a constraint is unreadable.
        """
        return [*self._noted, *self._of_named_files]

    def note(self, parsed: ParsedRequirement) -> None:
        """Add a constraint of the command or of a requirements file."""
        self._noted.append(install_req_from_parsed_requirement(parsed))

    @cached_property
    def _of_named_files(self) -> list[InstallRequirement]:
        """The constraints in the user's files."""
        from pip._internal.req.req_file import parse_requirements

        return [
            install_req_from_parsed_requirement(parsed)
            for path in self._settings.constraint_files
            for parsed in parse_requirements(path, self._session, constraint=True)
        ]

    def check(self, project: NormalizedName) -> None:
        """Check that a package may be installed, before any request for it.

        :raises UntrustedProvider: if the user does not trust the package.
        :raises PluginFailed: if another limit excludes the package.
        """
        if project not in self._settings.trusted_providers:
            raise UntrustedProvider(project)
        now = self._settings.format_control or FormatControl()
        for formats in (self._formats, now):
            if "binary" not in formats.get_allowed_formats(project):
                raise PluginFailed(
                    f"--no-binary excludes wheels of {project}, and pip never builds "
                    "plugins"
                )
        if self.require_hashes and not self._has_hash(project):
            raise PluginFailed(
                f"--require-hashes needs a hash for {project}; add the hash to a "
                "constraints file (-c)"
            )
        added = sorted(_trusted_hosts(self._session) - self._trusted_hosts)
        if added:
            options = " ".join(f"--trusted-host {host}" for host in added)
            raise PluginFailed(
                "a requirements file cannot trust hosts for plugins; to trust them, "
                f"add {options} on the command line"
            )

    def _has_hash(self, project: NormalizedName) -> bool:
        return any(
            each.hash_options and canonicalize_name(each.name or "") == project
            for each in self.constraints()
        )


def _trusted_hosts(session: PipSession) -> set[str]:
    """Return the trusted hosts, with their ports if given."""
    return {build_netloc(*origin) for origin in session.pip_trusted_origins}
