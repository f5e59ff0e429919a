"""Each verification of the assembler fails on a planted difference, and says where."""

from __future__ import annotations

import ast
import shutil
from fnmatch import fnmatch
from pathlib import Path

import pytest

from fork.__main__ import main
from fork.assembler import overlay_clashes, read_sources, record
from fork.errors import ForkError
from fork.kinds import Append, Decorate
from fork.module import Module
from fork.output import write
from fork.pins import PINS
from fork.recorded import PATH, load, save
from fork.seams import SEAMS
from fork.version import UPSTREAM, VERSION
from tests.unit.fork.planting import Tree


def message(tree: Tree) -> str:
    """Return why the tree cannot be assembled."""
    with pytest.raises(ForkError) as caught:
        tree.assemble()
    return str(caught.value)


def test_untouched_releases_assemble(tree: Tree) -> None:
    files = tree.assemble().files
    assert f'__version__ = "{VERSION}"'.encode() in files["pip/__init__.py"]
    assert (
        b"@_variants.manifest_link_from_json\n" in files["pip/_internal/models/link.py"]
    )


class TestVersion:
    """Only the pinned release is taken."""

    def test_another_version_is_refused(self, tree: Tree) -> None:
        self._set(tree, "26.4")
        text = message(tree)
        assert f"made from pip {UPSTREAM} and no other version" in text
        assert text.endswith("Found: '26.4'")

    def test_a_fork_is_refused(self, tree: Tree) -> None:
        self._set(tree, VERSION)
        text = message(tree)
        assert "this pip is already the fork" in text
        assert "python -m pip install --target DIR 'pip===26.3'" in text

    def test_an_absent_library_is_named(self, tree: Tree) -> None:
        shutil.rmtree(tree.dist_info("archspec"))
        text = message(tree)
        assert "archspec 0.2.7 is not in" in text
        assert "'archspec===0.2.7'" in text

    def _set(self, tree: Tree, version: str) -> None:
        metadata = tree.dist_info() / "METADATA"
        text = metadata.read_text(encoding="utf-8")
        metadata.write_text(text.replace(f"Version: {UPSTREAM}", f"Version: {version}"))


class TestRecord:
    """Every file must be as it was installed."""

    def test_a_changed_file_is_named(self, tree: Tree) -> None:
        tree.append("pip/_internal/utils/glibc.py", "# patched\n")
        text = message(tree)
        assert "a file differs from its RECORD" in text
        assert text.endswith("File: 'pip/_internal/utils/glibc.py'")

    def test_a_changed_file_of_a_vendored_library_is_named(self, tree: Tree) -> None:
        tree.append("pynvml.py", "# patched\n")
        text = message(tree)
        assert text.startswith("nvidia-ml-py: a file differs")
        assert text.endswith("File: 'pynvml.py'")

    def test_a_missing_file_is_named(self, tree: Tree) -> None:
        (tree.folder / "pip/_internal/utils/glibc.py").unlink()
        text = message(tree)
        assert "cannot be read (No such file or directory)" in text
        assert text.endswith("File: 'pip/_internal/utils/glibc.py'")

    def test_an_installation_without_record_is_refused(self, tree: Tree) -> None:
        (tree.dist_info() / "RECORD").unlink()
        assert "has no RECORD, so its files cannot be verified" in message(tree)

    def test_a_file_outside_the_record_is_left_out(self, tree: Tree) -> None:
        (tree.folder / "pip/_internal/stray.py").write_text("", encoding="utf-8")
        assert "pip/_internal/stray.py" not in tree.assemble().files


class TestDigest:
    """The release must be the one that was reviewed."""

    @pytest.mark.parametrize(
        ("project", "path"),
        [
            ("pip", "pip/_internal/utils/glibc.py"),
            ("pip", "pip-26.3.dist-info/licenses/LICENSE.txt"),
            ("nvidia-ml-py", "pynvml.py"),
            ("archspec", "archspec/cpu/alias.py"),
        ],
    )
    def test_another_content_of_the_same_version_is_refused(
        self, release_tree: Tree, project: str, path: str
    ) -> None:
        release_tree.append(path, "# rebuilt\n")
        tree = Tree(release_tree.folder, release_tree.overlay)
        text = message(tree)
        assert text.startswith(f"{project} ")
        assert "is not the release that was reviewed: its digest is" in text

    def test_bytecode_and_installer_files_do_not_count(self, tree: Tree) -> None:
        record = tree.dist_info() / "RECORD"
        rows = "pip/__pycache__/__init__.cpython-312.pyc,,\n../../bin/pip9,sha256=x,1\n"
        record.write_text(rows + record.read_text(encoding="utf-8"), encoding="utf-8")
        tree.assemble()


