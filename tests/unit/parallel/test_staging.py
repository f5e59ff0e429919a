"""Wheels that are unpacked and compiled where they need only be moved from."""

from __future__ import annotations

import io
import json
import marshal
import os
import signal
import sys
import time
import types
import zipfile
from collections.abc import Mapping
from optparse import Values
from pathlib import Path
from typing import Any

import pytest

from pip._internal.parallel.downloads import places, staging_child, trees
from pip._internal.utils.temp_dir import global_tempdir_manager
from tests.lib.wheels import make_wheel

FILES: Mapping[str, str | bytes] = {
    "demo/__init__.py": "answer = 42\n",
    "demo/broken.py": "def (",
    "demo/empty.py": "",
    "demo/data.bin": b"\x00" * 300_000,
    "demo-1.0.data/scripts/tool.py": "print(1)\n",
}


def stage(wheel: Path, folder: Path, libs: Mapping[str, str]) -> dict[str, Path]:
    """Stage a wheel, and return where its files are, by name."""
    folder.mkdir()
    staging_child.stage(str(wheel), str(folder), dict(libs))
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
    monkeypatch.setattr(staging_child.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(OSError, match="there is no space"):
        stage(wheel, tmp_path / "full", {})
    monkeypatch.undo()
    with zipfile.ZipFile(tmp_path / "none.zip", "w") as archive:
        archive.writestr("demo.py", "")
    with pytest.raises(ValueError, match="unpack"):
        stage(tmp_path / "none.zip", tmp_path / "none", {})
    data = bytearray(wheel.read_bytes())
    # Two entries of the list at the end name one place.
    first, second = (
        data.rindex(name) for name in (b"demo/empty.py", b"demo/broken.py")
    )
    data[first - 4 : first] = data[second - 4 : second]
    wheel.write_bytes(data)
    with pytest.raises(ValueError, match="entries overlap"):
        stage(wheel, tmp_path / "overlap", {})


def test_jobs(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line is answered by one line, whatever is in the wheel."""
    good = make_wheel("demo", "1.0").write_to(tmp_path)
    bad = tmp_path / "b\n\N{EURO SIGN}.whl"
    bad.write_bytes(b"no archive")
    jobs = []
    for number, wheel in enumerate((good, bad, tmp_path / "missing.whl", good)):
        folder = tmp_path / str(number)
        folder.mkdir()
        jobs.append({"wheel": str(wheel), "folder": str(folder), "libs": {}})
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(map(json.dumps, jobs))))
    before = signal.getsignal(signal.SIGINT)
    try:
        staging_child.main()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    answers = capsys.readouterr().out.splitlines()
    assert [each.partition(":")[0] for each in answers] == [
        *("staged", "not staged", "not staged", "staged")
    ]
    assert [(tmp_path / str(n)).exists() for n in range(4)] == [
        *(True, False, False, True)
    ], "of what is not staged nothing is left"


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
