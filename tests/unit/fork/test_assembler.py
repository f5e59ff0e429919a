"""Each verification of the assembler fails on a planted difference, and says where."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

import fork.__main__
from fork.engine.assembler import overlay_clashes
from fork.engine.errors import ForkError
from fork.engine.kinds import Append, Decorate, Seam
from fork.engine.output import write
from tests.unit.fork.small import Tree


def message(tree: Tree) -> str:
    """Return why the tree cannot be assembled."""
    with pytest.raises(ForkError) as caught:
        tree.assemble()
    return str(caught.value)


def test_untouched_releases_assemble(tree: Tree) -> None:
    files = tree.assemble().files
    assert b'__version__ = "1.0+ours"' in files["tool/__init__.py"]
    cache = files["tool/cache.py"]
    assert b'    @_fork.around("fork.hooks.cache:candidates")\n    def cand' in cache


def _set_version(tree: Tree, version: str) -> None:
    metadata = tree.dist_info() / "METADATA"
    text = metadata.read_text(encoding="utf-8")
    metadata.write_text(text.replace("\nVersion: 1.0", f"\nVersion: {version}"))


#: What happens to the installed releases, and parts of what is said then.
CHANGES: Mapping[str, tuple[Callable[[Tree], object], Sequence[str]]] = {
    "another version": (
        lambda tree: _set_version(tree, "1.1"),
        ["made from tool 1.0 and no other version", "Found: '1.1'"],
    ),
    "a fork": (
        lambda tree: _set_version(tree, "1.0+ours"),
        ["made from tool 1.0 and no other version", "Run: get 'tool===1.0'."],
    ),
    "no library": (
        lambda tree: shutil.rmtree(tree.dist_info("library")),
        ["library 3 is not in", "Run: get "],
    ),
    "a changed file": (
        lambda tree: tree.append("tool/options.py", "# patched\n"),
        ["tool: a file differs from its RECORD", "File: 'tool/options.py'"],
    ),
    "a changed file of a library": (
        lambda tree: tree.append("one_file.py", "# patched\n"),
        ["one-file: a file differs", "File: 'one_file.py'"],
    ),
    "a missing file": (
        lambda tree: (tree.folder / "tool/options.py").unlink(),
        ["cannot be read (No such file or directory)", "File: 'tool/options.py'"],
    ),
    "no RECORD": (
        lambda tree: (tree.dist_info() / "RECORD").unlink(),
        ["has no RECORD, so its files cannot be verified"],
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_not_as_it_was_installed_is_refused(tree: Tree, name: str) -> None:
    change, said = CHANGES[name]
    change(tree)
    text = message(tree)
    assert [part for part in said if part not in text] == []


def test_a_file_outside_the_record_is_left_out(tree: Tree) -> None:
    (tree.folder / "tool/stray.py").write_text("", encoding="utf-8")
    assert "tool/stray.py" not in tree.assemble().files


@pytest.mark.parametrize(
    ("project", "path"),
    [
        ("tool", "tool/options.py"),
        ("tool", "tool-1.0.dist-info/licenses/LICENSE.txt"),
        ("one-file", "one_file.py"),
        ("library", "library/unused.py"),
    ],
)
def test_another_content_of_the_same_version_is_refused(
    release_tree: Tree, project: str, path: str
) -> None:
    release_tree.append(path, "# rebuilt\n")
    text = message(dataclasses.replace(release_tree, released=False))
    assert text.startswith(f"{project} ")
    assert "is not the release that was reviewed: its digest is" in text


def test_bytecode_and_installer_files_do_not_count(tree: Tree) -> None:
    record = tree.dist_info() / "RECORD"
    rows = "tool/__pycache__/cache.cpython-312.pyc,,\n../../bin/tool9,sha256=x,1\n"
    record.write_text(rows + record.read_text(encoding="utf-8"), encoding="utf-8")
    tree.assemble()


def test_targets_that_are_not_there_once_are_named(release_tree: Tree) -> None:
    release_tree.replace("tool/cache.py", "def candidates(", "def cached(")
    release_tree.append("tool/commands/show.py", "\nif True:\n    def show(): ...\n")
    text = message(release_tree)
    assert "seam tool/cache.py: Cache.candidates (decorate)" in text
    assert "the target is there 0x, not once" in text
    assert "show (insert line)" in text
    assert "the target is there 2x, not once" in text
    assert "correct fork/seams.py" in text


def test_a_seam_of_a_missing_file_is_named(tree: Tree) -> None:
    seam = Decorate(file="tool/gone.py", target="f", hook="h", why="Test.")
    with pytest.raises(ForkError, match=r"no longer has a file .*'tool/gone\.py'"):
        tree.assemble([seam])


class TestOverlay:
    """Our files must not replace or shadow upstream's."""

    def test_replacing_an_upstream_file_is_refused(self, tree: Tree) -> None:
        (tree.overlay / "tool/cache.py").write_text("", encoding="utf-8")
        text = message(tree)
        assert text.startswith("overlay clash: files of src/ are upstream's too")
        assert "tool/cache.py: would replace or shadow" in text
        assert "make the change a seam" in text

    @pytest.mark.parametrize(
        ("added", "upstream", "shadowed"),
        [
            ("tool/a.py", "tool/a.py", "tool/a.py"),
            ("tool/a/__init__.py", "tool/a.py", "tool/a.py"),
            ("tool/a.py", "tool/a/__init__.py", "tool/a/__init__.py"),
            ("tool/a/__init__.py", "tool/a/b.py", "tool/a/"),
        ],
    )
    def test_shadowing_is_a_clash(
        self, added: str, upstream: str, shadowed: str
    ) -> None:
        expected = [f"{added}: would replace or shadow {shadowed}"]
        assert overlay_clashes([added], [upstream]) == expected

    def test_new_modules_and_packages_are_no_clash(self) -> None:
        added = ["tool/a/c.py", "tool/d/__init__.py", "tool/d/e.py"]
        assert overlay_clashes(added, ["tool/a/__init__.py", "tool/a/b.py"]) == []

    def test_bytecode_and_hidden_files_are_left_out(self, tree: Tree) -> None:
        folder = tree.overlay / "tool/fork"
        (folder / "__pycache__").mkdir()
        (folder / "__pycache__" / "door.cpython-312.pyc").write_bytes(b"")
        (folder / ".door.py.swp").write_bytes(b"")
        overlay = tree.assemble().overlay
        assert "tool/fork/door.py" in overlay
        assert not [path for path in overlay if "pycache" in path or ".swp" in path]


