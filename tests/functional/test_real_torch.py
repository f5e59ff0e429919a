"""A real torch wheel, repacked under labels, installs as the chosen variant."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lib.environments import Environment
from tests.lib.manifests import cuda, make_manifest, manifest_file, variant_json
from tests.lib.wheels import relabel_wheel

pytestmark = [pytest.mark.torch, pytest.mark.process]


@pytest.fixture
def links(tmp_path: Path) -> Path:
    """Return a folder with torch under two labels, its manifest and what it needs."""
    given = os.environ.get("PIP_VARIANTS_TORCH")
    if given is None:
        pytest.skip("no real torch wheel: the nox session 'torch' downloads it")
    folder = tmp_path / "links"
    shutil.copytree(given, folder, ignore=shutil.ignore_patterns("torch-*"))
    (wheel,) = Path(given).glob("torch-*.whl")
    version = wheel.name.split("-")[1]
    manifest = make_manifest(
        {"cu129": cuda("12.9", ["90"]), "level2": ["x86_64 :: level :: v2"]}
    )
    for label in manifest["variants"]:
        relabel_wheel(wheel, folder, label, variant_json(manifest, label))
    manifest_file("torch", version, manifest).write_to(folder)
    return folder


def test_real_torch_is_chosen_installed_and_imported(
    venv: Environment, links: Path, host: Callable[[str], Path]
) -> None:
    install = ["install", "--no-index", "--find-links", str(links), "torch"]
    result = venv.pip(*install, "--dry-run", "--variant-host", host("cuda13.0-sm9.0"))
    assert ", variant cu129 (" in result.stdout

    venv.pip(*install, "--variant-host", host("x86_64-v3"))
    (inside,) = venv.site_packages.glob("torch-*.dist-info/variant.json")
    assert '"level2"' in inside.read_text(encoding="utf-8")
    assert venv.eval("torch.arange(4).sum().item()", "torch") == "6"
    assert venv.pip("check").stdout == "No broken requirements found.\n"
