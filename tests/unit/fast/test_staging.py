"""Wheels that are unpacked and compiled where they need only be moved from."""

from __future__ import annotations

import io
import json
import marshal
import os
import random
import signal
import sys
import time
import types
import zipfile
import zlib
from collections.abc import Callable, Mapping
from optparse import Values
from pathlib import Path
from typing import Any

import pytest

from pip._internal.fast.digests import Verified
from pip._internal.fast.downloads import places, staging_child, trees, unpacking
from pip._internal.fast.downloads.members import Scan, Unclear
from pip._internal.fast.downloads.staging import Staging
from pip._internal.fast.downloads.unpacking import Part, Unpacking
from pip._internal.utils.temp_dir import global_tempdir_manager
from tests.lib.processes import wait_for
from tests.lib.wheels import make_wheel

# Elsewhere things are done in upstream's way.
pytestmark = pytest.mark.linux

FILES: Mapping[str, str | bytes] = {
    "demo/__init__.py": "answer = 42\n",
    "demo/broken.py": "def (",
    "demo/empty.py": "",
    "demo/data.bin": b"\x00" * 300_000,
    "demo-1.0.data/scripts/tool.py": "print(1)\n",
}


def stage(
    wheel: Path, folder: Path, libs: Mapping[str, str], arriving: int = 0
) -> dict[str, Path]:
    """Stage a wheel, and return where its files are, by name; none if it cannot be.

    :param arriving: so many bytes come at a time; 0: all is there
    """
    folder.mkdir()

    def do(part: Part) -> None:
        if part.of.begin():
            try:
                staging_child.do(json.loads(json.dumps(part.order)))
            except (OSError, ValueError) as error:
                part.of.fail(error)
            part.of.done()

    unpacking = Unpacking(str(wheel), str(folder), dict(libs), do)
    if arriving:
        size = wheel.stat().st_size
        unpacking.allow(size, 1 << 40)
        for there in range(arriving, size, arriving):
            unpacking.arrived(there)
        names = {path.name for path in folder.glob("*")}
        assert all(map(str.isdecimal, names)), "nothing is compiled yet"
        assert bool(names) is not unpacking.has_failed
    unpacking.verified(Verified.unchecked(str(wheel)))
    if unpacking.result() is None:
        assert not folder.exists()
        return {}
    with zipfile.ZipFile(wheel) as archive:
        found = {i.filename: folder / str(i.header_offset) for i in archive.infolist()}
        for name, path in found.items():
            assert path.read_bytes() == archive.read(name)
    return found


def code_of(path: Path) -> types.CodeType:
    code = marshal.loads(path.read_bytes()[16:])
    assert isinstance(code, types.CodeType)
    return code


