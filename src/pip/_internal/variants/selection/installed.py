"""Identify the variant of a distribution, installed or selected."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pip._internal.variants.slots import BOUND, INSTALLED_BUILD

# Commands that list packages load this module even without variants, so it imports
# the code that reads records only when needed.
if TYPE_CHECKING:
    from pip._vendor.wheel_variants.manifest import Manifest
    from pip._vendor.wheel_variants.markers import VariantEnvironment
    from pip._vendor.wheel_variants.properties import Property

    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.selection.installed_records import InstalledBuild

#: The file in the metadata folder of an installed build that records its selection.
SELECTION_FILE = "variant-selection.json"
#: The file in the metadata folder of a wheel that describes its variant.
_WHEEL_FILE = "variant.json"
#: The builds to install, by the path of the wheel.
SELECTIONS: dict[str, InstalledBuild] = {}


def installed_build(dist: BaseDistribution) -> InstalledBuild | None:
    """Return the record of an installed build, or None without variants.

    Reads only the record or ``variant.json``: no network, no detection. A selected wheel that
    pip is about to install counts as installed.
    """
    # Upstream may ask for a distribution several times.
    return INSTALLED_BUILD.once(dist, _read)


def installed_label(dist: BaseDistribution) -> str | None:
    """Return the label of an installed variant, or None."""
    build = installed_build(dist)
    return None if build is None else build.label


def _read(dist: BaseDistribution) -> InstalledBuild | None:
    chosen = SELECTIONS.get(dist.location or "")
    # Most distributions have neither file.
    if chosen is not None or not _has_record(dist):
        return chosen
    from pip._internal.variants.selection import installed_records

    recorded = installed_records.recorded_build(dist, SELECTION_FILE)
    return recorded or installed_records.stated_build(dist, _WHEEL_FILE)


def _has_record(dist: BaseDistribution) -> bool:
    """Return whether there is a record, without reading it."""
    # pkg_resources does not know the folder of metadata in memory.
    folder: str | None = getattr(dist, "info_location", None)
    return folder is not None and any(
        os.path.exists(os.path.join(folder, name))
        for name in (SELECTION_FILE, _WHEEL_FILE)
    )


class Bound:
    """The variant of a distribution, for its dependencies.

    :ivar environment: the marker environment of the variant.
    :ivar requirements: further requirements, not in the metadata.
    """

    # Not a dataclass: defining one takes longer than the rest of this module, which plain
    # packages need too.

    def __init__(
        self, environment: VariantEnvironment, requirements: Sequence[str]
    ) -> None:
        self.environment = environment
        self.requirements = requirements


def bind(
    dist: BaseDistribution,
    label: str,
    properties: Iterable[Property],
    manifest: Manifest,
) -> None:
    """Record the variant of a distribution.

    :param properties: the variant's properties that the target supports.
    """
    from pip._vendor.wheel_variants.abi_dependency import requirements
    from pip._vendor.wheel_variants.markers import variant_environment

    environment = variant_environment(label, properties)
    BOUND.set(dist, Bound(environment, requirements(manifest, label)))
    # pkg_resources may have cached the dependencies for another machine.
    vars(getattr(dist, "_dist", dist)).pop("_DistInfoDistribution__dep_map", None)


def bound_of(dist: BaseDistribution) -> Bound | None:
    """Return the recorded variant of a distribution, or None."""
    bound = BOUND.of(dist, Bound)
    if bound is not None:
        return bound
    found = installed_build(dist)
    if found is None or found.label is None:
        return None
    bind(dist, found.label, found.supported, found.manifest)
    return bound_of(dist)
