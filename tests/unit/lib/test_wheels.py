"""The stand-in wheels are real wheels."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.lib.wheels import make_sdist, make_wheel, relabel_wheel


def _members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _assert_record_matches(members: dict[str, bytes]) -> None:
    (record,) = (name for name in members if name.endswith(".dist-info/RECORD"))
    rows = [row.split(",") for row in members[record].decode().splitlines()]
    assert sorted(row[0] for row in rows) == sorted(members)
    for path, digest, size in rows:
        if path == record:
            continue
        actual = hashlib.sha256(members[path]).digest()
        encoded = base64.urlsafe_b64encode(actual).decode().rstrip("=")
        assert digest == f"sha256={encoded}", path
        assert int(size) == len(members[path])


@pytest.mark.parametrize(
    ("options", "filename"),
    [
        ({}, "my_pkg-1.0-py3-none-any.whl"),
        ({"label": "cu128"}, "my_pkg-1.0-py3-none-any-cu128.whl"),
        ({"build": "1"}, "my_pkg-1.0-1-py3-none-any.whl"),
        ({"build": "1", "label": "x.y"}, "my_pkg-1.0-1-py3-none-any-x.y.whl"),
    ],
)
def test_wheel_file_name(options: dict[str, Any], filename: str) -> None:
    assert make_wheel("My.Pkg", "1.0", **options).filename == filename


def test_wheel_is_deterministic_and_its_record_right() -> None:
    make: dict[str, Any] = {
        "label": "a",
        "variant_json": {"variants": {"a": {}}},
        "requires": ["b>1"],
        "extras": {"x": ["c; python_version > '3'"]},
        "files": {"pkg/data.bin": b"\0"},
    }
    wheel = make_wheel("pkg", "1", **make)
    assert wheel == make_wheel("pkg", "1", **make)
    members = _members(wheel.content)
    _assert_record_matches(members)
    assert members["pkg-1.dist-info/METADATA"] == wheel.metadata
    assert json.loads(members["pkg-1.dist-info/variant.json"]) == make["variant_json"]
    assert wheel.metadata is not None
    headers = wheel.metadata.decode().splitlines()
    assert "Requires-Dist: b>1" in headers
    assert "Requires-Dist: c ; (python_version > '3') and extra == \"x\"" in headers


def test_sdist_is_deterministic() -> None:
    assert make_sdist("pkg", "1") == make_sdist("pkg", "1")
    assert make_sdist("My-Pkg", "1").filename == "my_pkg-1.tar.gz"


def test_relabelled_wheel_keeps_its_files(tmp_path: Path) -> None:
    source = make_wheel("pkg", "1", files={"pkg/data": b"x" * 3_000_000})
    path = source.write_to(tmp_path)
    manifest: dict[str, Any] = {"variants": {"cpu": {}}}
    target = relabel_wheel(path, tmp_path, "cpu", manifest)
    assert target.name == "pkg-1-py3-none-any-cpu.whl"
    members = _members(target.read_bytes())
    _assert_record_matches(members)
    assert json.loads(members.pop("pkg-1.dist-info/variant.json")) == manifest
    assert members.keys() == _members(source.content).keys()
    assert members["pkg/data"] == b"x" * 3_000_000
