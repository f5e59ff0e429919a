"""The file that ``pip variants setup`` writes."""

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


def test_a_full_disk_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(_: object, file: Any, *__: object) -> None:
        file.write("[glob")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    file = tmp_path / "pip.conf"
    monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    file.write_bytes(b"[global]\nvariant-index = a=https://a.example\n")
    before = file.read_bytes()
    options = {"user_file": False, "global_file": False, "site_file": False}
    target = IndexFile(optparse.Values({**options, "isolated_mode": False}))
    assert target.value == "a=https://a.example"
    monkeypatch.setattr(configparser.RawConfigParser, "write", write)
    with pytest.raises(UnusableConfiguration) as caught:
        target.write("b=https://b.example")
    assert "there is no space left" in str(caught.value.context)
    assert file.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


def test_each_publisher_goes_in_and_out() -> None:
    assert len({each.name for each in PUBLISHERS}) == len(PUBLISHERS)
    assert len({each.url for each in PUBLISHERS}) == len(PUBLISHERS)
    for each in PUBLISHERS:
        assert each.url.startswith("https://")
        assert not each.url.endswith("/")
        own = "mine=https://index.example"
        value = added(own, each)
        assert taken(value, each) == dict.fromkeys(each.projects, each.url)
        assert added(value, each) == value
        assert removed(value, each) == own