class TestAnchors:
    """Every target must be there exactly once."""

    path = "pip/_internal/cache.py"

    def test_a_missing_target_is_named(self, release_tree: Tree) -> None:
        release_tree.replace(
            self.path, "def _get_candidates(", "def _get_cached_candidates("
        )
        text = message(release_tree)
        assert f"seam {self.path}: Cache._get_candidates (decorate)" in text
        assert "the target is there 0x, not once" in text
        assert "correct fork/seams.py" in text

    def test_a_target_that_is_there_twice_is_named(self, release_tree: Tree) -> None:
        release_tree.append(
            "pip/_internal/self_outdated_check.py",
            "\nif True:\n    def _get_current_remote_pip_version(): ...\n",
        )
        text = message(release_tree)
        assert "_get_current_remote_pip_version (decorate)" in text
        assert "the target is there 2x, not once" in text

    def test_all_drifted_seams_are_named_at_once(self, release_tree: Tree) -> None:
        release_tree.replace(self.path, "def _get_candidates(", "def _candidates(")
        release_tree.replace(
            "pip/_internal/commands/debug.py", "def show_tags(", "def show_all_tags("
        )
        text = message(release_tree)
        assert "Cache._get_candidates" in text
        assert "show_tags (decorate)" in text

    def test_a_missing_file_is_named(self, tree: Tree) -> None:
        seam = Decorate(file="pip/gone.py", target="f", hook="h", why="Test.")
        with pytest.raises(ForkError, match=r"no longer has a file .*'pip/gone\.py'"):
            tree.assemble([seam])


def test_a_changed_body_is_named(release_tree: Tree) -> None:
    release_tree.replace(
        "pip/_internal/commands/debug.py",
        "def show_tags(options: Values) -> None:\n",
        "def show_tags(options: Values) -> None:\n    tag_limit = 11\n",
    )
    text = message(release_tree)
    assert "seam pip/_internal/commands/debug.py: show_tags (decorate)" in text
    assert "upstream's code is not the one that was reviewed" in text
    assert "python -m fork record" in text


def test_a_new_seam_is_to_be_recorded(tree: Tree) -> None:
    path = "pip/_internal/cache.py"
    seam = Decorate(file=path, target="Cache.get", hook="cached_wheels", why="Test.")
    with pytest.raises(ForkError) as caught:
        tree.assemble([*SEAMS, seam])
    assert str(caught.value) == (
        f"seam {path}: Cache.get (decorate): the seam is new and nothing is recorded "
        "for it. Type: python -m fork record"
    )


def test_comments_and_layout_are_no_change(release_tree: Tree) -> None:
    release_tree.replace(
        "pip/_internal/commands/debug.py",
        "def show_tags(options: Values) -> None:\n",
        "def show_tags(\n    options: Values\n) -> None:\n    # A comment.\n",
    )
    release_tree.assemble()


class TestReverseCheck:
    """Without our edits, a file must be upstream's."""

    def test_a_line_of_ours_in_upstream_is_named(self, release_tree: Tree) -> None:
        line = "SUPPORTED_OPTIONS = _variants.line_options(SUPPORTED_OPTIONS)\n"
        path = "pip/_internal/req/req_file.py"
        release_tree.append(path, f'"""\n{line}"""\n')
        text = message(release_tree)
        assert text.startswith("reverse check: 'SUPPORTED_OPTIONS = ")
        assert "added 1x but stands 2x" in text
        assert text.endswith(f"File: {path!r}")

    def test_the_name_of_the_hooks_is_kept_free(self, release_tree: Tree) -> None:
        path = "pip/_internal/cache.py"
        release_tree.append(path, "\n_variants = None\n")
        text = message(release_tree)
        assert "upstream uses the name '_variants' itself" in text
        assert text.endswith(f"File: {path!r}")


