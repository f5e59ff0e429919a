"""The file that ``pip variants setup`` writes, and the indexes that it knows."""

from __future__ import annotations

import configparser
import errno
import optparse
import os
from pathlib import Path
from typing import Any

import pytest

from pip._internal.variants.commands.index_file import IndexFile
from pip._internal.variants.commands.publishers import PUBLISHERS, added, removed, taken
from pip._internal.variants.errors import UnusableConfiguration


def cut_off(_: object, file: Any, *__: object) -> None:
    """Write a part of a configuration, as a full disk does."""
    file.write("[glob")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "pip.conf"
    monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    file.write_bytes(b"[global]\nvariant-index = a=https://a.example\n")
    before = file.read_bytes()
    options = {"user_file": False, "global_file": False, "site_file": False}
    target = IndexFile(optparse.Values({**options, "isolated_mode": False}))
    assert target.value == "a=https://a.example"
    monkeypatch.setattr(configparser.RawConfigParser, "write", cut_off)
    with pytest.raises(UnusableConfiguration) as caught:
        target.write("b=https://b.example")
    assert "there is no space left" in str(caught.value.context)
    assert file.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


@pytest.mark.skipif(os.name == "nt", reason="the folder of a user is elsewhere")
def test_a_file_that_is_new_is_not_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.delenv("PIP_CONFIG_FILE", raising=False)
    options = {"user_file": True, "global_file": False, "site_file": False}
    target = IndexFile(optparse.Values({**options, "isolated_mode": False}))
    monkeypatch.setattr(configparser.RawConfigParser, "write", cut_off)
    with pytest.raises(UnusableConfiguration):
        target.write("b=https://b.example")
    assert tmp_path in Path(target.path).parents
    assert not Path(target.path).exists()


def test_each_publisher_goes_in_and_out() -> None:
    assert len({each.url for each in PUBLISHERS.values()}) == len(PUBLISHERS)
    for name, each in PUBLISHERS.items():
        assert name == each.name
        assert each.url.startswith("https://")
        assert not each.url.endswith("/")
        own = "mine=https://index.example"
        value = added(own, each)
        assert taken(value, each) == dict.fromkeys(each.projects, each.url)
        assert added(value, each) == value
        assert removed(value, each) == own