@pytest.mark.parametrize(
    ("wheel_lines", "kind"),
    [
        ("Root-Is-Purelib: true", "purelib"),
        ("root-is-purelib:  TRUE ", "purelib"),
        ("Root-Is-Purelib: false", "platlib"),
        ("Generator: none", "platlib"),
    ],
)
def test_staged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wheel_lines: str, kind: str
) -> None:
    wheel = make_wheel("demo", "1.0", files=FILES).write_to(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["demo-1.0.dist-info/WHEEL"] = f"{wheel_lines}\n".encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    libs = {each: str(tmp_path / each) for each in ("purelib", "platlib")}
    found = stage(wheel, tmp_path / "staged", libs)
    compiled = {path.name for path in (tmp_path / "staged").glob(f"*.{kind}")}
    modules = ("demo/__init__.py", "demo/empty.py")
    assert compiled == {f"{found[name].name}.{kind}" for name in modules}
    assert len(list((tmp_path / "staged").iterdir())) == len(found) + len(modules)
    path = found["demo/__init__.py"]
    code = code_of(path.with_name(f"{path.name}.{kind}"))
    package = Path(libs[kind]) / "demo"
    assert code.co_filename == str(package / "__init__.py"), "as if it lay there"
    assert str(package / "broken.py") in capsys.readouterr().err
    # Where it will be is not known.
    plain = stage(wheel, tmp_path / "plain", {})
    assert len(list((tmp_path / "plain").iterdir())) == len(plain)


def test_what_cannot_be_staged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = make_wheel("demo", "1.0", files=FILES).write_to(tmp_path)
    usage = types.SimpleNamespace(free=1000)
    monkeypatch.setattr(unpacking.shutil, "disk_usage", lambda _: usage)
    assert not stage(wheel, tmp_path / "full", {})
    monkeypatch.undo()
    with zipfile.ZipFile(tmp_path / "none.zip", "w") as archive:
        archive.writestr("demo.py", "")
    assert not stage(tmp_path / "none.zip", tmp_path / "none", {}), "it is no wheel"
    assert stage(wheel, tmp_path / "good", {})


def test_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line is answered by one line, whatever is asked for."""
    good, missing = tmp_path / "b\n\N{EURO SIGN}.whl", tmp_path / "missing\n.whl"
    good.write_bytes(b"content")
    file = (7, 0, 7, 7, zlib.crc32(b"content"), True)
    parts = []
    for number, wheel in enumerate((good, missing, good)):
        folder = tmp_path / str(number)
        folder.mkdir()
        part = {"wheel": str(wheel), "folder": str(folder), "is_whole": True}
        parts.append({**part, "files": [file], "modules": []})
    lines = "\n".join([*map(json.dumps, parts), "no json"])
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    staging = tmp_path / "staging"
    (staging / "0").mkdir(parents=True)
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        staging_child.main(str(staging))
        assert {signal.getsignal(number) for number in numbers} == {signal.SIG_IGN}
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert not staging.exists(), "whoever gave orders is gone"
    answers = capsys.readouterr().out.splitlines()
    assert [each.partition(":")[0] for each in answers] == [
        *("done", "not done", "done", "not done")
    ]
    assert [(tmp_path / str(n) / "7").exists() for n in range(3)] == [True, False, True]


def options(tmp_path: Path, **changes: Any) -> Values:
    given = {
        "dry_run": False,
        "target_dir": None,
        "use_user_site": False,
        "root_path": None,
        "isolated_mode": False,
        "prefix_path": str(tmp_path / "prefix"),
        "cache_dir": str(tmp_path / "cache"),
        "compile": True,
    }
    return Values({**given, **changes})


@pytest.mark.skipif(sys.platform != "linux", reason="wheels are staged on Linux alone")
@pytest.mark.parametrize(
    ("changes", "compiled"),
    [
        ({}, True),
        ({"compile": False}, False),
        ({"target_dir": "somewhere"}, False),
    ],
    ids=str,
)
def test_places(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: Mapping[str, Any],
    compiled: bool,
) -> None:
    """Wheels are unpacked on the disk on which they are installed, or nowhere."""
    monkeypatch.setattr(places, "is_faithful", lambda: True)
    with global_tempdir_manager():
        made = places.make_staging(options(tmp_path, **changes))
        assert made is not None
        folder = Path(made.path)
        assert folder.is_dir()
        assert set(made.libs) == ({"purelib", "platlib"} if compiled else set())
        assert all(str(tmp_path / "prefix") in each for each in made.libs.values())
    assert not folder.exists(), "it goes with pip's other temporary folders"


def test_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "is_faithful", lambda: True)
    assert places.make_staging(options(tmp_path, dry_run=True)) is None
    assert places.make_staging(Values()) is None, "nothing says that it installs"
    for nothing in ("", None):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", nothing)
            assert places.make_staging(options(tmp_path)) is None
    # Neither temporary files nor the cache are on the disk of what is installed.
    monkeypatch.setattr(places, "_is_beside", lambda *_: False)
    assert places.make_staging(options(tmp_path)) is None
    assert places.make_staging(options(tmp_path, cache_dir=None)) is None
    monkeypatch.undo()
    monkeypatch.setattr(places, "is_faithful", lambda: False)
    assert places.make_staging(options(tmp_path)) is None


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "file").touch()
    long_ago = time.time() - 2 * 24 * 60 * 60
    os.utime(old, (long_ago, long_ago))
    trees.remove_old(str(tmp_path / "missing"), places._OLD)
    trees.remove_old(str(tmp_path), places._OLD)
    assert [each.name for each in tmp_path.iterdir()] == ["new"]


# While a wheel arrives


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a wheel of several parts, of which one is large."""
    monkeypatch.setattr(unpacking, "_LARGE", 50_000)
    monkeypatch.setattr(unpacking, "_SECONDS", 4 / unpacking._FILES)
    noise = random.Random(1).randbytes(60_000)
    more = {f"demo/m{n}.py": f"x = {n}\n" for n in range(20)}
    files = {**FILES, **more, "demo/lib.so": noise, "demo/small.bin": noise[:5000]}
    return make_wheel("demo", "1.0", files=files).write_to(tmp_path)


@pytest.mark.parametrize("arriving", [1, 700, 50_000, 1 << 20])
def test_a_wheel_that_arrives(tmp_path: Path, large: Path, arriving: int) -> None:
    libs = {"purelib": "/lib", "platlib": "/lib64"}
    if arriving > large.stat().st_size:
        arriving = large.stat().st_size - 1
    early = stage(large, tmp_path / "early", libs, arriving)
    late = stage(large, tmp_path / "late", libs)
    assert early.keys() == late.keys()
    there = [{path.name for path in (tmp_path / each).iterdir()} for each in FOLDERS]
    assert there[0] == there[1]
    assert any(name.endswith(".purelib") for name in there[0])


FOLDERS = ("early", "late")


def change(wheel: Path, old: bytes, new: bytes, *, is_last: bool) -> None:
    """Replace the first or the last of what is in a wheel twice."""
    assert len(old) == len(new)
    data = wheel.read_bytes()
    at = data.rindex(old) if is_last else data.index(old)
    wheel.write_bytes(data[:at] + new + data[at + len(old) :])


def _rewritten(wheel: Path, **to: Any) -> None:
    """Let the directory say something else of the module."""
    with zipfile.ZipFile(wheel, "a") as archive:
        info = archive.getinfo("demo/m3.py")
        for name, value in to.items():
            setattr(info, name, value)
        archive._didModify = True  # type: ignore[attr-defined]


def _omitted(wheel: Path, number: int) -> None:
    with zipfile.ZipFile(wheel, "a") as archive:
        del archive.filelist[number]
        archive._didModify = True  # type: ignore[attr-defined]


def _shared(wheel: Path) -> None:
    with zipfile.ZipFile(wheel, "a") as archive:
        first, second = (archive.getinfo(f"demo/m{n}.py") for n in (3, 4))
        second.header_offset = first.header_offset
        archive._didModify = True  # type: ignore[attr-defined]


def _with_a_gap(wheel: Path) -> None:
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.fp.seek(archive.start_dir)  # type: ignore[union-attr]
        archive.fp.write(b"gap")  # type: ignore[union-attr]
        archive.start_dir += 3
        archive.writestr("demo/more.py", "")


def _commented(wheel: Path) -> None:
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.comment = b"PK\5\6 and more"


def _another_start(wheel: Path) -> None:
    """Let there be a header where an entry begins that the directory knows nothing of."""
    with zipfile.ZipFile(wheel, "a") as archive:
        hidden = archive.infolist()[0].FileHeader()
        archive.fp.seek(archive.start_dir)  # type: ignore[union-attr]
        archive.fp.write(hidden)  # type: ignore[union-attr]
        archive.start_dir += len(hidden)
        archive.writestr("demo/more.py", "")


#: Ways in which the two readings of an archive differ, or are not to be compared.
DIFFERENT: Mapping[str, Callable[[Path], object]] = {
    "name": lambda w: change(w, b"demo/m3.py", b"demo/m3.pz", is_last=True),
    "name where it lies": lambda w: change(w, b"demo/m3", b"demo/x3", is_last=False),
    "sum": lambda w: _rewritten(w, CRC=1),
    "size": lambda w: _rewritten(w, file_size=5),
    "packed size": lambda w: _rewritten(w, compress_size=5),
    "method": lambda w: _rewritten(w, compress_type=zipfile.ZIP_DEFLATED),
    "flags": lambda w: _rewritten(w, flag_bits=2),
    "encrypted": lambda w: _rewritten(w, flag_bits=1),
    "omitted": lambda w: _omitted(w, 5),
    "last omitted": lambda w: _omitted(w, -1),
    "shared": _shared,
    "gap": _with_a_gap,
    "hidden": _another_start,
    "comment": _commented,
    "prefix": lambda w: w.write_bytes(b"#!prefix\n" + w.read_bytes()),
    "trailer": lambda w: w.write_bytes(w.read_bytes() + b"more"),
    "cut": lambda w: w.write_bytes(w.read_bytes()[:-30]),
    "content": lambda w: change(w, b"x = 3", b"x = 4", is_last=False),
}


@pytest.fixture(params=[zipfile.ZIP64_LIMIT, 100], ids=["as ever", "of 2 GB"])
def _many_bytes(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Write archives in the form for small or large ones."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", request.param)


@pytest.mark.usefixtures("_many_bytes")
@pytest.mark.parametrize("arriving", [0, 700], ids=["late", "early"])
@pytest.mark.parametrize("how", DIFFERENT)
def test_two_readings(tmp_path: Path, large: Path, how: str, arriving: int) -> None:
    """Where they differ, upstream unpacks the wheel in its own way."""
    with zipfile.ZipFile(large) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    # So that content can be changed, nothing is compressed.
    with zipfile.ZipFile(large, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert stage(large, tmp_path / "same", {}, arriving)
    DIFFERENT[how](large)
    found = stage(large, tmp_path / "different", {}, arriving)
    assert not found


#: Which version of the format is needed, where the end of a large archive tells.
_VERSIONS = range(12, 16)


@pytest.mark.parametrize("limit", [zipfile.ZIP64_LIMIT, 100], ids=["small", "large"])
def test_each_byte_of_the_end_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", limit)
    wheel = make_wheel("demo", "1.0", files={"demo/x.py": "x" * 200}).write_to(tmp_path)
    data = wheel.read_bytes()
    begins = data.index(b"PK\6\6" if limit == 100 else b"PK\5\6")
    assert len(data) - begins == (98 if limit == 100 else 22)
    assert _agrees(wheel)
    for at in range(begins, len(data)):
        if limit == 100 and at - begins in _VERSIONS:
            continue
        wheel.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert not _agrees(wheel), at - begins


def _agrees(wheel: Path) -> bool:
    """Tell whether the directory of a wheel agrees with what lies before it."""
    with wheel.open("rb") as file:
        scan = Scan(file.fileno())
        for _ in scan.advance(wheel.stat().st_size):
            pass
        try:
            with zipfile.ZipFile(wheel) as archive:
                scan.check(archive)
        except (zipfile.BadZipFile, Unclear):
            return False
    return True


@pytest.mark.parametrize("limit", ["size", "free"])
def test_what_is_inflated_early_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: Path, limit: str
) -> None:
    """What is beyond that waits for the hash."""
    size = large.stat().st_size
    free = 1 << 40
    parts: list[Part] = []
    folder = tmp_path / "folder"
    folder.mkdir()
    made = Unpacking(str(large), str(folder), {}, parts.append)
    if limit == "size":
        # All members take 120 pages or so, and the first one with zeros 74.
        monkeypatch.setattr(unpacking, "_RATIO", 90 * 4096 / size)
    else:
        free = size + 180 * 4096
    made.allow(size, free)
    made.arrived(size - 1)
    early = [member for part in parts for member in part.files]
    assert 0 < sum(map(unpacking._space, early)) <= 90 * 4096
    assert not any(part.is_whole for part in parts)
    made.verified(Verified.unchecked(str(large)))
    with zipfile.ZipFile(large) as archive:
        offsets = sorted(info.header_offset for info in archive.infolist())
    assert sorted(member.at for part in parts for member in part.files) == offsets


def test_it_is_limited_for_all_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / name for name in ("first", "second", "third")]
    for path in paths:
        path.touch()
    usage = types.SimpleNamespace(free=10_000_000)
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
    with global_tempdir_manager():
        staging = Staging(None, {})
        made = [staging.begin(str(path), 2_000_000) for path in paths]
        # Half of what is left beside each wheel.
        wanted = [2_000_000 + 4_000_000, 2_000_000 + 1_000_000, 2_000_000]
        assert [each and each.allowed for each in made] == wanted
        assert made[0] is not None
        made[0].forget("it has failed")
        assert made[0].allowed == 0


