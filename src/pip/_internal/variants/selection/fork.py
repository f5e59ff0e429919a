"""Keep the fork a fork: upstream's pip does not replace it unasked.

What is newer than this pip is told from three kinds of releases: the fork's own, those of
upstream's pip, and those of the carrier, which brings the fork to people.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.packaging.version import InvalidVersion, Version, _BaseVersion

from pip._internal.metadata import get_default_environment
from pip._internal.variants.index.pins import pinned

if TYPE_CHECKING:
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.selection.run import Run
    from pip._internal.variants.selection.settings import Settings

__all__ = [
    "Newest",
    "carrier_name",
    "carriers_found",
    "fork_to_keep",
    "is_fork",
    "leaves_fork",
    "may_be_taken",
    "newest_upstream",
    "pin",
]

#: The name under which indexes have the carrier. None until ``carrier/pyproject.toml``
#: says that it is registered: whoever registered it first could replace this pip.
CARRIER: str | None = None
#: What the local versions of the fork begin with.
_LOCAL = "variants"


def is_fork(version: object) -> bool:
    """Tell whether a version of pip is one of this fork."""
    local = getattr(version, "local", None) or ""
    return str(local).partition(".")[0] == _LOCAL


def leaves_fork(roots: Iterable[InstallRequirement]) -> bool:
    """Return whether the user names one pip: by an exact version, a path or a URL.

    :param roots: requirements and constraints of the user.
    """
    for root in roots:
        name = root.name
        if name is None and root.link is not None and root.link.is_wheel:
            name = root.link.filename.partition("-")[0]
        if name is not None and canonicalize_name(name) == "pip":
            specifier = SpecifierSet() if root.req is None else root.req.specifier
            if root.link is not None or pinned(specifier):
                return True
    return False


def fork_to_keep(run: Run) -> BaseDistribution | None:
    """Return the installed fork, if only its own releases may replace it in this run.

    Any pip may be installed somewhere else: into another folder, or with ``--python`` into
    another environment.
    """
    if not run.settings.changes_this_environment or run.request.leaves_fork:
        return None
    pip = get_default_environment().get_distribution("pip")
    return pip if pip is not None and is_fork(pip.version) else None


def pin(version: _BaseVersion) -> str:
    """Return the requirement of one release of upstream's pip.

    It has three equals signs, since the fork would satisfy two.
    """
    return f"pip==={version}"


def newest_upstream(left_out: Iterable[_BaseVersion]) -> str | None:
    """Return the requirement of the newest of upstream's releases, if there is any."""
    newest = max(left_out, default=None)
    return None if newest is None else pin(newest)


class Newest(NamedTuple):
    """The newest release of each kind that indexes have, None where they have none.

    :ivar fork: of the fork.
    :ivar upstream: of upstream's pip.
    :ivar carrier: of the carrier, which numbers its releases as the fork does.
    """

    fork: Version | None = None
    upstream: Version | None = None
    carrier: Version | None = None

    @classmethod
    def of(cls, pips: Iterable[Version], carriers: Iterable[Version] = ()) -> Newest:
        """Take the newest of these versions."""
        listed = list(pips)
        return cls(
            max((each for each in listed if is_fork(each)), default=None),
            max((each for each in listed if not is_fork(each)), default=None),
            max(carriers, default=None),
        )

    @classmethod
    def read(cls, text: str) -> Newest:
        """Read what ``str`` has written; anything else is none of a kind.

        A file in the cache holds it, which others may have changed.
        """
        words = (*text.split(), "", "", "")[:3]
        fork, upstream, carrier = (_version(word) for word in words)
        return cls(fork if is_fork(fork) else None, upstream, carrier)

    def __str__(self) -> str:
        return " ".join("-" if each is None else str(each) for each in self)

    def than(self, own: Version) -> Newest:
        """Leave out what is not newer than what one can have of the fork.

        Upstream's version counts first, then the fork's. Which pip a release of the
        carrier brings is not known before it is there: next to a newer one, nothing is
        said of upstream's.

        :param own: the release of the fork that is installed.
        """
        fork = self.fork if self.fork is not None and self.fork > own else None
        best = own if fork is None else fork
        carrier, upstream = self.carrier, self.upstream
        if carrier is not None and carrier > _own_part(best):
            return Newest(fork=fork, carrier=carrier)
        if upstream is not None and upstream > best:
            return Newest(fork, upstream)
        return Newest(fork)


def _own_part(version: Version) -> Version:
    """Return the fork's own number in the version of one of its releases."""
    own = (version.local or "").partition(".")[2]
    return _version(own) or Version("0")


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def carriers_found(
    finder: PackageFinder, settings: Settings
) -> list[InstallationCandidate]:
    """Look for releases of the carrier where the user looks for packages.

    :return: none while its name is not registered: then nothing is asked for it.
    """
    name = carrier_name()
    found = [] if name is None else finder.find_all_candidates(name)
    return [each for each in found if may_be_taken(each, settings)]


def carrier_name() -> str | None:
    """Return the name of the carrier; None while nothing may be asked for it."""
    return CARRIER


def may_be_taken(found: InstallationCandidate, settings: Settings) -> bool:
    """Tell whether an upgrade with the options of this run could come to a file.

    What was withdrawn, what is no final release, what was uploaded too late and what
    has a format that the user excludes is not recommended to anybody.
    """
    from pip._internal.variants.index.links import uploaded_too_late

    link = found.link
    if link.is_yanked or found.version.is_prerelease:
        return False
    if uploaded_too_late(link, settings.uploaded_prior_to):
        return False
    formats = settings.format_control
    form = "binary" if link.is_wheel else "source"
    return formats is None or form in formats.get_allowed_formats(found.name)
