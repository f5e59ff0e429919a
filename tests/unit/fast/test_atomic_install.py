"""Signals that wait, trees that are moved, and staging folders."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("signals are those of POSIX", allow_module_level=True)

from pip._internal.fast import atomic_install, install_root, trees
from pip._internal.fast.atomic_install import DelayedSignals
from pip._internal.fast.trees import StagingFolder

# Elsewhere things are done in upstream's way.
pytestmark = pytest.mark.linux


def send(number: int) -> None:
    os.kill(os.getpid(), number)


class TestSignals:
    """Signals that wait."""

    @pytest.fixture(autouse=True)
    def handlers(self) -> Iterator[None]:
        """Check that the signal handlers are the earlier ones at the end."""
        before = {each: signal.getsignal(each) for each in (2, 15)}
        signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        for number, handler in before.items():
            assert signal.getsignal(number) is handler
            signal.signal(number, handler)

    def test_two_do_not(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # Standard error may be closed.
        monkeypatch.setattr(os, "write", lambda *_: os.close(-1))
        delayed = DelayedSignals()
        delayed.delay(signal.SIGINT)
        send(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)

    def test_another_handler_stays(self) -> None:
        came: list[int] = []
        signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
        try:
            delayed = DelayedSignals()
            delayed.delay(signal.SIGTERM)
            send(signal.SIGTERM)
            assert came == [signal.SIGTERM]
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def test_another_thread_holds_none(self) -> None:
        delayed = DelayedSignals()
        thread = threading.Thread(target=delayed.delay, args=[signal.SIGINT])
        thread.start()
        thread.join()
        delayed.release()
        delayed.take_effect()


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def read(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class TestPut:
    """A tree that is moved into another one."""

    NEW: Mapping[str, str] = {"a/x.py": "new", "a/b/y.py": "new", "z.py": "new"}

    @pytest.fixture
    def tree(self, tmp_path: Path) -> Path:
        """Return what is to be moved."""
        write(tmp_path / "tree", self.NEW)
        return tmp_path / "tree"

    def test_between_disks_it_is_copied(
        self, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def rename(source: str, target: str) -> None:
            raise OSError(errno.EXDEV, "Invalid cross-device link", source, target)

        place = tmp_path / "place"
        write(place, {"a/own.py": "own"})
        monkeypatch.setattr(os, "rename", rename)
        trees.put(str(tree), str(place))
        assert read(place) == {**self.NEW, "a/own.py": "own"}

    def test_metadata_come_last(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        moved: list[str] = []
        move = shutil.move

        def note(source: str, target: str) -> None:
            moved.append(Path(target).name)
            move(source, target)

        monkeypatch.setattr(shutil, "move", note)
        tree, place = tmp_path / "tree", tmp_path / "place"
        write(tree, {"lib/a-1.dist-info/RECORD": "", "lib/b.py": "", "share/c/d": ""})
        # Here a file is where a folder is to be: all is moved back, also what it replaced.
        before = {"lib/a.py": "", "lib/b.py": "another's", "share/c": ""}
        write(place, before)
        with pytest.raises(OSError, match="share"):
            trees.put(str(tree), str(place))
        assert read(place) == before
        (place / "share/c").unlink()
        (place / "lib/b.py").unlink()
        moved.clear()
        trees.put(str(tree), str(place))
        assert moved == ["b.py", "c", "a-1.dist-info"]


def test_what_is_said_names_the_places_where_files_will_be() -> None:
    said: list[str] = []
    with install_root.installed_below("/lib/new-0"):
        atomic_install.scripts_not_on_path(
            lambda scripts: said.extend(scripts),
            ["/lib/new-0/bin/tool", "/lib/new-01/bin/other"],
        )
    assert said == ["/bin/tool", "/lib/new-01/bin/other"]
    assert install_root.final_path("/lib/new-0/bin/tool") == "/lib/new-0/bin/tool"


def test_a_folder_that_cannot_be_inspected(tmp_path: Path) -> None:
    """The file is written as stock pip writes it."""
    assert not trees.new_files_inherit_nothing(str(tmp_path / "missing"))


def test_what_cannot_be_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compileall.compile_file", lambda *_, **__: __import__("x.y"))
    with install_root.installed_below("/lib/new-0"):
        assert not install_root.compile_file(bool, "/lib/new-0/module.py")


class TestStagingFolder:
    """The folder of a run, and those that killed runs have left."""

    def test_it_goes_in_the_end(self, tmp_path: Path) -> None:
        folder = StagingFolder(str(tmp_path))
        write(Path(folder.path), {"new-0/read-only/x.py": ""})
        (Path(folder.path) / "new-0" / "read-only").chmod(0o500)
        folder.remove()
        assert not list(tmp_path.iterdir())

    def test_what_a_killed_run_left_is_removed(self, tmp_path: Path) -> None:
        write(tmp_path, {".pip-staging-left/new-0/x.py": "", "other/x.py": ""})
        outside = tmp_path / "other"
        (tmp_path / ".pip-staging-left" / "link").symlink_to(outside)
        StagingFolder(str(tmp_path)).remove()
        assert read(tmp_path) == {"other/x.py": ""}

    def test_what_a_live_run_uses_stays(self, tmp_path: Path) -> None:
        first = StagingFolder(str(tmp_path))
        StagingFolder(str(tmp_path)).remove()
        assert Path(first.path).is_dir()
        first.remove()

    @pytest.mark.parametrize("kind", ["link", "file", "fifo", "open to all"])
    def test_what_others_put_there_stays(self, tmp_path: Path, kind: str) -> None:
        site, outside = tmp_path / "site", tmp_path / "outside"
        write(outside, {"x.py": "mine"})
        site.mkdir()
        left = site / ".pip-staging-left"
        if kind == "link":
            left.symlink_to(outside)
        elif kind == "file":
            left.touch()
        elif kind == "fifo":
            os.mkfifo(left)
        else:
            left.mkdir()
            left.chmod(0o777)
        StagingFolder(str(site)).remove()
        assert os.path.lexists(left)
        assert read(outside) == {"x.py": "mine"}

    def test_a_folder_to_which_all_may_write(self, tmp_path: Path) -> None:
        """Anybody may have moved a folder of this user there."""
        write(tmp_path, {".pip-staging-left/x.py": "mine"})
        tmp_path.chmod(0o777)
        StagingFolder(str(tmp_path)).remove()
        assert read(tmp_path) == {".pip-staging-left/x.py": "mine"}

    def test_without_locks_nothing_is_left(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def flock(*_: object) -> None:
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr("fcntl.flock", flock)
        with pytest.raises(OSError, match="No locks"):
            StagingFolder(str(tmp_path))
        assert not list(tmp_path.iterdir())