def test_what_begins_again_is_not_used(large: Path) -> None:
    """What came first may be another file, of which the hash would not pass."""
    with global_tempdir_manager():
        staging = Staging(None, {})
        size = large.stat().st_size
        first = staging.begin(str(large), size)
        assert first is not None
        first.arrived(size - 1)
        folders = {path.name for path in Path(staging.path).iterdir()}
        assert folders == {Path(first.folder).name}
        first.forget("it begins again")
        first.arrived(size)
        staging.add(Verified.unchecked(str(large)))
        second = staging._all[str(large)]
        assert second is not first
        wait_for(lambda: second._has_begun, "a process works")
        assert staging.folder_of(str(large)) == second.folder
        assert not Path(first.folder).exists()


def test_a_process_waits_for_what_somebody_needs(tmp_path: Path) -> None:
    """It ends when the folder is gone."""
    folder = tmp_path / "folder"
    folder.mkdir()
    wheel = tmp_path / "wheel"
    wheel.write_bytes(b"abc")
    with wheel.open("rb") as file:
        blocks = staging_child.arriving(file.fileno(), 0, 6, str(folder))
        assert next(blocks) == b"abc"
        with wheel.open("ab") as more:
            more.write(b"d")
        assert next(blocks) == b"d"
        folder.rmdir()
        with pytest.raises(EOFError, match="2 bytes are missing"):
            next(blocks)


@pytest.mark.parametrize("damage", ["more", "less", "behind", "no end"])
def test_what_is_not_deflated_as_told(damage: str) -> None:
    compress = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = compress.compress(bytes(3_000_000)) + compress.flush()
    if damage == "behind":
        data += b"x"
    elif damage == "no end":
        data = data[:-3]
    size = {"more": 1_000_000, "less": 4_000_000}.get(damage, 3_000_000)
    found: list[bytes] = []
    said = {"more": "more bytes", "behind": "bytes behind", "no end": "no end"}

    def inflate() -> None:
        found.extend(staging_child.inflated(iter([data]), size))

    if damage == "less":
        inflate()  # The size is compared later.
    else:
        with pytest.raises(ValueError, match=f"^{said[damage]}"):
            inflate()
    assert sum(map(len, found)) <= size
    assert max(map(len, found), default=0) <= 4 * staging_child._BLOCK
