"""What commands do is written down alike, wherever and whenever they run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.lib.environments import REPOSITORY
from tests.lib.in_process import InProcessWorkshop
from tests.lib.index import IndexServer
from tests.lib.records import Recorder
from tests.lib.wheels import make_wheel
from tools.compare_records import main

TEST = "tests/test_it.py::test_it"


def record(folder: Path, root: Path, text: str = "", name: str = TEST) -> Path:
    """Write down what it is to install a package, with a module of this text."""
    environment = InProcessWorkshop(REPOSITORY / "build" / "assembled").fork(root / "e")
    with pytest.MonkeyPatch.context() as patch, IndexServer() as index:
        wheel = make_wheel("demo", "1.0", files={"demo.py": text})
        index.add(wheel)
        recorder = Recorder(folder)
        recorder.watch(patch)
        with recorder.test(name, root):
            environment.pip("install", index.file_url(wheel.filename))
            environment.pip("uninstall", "-y", "demo")
    return folder


def test_two_runs_of_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = record(tmp_path / "before", tmp_path / "somewhere")
    after = record(tmp_path / "after", tmp_path / "else where")
    assert main([str(before), str(after)]) == 0, capsys.readouterr().out
    (file,) = before.glob("*.json")
    written = file.read_text(encoding="utf-8")
    # The ports and folders are not told, the requests and files are.
    assert "somewhere" not in written
    assert not re.search(r"127\.0\.0\.1:\d", written)
    assert '"GET 127.0.0.1:<1>/files/demo-1.0-py3-none-any.whl; Accept: ' in written
    assert "direct_url.json" in written


def test_what_differs_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = record(tmp_path / "before", tmp_path / "a")
    after = record(tmp_path / "after", tmp_path / "b", text="changed = True")
    record(after, tmp_path / "c", name="tests/test_it.py::test_more")
    assert main([str(before), str(after)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert TEST in lines
    assert any(
        line.startswith("    +") and line.endswith("/demo.py: changed = True")
        for line in lines
    )
    assert "1 tests in both records, 1 differ" in lines
    assert f"only in {after}: tests/test_it.py::test_more" in lines


def test_nothing_to_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), str(tmp_path)]) == 2
    assert "no test is recorded in both folders" in capsys.readouterr().err
