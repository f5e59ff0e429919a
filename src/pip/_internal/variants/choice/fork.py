"""Keep the fork a fork: upstream's pip does not replace it unasked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pip._vendor.packaging.version import Version, _BaseVersion

from pip._internal.console.texts import Hint

if TYPE_CHECKING:
    import optparse

    from pip._vendor.packaging.specifiers import SpecifierSet

    from pip._internal.resolution.resolvelib.factory import Factory

__all__ = [
    "FOR_UPSTREAM",
    "how_to_leave",
    "is_fork",
    "keeps_to_fork",
    "newest_upstream",
]

#: What to say before the command that installs upstream's pip.
FOR_UPSTREAM = "This pip is a fork and keeps to its own releases; for upstream:"


def is_fork(version: object) -> bool:
    """Tell whether a version of pip is one of this fork."""
    local = getattr(version, "local", None) or ""
    return str(local).partition(".")[0] == "variants"


def keeps_to_fork(factory: Factory, project: str, specifier: SpecifierSet) -> bool:
    """Tell whether only releases of the fork may replace the installed pip.

    They may unless the user pins a version, or installs pip elsewhere.
    """
    if project != "pip":
        return False
    installed = factory._installed_dists.get(project)  # type: ignore[call-overload]
    if installed is None or not is_fork(installed.version):
        return False
    return not any(
        spec.operator == "==="
        or (spec.operator == "==" and not spec.version.endswith(".*"))
        for spec in specifier
    )


def newest_upstream(left_out: Iterable[_BaseVersion]) -> str | None:
    """Return the requirement of the newest of upstream's releases, if there is any.

    It has three equals signs, since the fork would satisfy two.
    """
    newest = max(left_out, default=None)
    return None if newest is None else f"pip==={newest}"


def how_to_leave(
    left_out: Iterable[_BaseVersion], options: optparse.Values
) -> str | None:
    """Tell how to get a newer release of upstream's pip that was left out."""
    from pip import __version__

    own = Version(__version__)
    newer = newest_upstream(each for each in left_out if each > own)
    if newer is None:
        return None
    from pip._internal.variants.choice.invocation import command

    return Hint(FOR_UPSTREAM, command(options, "install", newer))
