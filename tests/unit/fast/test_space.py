"""Which folder has no space left."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from pip._internal.fast.space import DiskFull, is_full, space_for
from pip._internal.variants.errors import in_words


def test_a_lack_of_space_says_where_and_how_much(tmp_path: Path) -> None:
    with pytest.raises(DiskFull) as caught, space_for(1 << 60, str(tmp_path)):
        raise OSError(errno.ENOSPC, "No space left on device")
    said = caught.value.said
    assert said.startswith(f"there is no space left in {tmp_path}; 1152921504606.8 MB ")
    assert said.endswith("B are left")
    assert str(caught.value).startswith("[Errno 28] No space left on device; ")
    assert caught.value.filename == str(tmp_path)
    # The first that knows says it.
    with pytest.raises(DiskFull) as again, space_for(1, "elsewhere"):
        raise caught.value
    assert again.value is caught.value


def test_a_folder_that_is_gone() -> None:
    full = DiskFull("/nowhere/at/all", 0)
    assert full.said == "there is no space left in /nowhere/at/all"


def test_other_errors_are_left_alone() -> None:
    with pytest.raises(PermissionError) as caught, space_for(1, "x"):
        raise PermissionError(errno.EACCES, "Permission denied", "x")
    assert not is_full(caught.value)
    assert not is_full(ValueError())


def test_the_words_name_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = in_words(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    assert said.startswith(f"there is no space left in {tmp_path}; ")
