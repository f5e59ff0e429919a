"""What limits the installation of provider plugins: all that limits any installation.

The user says it on the command line, in the configuration and in the environment.
Upstream lets requirements files change what it was told there, so it is copied before one
is read. What a requirements file says can limit plugins further. It never allows more:
no other index, no pre-release, no host without certificates.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.packaging.version import InvalidVersion, Version

from pip._internal.exceptions import PipError
from pip._internal.models.format_control import FormatControl
from pip._internal.models.release_control import ReleaseControl
from pip._internal.models.search_scope import SearchScope
from pip._internal.utils.misc import build_netloc, remove_auth_from_url
from pip._internal.variants.machine.plugin_query import PluginFailed

if TYPE_CHECKING:
    import datetime

    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.network.session import PipSession
    from pip._internal.req.req_file import ParsedRequirement
    from pip._internal.req.req_install import InstallRequirement

__all__ = ["Constraint", "LimitSettings", "PluginLimits", "UntrustedProvider"]

#: Set for the pip that fills a build environment, whose command line names the indexes of
#: requirements files too.
_INHERITED = "_PIP_VARIANTS_PLUGIN_LIMITS"


class LimitSettings(Protocol):
    """What the options of a command say that limits any installation."""

    trusted_providers: frozenset[NormalizedName]
    uploaded_prior_to: datetime.datetime | None
    format_control: FormatControl | None
    release_control: ReleaseControl | None

    @property
    def require_hashes(self) -> bool:
        """Tell whether only what has a hash may be installed; files may say so later."""

    @property
    def no_require_hashes(self) -> bool:
        """Tell whether a hash for one thing requires none for others."""

    @property
    def constraint_files(self) -> list[str]:
        """Return the constraints files that the user names, those for builds last."""


class UntrustedProvider(PipError):
    """Packages would be installed whose code the user has not allowed.

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
    :ivar by_user: whether it is of a file that the user named, not of one that another
        file names.
    """

    requirement: str
    hashes: Mapping[str, Sequence[str]]
    comes_from: str
    by_user: bool

    @property
    def project(self) -> NormalizedName | None:
        """Return what it constrains, None if it does not say that."""
        try:
            return canonicalize_name(Requirement(self.requirement).name)
        except InvalidRequirement:
            return None

    @property
    def names_prerelease(self) -> bool:
        """Tell whether the user names one pre-release, and nothing else, by it."""
        if not self.by_user or self.project is None:
            return False
        specifiers = Requirement(self.requirement).specifier
        return any(
            each.operator in ("==", "===") and _is_prerelease(each.version)
            for each in specifiers
        )


class _Said(NamedTuple):
    """What the user said, in values that JSON has.

    Projects are normalised names, or ``:all:``; hosts have a port if they were given one.
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
        """Take down what the user said; to be made before a requirements file is read.

        :param settings: of the command, which requirements files will change.
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
        """Return when at the latest a plugin was uploaded, if that is limited."""
        return self._settings.uploaded_prior_to

    @property
    def require_hashes(self) -> bool:
        """Tell whether only what the user gives a hash for may be installed."""
        if self._settings.require_hashes or self._said.require_hashes:
            return True
        given = any(constraint.hashes for constraint in self._constraints())
        return given and not self._said.no_require_hashes

    @property
    def release_control(self) -> ReleaseControl:
        """Tell which pre-releases may be taken."""
        return _Releases(self)

    def allows_prereleases(self, project: NormalizedName) -> bool:
        """Tell whether pre-releases of *project* may be taken.

        That a manifest names one is not enough: the user must, or allow all.
        """
        said = ReleaseControl({*self._said.all_releases}, {*self._said.only_final})
        now = self._settings.release_control or ReleaseControl()
        allowed = said.allows_prereleases(project)
        if allowed is False or now.allows_prereleases(project) is False:
            return False
        return allowed is True or any(
            each.project == project and each.names_prerelease
            for each in self._constraints()
        )

    def constraints(self) -> list[InstallRequirement]:
        """Return what the constraints files of the run say, those for builds included.

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
        """Note a constraint that the command has read."""
        self._noted.append(self._constraint(parsed))

    def admit(self, project: NormalizedName) -> None:
        """See to it that nothing is asked about a package that may not be installed.

        :raises UntrustedProvider: if the user does not trust it.
        :raises PluginFailed: if something else speaks against it.
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
        """Say what limits the versions that may be installed, for messages.

        :param prereleases: projects of which there are pre-releases.
        """
        said = [
            f"the constraint {each.requirement} ({each.comes_from})"
            for each in self._constraints()
            if each.project in self.trusted
        ]
        if self.uploaded_prior_to is not None:
            said.append(f"--uploaded-prior-to {self.uploaded_prior_to.isoformat()}")
        said += [
            f"pre-releases of {project} need --pre or the exact version in a file that "
            "-c names"
            for project in sorted(prereleases)
            if not self.allows_prereleases(project)
        ]
        return list(dict.fromkeys(said))

    def environ(self) -> dict[str, str]:
        """Return variables for a pip that fills a build environment.

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
        """Read those files of which the command has read nothing."""
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
        files = self._settings.constraint_files
        by_user = any(_is_of(path, parsed.comes_from) for path in files)
        return Constraint(parsed.requirement, hashes, parsed.comes_from, by_user)


class _Releases(ReleaseControl):
    """What upstream asks whether it may take pre-releases."""

    def __init__(self, limits: PluginLimits) -> None:
        super().__init__()
        self._limits = limits

    def allows_prereleases(self, canonical_name: NormalizedName) -> bool:
        return self._limits.allows_prereleases(canonical_name)


def _is_prerelease(text: str) -> bool:
    """Tell whether a text is one version, and a pre-release; ``1.0rc1.*`` is many."""
    try:
        return Version(text).is_prerelease
    except InvalidVersion:
        return False


def _trusted_hosts(session: PipSession) -> list[str]:
    return [build_netloc(*origin) for origin in session.pip_trusted_origins]


def _is_of(path: str, comes_from: str) -> bool:
    """Tell whether a constraint is a line of the file at *path* itself."""
    return comes_from.startswith(f"-c {path} (line ")


def _inherited(text: str, own: _Said) -> _Said:
    """Return what the user said to the pip that this one is a child of.

    :param own: what this one was told, the passwords of indexes among it.
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
