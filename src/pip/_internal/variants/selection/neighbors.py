"""What installed packages say of CUDA and accelerators, and which contradict each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.selection.accelerators import uses_accelerator
from pip._internal.variants.selection.agreement import CudaBuild, cuda_major
from pip._internal.variants.selection.installed import installed_build

if TYPE_CHECKING:
    from pip._vendor.packaging.requirements import Requirement

    from pip._internal.metadata import BaseDistribution

__all__ = ["Contradiction", "contradictions", "cuda_of"]

#: ``cu126`` or ``cpu`` as a part of a local version.
_LOCAL_CUDA = re.compile(r"cu([0-9]{2})[0-9]")
_LOCAL_GPU = re.compile(r"cu[0-9]{3}|rocm[0-9].*|xpu")
#: Libraries of CUDA with the major version in the name, and without.
_WITH_MAJOR = re.compile(r"nvidia-[a-z0-9-]+-cu([0-9]{2})")
_WITHOUT_MAJOR = frozenset(("cuda-toolkit", "nvidia-cuda-runtime", "nvidia-cublas"))


class Contradiction(NamedTuple):
    """A package that uses an accelerator, and one that does not, of which one needs the other.

    Both are of projects that publish builds for accelerators.
    """

    using: BaseDistribution
    other: BaseDistribution


def cuda_of(dist: BaseDistribution) -> CudaBuild | None:
    """Return for which CUDA a package is: a variant, a local version, or its requirements."""
    name, build = f"{dist.raw_name} {dist.version}", installed_build(dist)
    if build is not None and build.label is not None:
        major = cuda_major(build.supported)
        return (
            None if major is None else CudaBuild(name, build.label, major, frozenset())
        )
    for part in _local_parts(dist):
        found = _LOCAL_CUDA.fullmatch(part)
        if found is not None:
            return CudaBuild(name, part, int(found[1]), frozenset())
    for each in _requirements(dist):
        major = _major_of(each)
        if major is not None:
            return CudaBuild(name, f"requires {each.name}", major, frozenset())
    return None


def contradictions(dists: Iterable[BaseDistribution]) -> Iterator[Contradiction]:
    """Yield which packages do not go together, because one is for the CPU alone."""
    by_name = {dist.canonical_name: dist for dist in dists}
    using = {name: _uses(dist) for name, dist in by_name.items()}
    for name, dist in by_name.items():
        if using[name] is None:
            continue
        needed = {canonicalize_name(each.name) for each in _requirements(dist)}
        for each in sorted(needed & by_name.keys()):
            if using[each] is not None and using[each] != using[name]:
                pair = (dist, by_name[each])
                yield Contradiction(*(pair if using[name] else reversed(pair)))


def _uses(dist: BaseDistribution) -> bool | None:
    """Return whether a package uses an accelerator; None if its project has no such builds."""
    build = installed_build(dist)
    if build is not None and build.label is not None:
        variants = build.manifest.variants
        if not any(uses_accelerator(build.manifest, label) for label in variants):
            return None
        return uses_accelerator(build.manifest, build.label)
    for part in _local_parts(dist):
        if part == "cpu":
            return False
        if _LOCAL_GPU.fullmatch(part):
            return True
    return None


def _local_parts(dist: BaseDistribution) -> list[str]:
    """Return the parts of the local version; an invalid version has none."""
    return (getattr(dist.version, "local", None) or "").split(".")


def _requirements(dist: BaseDistribution) -> list[Requirement]:
    """Return what a package requires; nothing if its metadata is invalid."""
    try:
        return list(dist.iter_dependencies())
    except (OSError, ValueError):
        # ``pip check`` itself reports it.
        return []


def _major_of(required: Requirement) -> int | None:
    """Return the CUDA major version of a library that is required, if it is one."""
    name = canonicalize_name(required.name)
    found = _WITH_MAJOR.fullmatch(name)
    if found is not None:
        return int(found[1])
    if name in _WITHOUT_MAJOR:
        for each in required.specifier:
            digits = each.version.partition(".")[0]
            if each.operator in ("==", "~=") and digits.isdecimal() and len(digits) < 4:
                return int(digits)
    return None
