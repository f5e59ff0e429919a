"""Small files of a release, and what workflows are told."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.lib.wheels import make_wheel
from tools.release.errors import ReleaseError
from tools.release.outputs import tell_workflow
from tools.release.registration import is_registered
from tools.release.sums import sums
from tools.release.wheel_metadata import licence_expression


def test_sums_are_those_of_the_files_beside_them(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"b")
    (tmp_path / "a+1").write_bytes(b"a")
    (tmp_path / "SHA256SUMS").write_bytes(b"of an earlier run")
    (tmp_path / ".hidden").write_bytes(b"")
    (tmp_path / "simple").mkdir()
    one, two = (hashlib.sha256(content).hexdigest() for content in (b"a", b"b"))
    assert sums(tmp_path).decode() == f"{one}  a+1\n{two}  b\n"


@pytest.mark.parametrize(("value", "expected"), [("true", True), ("false", False)])
def test_whether_the_carrier_is_registered(
    value: str, expected: bool, tmp_path: Path
) -> None:
    table = f"[tool.pip-variants]\nregistered = {value}\n"
    (tmp_path / "pyproject.toml").write_text(table, encoding="utf-8")
    assert is_registered(tmp_path) is expected


@pytest.mark.parametrize("table", ["", '[tool.pip-variants]\nregistered = "no"\n'])
def test_a_carrier_that_does_not_tell(table: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(table, encoding="utf-8")
    with pytest.raises(ReleaseError, match="must say registered = true or false"):
        is_registered(tmp_path)


def test_workflows_are_told_where_they_ask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = tmp_path / "outputs"
    monkeypatch.setenv("GITHUB_OUTPUT", str(asked))
    tell_workflow({"version": "0.1.0", "registered": "false"})
    tell_workflow({"more": "1"})
    assert asked.read_text("utf-8") == "version=0.1.0\nregistered=false\nmore=1\n"
    monkeypatch.delenv("GITHUB_OUTPUT")
    tell_workflow({"nobody": "asks"})


def test_the_licence_of_a_wheel(tmp_path: Path) -> None:
    wheel = make_wheel("demo", "1", metadata=["License-Expression: MIT AND ISC"])
    assert licence_expression(wheel.write_to(tmp_path)) == "MIT AND ISC"
    with pytest.raises(ReleaseError, match="declares no licence"):
        licence_expression(make_wheel("demo", "2").write_to(tmp_path))
