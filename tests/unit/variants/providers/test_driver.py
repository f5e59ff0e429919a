"""A library that the dynamic loader finds is never said to be missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pip._internal.variants.providers.driver import may_find

LIBRARY = "libdriver.so.1"

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="other systems ask their loader"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the root of a system whose loader has a cache and no driver."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/ld.so.cache").write_bytes(b"\0libc.so.6\0/lib/libc.so.6\0")
    return tmp_path


@pytest.mark.linux
def test_library_that_is_nowhere(root: Path) -> None:
    assert not may_find(LIBRARY, {}, root=str(root))


@pytest.mark.parametrize("entry", [f"\0{LIBRARY}\0", f"\0/usr/lib/wsl/lib/{LIBRARY}\0"])
def test_library_in_the_cache(root: Path, entry: str) -> None:
    (root / "etc/ld.so.cache").write_bytes(entry.encode())
    assert may_find(LIBRARY, {}, root=str(root))


@pytest.mark.parametrize("folder", ["lib", "usr/lib", "lib64", "usr/lib64"])
def test_library_that_came_after_the_cache(root: Path, folder: str) -> None:
    (root / folder).mkdir(parents=True)
    (root / folder / LIBRARY).touch()
    assert may_find(LIBRARY, {}, root=str(root))


def test_library_in_the_folder_of_the_architecture(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.implementation, "_multiarch", "mips-linux", raising=False)
    folder = root / "usr/lib/mips-linux"
    folder.mkdir(parents=True)
    (folder / LIBRARY).touch()
    assert may_find(LIBRARY, {}, root=str(root))


def test_library_beside_the_interpreter(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "base_prefix", str(root / "python"))
    (root / "python/lib").mkdir(parents=True)
    (root / "python/lib" / LIBRARY).touch()
    assert may_find(LIBRARY, {}, root=str(root))


@pytest.mark.parametrize("variable", ["LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT"])
@pytest.mark.linux
def test_in_doubt_the_loader_is_asked(root: Path, variable: str) -> None:
    assert may_find(LIBRARY, {variable: "/elsewhere"}, root=str(root))
    assert not may_find(LIBRARY, {variable: ""}, root=str(root))


def test_without_a_cache_the_loader_is_asked(root: Path) -> None:
    (root / "etc/ld.so.cache").unlink()
    assert may_find(LIBRARY, {}, root=str(root))


@pytest.mark.parametrize("name", ["libc.so.6", "libm.so.6", "libdl.so.2", "libz.so.1"])
def test_what_the_loader_of_this_system_finds(name: str) -> None:
    load = [sys.executable, "-c", f"import ctypes; ctypes.CDLL({name!r})"]
    if subprocess.run(load, capture_output=True, check=False).returncode == 0:
        assert may_find(name)
