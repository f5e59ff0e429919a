"""Write all builds of a release into one entry of a lock file (PEP 751, PEP 825)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.markers import Marker
from pip._vendor.packaging.pylock import Package, Pylock
from pip._vendor.packaging.version import Version

from pip._internal.variants.locks.conditions import group_names, marker_text
from pip._internal.variants.locks.plan import Plan, Variants
from pip._internal.variants.slots import LOCK_PLAN

if TYPE_CHECKING:
    from pip._internal.req.req_install import InstallRequirement

__all__ = ["lock_written"]


@dataclasses.dataclass(frozen=True, init=False)
class VariantPackage(Package):
    """An entry of a lock file with the manifest of its variants.

    :ivar variants_json: the manifest as TOML has it.
    """

    variants_json: Mapping[str, Any] | None = None

    def __init__(self, package: Package, variants: Variants) -> None:
        fields = {name: getattr(package, name) for name in _FIELDS}
        super().__init__(**{**fields, "wheels": variants.wheels})
        object.__setattr__(self, "variants_json", variants.document)


_FIELDS = [field.name for field in dataclasses.fields(Package)]


def lock_written(
    fn: Callable[[Iterable[InstallRequirement], Path], Pylock],
    install_requirements: Iterable[InstallRequirement],
    base_dir: Path,
) -> Pylock:
    """Make the lock file with all builds, and with all that any of them needs."""
    requirements = list(install_requirements)
    plan = LOCK_PLAN.of(requirements[0], Plan) if requirements else None
    if plan is None:
        return fn(requirements, base_dir)
    locked = sorted(plan.requirements, key=lambda each: (each[0], Version(each[1])))
    # Sorted by name; versions of one project keep the order in which they come.
    lock = fn([plan.requirements[each] for each in locked], base_dir)
    names = group_names(plan.builds)
    packages = []
    used: set[str] = set()
    for each, package in zip(locked, lock.packages, strict=True):
        condition = plan.conditions[each]
        used.update(names[build] for terms in condition for build in terms)
        marker = marker_text(condition, names)
        if marker is not None:
            package = dataclasses.replace(package, marker=Marker(marker))
        variants = plan.variants.get(each[0])
        if variants is not None:
            package = VariantPackage(package, variants)
        packages.append(package)
    return dataclasses.replace(
        lock, packages=packages, default_groups=sorted(used) or None
    )
