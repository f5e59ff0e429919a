"""Faults can be planted, each where it is meant to be, and are taken out again."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest

from tools.mutants.__main__ import Mutant, file_of, planted, read_mutants

ROOT = Path(__file__).resolve().parents[3]
MUTANTS = read_mutants(ROOT / "tools" / "mutants" / "mutants.toml")


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.what)
def test_each_can_be_planted(mutant: Mutant, tmp_path: Path) -> None:
    files = {name for name, _, _ in mutant.edits}
    for name in files:
        file_of(tmp_path, name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file_of(ROOT, name), file_of(tmp_path, name))
    before = {name: file_of(tmp_path, name).read_text("utf-8") for name in files}
    with planted(mutant, tmp_path):
        for name in files:
            text = file_of(tmp_path, name).read_text("utf-8")
            assert text != before[name]
            ast.parse(text)
    for name in files:
        assert file_of(tmp_path, name).read_text("utf-8") == before[name]
    assert all((ROOT / test.partition("::")[0]).exists() for test in mutant.tests)


def test_a_text_that_is_not_there_once_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "core" / "a.py"
    path.parent.mkdir()
    path.write_text("x = 1\ny = 1\n", encoding="utf-8")
    for text in ("z", "="):
        mutant = Mutant(
            "it", [("core/a.py", "x = 1", "x = 2"), ("core/a.py", text, "")], []
        )
        with (
            pytest.raises(ValueError, match=r"is there [02] times"),
            planted(mutant, tmp_path),
        ):
            pass
        assert path.read_text(encoding="utf-8") == "x = 1\ny = 1\n"
