"""`tools/rebase.py` reports what another release changes, and changes nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fork.assembler import ROOT
from tests.unit.fork.planting import Tree


def rebase(tree: Tree, pinned: Path) -> subprocess.CompletedProcess[str]:
    """Compare the tree with the pinned release."""
    tool = str(ROOT / "tools" / "rebase.py")
    return subprocess.run(
        [sys.executable, tool, str(tree.folder), "--from", str(pinned)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_pinned_release_has_not_drifted(tree: Tree, pinned: Path) -> None:
    done = rebase(tree, pinned)
    assert done.returncode == 0
    first, *lines = done.stdout.splitlines()
    assert first.startswith("pip 26.3 -> 26.3: seams: ")
    assert first.endswith(" unchanged")
    assert "," not in first
    assert lines[-2:] == ["census: no differences", "overlay: no clashes"]


def test_another_version_alone_is_no_drift(release_tree: Tree, pinned: Path) -> None:
    metadata = release_tree.dist_info() / "METADATA"
    text = metadata.read_text(encoding="utf-8")
    metadata.write_text(text.replace("Version: 26.3", "Version: 26.4"), "utf-8")
    release_tree.replace("pip/__init__.py", '"26.3"', '"26.4"')
    done = rebase(release_tree, pinned)
    assert done.stdout.startswith("pip 26.3 -> 26.4: ")
    assert done.returncode == 0


def test_every_kind_of_drift_is_shown(release_tree: Tree, pinned: Path) -> None:
    release_tree.replace(
        "pip/_internal/commands/debug.py",
        "def show_tags(options: Values) -> None:\n    tag_limit = 10\n",
        "def show_tags(options: Values) -> None:\n    tag_limit = 11\n",
    )
    path = "pip/_internal/cache.py"
    release_tree.replace(path, "def _get_candidates(", "def _candidates(")
    release_tree.append(
        "pip/_internal/wheel_builder.py",
        "\nclass Cache:\n    def _get_candidates(self): return Wheel('')\n",
    )
    record = release_tree.dist_info() / "RECORD"
    added = "pip/_internal/variants/__init__.py"
    (release_tree.folder / added).parent.mkdir()
    (release_tree.folder / added).write_bytes(b"")
    empty = "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
    with record.open("a", encoding="utf-8") as file:
        file.write(f"{added},{empty},0\n")
    before = {file: file.read_bytes() for file in ROOT.glob("fork/*") if file.is_file()}

    done = rebase(release_tree, pinned)

    assert done.returncode == 1
    assert " 1 changed, 1 missing, " in done.stdout.splitlines()[0]
    assert (
        "changed   pip/_internal/commands/debug.py: show_tags (decorate)\n"
        "    --- 26.3\n    +++ 26.3\n    @@ -1,5 +1,5 @@\n"
        "     def show_tags(options: Values) -> None:\n"
        "    -    tag_limit = 10\n    +    tag_limit = 11\n"
    ) in done.stdout
    assert (
        f"missing   {path}: Cache._get_candidates (decorate)\n"
        "    the target is there 0x, not once\n"
        "    Cache._get_candidates is in pip/_internal/wheel_builder.py\n"
    ) in done.stdout
    assert "pip/_internal/wheel_builder.py: Cache._get_candidates calls Wheel" in (
        done.stdout
    )
    assert f"{added}: would replace or shadow {added}" in done.stdout
    assert before == {file: file.read_bytes() for file in before}


def test_an_unknown_release_ends_without_traceback(tmp_path: Path) -> None:
    done = rebase(Tree(tmp_path, tmp_path), tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: pip 26.3 is not in ")
    assert "Traceback" not in done.stderr
