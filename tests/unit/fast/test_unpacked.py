"""Files get to their places in the best way that the disks allow."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from pip._internal.fast.unpacked import placing
from pip._internal.fast.unpacked.entries import PACK, Entry, Row, is_plain
from pip._internal.fast.unpacked.folder import Folder, InUse
from pip._internal.fast.unpacked.placing import Placer

pytestmark = [
    pytest.mark.linux,
    pytest.mark.skipif(sys.platform == "win32", reason="not on Windows"),
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a file."""
    path = tmp_path / "source.py"
    path.write_bytes(b"x = 1\n" * 1000)
    return path


def refuse(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, number: int
) -> list[object]:
    """Let a function of the system fail; return a list of how often it was asked."""
    asked: list[object] = []

    def refused(*arguments: object) -> None:
        asked.append(arguments)
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(owner, name, refused)
    return asked


def test_a_link(source: Path, tmp_path: Path) -> None:
    placer = Placer(may_link=True)
    placer.place(str(source), str(tmp_path / "linked"))
    placer.place(str(source), str(tmp_path / "own"), may_link=False)
    assert (tmp_path / "linked").samefile(source)
    assert not (tmp_path / "own").samefile(source)
    assert (tmp_path / "own").read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    ("number", "count"), [(errno.EXDEV, 1), (errno.EPERM, 1), (errno.EMLINK, 2)]
)
def test_no_link(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    count: int,
) -> None:
    """What another disk is for one file it is for all; too many links one file has."""
    asked = refuse(monkeypatch, os, "link", number)
    placer = Placer(may_link=True)
    for name in "ab":
        placer.place(str(source), str(tmp_path / name))
        assert (tmp_path / name).read_bytes() == source.read_bytes()
    assert len(asked) == count


@pytest.mark.skipif(sys.platform != "linux", reason="cloned on Linux alone")
@pytest.mark.parametrize(
    ("number", "count"), [(errno.EOPNOTSUPP, 1), (errno.ENOTTY, 1), (errno.EINVAL, 2)]
)
def test_no_clone(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    count: int,
) -> None:
    asked = refuse(monkeypatch, placing.fcntl, "ioctl", number)
    placer = Placer(may_link=False)
    for name in "ab":
        placer.place(str(source), str(tmp_path / name))
        assert (tmp_path / name).read_bytes() == source.read_bytes()
    assert len(asked) == count


@pytest.mark.parametrize("may_link", [False, True])
def test_what_is_there_stays(source: Path, tmp_path: Path, may_link: bool) -> None:
    target = tmp_path / "there"
    target.write_bytes(b"kept")
    with pytest.raises(FileExistsError):
        Placer(may_link=may_link).place(str(source), str(target))
    assert target.read_bytes() == b"kept"


def test_written(tmp_path: Path) -> None:
    target = tmp_path / "target"
    content = b"x = 1\n" * 9999
    Placer(may_link=True).write(content, str(target), is_executable=True, time=10**18)
    assert target.read_bytes() == content
    assert (target.stat().st_mode & 0o111, target.stat().st_mtime_ns) == (0o111, 10**18)
    with pytest.raises(FileExistsError):
        Placer(may_link=True).write(b"other", str(target))
    assert target.read_bytes() == content


def test_a_pack_that_became_shorter(tmp_path: Path) -> None:
    entry = tmp_path / "entry"
    entry.mkdir()
    (entry / PACK).write_bytes(b"12345")
    rows = [Row(name, 3, 0, "", is_packed=True) for name in ("a.py", "b.py")]
    lib, put = tmp_path / "lib", list[str]()
    whole = Entry(str(entry), Row("a.whl", 0, 0, ""), Row(PACK, 6, 0, ""), rows)
    with pytest.raises(OSError, match="changed while it was used"):
        whole.put(str(lib), Placer(may_link=False), [False, False], put)
    assert [Path(path).name for path in put] == ["a.py"]


def test_a_full_disk_leaves_no_part(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, placing, "copied", errno.ENOSPC)
    if sys.platform == "linux":
        refuse(monkeypatch, placing.fcntl, "ioctl", errno.EOPNOTSUPP)
    with pytest.raises(OSError, match="No space left"):
        Placer(may_link=False).place(str(source), str(tmp_path / "target"))
    assert not (tmp_path / "target").exists()


def test_rights_and_time(source: Path, tmp_path: Path) -> None:
    placer = Placer(may_link=False)
    target = tmp_path / "target"
    placer.place(str(source), str(target), is_executable=True, time=1_500_000_000)
    assert target.stat().st_mode & 0o111 == 0o111
    assert target.stat().st_mtime_ns == 1_500_000_000


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *[(path, True) for path in ("a.py", "a/b.py", "a/..b/c", "größe")],
        *[(path, False) for path in ("", "/a", "a//b", "a/../b", "./a", "a/", "a\\b")],
    ],
)
def test_plain_paths(path: str, expected: bool) -> None:
    assert is_plain(path) == expected


def test_who_removes_must_be_alone(tmp_path: Path) -> None:
    first, second = Folder(str(tmp_path)), Folder(str(tmp_path))
    with pytest.raises(InUse):
        Folder(str(tmp_path), alone=True)
    first.close()
    first.close()
    with pytest.raises(InUse):
        Folder(str(tmp_path), alone=True)
    second.close()
    Folder(str(tmp_path), alone=True).close()


def test_what_is_left_goes_when_nobody_else_is_there(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path))
    left = Path(folder.new())
    other = Folder(str(tmp_path))
    _damage(folder)
    folder.settle(0)
    assert left.is_dir()
    _damage(other)
    other.settle(0)
    assert {each.name for each in Path(other.path).iterdir()} == {"lock", "held"}


def test_the_last_one_sees_to_the_limit(tmp_path: Path) -> None:
    """Whoever is not alone keeps what it has, above the limit."""
    Folder(str(tmp_path)).settle(1500)
    last = Folder(str(tmp_path))
    for digit in "ab":
        folder = Folder(str(tmp_path))
        _keep(folder, digit)
        folder.settle(1500)
    assert len(last.places()) == 2
    last.settle(1500)
    assert len(last.places()) == 1


def _keep(folder: Folder, digit: str) -> None:
    """Keep an entry of 1,000 bytes."""
    new = folder.new()
    Path(new, "a.whl").write_bytes(b"x" * 1000)
    wheel, pack = Row("a.whl", 1000, 0, ""), Row(PACK, 0, 0, "")
    folder.keep(Entry(new, wheel, pack, []), digit * 64, "tag")


def _damage(folder: Folder) -> None:
    """Let a folder find something that is to be removed."""
    place = Path(folder.path, f"{'0' * 64}-tag")
    place.mkdir(exist_ok=True)
    assert folder.find("0" * 64, "tag") is None


def test_a_link_in_place_of_the_lock(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path))
    folder.close()
    lock, other = Path(folder.path, "lock"), tmp_path / "other"
    lock.unlink()
    lock.symlink_to(other)
    with pytest.raises(OSError, match="symbolic links"):
        Folder(str(tmp_path))
    assert not other.exists()
