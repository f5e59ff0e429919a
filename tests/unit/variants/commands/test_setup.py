"""The file that ``pip variants setup`` writes."""

from __future__ import annotations

import configparser
import errno
import optparse
import os
from pathlib import Path
from typing import Any

import pytest

from pip._internal.variants.commands.setup import _File
from pip._internal.variants.errors import UnusableConfiguration
from pip._internal.variants.selection.scoped_indexes import parse_indexes


def truncate(_: object, file: Any, *__: object) -> None:
    """Write a part of a configuration, as a full disk does."""
    file.write("[glob")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("is_new", [False, True])
def test_a_full_disk_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    monkeypatch.setattr(
        "os.path.expanduser", lambda path: path.replace("~", str(tmp_path))
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("PIP_CONFIG_FILE", raising=False)
    file = tmp_path / "pip.conf"
    before = b"[global]\nvariant-index = a=https://a.example\n"
    if not is_new:
        file.write_bytes(before)
        monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    options = {"user_file": True, "global_file": False, "site_file": False}
    target = _File(optparse.Values({**options, "isolated_mode": False}))
    assert len(target.indexes) == (not is_new)
    monkeypatch.setattr(configparser.RawConfigParser, "write", truncate)
    with pytest.raises(UnusableConfiguration) as caught:
        target.write(parse_indexes("b=https://b.example"))
    assert "no space left" in str(caught.value.context).lower()
    if is_new:
        assert not Path(target.path).exists()
    else:
        assert file.read_bytes() == before
