"""Keep the fork a fork: upstream's pip does not replace it unasked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.version import InvalidVersion, Version, _BaseVersion

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet

    from pip._internal.resolution.resolvelib.factory import Factory

__all__ = ["how_to_leave", "is_fork", "keeps_to_fork", "remote_pip_version"]


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


def how_to_leave(left_out: Iterable[_BaseVersion]) -> str | None:
    """Tell how to get the newest release of upstream's pip that was left out."""
    from pip import __version__

    newest = max(left_out, default=None)
    if newest is None or newest <= Version(__version__):
        return None
    return (
        f"Staying with the variants fork of pip; pip=={newest} of upstream pip is there "
        "too, and that exact pin would install it"
    )


def remote_pip_version(fn: Callable[..., str | None], *args: Any) -> str | None:
    """Give the newest pip on the index if it is one of the fork."""
    version = fn(*args)
    if version is None:
        return None
    try:
        return version if is_fork(Version(version)) else None
    except InvalidVersion:
        return None
