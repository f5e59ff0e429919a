"""Which folder has no space left."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from pip._internal.fast.space import is_full, space_for


def test_a_lack_of_space_says_where_and_how_much(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match="No space") as caught,
        space_for(1 << 60, str(tmp_path)),
    ):
        raise OSError(errno.EDQUOT, "Disk quota exceeded")
    said = str(caught.value)
    needed = "1152921504606.8 MB is needed and "
    assert said.startswith(f"[Errno 28] No space left on device; {needed}")
    assert said.endswith(f"B is left: '{tmp_path}'")


def test_other_errors_are_left_alone() -> None:
    with pytest.raises(PermissionError) as caught, space_for(1, "x"):
        raise PermissionError(errno.EACCES, "Permission denied", "x")
    assert not is_full(caught.value)
    assert not is_full(ValueError())
