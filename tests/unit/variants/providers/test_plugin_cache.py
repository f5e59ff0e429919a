"""Only this user can change the environments of plugins in the cache."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pip._internal.fast.upgrades import trees
from pip._internal.models.link import Link
from pip._internal.variants.providers.plugin_cache import (
    CACHE_FOLDER,
    PARTIAL,
    environment_key,
    find,
    keep,
    new_folder,
)

KEY = "0123456789abcdef"


def installed(cache: Path, text: str = "print(1)\n", key: str = KEY) -> Path:
    """Make an environment that is not kept yet."""
    folder = Path(new_folder(str(cache), key))
    (folder / "npu-1.0.dist-info").mkdir()
    (folder / "npu-1.0.dist-info" / "RECORD").write_text("npu.py,,\n", encoding="utf-8")
    (folder / "npu.py").write_text(text, encoding="utf-8")
    (folder / "empty").mkdir()
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Return the folder of all environments."""
    return tmp_path / CACHE_FOLDER


def test_what_is_kept_is_found(cache: Path) -> None:
    assert find(str(cache), KEY) is None
    slower = installed(cache)
    kept = Path(keep(str(installed(cache)), KEY))
    assert kept == cache / KEY
    assert find(str(cache), KEY) == str(kept)
    assert find(str(cache), "f" * 32) is None
    # Another process that makes the same uses it too.
    assert keep(str(slower), KEY) == str(kept)
    assert list(cache.iterdir()) == [kept]


def test_the_permissions_that_a_user_gives_new_files_do_not_matter(
    cache: Path,
) -> None:
    """With a umask of 002, files belong to a group that has nobody else in it."""
    before = os.umask(0o002)
    try:
        kept = keep(str(installed(cache)), KEY)
    finally:
        os.umask(before)
    assert find(str(cache), KEY) == kept


def linked(folder: Path) -> None:
    """Put a link to a file with the same content in its place."""
    twin = folder.parent.parent / "twin.py"
    (folder / "npu.py").rename(twin)
    (folder / "npu.py").symlink_to(twin)


def moved(folder: Path) -> None:
    """Put a link to a folder in its place."""
    elsewhere = folder.rename(folder.parent / "elsewhere")
    folder.symlink_to(elsewhere, target_is_directory=True)


#: What makes an environment one that others may have changed, or could change.
OPEN: Mapping[str, Callable[[Path], object]] = {
    "link": linked,
    "dangling link": lambda folder: (folder / "more.py").symlink_to("nowhere"),
    "link to all": moved,
    "link to the cache": lambda folder: moved(folder.parent),
    "pipe": lambda folder: os.mkfifo(folder / "pipe"),
    "file": lambda folder: (folder / "npu.py").chmod(0o666),
    "folder": lambda folder: (folder / "empty").chmod(0o777),
    "environment": lambda folder: folder.chmod(0o777),
    "environment, for the group to read": lambda folder: folder.chmod(0o750),
    "cache": lambda folder: folder.parent.chmod(0o777),
    "cache, for the group": lambda folder: folder.parent.chmod(0o770),
}


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.linux
def test_what_others_can_change_is_not_used(cache: Path, name: str) -> None:
    kept = Path(keep(str(installed(cache)), KEY))
    OPEN[name](kept)
    assert find(str(cache), KEY) is None
    # It is installed in a temporary folder then, outside of the cache.
    with pytest.raises(OSError, match="others can change it"):
        new_folder(str(cache), KEY)


@pytest.mark.skipif(os.name == "nt", reason="users are those of POSIX")
@pytest.mark.linux
def test_what_belongs_to_others(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(str(installed(cache)), KEY)
    uid = os.geteuid()
    monkeypatch.setattr(trees.os, "geteuid", lambda: uid + 1)
    assert find(str(cache), KEY) is None
    with pytest.raises(OSError, match="others can change it"):
        new_folder(str(cache), "f" * 32)


@pytest.mark.linux
def test_what_others_put_there_meanwhile_is_not_used(cache: Path) -> None:
    folder = installed(cache)
    kept = Path(keep(str(installed(cache)), KEY))
    (kept / "npu.py").chmod(0o666)
    with pytest.raises(OSError, match=KEY):
        keep(str(folder), KEY)
    assert not folder.exists()


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


def test_abandoned_ones_go_after_an_hour(cache: Path) -> None:
    fresh, old, kept = (cache / name for name in (f"{PARTIAL}a", f"{PARTIAL}b", "abc"))
    cache.mkdir(0o700)
    for folder in (fresh, old, kept):
        folder.mkdir()
    long_ago = time.time() - 3601
    for folder in (old, kept):
        os.utime(folder, (long_ago, long_ago))
    new = Path(new_folder(str(cache), KEY))
    assert sorted(cache.iterdir()) == sorted([fresh, kept, new])
