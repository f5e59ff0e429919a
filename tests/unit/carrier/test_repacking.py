"""A wheel is made again of what is installed."""

from __future__ import annotations

import csv
import io
import zipfile
from pathlib import Path

import pytest

from pip_variants.repacking import UnpackableError, damage, repack

FILES = {
    "lib/demo/__init__.py": "x = 1\n",
    "lib/demo/data, with a comma.txt": "data",
    "lib/demo/__pycache__/__init__.cpython-313.pyc": "compiled",
    "lib/pip-1.0.dist-info/METADATA": "Name: pip\nVersion: 1.0\n",
    "lib/pip-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: py2-none-any\nTag: py3-none-any\n",
    "lib/pip-1.0.dist-info/INSTALLER": "uv\n",
    "lib/pip-1.0.dist-info/REQUESTED": "",
    "lib/pip-1.0.dist-info/direct_url.json": "{}",
    "lib/pip-1.0.dist-info/licenses/RECORD": "a file of the package",
    "bin/pip": "made",
    "bin/pip3.13": "made",
    "bin/pip-tool": "of the wheel",
    "share/man/man1/pip.1": "manual",
}


@pytest.fixture
def info(tmp_path: Path) -> Path:
    """Return the metadata of an installed package."""
    for name, content in FILES.items():
        path = tmp_path / "env" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    (tmp_path / "env/bin/pip-tool").chmod(0o755)
    info = tmp_path / "env/lib/pip-1.0.dist-info"
    text = io.StringIO()
    rows = csv.writer(text)
    for name in FILES:
        inside = name.startswith("lib/")
        rows.writerow((name.removeprefix("lib/") if inside else f"../{name}", "", ""))
    rows.writerow(("pip-1.0.dist-info/RECORD", "", ""))
    # As virtualenv lists it, where nothing was compiled yet.
    rows.writerow(("pip-1.0.dist-info/__pycache__", "", ""))
    (info / "RECORD").write_text(text.getvalue(), encoding="utf-8")
    return info


def packed(info: Path, folder: Path) -> Path:
    """Return the wheel of an installed package."""
    environment = info.parents[1]
    return repack(info, environment / "bin", environment, folder)


def test_what_the_wheel_had_is_in_it_again(info: Path, tmp_path: Path) -> None:
    wheel = packed(info, tmp_path)
    assert wheel.name == "pip-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert names[-1] == "pip-1.0.dist-info/RECORD"
        assert set(names[:-1]) == {
            "demo/__init__.py",
            "demo/data, with a comma.txt",
            "pip-1.0.dist-info/METADATA",
            "pip-1.0.dist-info/WHEEL",
            "pip-1.0.dist-info/licenses/RECORD",
            "pip-1.0.data/scripts/pip-tool",
            "pip-1.0.data/data/share/man/man1/pip.1",
        }
        assert archive.read("demo/__init__.py") == b"x = 1\n"
        modes = {each.filename: each.external_attr >> 16 for each in archive.filelist}
        assert modes["pip-1.0.data/scripts/pip-tool"] == 0o100755
        assert modes["demo/__init__.py"] == 0o100644
    assert damage(wheel) is None


@pytest.mark.parametrize("missing", ["RECORD", "WHEEL", "../demo/__init__.py"])
def test_what_is_not_whole(info: Path, tmp_path: Path, missing: str) -> None:
    (info / missing).unlink()
    name = missing.rpartition("/")[2]
    with pytest.raises(UnpackableError, match=f"No such file or directory: .*{name}'"):
        packed(info, tmp_path)


def test_what_lies_elsewhere(info: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").touch()
    with (info / "RECORD").open("a", encoding="utf-8") as record:
        record.write("../../outside,,\n")
    with pytest.raises(
        UnpackableError, match=r"RECORD lists '.*outside', but this path is outside"
    ):
        packed(info, tmp_path)


def test_damage(info: Path, tmp_path: Path) -> None:
    wheel = packed(info, tmp_path)
    whole = wheel.read_bytes()
    wheel.write_bytes(whole[:-30])
    assert damage(wheel) == "File is not a zip file"
    wheel.write_bytes(whole)
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("demo/__init__.py", "first")
    wheel.write_bytes(wheel.read_bytes().replace(b"first", b"other"))
    assert damage(wheel) == "the checksum of demo/__init__.py is wrong"
    wheel.unlink()
    assert "No such file" in str(damage(wheel))
