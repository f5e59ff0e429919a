"""Whether killed upgrades are judged correctly."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tools.kills.verdict import LYING, State, Verdict, judge, read_tree

#: The same digest is the same content; a folder has none.
FOLDERS = dict.fromkeys(("lib", "lib/a", "lib/b", "bin"), "")
A_OLD = {"lib/a/__init__.py": "a1", "lib/a/same": "a", "lib/a-1.dist-info/RECORD": "1"}
A_NEW = {"lib/a/__init__.py": "a2", "lib/a/same": "a", "lib/a-2.dist-info/RECORD": "2"}
B_OLD = {"lib/b/__init__.py": "b1", "lib/b/gone.py": "b1", "bin/b-1": "script"}
B_NEW = {"lib/b/__init__.py": "b2", "lib/b/more.py": "b2", "bin/b-2": "script"}


def _judged(*parts: Mapping[str, str]) -> Verdict:
    found = {path: digest for part in parts for path, digest in part.items()}
    old, new = {**FOLDERS, **A_OLD, **B_OLD}, {**FOLDERS, **A_NEW, **B_NEW}
    return judge({**FOLDERS, **found}, old, new, "ab")


def _without(files: Mapping[str, str], path: str) -> dict[str, str]:
    assert path in files
    return {each: digest for each, digest in files.items() if each != path}


@pytest.mark.parametrize(
    ("parts", "outcome", "broken"),
    [
        ((A_OLD, B_OLD), State.OLD, ""),
        ((A_NEW, B_NEW), State.NEW, ""),
        ((A_NEW, B_OLD), State.MIXED, ""),
        # A file is missing, also one that both releases have, or a script.
        ((_without(A_NEW, "lib/a/same"), B_NEW), State.BROKEN, "a"),
        ((A_OLD, _without(B_OLD, "bin/b-1")), State.BROKEN, "b"),
        # No metadata, two of them, nothing at all.
        ((_without(A_NEW, "lib/a-2.dist-info/RECORD"), B_NEW), State.BROKEN, "a"),
        ((A_NEW, {"lib/a-1.dist-info/RECORD": "1"}, B_NEW), State.BROKEN, "a"),
        ((), State.BROKEN, "ab"),
        # Files of both, one that was begun, and bytecode of another source.
        ((A_OLD, B_OLD, {"lib/b/more.py": "b2"}), State.BROKEN, "b"),
        ((A_NEW, {"lib/a/__init__.py": "half"}, B_NEW), State.BROKEN, "a"),
        ((A_NEW, {"lib/a/__init__.py": LYING}, B_NEW), State.BROKEN, "a"),
    ],
)
def test_an_environment_is_judged(
    parts: tuple[Mapping[str, str], ...], outcome: State, broken: str
) -> None:
    verdict = _judged(*parts)
    assert verdict.outcome is outcome
    assert list(verdict.faults) == list(broken)
    assert verdict.is_damaged == (outcome in (State.MIXED, State.BROKEN))
    assert verdict.litter == []


def _compiled(source: Path, text: str) -> Path:
    source.write_text(text, encoding="utf-8")
    py_compile.compile(str(source), doraise=True)
    return Path(importlib.util.cache_from_source(source))


def test_bytecode_lies_if_python_takes_it_for_another_source(tmp_path: Path) -> None:
    def is_lying() -> bool:
        return read_tree(tmp_path)["module.py"] == LYING

    source = tmp_path / "module.py"
    bytecode = _compiled(source, "value = 1\n")
    assert set(read_tree(tmp_path)) == {"module.py"}
    assert not is_lying()
    stamp = source.stat().st_mtime_ns
    source.write_text("value = 2\n", encoding="utf-8")
    os.utime(source, ns=(stamp, stamp))
    assert is_lying()
    command = [sys.executable, "-c", "import module; print(module.value)"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.strip() == b"1", "Python takes it indeed"
    # Python compiles again what is of another time or size, or has no header.
    os.utime(source, ns=(stamp, stamp + 2_000_000_000))
    assert not is_lying()
    content = _compiled(source, "value = 3\n").read_bytes()
    bytecode.write_bytes(content[:10])
    assert not is_lying()
    bytecode.write_bytes(content[:-10])
    assert is_lying()
