"""Records of installed builds: what is read back, and what is not taken for one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pip._vendor.wheel_variants.manifest_parser import parse_document
from pip._vendor.wheel_variants.properties import Property

from pip._internal.metadata import BaseDistribution, importlib, pkg_resources
from pip._internal.variants.hooks import installing
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.installed_records import InstalledBuild
from tests.lib.manifests import PREVIEW_TORCH, variant_json

BOUND = Property("nvidia", "cuda_version_lower_bound", "12.8")
BACKENDS: Mapping[str, type[BaseDistribution]] = {
    "importlib": importlib.Distribution,
    "pkg_resources": pkg_resources.Distribution,
}


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> type[BaseDistribution]:
    """Return what reads the metadata of an installed distribution."""
    return BACKENDS[request.param]


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> bytes:
    """Return the record of a variant."""
    monkeypatch.setattr(installing, "SELECTIONS", {})
    monkeypatch.setattr(installing, "_LABELS", {})
    manifest = parse_document(PREVIEW_TORCH)
    build = InstalledBuild("cu128", (BOUND,), manifest, ("cu128",))
    installing.SELECTIONS["a"] = build
    (written,) = installing.recorded_selection(lambda *_: [], "a", str(tmp_path))
    return Path(written).read_bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the metadata folder of an installed torch."""
    folder = tmp_path / "torch-2.8.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Name: torch\nVersion: 2.8.0\n")
    own = json.dumps(variant_json(PREVIEW_TORCH, "cu126"))
    (folder / "variant.json").write_text(own)
    return folder


def test_record(backend: type[BaseDistribution], folder: Path, record: bytes) -> None:
    (folder / "variant-selection.json").write_bytes(record)
    build = installed_build(backend.from_directory(str(folder)))
    assert build is not None
    assert build == InstalledBuild(
        "cu128", (BOUND,), parse_document(PREVIEW_TORCH), ("cu128",)
    )
    assert BOUND in build.declared
    assert len(build.declared) == 7


CORRUPT: Mapping[str, bytes | Mapping[str, Any]] = {
    "no JSON": b'{"label": "cu128"',
    "no text": b"\xff\xfe\x00",
    "too deep": b"[" * 100_000,
    "too long a number": b"[" + b"1" * 10_000 + b"]",
    "a label with a line end": {"label": "x\nevil==1.0"},
    "a label that is none": {"label": ["cu128"]},
    "labels that are none": {"labels": [None]},
    "labels that are no list": {"labels": 1},
    "no property": {"supported": ["nvidia"]},
    "no properties": {"supported": 5},
    "no manifest": {"manifest": {"variants": 5}},
}


@pytest.mark.parametrize("what", CORRUPT)
def test_corrupt_record(
    backend: type[BaseDistribution], folder: Path, record: bytes, what: str
) -> None:
    content = CORRUPT[what]
    if isinstance(content, Mapping):
        content = json.dumps({**json.loads(record), **content}).encode()
    (folder / "variant-selection.json").write_bytes(content)
    # What the wheel says of itself is still there.
    build = installed_build(backend.from_directory(str(folder)))
    assert build is not None
    assert build.label == "cu126"
    (folder / "variant.json").write_bytes(b"{")
    assert installed_build(backend.from_directory(str(folder))) is None


def test_a_wheel_that_says_what_several_are(
    backend: type[BaseDistribution], folder: Path
) -> None:
    """Which one it is nobody knows."""
    (folder / "variant.json").write_text(json.dumps(PREVIEW_TORCH))
    assert installed_build(backend.from_directory(str(folder))) is None