@pytest.mark.parametrize(
    "seam",
    [
        Append("OPTIONS", statement="OPTIONS +=", file="tool/options.py"),
        Decorate("OPTIONS", "options", file="tool/options.py"),
    ],
)
def test_what_is_not_python_is_named(tree: Tree, seam: Seam) -> None:
    with pytest.raises(ForkError, match=r"cannot parse line .*'tool/options\.py'"):
        tree.assemble([seam])


class TestWrite:
    """The assembled fork lies in a folder, as copies or with links."""

    def test_the_build_gets_files_only(self, tree: Tree, tmp_path: Path) -> None:
        assembly = tree.assemble()
        write(assembly, tmp_path / "out", link=False)
        written = {
            path.relative_to(tmp_path / "out").as_posix()
            for path in (tmp_path / "out").rglob("*")
            if path.is_file() and not path.is_symlink()
        }
        assert written == {*assembly.files, *assembly.overlay}

    def test_the_working_tree_is_linked(self, tree: Tree, tmp_path: Path) -> None:
        out = tmp_path / "out"
        write(tree.assemble(), out, link=True)
        assert (out / "tool/fork").is_symlink()
        new = tree.overlay / "tool/fork/new.py"
        new.write_text("", encoding="utf-8")
        assert (out / "tool/fork/new.py").samefile(new)
        helper = out / "tool/commands/_ours.py"
        assert helper.samefile(tree.overlay / "tool/commands/_ours.py")
        assert not helper.readlink().is_absolute()

    def test_stale_files_go_and_others_stay_untouched(
        self, tree: Tree, tmp_path: Path
    ) -> None:
        out, assembly = tmp_path / "out", tree.assemble()
        write(assembly, out, link=True)
        kept = out / "tool/options.py"
        before = kept.stat().st_mtime_ns
        (out / "tool/stale.py").write_text("", encoding="utf-8")
        (out / "tool/stale").mkdir()
        (out / "tool/cache.py").write_text("", encoding="utf-8")
        source = tree.overlay / "tool/fork/door.py"
        write(assembly, out, link=False)
        assert source.is_file()
        assert not (out / "tool/fork/door.py").samefile(source)
        write(assembly, out, link=True)
        assert (out / "tool/fork/door.py").samefile(source)
        assert not (out / "tool/stale.py").exists()
        assert not (out / "tool/stale").exists()
        builder = assembly.files["tool/cache.py"]
        assert (out / "tool/cache.py").read_bytes() == builder
        assert kept.stat().st_mtime_ns == before


def test_the_command_ends_without_traceback(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fork.__main__, "PROJECT", tree.project)
    tree.append("tool/options.py", "# patched\n")
    assert fork.__main__.main(["assemble", "--from", str(tree.folder)]) == 1
    assert capsys.readouterr().err.startswith("error: tool: a file differs")
