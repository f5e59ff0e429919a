"""Create releases with different dependencies per variant, and lock files."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.lib.index import IndexServer
from tests.lib.manifests import cuda, make_manifest, variant_json
from tests.lib.wheels import make_wheel

#: The requirements of the wheels of a release, by label; None for a plain wheel.
Needs = Mapping[str, Sequence[str]] | Mapping[str | None, Sequence[str]]

#: The manifest of torch: two CUDA variants and the null variant; the release also has a
#: plain wheel.
TORCH: Mapping[str, Any] = make_manifest(
    {"null": {}, "cu126": cuda("12.6", ["80", "90"]), "cu128": cuda("12.8", ["90"])}
)
NEEDS: Needs = {
    "null": ["common", "cpu-lib"],
    "cu126": ["common", "cuda-lib==12.6"],
    "cu128": ["common", "cuda-lib==12.8"],
    None: ["common", "cpu-lib"],
}


def add_variants(
    index: IndexServer,
    name: str,
    version: str,
    manifest: Mapping[str, Any],
    needs: Needs,
    **options: Any,
) -> None:
    """Add a release with a variant for each label in *needs*.

    :param options: passed to :func:`tests.lib.wheels.make_wheel`.
    """
    index.add_release(name, version, {}, manifest=manifest, plain=False)
    for label in manifest["variants"]:
        if label not in needs:
            index.projects[name] = [
                entry
                for entry in index.projects[name]
                if not entry.file.filename.endswith(f"-{label}.whl")
            ]
    for label, requires in needs.items():
        own = None if label is None else variant_json(manifest, label)
        index.add(
            make_wheel(
                name,
                version,
                label=label,
                variant_json=own,
                requires=requires,
                **options,
            )
        )


def add_torch(index: IndexServer) -> IndexServer:
    """Add torch 2.8.0 with its dependencies, which differ by variant."""
    add_variants(index, "torch", "2.8.0", TORCH, NEEDS)
    for name, version in [
        ("common", "1.0"),
        ("cpu-lib", "1.0"),
        ("cuda-lib", "12.6"),
        ("cuda-lib", "12.8"),
    ]:
        index.add(make_wheel(name, version))
    return index


def write_lock(
    folder: Path,
    index: IndexServer,
    *filenames: str,
    extra: str = "",
    sdist: str | None = None,
) -> Path:
    """Write the lock file of a tool without variant groups.

    :param filenames: the names of wheels on the index, all of one release.
    :param extra: additional TOML for the package.
    :param sdist: the file name of an sdist of that release.
    """
    name, version = filenames[0].split("-")[:2]
    files = "".join(
        f'[[packages.wheels]]\nname = "{each}"\n{_source(index, each)}\n'
        for each in filenames
    )
    if sdist is not None:
        files += f'[packages.sdist]\nname = "{sdist}"\n{_source(index, sdist)}\n'
    text = (
        'lock-version = "1.0"\ncreated-by = "another tool"\n'
        f'[[packages]]\nname = "{name}"\nversion = "{version}"\n{files}'
    )
    path = folder / "pylock.toml"
    path.write_text(text + textwrap.dedent(extra), encoding="utf-8")
    return path


def _source(index: IndexServer, filename: str) -> str:
    entry = index.find(filename)
    assert entry is not None, filename
    url = index.url + index.file_path(filename)
    return f'url = "{url}"\nhashes = {{ sha256 = "{entry.file.sha256}" }}'
