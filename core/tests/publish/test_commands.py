"""What the commands of ``wheel-variants`` keep, refuse and say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lib.manifests import cuda, make_manifest, variant_json
from tests.lib.publisher import WheelCli
from tests.lib.wheels import make_wheel

MANIFEST = make_manifest(
    {"cu126": cuda("12.6"), "cu128": cuda("12.8")}, namespaces=["nvidia"]
)
PLAIN = "demo-1.0-py3-none-any.whl"


@pytest.fixture
def publish(tmp_path: Path) -> WheelCli:
    """Return a function that runs ``wheel-variants``."""
    return WheelCli(tmp_path / "home", tmp_path)


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """Return a folder with a plain wheel and a variant."""
    folder = tmp_path / "dist"
    folder.mkdir()
    make_wheel("demo", "1.0").write_to(folder)
    add(folder, "cu128")
    return folder


def add(folder: Path, label: str, version: str = "1.0") -> Path:
    content = variant_json(MANIFEST, label)
    wheel = make_wheel("demo", version, label=label, variant_json=content)
    return wheel.write_to(folder)


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.glob("*.whl")}


def test_index_keeps_the_wheels_of_its_own_folder(
    publish: WheelCli, dist: Path, tmp_path: Path
) -> None:
    """Even if an earlier run linked them there."""
    publish("index", dist, "--simple", "-o", "site")
    before = names(dist)
    add(tmp_path / "site", "cu126")
    publish("index", "site", "--simple")
    publish("index", "site", "--simple")
    assert names(tmp_path / "site") == {*before, "demo-1.0-py3-none-any-cu126.whl"}
