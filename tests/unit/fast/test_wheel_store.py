"""The store of unpacked wheels is shared by processes, of which some are killed."""

from __future__ import annotations

from pathlib import Path

import pytest

from pip._internal.fast.unpacked_wheels import is_usual
from pip._internal.fast.wheel_store import FOLDER, WheelStore
from tests.lib.as_system import WINDOWS

pytestmark = pytest.mark.skipif(WINDOWS, reason="not on Windows")


@pytest.mark.parametrize("name", ["python3.13", "Python", "pypy3", "app", ""])
def test_embedded_python(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("sys.executable", name and f"/opt/python/{name}")
    assert is_usual() == name.lower().startswith("py")


def test_who_removes_wheels_is_alone(tmp_path: Path) -> None:
    cache = str(tmp_path)
    first, second = WheelStore(cache), WheelStore(cache)
    first.close()
    # There is nothing to remove.
    WheelStore(cache, alone=True).close()
    (tmp_path / FOLDER / f"{'0' * 64}-source").mkdir()
    with pytest.raises(OSError, match="another pip"):
        WheelStore(cache, alone=True)
    second.close()
    WheelStore(cache, alone=True).close()


def test_a_folder_that_a_killed_process_left(tmp_path: Path) -> None:
    first = WheelStore(str(tmp_path))
    left = Path(first.new_folder())
    WheelStore(str(tmp_path)).close()
    assert left.is_dir()
    first.close()
    WheelStore(str(tmp_path)).close()
    assert not left.exists()
