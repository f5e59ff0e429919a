"""The environments of plugins in the cache are what was installed, to the last file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pip._internal.models.link import Link
from pip._internal.variants.machine import plugin_cache
from pip._internal.variants.machine.plugin_cache import (
    CACHE_FOLDER,
    PARTIAL,
    environment_key,
    find,
    keep,
    remove_abandoned,
)

KEY = "0123456789abcdef"


def installed(cache: Path, text: str = "print(1)\n") -> Path:
    """Make an environment that is not kept yet."""
    folder = cache / f"{PARTIAL}x"
    (folder / "npu-1.0.dist-info").mkdir(parents=True)
    (folder / "npu-1.0.dist-info" / "RECORD").write_text("npu.py,,\n", encoding="utf-8")
    (folder / "npu.py").write_text(text, encoding="utf-8")
    (folder / "empty").mkdir()
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Return the folder of all environments."""
    return tmp_path / CACHE_FOLDER


def test_what_is_as_it_was_is_found(cache: Path) -> None:
    kept = Path(keep(str(installed(cache)), KEY))
    assert kept.parent == cache
    assert find(str(cache), KEY) == str(kept)
    assert find(str(cache), "f" * 16) is None
    assert find(str(cache / "none"), KEY) is None
    # Another process that makes the same uses it too.
    assert keep(str(installed(cache)), KEY) == str(kept)
    assert list(cache.iterdir()) == [kept]


def planted(folder: Path) -> None:
    """Put compiled code beside the source of a module."""
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "npu.cpython-311.pyc").write_bytes(b"")


def swapped(folder: Path) -> None:
    """Swap the names of two files."""
    (folder / "npu.py").rename(folder / "aside")
    (folder / "npu-1.0.dist-info" / "RECORD").rename(folder / "npu.py")
    (folder / "aside").rename(folder / "npu-1.0.dist-info" / "RECORD")


def linked(folder: Path) -> None:
    """Put a link to a file with the same content in its place."""
    twin = folder.parent.parent / "twin.py"
    (folder / "npu.py").rename(twin)
    (folder / "npu.py").symlink_to(twin)


def moved(folder: Path) -> None:
    """Put a link to an environment in its place."""
    elsewhere = folder.rename(folder.parent.parent / "elsewhere")
    folder.symlink_to(elsewhere, target_is_directory=True)


DAMAGE: Mapping[str, Callable[[Path], object]] = {
    "changed": lambda folder: (folder / "npu.py").write_text("print(2)\n"),
    "cut off": lambda folder: (folder / "npu.py").write_text(""),
    "missing": lambda folder: (folder / "npu.py").unlink(),
    "missing folder": lambda folder: (folder / "empty").rmdir(),
    "added": lambda folder: (folder / "more.py").touch(),
    "added folder": lambda folder: (folder / "empty" / "more").mkdir(),
    "swapped": swapped,
    "compiled": planted,
    "compiled, without a source": lambda folder: (folder / "json.pyc").touch(),
    "record": lambda folder: (folder / "npu-1.0.dist-info" / "RECORD").write_text(""),
    "link": linked,
    "link to all": moved,
}
if os.name != "nt":
    DAMAGE = {
        **DAMAGE,
        "pipe": lambda folder: os.mkfifo(folder / "pipe"),
        "for all to change": lambda folder: (folder / "npu.py").chmod(0o666),
        "a folder for all to change": lambda folder: (folder / "empty").chmod(0o777),
    }


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.linux
def test_what_is_not_as_it_was_goes(cache: Path, name: str) -> None:
    kept = Path(keep(str(installed(cache)), KEY))
    other = Path(keep(str(installed(cache, "other")), "f" * 16))
    DAMAGE[name](kept)
    assert find(str(cache), KEY) is None
    assert list(cache.iterdir()) == [other]
    # What is installed anew serves again.
    assert keep(str(installed(cache)), KEY) == str(kept)
    assert find(str(cache), KEY) == str(kept)


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.linux
def test_what_belongs_to_others(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(str(installed(cache)), KEY)
    uid = os.geteuid()
    monkeypatch.setattr(plugin_cache.os, "geteuid", lambda: uid + 1)
    assert find(str(cache), KEY) is None
    with pytest.raises(OSError, match="others may write"):
        keep(str(installed(cache)), KEY)


def test_what_cannot_be_removed_is_not_used(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Path(keep(str(installed(cache)), KEY))
    planted(kept)

    def refuse(*_: object, **__: object) -> None:
        raise OSError("read-only")

    monkeypatch.setattr(plugin_cache.tempfile, "mkdtemp", refuse)
    assert find(str(cache), KEY) is None
    assert kept.is_dir()
    # It is not taken for what another process has installed meanwhile.
    with pytest.raises(OSError, match=str(kept)):
        keep(str(installed(cache)), KEY)


def link(name: str, digest: str, kind: str = "sha256") -> Link:
    return Link(f"https://index.test/{name}#{kind}={digest}")


def test_the_key_is_of_hashes() -> None:
    """Of one file name there may be several files."""
    one, other = "1" * 64, "2" * 64
    key = environment_key([link("a.whl", one)])
    assert key is not None
    assert key == environment_key([link("a.whl", one)])
    assert key != environment_key([link("a.whl", other)])
    assert key != environment_key([link("b.whl", one)])
    assert key != environment_key([link("a.whl", one), link("b.whl", one)])
    assert environment_key([link("a.whl", "1" * 32, "md5")]) is None
    assert environment_key([link("a.whl", one), Link("https://index.test/b")]) is None
    assert environment_key([None]) is None


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
