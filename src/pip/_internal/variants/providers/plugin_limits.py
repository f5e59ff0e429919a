"""Limits on the installation of provider plugins: all that limits any installation.

The user sets them on the command line, in the configuration and in the environment.
Upstream lets requirements files change these settings, so they are copied before one is
read. A requirements file can limit plugins further. It never allows more: no other index,
no pre-release, no host without certificates.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.exceptions import PipError
from pip._internal.models.format_control import FormatControl
from pip._internal.models.release_control import ReleaseControl
from pip._internal.models.search_scope import SearchScope
from pip._internal.utils.misc import build_netloc, remove_auth_from_url
from pip._internal.variants.providers.plugin_query import PluginFailed

if TYPE_CHECKING:
    import datetime

    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.network.session import PipSession
    from pip._internal.req.req_file import ParsedRequirement
    from pip._internal.req.req_install import InstallRequirement

__all__ = ["Constraint", "LimitSettings", "PluginLimits", "UntrustedProvider"]

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


class Constraint(NamedTuple):
    """A line of a constraints file.

    :ivar requirement: as written, without its options.
    :ivar hashes: by algorithm.
    :ivar comes_from: where it stands, for messages.
    """

    requirement: str
    hashes: Mapping[str, Sequence[str]]
    comes_from: str

    @property
    def project(self) -> NormalizedName | None:
        """Return what it constrains; None if it has no name."""
        try:
            return canonicalize_name(Requirement(self.requirement).name)
        except InvalidRequirement:
            return None


class _Said(NamedTuple):
    """The user's settings, in values that JSON has.

    Projects are normalised names, or ``:all:``; hosts include a port if one was given.
    """

    index_urls: Sequence[str]
    find_links: Sequence[str]
    trusted_hosts: Sequence[str]
    no_binary: Sequence[str]
    only_binary: Sequence[str]
    all_releases: Sequence[str]
    only_final: Sequence[str]
    require_hashes: bool
    no_require_hashes: bool
    constraints: Sequence[Constraint]


class PluginLimits:
    """The limits of one run of pip."""

    def __init__(
        self, settings: LimitSettings, session: PipSession, scope: SearchScope
    ) -> None:
        """Copy the user's settings, before a requirements file is read.

        :param settings: of the command; requirements files will change them.
        :param scope: the indexes and folders of the command, likewise.
        """
        self._settings, self._session = settings, session
        formats = settings.format_control or FormatControl()
        releases = settings.release_control or ReleaseControl()
        said = _Said(
            index_urls=list(scope.index_urls),
            find_links=list(scope.find_links),
            trusted_hosts=_trusted_hosts(session),
            no_binary=sorted(formats.no_binary),
            only_binary=sorted(formats.only_binary),
            all_releases=sorted(releases.all_releases),
            only_final=sorted(releases.only_final),
            require_hashes=settings.require_hashes,
            no_require_hashes=settings.no_require_hashes,
            constraints=[],
        )
        inherited = os.environ.get(_INHERITED)
        self._said = said if not inherited else _inherited(inherited, said)
        self._noted: list[Constraint] = []
        self._read: list[Constraint] | None = None

    @property
    def trusted(self) -> frozenset[NormalizedName]:
        """Return the packages whose code may run to find out what is supported."""
        return self._settings.trusted_providers

    def scope(self, *, no_index: bool) -> SearchScope:
        """Return where plugins are looked for.

        :param no_index: whether a requirements file rules indexes out.
        """
        return SearchScope(
            find_links=list(self._said.find_links),
            index_urls=[] if no_index else list(self._said.index_urls),
            no_index=no_index,
        )

    @property
    def uploaded_prior_to(self) -> datetime.datetime | None:
        """Return the time before which a plugin must have been uploaded, if any."""
        return self._settings.uploaded_prior_to

    @property
    def require_hashes(self) -> bool:
        """Tell whether only packages with a hash from the user may be installed."""
        if self._settings.require_hashes or self._said.require_hashes:
            return True
        given = any(constraint.hashes for constraint in self._constraints())
        return given and not self._said.no_require_hashes

    @property
    def release_control(self) -> ReleaseControl:
        """Return which pre-releases may be taken: those that the user allows.

        A manifest or a constraint that names one is not enough.
        """
        now = self._settings.release_control or ReleaseControl()
        allowed = {
            each
            for each in self._said.all_releases
            if now.allows_prereleases(canonicalize_name(each)) is not False
        }
        final = {*self._said.only_final, *now.only_final, ":all:"}
        return ReleaseControl(allowed, final)

    def constraints(self) -> list[InstallRequirement]:
        """Return the constraints of all files of the run, those for builds included.

        :raises PipError: if one cannot be read.
        """
        from pip._internal.req.constructors import install_req_from_line

        return [
            install_req_from_line(
                each.requirement,
                comes_from=each.comes_from,
                hash_options={name: list(found) for name, found in each.hashes.items()},
                constraint=True,
            )
            for each in self._constraints()
        ]

    def note(self, parsed: ParsedRequirement) -> None:
        """Add a constraint that the command has read."""
        self._noted.append(self._constraint(parsed))

    def check_trusted(self, project: NormalizedName) -> None:
        """Check that a package may be installed, before anything is asked about it.

        :raises UntrustedProvider: if the user does not trust it.
        :raises PluginFailed: if another limit excludes it.
        """
        if project not in self.trusted:
            raise UntrustedProvider(project)
        said = FormatControl(set(self._said.no_binary), set(self._said.only_binary))
        for formats in (said, self._settings.format_control):
            if formats and "binary" not in formats.get_allowed_formats(project):
                raise PluginFailed(
                    f"--no-binary rules wheels of {project} out, and plugins are never "
                    "built"
                )
        if self.require_hashes and not any(
            each.project == project and each.hashes for each in self._constraints()
        ):
            raise PluginFailed(
                f"{project} has no hash, which --require-hashes needs: a file that -c "
                "names can give it one"
            )
        added = sorted({*_trusted_hosts(self._session)} - {*self._said.trusted_hosts})
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
            f"the constraint {each.requirement} ({each.comes_from})"
            for each in self._constraints()
            if each.project in self.trusted
        ]
        if self.uploaded_prior_to is not None:
            said.append(f"--uploaded-prior-to {self.uploaded_prior_to.isoformat()}")
        said += [
            f"pre-releases of {project} need --pre or --all-releases {project}"
            for project in sorted(prereleases)
            if not self.release_control.allows_prereleases(project)
        ]
        return list(dict.fromkeys(said))

    def environ(self) -> dict[str, str]:
        """Return the variables that hand these limits to a pip for a build environment.

        :raises PipError: if a constraints file cannot be read.
        """
        said = self._said._replace(
            index_urls=[remove_auth_from_url(url) for url in self._said.index_urls],
            find_links=[remove_auth_from_url(url) for url in self._said.find_links],
            require_hashes=self.require_hashes,
            constraints=self._constraints(),
        )
        return {_INHERITED: json.dumps(said)}

    def _constraints(self) -> list[Constraint]:
        if self._read is None:
            self._read = self._read_files()
        return [*self._said.constraints, *self._noted, *self._read]

    def _read_files(self) -> list[Constraint]:
        """Read the constraints files that the command has not read itself."""
        from pip._internal.req.req_file import parse_requirements

        noted = [each.comes_from for each in self._noted]
        return [
            self._constraint(parsed)
            for path in dict.fromkeys(self._settings.constraint_files)
            if not any(_is_of(path, each) for each in noted)
            for parsed in parse_requirements(path, self._session, constraint=True)
        ]

    def _constraint(self, parsed: ParsedRequirement) -> Constraint:
        hashes = (parsed.options or {}).get("hashes") or {}
        return Constraint(parsed.requirement, hashes, parsed.comes_from)


def _trusted_hosts(session: PipSession) -> list[str]:
    return [build_netloc(*origin) for origin in session.pip_trusted_origins]


def _is_of(path: str, comes_from: str) -> bool:
    """Tell whether a constraint is a line of the file at *path*."""
    return comes_from.startswith(f"-c {path} (line ")


def _inherited(text: str, own: _Said) -> _Said:
    """Return what the user told the pip that started this one.

    :param own: what this one was told, which includes the passwords of indexes.
    """
    said = _Said(*json.loads(text))
    return said._replace(
        index_urls=_with_passwords(said.index_urls, own.index_urls),
        find_links=_with_passwords(said.find_links, own.find_links),
        constraints=[Constraint(*each) for each in said.constraints],
    )


def _with_passwords(said: Sequence[str], own: Sequence[str]) -> list[str]:
    known = {remove_auth_from_url(url): url for url in own}
    return [known.get(url, url) for url in said]
