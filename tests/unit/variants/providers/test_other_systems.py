"""Where drivers are looked for on systems that these tests do not run on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pip._internal.variants.providers import level_zero, nvml
from pip._internal.variants.providers.driver import DriverUnavailable

# It stands for other systems itself.
pytestmark = pytest.mark.linux


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the folder that Windows and its programs are in."""
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("WINDIR", str(tmp_path / "Windows"))
    monkeypatch.setenv("ProgramFiles", str(tmp_path / "Programs"))
    return tmp_path


@pytest.mark.parametrize(
    "folder", ["Windows/System32", "Programs/NVIDIA Corporation/NVSMI"]
)
def test_nvml_on_windows(windows: Path, folder: str) -> None:
    with pytest.raises(DriverUnavailable, match="no NVIDIA driver library was found"):
        nvml._require_library()
    (windows / folder).mkdir(parents=True)
    with pytest.raises(DriverUnavailable):
        nvml._require_library()
    (windows / folder / "nvml.dll").touch()
    nvml._require_library()


def test_nvml_on_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(DriverUnavailable, match="no NVIDIA driver for macOS"):
        nvml._require_library()


def test_level_zero_on_windows(windows: Path) -> None:
    with pytest.raises(DriverUnavailable, match="Level Zero is not installed"):
        level_zero._load()
    folder = windows / "Windows" / "System32"
    folder.mkdir(parents=True)
    (folder / "ze_loader.dll").write_bytes(b"no library")
    with pytest.raises(DriverUnavailable, match=r"cannot be loaded: .*ze_loader\.dll"):
        level_zero._load()
