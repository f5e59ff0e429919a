"""Replicas of releases of the public variant index: real names and manifests.

The data of the index (the names of its files, and its manifests) is beside the checkout;
the wheels are stand-ins.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from tests.lib.manifests import manifest_file, variant_json
from tests.lib.repository import Repository
from tests.lib.wheels import escape_name, make_wheel

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "public-index"
SCHEMAS = ("v0.0.2", "v0.0.3")

#: The reason for skipping tests if the data is missing.
ABSENT = "the data of the public index is not beside this checkout"


def is_present() -> bool:
    """Return whether the data is available."""
    return all((DATA / schema / "files.json").is_file() for schema in SCHEMAS)


def manifest_paths(schema: str | None = None) -> list[Path]:
    """Return all manifests of the index, or of one schema version."""
    folder = DATA / schema if schema else DATA
    return sorted(folder.rglob("*-variants.json"))


@functools.cache
def _all_file_names(schema: str) -> dict[str, list[str]]:
    path = DATA / schema / "files.json"
    names: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
    return names


def file_names(schema: str, project: str, version: str) -> list[str]:
    """Return the names of a release's files, as the index lists them."""
    return [
        name
        for name in _all_file_names(schema)[project]
        if name.split("-")[1] == version
    ]


def load_manifest(schema: str, project: str, version: str) -> bytes | None:
    """Return the manifest of a release, or ``None``."""
    name = f"{escape_name(project)}-{version}-variants.json"
    path = DATA / schema / project / name
    return path.read_bytes() if path.is_file() else None


def add_release(
    repository: Repository, schema: str, project: str, version: str, **options: Any
) -> None:
    """Add a replica of a release: its manifest and small wheels.

    :param options: the options of :func:`tests.lib.wheels.make_wheel`.
    """
    raw = load_manifest(schema, project, version)
    manifest: dict[str, Any] = json.loads(raw) if raw is not None else {}
    for name in file_names(schema, project, version):
        if name.endswith("-variants.json"):
            assert raw is not None, name
            repository.add(manifest_file(project, version, raw))
            continue
        tag, build, label = _split(name)
        repository.add(
            make_wheel(
                project,
                version,
                tag=tag,
                build=build,
                label=label,
                variant_json=variant_json(manifest, label) if label else None,
                filename=name,
                **options,
            )
        )


def add_project(
    repository: Repository, schema: str, project: str, *versions: str
) -> None:
    """Add replicas of these releases."""
    for version in versions:
        add_release(repository, schema, project, version)


def _split(filename: str) -> tuple[str, str | None, str | None]:
    """Return tag, build tag and label of a wheel's name (PEP 825, file names)."""
    rest = filename.removesuffix(".whl").split("-")[2:]
    build = rest.pop(0) if rest[0][0].isdigit() else None
    label = rest[3] if len(rest) == 4 else None
    return "-".join(rest[:3]), build, label
