"""Which variant is installed, as recorded when its wheel was installed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

# Commands that list what is installed come here although nothing of it may be a
# variant: what reads one is imported for it alone.
if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.choice.installed_records import InstalledBuild

__all__ = ["SELECTIONS", "SELECTION_FILE", "WHEEL_FILE", "installed_build"]

#: In the metadata folder of an installed build that was chosen among variants.
SELECTION_FILE = "variant-selection.json"
#: Where a wheel says which variant it is.
WHEEL_FILE = "variant.json"
#: The label, and what to write there, of each build to be installed, by its wheel's path.
SELECTIONS: dict[str, tuple[str | None, bytes]] = {}

_ATTRIBUTE = "_variants_installed_build"


def installed_build(dist: BaseDistribution) -> InstalledBuild | None:
    """Give what is known of an installed build; None if it is none of variants.

    Nothing but its two files is read: no network, no detection. A wheel that was
    chosen and is about to be installed counts as installed.
    """
    # Most distributions have neither file; upstream may ask for each several times.
    cached: dict[str, InstalledBuild | None] = vars(dist)
    if _ATTRIBUTE not in cached:
        found = None
        if _may_be_build(dist):
            from pip._internal.variants.choice.installed_records import read_build

            found = read_build(dist)
        cached[_ATTRIBUTE] = found
    return cached[_ATTRIBUTE]


def _may_be_build(dist: BaseDistribution) -> bool:
    """Tell, fast, whether there is anything to read."""
    if dist.location in SELECTIONS:
        return True
    # Of metadata in memory, pkg_resources cannot tell where it is.
    folder: str | None = getattr(dist, "info_location", None)
    return folder is not None and any(
        os.path.exists(os.path.join(folder, name))
        for name in (SELECTION_FILE, WHEEL_FILE)
    )