class TestOverlay:
    """Our files must not replace or shadow upstream's."""

    def test_replacing_an_upstream_file_is_refused(self, tree: Tree) -> None:
        (tree.overlay / "pip/_internal/cache.py").write_text("", encoding="utf-8")
        text = message(tree)
        assert text.startswith("overlay clash: files of src/ are upstream's too")
        assert "pip/_internal/cache.py: would replace or shadow" in text
        assert "make the change a seam" in text

    def test_a_vendored_file_is_not_replaced_either(self, tree: Tree) -> None:
        (tree.overlay / "pip/_vendor/pynvml.py").write_text("", encoding="utf-8")
        assert "pip/_vendor/pynvml.py: would replace or shadow" in message(tree)

    @pytest.mark.parametrize(
        ("added", "upstream", "shadowed"),
        [
            ("pip/a.py", "pip/a.py", "pip/a.py"),
            ("pip/a/__init__.py", "pip/a.py", "pip/a.py"),
            ("pip/a.py", "pip/a/__init__.py", "pip/a/__init__.py"),
            ("pip/a/__init__.py", "pip/a/b.py", "pip/a/"),
        ],
    )
    def test_shadowing_is_a_clash(
        self, added: str, upstream: str, shadowed: str
    ) -> None:
        expected = [f"{added}: would replace or shadow {shadowed}"]
        assert overlay_clashes([added], [upstream]) == expected

    def test_new_modules_and_packages_are_no_clash(self) -> None:
        added = ["pip/a/c.py", "pip/d/__init__.py", "pip/d/e.py"]
        assert overlay_clashes(added, ["pip/a/__init__.py", "pip/a/b.py"]) == []

    def test_bytecode_and_hidden_files_are_left_out(self, tree: Tree) -> None:
        folder = tree.overlay / "pip/_internal/variants"
        (folder / "__pycache__").mkdir()
        (folder / "__pycache__" / "seams.cpython-312.pyc").write_bytes(b"")
        (folder / ".seams.py.swp").write_bytes(b"")
        overlay = tree.assemble().overlay
        assert "pip/_internal/variants/seams.py" in overlay
        assert not [path for path in overlay if "pycache" in path or ".swp" in path]


class TestCompile:
    """Every file of ours and every edited file must compile."""

    def test_a_broken_overlay_file_is_named(self, tree: Tree) -> None:
        path = "pip/_internal/variants/broken.py"
        (tree.overlay / path).write_text("def f(:\n", encoding="utf-8")
        text = message(tree)
        assert "does not compile: invalid syntax" in text
        assert "(line 1)" in text
        assert text.endswith(f"File: {path!r}")

    def test_a_seam_that_breaks_a_file_is_named(self, tree: Tree) -> None:
        path = "pip/_internal/req/req_file.py"
        seam = Append(
            file=path,
            target="SUPPORTED_OPTIONS",
            statement="SUPPORTED_OPTIONS +=",
            why="",
        )
        with pytest.raises(ForkError, match="does not compile") as caught:
            tree.assemble([seam])
        assert str(caught.value).endswith(f"File: {path!r}")


class TestHooks:
    """What a seam refers to must be defined."""

    def test_a_hook_that_is_not_there_is_named(self, tree: Tree) -> None:
        for path in ("seams.py", "hooks/prepare.py"):
            file = tree.overlay / "pip/_internal/variants" / path
            file.write_text("", encoding="utf-8")
        text = message(tree)
        assert "seam pip/_internal/cache.py: Cache._get_candidates (decorate)" in text
        place = "not defined in 'src/pip/_internal/variants"
        assert f"the hook 'cached_wheels' is {place}/hooks/prepare.py'" in text
        assert f"the hook 'metadata_file' is {place}/seams.py'" in text


