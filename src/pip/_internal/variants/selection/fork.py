"""Keep stock pip from replacing the fork unintentionally."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.metadata import get_default_environment
from pip._internal.variants.index.links import pinned

if TYPE_CHECKING:
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.metadata import BaseDistribution
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.selection.run import Run


def is_fork(version: object) -> bool:
    """Return whether a version of pip belongs to this fork."""
    local = getattr(version, "local", None) or ""
    return str(local).partition(".")[0] == "variants"


def leaves_fork(roots: Iterable[InstallRequirement]) -> bool:
    """Return whether the user requires a specific version or file of pip.

    That pip may replace the fork.

    :param roots: the user's requirements and constraints.
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
    """Return the installed fork, or None if stock pip may replace it.

    Any pip may be installed elsewhere: in another folder, or with ``--python`` in another
    environment.
    """
    if not run.settings.changes_this_environment or run.request.leaves_fork:
        return None
    pip = get_default_environment().get_distribution("pip")
    return pip if pip is not None and is_fork(pip.version) else None


def pin(version: _BaseVersion) -> str:
    """Return the requirement for a release of stock pip.

    The requirement has three equals signs, since the fork would satisfy a requirement with two.
    """
    return f"pip==={version}"
