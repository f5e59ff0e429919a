"""The environments of plugins in the cache stay sound."""

from __future__ import annotations

import base64
import hashlib
import os
import time
from pathlib import Path

import pytest

from pip._internal.variants.plugin_cache import (
    CACHE_FOLDER,
    PARTIAL,
    remove_abandoned,
    remove_damaged,
)


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """Return an environment in the cache with one file that RECORD describes."""
    folder = tmp_path / CACHE_FOLDER / "abc"
    info = folder / "npu-1.0.dist-info"
    info.mkdir(parents=True)
    content = b"print(1)\n"
    (folder / "npu.py").write_bytes(content)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
    (info / "RECORD").write_text(
        f"npu.py,sha256={digest.rstrip('=')},{len(content)}\n"
        "npu-1.0.dist-info/RECORD,,\n",
        encoding="utf-8",
    )
    return folder


def test_what_is_sound_stays(environment: Path) -> None:
    assert not remove_damaged(str(environment))
    assert environment.is_dir()


@pytest.mark.parametrize("damage", ["changed", "missing", "no record", "no table"])
def test_what_is_damaged_goes(environment: Path, damage: str) -> None:
    (record,) = environment.glob("*/RECORD")
    if damage == "changed":
        (environment / "npu.py").write_bytes(b"print(2)\n")
    elif damage == "missing":
        (environment / "npu.py").unlink()
    elif damage == "no record":
        record.unlink()
    else:
        record.write_text("one,column,too,many\n", encoding="utf-8")
    assert remove_damaged(str(environment))
    assert not environment.exists()


def test_what_is_not_in_the_cache_is_nobodys_business(
    environment: Path, tmp_path: Path
) -> None:
    elsewhere = environment.rename(tmp_path / "elsewhere")
    (elsewhere / "npu.py").unlink()
    assert not remove_damaged(str(elsewhere))
    assert elsewhere.is_dir()


def test_abandoned_ones_go_after_an_hour(tmp_path: Path) -> None:
    fresh, old, kept = (
        tmp_path / name for name in (f"{PARTIAL}new", f"{PARTIAL}old", "abc")
    )
    for folder in (fresh, old, kept):
        folder.mkdir()
    long_ago = time.time() - 3601
    for folder in (old, kept):
        os.utime(folder, (long_ago, long_ago))
    remove_abandoned(str(tmp_path))
    assert sorted(tmp_path.iterdir()) == sorted([fresh, kept])
