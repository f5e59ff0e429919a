"""What another release of upstream changes, and `tools/rebase.py`, which reports it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from fork.engine.drift import Drift, compare
from fork.engine.releases import Sources
from fork.project import ROOT
from tests.unit.fork.small import Tree


@pytest.fixture
def old(tree: Tree) -> Sources:
    """Return the tool as it was released."""
    return tree.upstream()


def drift(tree: Tree, old: Sources) -> Drift:
    """Compare the release with what is there now."""
    return compare(tree.project, old, tree.upstream())


def test_another_version_alone_is_no_drift(old: Sources, release_tree: Tree) -> None:
    metadata = release_tree.dist_info() / "METADATA"
    text = metadata.read_text(encoding="utf-8")
    metadata.write_text(text.replace("\nVersion: 1.0", "\nVersion: 1.1"), "utf-8")
    release_tree.replace("tool/__init__.py", '"1.0"', '"1.1"')
    found = drift(release_tree, old)
    assert found.lines()[0] == "tool 1.0 -> 1.1: seams: 4 unchanged"
    assert not found.drifted


def test_every_kind_of_drift_is_shown(old: Sources, release_tree: Tree) -> None:
    show, cache = "tool/commands/show.py", "tool/cache.py"
    release_tree.replace(show, "print(limit)", "print(limit + 1)")
    release_tree.replace(cache, "def candidates(", "def cached(")
    release_tree.append(
        "tool/__init__.py",
        "\nclass Cache:\n    def candidates(self): return Wheel('')\n",
    )
    release_tree.add("tool/fork/__init__.py", "")

    found = drift(release_tree, old)

    assert found.drifted
    assert found.lines() == [
        "tool 1.0 -> 1.0: seams: 1 changed, 1 missing, 2 unchanged",
        "",
        "unchanged tool/__init__.py: __version__ (constant)",
        f"missing   {cache}: Cache.candidates (decorate)",
        "    the target is there 0x, not once",
        "    Cache.candidates is in tool/__init__.py",
        f"changed   {show}: show (insert line)",
        "    --- 1.0",
        "    +++ 1.0",
        "    @@ -1,3 +1,3 @@",
        "     def show(options) -> None:",
        "         limit = 10",
        "    -    print(limit)",
        "    +    print(limit + 1)",
        "unchanged tool/options.py: OPTIONS (append)",
        "",
        "census: 1 differences",
        "    tool/__init__.py: Cache.candidates calls Wheel 1x, before 0x",
        "overlay: 2 clashes",
        "    tool/fork/__init__.py: would replace or shadow tool/fork/",
        "    tool/fork/__init__.py: would replace or shadow tool/fork/__init__.py",
        "files: 4 differences",
        "    changed   tool/__init__.py (seams)",
        "    changed   tool/cache.py (seams)",
        "    changed   tool/commands/show.py (seams)",
        "    added     tool/fork/__init__.py",
    ]


def test_each_difference_is_drift(old: Sources, release_tree: Tree) -> None:
    assert not drift(release_tree, old).drifted
    release_tree.append("tool/options.py", "WHEEL = Wheel('')\n")
    assert drift(release_tree, old).drifted


def rebase(release: Path, pinned: Path) -> subprocess.CompletedProcess[str]:
    """Run the tool."""
    return subprocess.run(
        [
            sys.executable,
            str(ROOT / "tools" / "rebase.py"),
            *(str(release), "--from", str(pinned)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_pinned_release_has_not_drifted(pinned: Path) -> None:
    before = {file: file.read_bytes() for file in ROOT.glob("fork/*") if file.is_file()}
    done = rebase(pinned, pinned)
    assert done.returncode == 0
    first, *lines = done.stdout.splitlines()
    assert first.startswith("pip 26.3 -> 26.3: seams: ")
    assert first.endswith(" unchanged")
    assert "," not in first
    assert lines[-6:] == [
        "census: no differences",
        "overlay: no clashes",
        "files: no differences",
        "libraries: no differences",
        "",
        "It is the same release: there is nothing to do.",
    ]
    assert before == {file: file.read_bytes() for file in before}


def test_an_unknown_release_ends_without_traceback(tmp_path: Path) -> None:
    done = rebase(tmp_path, tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: pip 26.3 is not in ")
    assert "Traceback" not in done.stderr


def test_a_release_that_mends_a_library(pinned: Path, tmp_path: Path) -> None:
    """What a security release of upstream mostly is: nothing that the fork touches."""
    newer = tmp_path / "newer"
    shutil.copytree(pinned, newer)
    (info,) = newer.glob("pip-*.dist-info")
    listed = newer / "pip/_vendor/vendor.txt"
    text = listed.read_text(encoding="utf-8")
    (line,) = (each for each in text.splitlines() if "urllib3==" in each)
    listed.write_text(text.replace(line, "    urllib3==99.1"), encoding="utf-8")
    metadata = info / "METADATA"
    said = metadata.read_text(encoding="utf-8")
    metadata.write_text(said.replace("\nVersion: 26.3\n", "\nVersion: 26.3.1\n"))
    data = listed.read_bytes()
    digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    row = f"pip/_vendor/vendor.txt,sha256={digest},{len(data)}"
    record = info / "RECORD"
    rows = record.read_text(encoding="utf-8").splitlines()
    rows = [
        row if each.startswith("pip/_vendor/vendor.txt,") else each for each in rows
    ]
    record.write_text("\n".join(rows) + "\n", encoding="utf-8")

    done = rebase(newer, pinned)

    assert done.returncode == 0, done.stderr
    was = line.strip().removeprefix("urllib3==")
    first, *lines = done.stdout.splitlines()
    assert first.startswith("pip 26.3 -> 26.3.1: seams: ")
    start = lines.index("files: 1 differences")
    assert lines[start + 1 : start + 4] == [
        "    changed   pip/_vendor/vendor.txt",
        "libraries: 1 differences",
        f"    urllib3 {was} -> 99.1",
    ]
    assert "Nothing that the fork depends on changed. To move to it:" in lines
    assert any("pip===26.3.1" in each for each in lines)
