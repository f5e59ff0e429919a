"""Each verification of the assembler fails on a planted difference, and says where."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

import fork.__main__
from fork.engine.assembler import overlay_clashes
from fork.engine.errors import ForkError
from fork.engine.kinds import Append, Decorate
from fork.engine.output import write
from fork.engine.recorded import load, save
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


class TestVersion:
    """Only the pinned release is taken."""

    def test_another_version_is_refused(self, tree: Tree) -> None:
        self._set(tree, "1.1")
        text = message(tree)
        assert "made from tool 1.0 and no other version" in text
        assert text.endswith("Found: '1.1'")

    def test_a_fork_is_refused(self, tree: Tree) -> None:
        self._set(tree, "1.0+ours")
        text = message(tree)
        assert "this tool is already the fork" in text
        assert "Type: get 'tool===1.0'." in text

    def test_an_absent_library_is_named(self, tree: Tree) -> None:
        shutil.rmtree(tree.dist_info("library"))
        text = message(tree)
        assert "library 3 is not in" in text
        assert "Type: get " in text

    def _set(self, tree: Tree, version: str) -> None:
        metadata = tree.dist_info() / "METADATA"
        text = metadata.read_text(encoding="utf-8")
        metadata.write_text(text.replace("\nVersion: 1.0", f"\nVersion: {version}"))


class TestRecord:
    """Every file must be as it was installed."""

    def test_a_changed_file_is_named(self, tree: Tree) -> None:
        tree.append("tool/options.py", "# patched\n")
        text = message(tree)
        assert "a file differs from its RECORD" in text
        assert text.endswith("File: 'tool/options.py'")

    def test_a_changed_file_of_a_vendored_library_is_named(self, tree: Tree) -> None:
        tree.append("one_file.py", "# patched\n")
        text = message(tree)
        assert text.startswith("one-file: a file differs")
        assert text.endswith("File: 'one_file.py'")

    def test_a_missing_file_is_named(self, tree: Tree) -> None:
        (tree.folder / "tool/options.py").unlink()
        text = message(tree)
        assert "cannot be read (No such file or directory)" in text
        assert text.endswith("File: 'tool/options.py'")

    def test_an_installation_without_record_is_refused(self, tree: Tree) -> None:
        (tree.dist_info() / "RECORD").unlink()
        assert "has no RECORD, so its files cannot be verified" in message(tree)

    def test_a_file_outside_the_record_is_left_out(self, tree: Tree) -> None:
        (tree.folder / "tool/stray.py").write_text("", encoding="utf-8")
        assert "tool/stray.py" not in tree.assemble().files


class TestDigest:
    """The release must be the one that was reviewed."""

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
        self, release_tree: Tree, project: str, path: str
    ) -> None:
        release_tree.append(path, "# rebuilt\n")
        text = message(dataclasses.replace(release_tree, released=False))
        assert text.startswith(f"{project} ")
        assert "is not the release that was reviewed: its digest is" in text

    def test_bytecode_and_installer_files_do_not_count(self, tree: Tree) -> None:
        record = tree.dist_info() / "RECORD"
        rows = "tool/__pycache__/cache.cpython-312.pyc,,\n../../bin/tool9,sha256=x,1\n"
        record.write_text(rows + record.read_text(encoding="utf-8"), encoding="utf-8")
        tree.assemble()


class TestAnchors:
    """Every target must be there exactly once."""

    path = "tool/cache.py"

    def test_a_missing_target_is_named(self, release_tree: Tree) -> None:
        release_tree.replace(self.path, "def candidates(", "def cached(")
        text = message(release_tree)
        assert f"seam {self.path}: Cache.candidates (decorate)" in text
        assert "the target is there 0x, not once" in text
        assert "correct fork/seams.py" in text

    def test_a_target_that_is_there_twice_is_named(self, release_tree: Tree) -> None:
        release_tree.append(
            "tool/commands/show.py", "\nif True:\n    def show(): ...\n"
        )
        text = message(release_tree)
        assert "show (insert line)" in text
        assert "the target is there 2x, not once" in text

    def test_all_drifted_seams_are_named_at_once(self, release_tree: Tree) -> None:
        release_tree.replace(self.path, "def candidates(", "def cached(")
        release_tree.replace("tool/commands/show.py", "def show(", "def show_all(")
        text = message(release_tree)
        assert "Cache.candidates" in text
        assert "show (insert line)" in text

    def test_a_missing_file_is_named(self, tree: Tree) -> None:
        seam = Decorate(file="tool/gone.py", target="f", hook="h", why="Test.")
        with pytest.raises(ForkError, match=r"no longer has a file .*'tool/gone\.py'"):
            tree.assemble([seam])


def test_a_changed_body_is_named(release_tree: Tree) -> None:
    path = "tool/commands/show.py"
    release_tree.replace(path, "print(limit)", "print(limit + 1)")
    text = message(release_tree)
    assert f"seam {path}: show (insert line)" in text
    assert "upstream's code is not the one that was reviewed" in text
    assert "python -m fork record" in text


def test_a_new_seam_is_to_be_recorded(tree: Tree) -> None:
    path = "tool/cache.py"
    seam = Decorate("Cache.clear", "fork.hooks.cache:candidates", file=path)
    with pytest.raises(ForkError) as caught:
        tree.assemble([*tree.project.seams, seam])
    assert str(caught.value) == (
        f"seam {path}: Cache.clear (decorate): the seam is new and nothing is recorded "
        "for it. Type: python -m fork record"
    )


def test_comments_and_layout_are_no_change(release_tree: Tree) -> None:
    release_tree.replace(
        "tool/commands/show.py",
        "def show(options) -> None:\n",
        "def show(\n    options\n) -> None:\n    # A comment.\n",
    )
    release_tree.assemble()


class TestReverseCheck:
    """Without our edits, a file must be upstream's."""

    def test_a_line_of_ours_in_upstream_is_named(self, release_tree: Tree) -> None:
        line = "OPTIONS = _fork.options(OPTIONS)\n"
        path = "tool/options.py"
        release_tree.append(path, f'"""\n{line}"""\n')
        text = message(release_tree)
        assert text.startswith("reverse check: 'OPTIONS = ")
        assert "added 1x but stands 2x" in text
        assert text.endswith(f"File: {path!r}")

    def test_the_name_of_the_hooks_is_kept_free(self, release_tree: Tree) -> None:
        path = "tool/cache.py"
        release_tree.append(path, "\n_fork = None\n")
        text = message(release_tree)
        assert "upstream uses the name '_fork' itself" in text
        assert text.endswith(f"File: {path!r}")


