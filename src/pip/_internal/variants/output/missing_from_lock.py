"""Say that a lock file lacks something that is needed here.

Upstream finds it out by its hash: what a lock file does not have has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.exceptions import (
    DistributionNotFound,
    HashError,
    HashMissing,
    HashUnpinned,
)
from pip._internal.req.req_install import InstallRequirement
from pip._internal.variants.errors import VariantError

if TYPE_CHECKING:
    from pip._internal.index.package_finder import PackageFinder

__all__ = ["NotLocked", "not_locked"]


class NotLocked(VariantError, DistributionNotFound):
    """A package in a lock file needs one here that is not in there."""

    reference = "not-in-the-lock-file"
    form = "{} is needed here, and is not in the lock file."
    usual_hint = (
        "The file may have been made for another machine or Python, of which another "
        "patch release may be enough. Make one for this: pip lock, here or with "
        "--variant-host."
    )

    def __init__(self, what: str, who: str, finder: PackageFinder) -> None:
        files = {str(link.comes_from) for link in finder._locked_links.values()}
        super().__init__(what, f"{who} needs it, of {', '.join(sorted(files))}.")


def not_locked(finder: PackageFinder, error: HashError) -> NotLocked | None:
    """Return what a lock file lacks, if that is why something has no hash."""
    req = error.req
    if req is None or not isinstance(error, (HashMissing, HashUnpinned)):
        return None
    dependent = req.comes_from
    if not isinstance(dependent, InstallRequirement) or dependent.name is None:
        return None
    if canonicalize_name(dependent.name) not in finder._locked_links:
        return None
    return NotLocked(str(req.req), str(dependent.req), finder)