class TestCensus:
    """Every call of a sensitive function must have been reviewed."""

    def test_an_added_call_is_named(self, release_tree: Tree) -> None:
        release_tree.append(
            "pip/_internal/utils/glibc.py",
            "\ndef smuggle(name: str) -> object:\n"
            "    from pip._vendor.packaging.utils import parse_wheel_filename\n\n"
            "    return parse_wheel_filename(name)\n",
        )
        text = message(release_tree)
        assert text.startswith("the census of sensitive call sites differs")
        assert text.endswith(
            "pip/_internal/utils/glibc.py: smuggle calls parse_wheel_filename 1x, "
            "recorded 0x"
        )
        assert "python -m fork record" in text

    def test_a_removed_call_is_named(self, release_tree: Tree) -> None:
        release_tree.replace(
            "pip/_internal/wheel_builder.py", "w = Wheel(", "w = object("
        )
        assert "_verify_one calls Wheel 0x, recorded 1x" in message(release_tree)


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
        assert (out / "pip/_internal/variants").is_symlink()
        new = tree.overlay / "pip/_internal/variants/new.py"
        new.write_text("", encoding="utf-8")
        assert (out / "pip/_internal/variants/new.py").samefile(new)
        helper = out / "pip/_vendor/packaging/_variants.py"
        assert helper.samefile(tree.overlay / "pip/_vendor/packaging/_variants.py")
        assert not helper.readlink().is_absolute()

    def test_stale_files_go_and_others_stay_untouched(
        self, tree: Tree, tmp_path: Path
    ) -> None:
        out, assembly = tmp_path / "out", tree.assemble()
        write(assembly, out, link=True)
        kept = out / "pip/_internal/cache.py"
        before = kept.stat().st_mtime_ns
        (out / "pip/_internal/stale.py").write_text("", encoding="utf-8")
        (out / "pip/stale").mkdir()
        (out / "pip/_internal/wheel_builder.py").write_text("", encoding="utf-8")
        write(assembly, out, link=True)
        assert not (out / "pip/_internal/stale.py").exists()
        assert not (out / "pip/stale").exists()
        builder = assembly.files["pip/_internal/wheel_builder.py"]
        assert (out / "pip/_internal/wheel_builder.py").read_bytes() == builder
        assert kept.stat().st_mtime_ns == before

    def test_links_are_replaced_without_touching_what_they_point_to(
        self, tree: Tree, tmp_path: Path
    ) -> None:
        out, assembly = tmp_path / "out", tree.assemble()
        write(assembly, out, link=True)
        write(assembly, out, link=False)
        source = tree.overlay / "pip/_internal/variants/seams.py"
        copy = out / "pip/_internal/variants/seams.py"
        assert source.is_file()
        assert not copy.samefile(source)
        write(assembly, out, link=True)
        assert copy.samefile(source)


class TestCommand:
    """`python -m fork` shows what is wrong."""

    def test_a_failing_check_ends_without_traceback(
        self, tree: Tree, capsys: pytest.CaptureFixture[str]
    ) -> None:
        tree.append("pip/_internal/utils/glibc.py", "# patched\n")
        assert main(["assemble", "--from", str(tree.folder)]) == 1
        assert capsys.readouterr().err.startswith("error: pip: a file differs")

    def test_an_unreadable_record_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "recorded.json"
        path.write_text("{", encoding="utf-8")
        with pytest.raises(ForkError, match="python -m fork record"):
            load(path)


def test_recorded_values_are_those_of_the_pinned_releases(
    pinned: Path, tmp_path: Path
) -> None:
    path = tmp_path / "recorded.json"
    save(record(read_sources(pinned), SEAMS), path)
    assert path.read_bytes() == PATH.read_bytes()


def test_the_fork_names_every_seam_once() -> None:
    places = [(seam.file, seam.target, seam.KIND) for seam in SEAMS]
    assert len(places) == len(set(places))
    assert all(seam.why.endswith(".") for seam in SEAMS)
    assert len({(seam.file, seam.why) for seam in SEAMS}) <= 60


def test_what_upstream_calls_is_named_by_a_seam(repository_root: Path) -> None:
    """A public function whose first parameter is ``fn`` stands around another one."""
    source = repository_root / "src"
    found = {
        (file.relative_to(source).as_posix(), node.name)
        for file in source.rglob("*.py")
        for node in Module(file.name, file.read_bytes()).tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if [each.arg for each in node.args.args][:1] == ["fn"]
    }
    named = {seam.implementation for seam in SEAMS if isinstance(seam, Decorate)}
    for pattern, name in named:
        assert any(fnmatch(path, pattern) for path, each in found if each == name)
    # One of the same name passes the rest on.
    names = {seam.implementation[1] for seam in SEAMS}
    assert {name for _, name in found} <= names
    rooms = (
        "variants/hooks/",
        "variants/*/__init__.py",
        "variants/seams.py",
        "parallel/",
    )
    places = tuple(f"pip/_internal/{each}" for each in rooms)
    assert all(path.startswith((*places, "pip/_vendor/")) for path, _ in named)


def test_pins_are_the_build_requirements(repository_root: Path) -> None:
    text = (repository_root / "pyproject.toml").read_text(encoding="utf-8")
    requires = text.partition("requires = [")[2].partition("]")[0]
    pins = [f'"{pin.requirement}",' for pin in PINS]
    assert requires.split()[1:] == pins