class TestOverlay:
    """Our files must not replace or shadow upstream's."""

    def test_replacing_an_upstream_file_is_refused(self, tree: Tree) -> None:
        (tree.overlay / "tool/cache.py").write_text("", encoding="utf-8")
        text = message(tree)
        assert text.startswith("overlay clash: files of src/ are upstream's too")
        assert "tool/cache.py: would replace or shadow" in text
        assert "make the change a seam" in text

    def test_a_vendored_file_is_not_replaced_either(self, tree: Tree) -> None:
        (tree.overlay / "tool/vendor").mkdir()
        (tree.overlay / "tool/vendor/one_file.py").write_text("", encoding="utf-8")
        assert "tool/vendor/one_file.py: would replace or shadow" in message(tree)

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


class TestCompile:
    """Every file of ours and every edited file must compile."""

    def test_a_broken_overlay_file_is_named(self, tree: Tree) -> None:
        path = "tool/fork/broken.py"
        (tree.overlay / path).write_text("def f(:\n", encoding="utf-8")
        text = message(tree)
        assert "does not compile: invalid syntax" in text
        assert "(line 1)" in text
        assert text.endswith(f"File: {path!r}")

    def test_a_seam_that_breaks_a_file_is_named(self, tree: Tree) -> None:
        path = "tool/options.py"
        seam = Append("OPTIONS", statement="OPTIONS +=", file=path)
        with pytest.raises(ForkError, match="does not compile") as caught:
            tree.assemble([seam])
        assert str(caught.value).endswith(f"File: {path!r}")


class TestHooks:
    """What a seam refers to must be defined."""

    def test_a_hook_that_is_not_there_is_named(self, tree: Tree) -> None:
        for path in ("door.py", "hooks/cache.py"):
            (tree.overlay / "tool/fork" / path).write_text("", encoding="utf-8")
        text = message(tree)
        assert "seam tool/cache.py: Cache.candidates (decorate)" in text
        place = "not defined in 'src/tool/fork"
        assert f"the hook 'candidates' is {place}/hooks/cache.py'" in text
        assert f"the hook 'shown' is {place}/door.py'" in text


class TestCensus:
    """Every call of a sensitive function must have been reviewed."""

    def test_an_added_call_is_named(self, release_tree: Tree) -> None:
        release_tree.append(
            "tool/options.py",
            "\ndef smuggle(name):\n"
            "    from tool.wheels import Wheel as W\n\n"
            "    return W(name)\n",
        )
        text = message(release_tree)
        assert text.startswith(
            "the census of sensitive call sites differs; something might go wrong. "
        )
        assert text.endswith("tool/options.py: smuggle calls Wheel 1x, recorded 0x")
        assert "python -m fork record" in text

    def test_a_removed_call_is_named(self, release_tree: Tree) -> None:
        release_tree.replace("tool/cache.py", "Wheel(name)", "object()")
        text = message(release_tree)
        assert "tool/cache.py: wheels calls Wheel 0x, recorded 1x" in text


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
        write(assembly, out, link=True)
        assert not (out / "tool/stale.py").exists()
        assert not (out / "tool/stale").exists()
        builder = assembly.files["tool/cache.py"]
        assert (out / "tool/cache.py").read_bytes() == builder
        assert kept.stat().st_mtime_ns == before

    def test_links_are_replaced_without_touching_what_they_point_to(
        self, tree: Tree, tmp_path: Path
    ) -> None:
        out, assembly = tmp_path / "out", tree.assemble()
        write(assembly, out, link=True)
        write(assembly, out, link=False)
        source = tree.overlay / "tool/fork/door.py"
        copy = out / "tool/fork/door.py"
        assert source.is_file()
        assert not copy.samefile(source)
        write(assembly, out, link=True)
        assert copy.samefile(source)


class TestCommand:
    """`python -m fork` shows what is wrong."""

    def test_a_failing_check_ends_without_traceback(
        self,
        tree: Tree,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        save(tree.recorded, tree.project.recorded)
        monkeypatch.setattr(fork.__main__, "PROJECT", tree.project)
        tree.append("tool/options.py", "# patched\n")
        assert fork.__main__.main(["assemble", "--from", str(tree.folder)]) == 1
        assert capsys.readouterr().err.startswith("error: tool: a file differs")

    def test_an_unreadable_record_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "recorded.json"
        path.write_text("{", encoding="utf-8")
        with pytest.raises(ForkError, match="python -m fork record"):
            load(path)
