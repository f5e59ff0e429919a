"""The engine knows no project: what it works on is data."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from fork.pins import PINS
from fork.project import ROOT
from fork.version import UPSTREAM

ENGINE = sorted((ROOT / "fork" / "engine").rglob("*.py"))
#: What would betray that pip is forked, or which libraries go into it.
WORDS = ["pip", "_internal", "_vendor", r"\w*variants?", "packaging", "pynvml"]
WORDS += [re.escape(each) for each in (*(pin.name for pin in PINS), UPSTREAM)]


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.stem)
def test_it_imports_the_standard_library_and_itself(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_bytes())):
        names = (
            [each.name for each in node.names] if isinstance(node, ast.Import) else []
        )
        if isinstance(node, ast.ImportFrom):
            assert not node.level
            names = [node.module or ""]
        for name in names:
            is_own = name.startswith("fork.engine.")
            assert is_own or name.partition(".")[0] in sys.stdlib_module_names, name


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.stem)
def test_it_names_no_project(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(rf"(?<!\w)({'|'.join(WORDS)})(?!\w)", text, re.IGNORECASE) == []


def test_all_of_it_is_read() -> None:
    assert {"assembler", "census", "drift", "kinds"} <= {path.stem for path in ENGINE}
