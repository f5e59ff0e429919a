"""Fuzz targets, one module per kind of input."""

from __future__ import annotations

from collections.abc import Mapping

from tools.fuzz.target import FuzzTarget
from tools.fuzz.targets import (
    commands,
    dependencies,
    file_names,
    host_files,
    installed,
    lock_files,
    manifests,
    pages,
    plugins,
    publishing,
    releases,
    wheels,
)

__all__ = ["TARGETS"]

TARGETS: Mapping[str, FuzzTarget] = {
    target.name: target
    for module in (
        manifests,
        releases,
        pages,
        file_names,
        wheels,
        dependencies,
        plugins,
        host_files,
        installed,
        lock_files,
        publishing,
        commands,
    )
    for target in module.TARGETS
}
