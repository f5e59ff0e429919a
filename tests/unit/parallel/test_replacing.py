"""Signals that wait, trees that are moved, and what a killed run leaves to the next."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("signals are those of POSIX", allow_module_level=True)

import pip
from pip._internal.parallel.downloads import elsewhere, recovery, replacing, trees
from pip._internal.parallel.downloads.interrupts import HeldSignals
from pip._internal.parallel.downloads.journal import FOLDER, Plan, Workplace, abandoned

# Elsewhere things are done in upstream's way.
pytestmark = pytest.mark.linux


def send(number: int) -> None:
    os.kill(os.getpid(), number)


def run_elsewhere(code: str, *arguments: str) -> int:
    """Run code in a process of its own, with this pip, and return how it ended."""
    env = {**os.environ, "PYTHONPATH": str(Path(pip.__file__).parents[1])}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=False, env=env).returncode


class TestSignals:
    """Signals that wait."""

    @pytest.fixture(autouse=True)
    def handlers(self) -> Iterator[None]:
        """Have the handlers in the end that were there before."""
        before = {each: signal.getsignal(each) for each in (2, 15)}
        signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        for number, handler in before.items():
            assert signal.getsignal(number) is handler
            signal.signal(number, handler)

    def test_one_waits(self, capfd: pytest.CaptureFixture[str]) -> None:
        held = HeldSignals()
        held.hold(signal.SIGINT)
        send(signal.SIGINT)
        held.release()
        assert "so that nothing is left half installed" in capfd.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            held.take_effect()
        held.take_effect()

    def test_two_do_not(self) -> None:
        held = HeldSignals()
        held.hold(signal.SIGINT)
        send(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)

    def test_what_ends_pip_waits_too(self) -> None:
        code = (
            "import os\n"
            "from pip._internal.parallel.downloads.interrupts import HeldSignals\n"
            "held = HeldSignals()\n"
            "held.hold(15)\n"
            "os.kill(os.getpid(), 15)\n"
            "held.release()\n"
            "held.take_effect()\n"
            "os._exit(7)\n"
        )
        assert run_elsewhere(code) == -signal.SIGTERM

    def test_another_handler_stays(self) -> None:
        came: list[int] = []
        signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
        try:
            held = HeldSignals()
            held.hold(signal.SIGTERM)
            send(signal.SIGTERM)
            assert came == [signal.SIGTERM]
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def test_another_thread_holds_none(self) -> None:
        held = HeldSignals()
        thread = threading.Thread(target=held.hold, args=[signal.SIGINT])
        thread.start()
        thread.join()
        held.release()
        held.take_effect()


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

    def test_folders_are_merged(self, tree: Path, tmp_path: Path) -> None:
        place = tmp_path / "place"
        write(place, {"a/x.py": "old", "a/own.py": "own"})
        assert set(trees.met_folders(str(tree), str(place))) == {
            *(str(place), str(place / "a"))
        }
        folder = trees.identity(str(tree / "a" / "b"))
        trees.put(str(tree), str(place))
        assert read(place) == {**self.NEW, "a/own.py": "own"}
        assert read(tree) == {}
        assert trees.identity(str(place / "a" / "b")) == folder, "moved as a whole"

    def test_what_cannot_be_moved_stays(self, tree: Path, tmp_path: Path) -> None:
        place = tmp_path / "place"
        # A folder where a file is to be.
        write(place, {"z.py/file": "own"})
        with pytest.raises(OSError, match=r"z\.py"):
            trees.put(str(tree), str(place))
        assert read(place) == {"z.py/file": "own"}
        assert read(tree) == self.NEW

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
        (place / "z.py").unlink()
        write(place, {"z.py/file": "own"})
        (place / "a" / "x.py").unlink()
        with pytest.raises(OSError, match=r"z\.py"):
            trees.put(str(tree), str(place))
        assert "a/x.py" not in read(place)

    def test_metadata_come_last(self, tmp_path: Path) -> None:
        tree, place = tmp_path / "tree", tmp_path / "place"
        write(tree, {"a-1.dist-info/RECORD": "", "b.py/file": ""})
        write(place, {"b.py": "a file, where a folder is to be"})
        with pytest.raises(OSError, match=r"b\.py"):
            trees.put(str(tree), str(place))
        assert [each.name for each in place.iterdir()] == ["b.py"]


def metadata(version: str) -> dict[str, str]:
    text = f"Metadata-Version: 2.1\nName: demo\nVersion: {version}\n"
    return {
        f"demo-{version}.dist-info/METADATA": text,
        "demo/__init__.py": f"version = {version!r}\n",
    }


OLD, NEW = metadata("1.0"), metadata("2.0")


class Left:
    """An environment in which a run was to replace demo 1.0 by 2.0, and was killed."""

    def __init__(self, lib: Path) -> None:
        self.lib = lib
        write(lib, {**OLD, "other.py": ""})
        self.workplace = Workplace.make(str(lib))
        self.folder = Path(self.workplace.path)
        tree = self.folder / "new-0"
        write(tree / str(lib).lstrip("/"), NEW)
        self.old = [lib / "demo-1.0.dist-info", lib / "demo"]
        info = trees.identity(str(self.at("demo-2.0.dist-info")))
        old = [(str(path), trees.identity(str(path))) for path in self.old]
        inside = [each for path in self.old for each in trees.inside(str(path))]
        assert info is not None
        self.plan = Plan("demo", "2.0", "new-0", info, old, inside)  # type: ignore[arg-type]
        self.workplace.write([self.plan])

    def at(self, name: str) -> Path:
        """Return where something lies ready."""
        return self.folder / "new-0" / str(self.lib).lstrip("/") / name

    def stash(self, *names: str) -> None:
        """Move old folders aside, as upstream does."""
        for name in names:
            (self.lib / name).rename(self.lib / f"~{name[1:]}")

    def put(self, *names: str) -> None:
        """Move what lies ready to its place."""
        for name in names:
            self.at(name).rename(self.lib / name)

    def mend(self) -> dict[str, str]:
        """Let another run mend it, and return what there is then."""
        self.workplace.keep()
        recovery.mend([str(self.lib)])
        found = read(self.lib)
        assert found.pop("other.py") == ""
        return found


@pytest.fixture
def left(tmp_path: Path) -> Left:
    """Return what a killed run has left, before it began to take anything away."""
    lib = tmp_path / "lib"
    lib.mkdir()
    return Left(lib)


INFO, PACKAGE = "demo-1.0.dist-info", "demo"
#: What had happened: old folders moved aside, new ones put in place, and what else.
STEPS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "one folder is moved aside": ([INFO], []),
    "all is moved aside": ([INFO, PACKAGE], []),
    "one folder is in place": ([INFO, PACKAGE], [PACKAGE]),
    "all is in place": ([INFO, PACKAGE], [PACKAGE, "demo-2.0.dist-info"]),
}


@pytest.mark.parametrize("step", STEPS)
def test_what_was_begun_is_finished(
    left: Left, caplog: pytest.LogCaptureFixture, step: str
) -> None:
    aside, in_place = STEPS[step]
    left.stash(*aside)
    left.put(*in_place)
    assert left.mend() == NEW
    said = "It was finished now: demo 2.0" in caplog.text
    assert said == (step != "all is in place")


def test_an_empty_folder_to_which_nothing_was_moved(left: Left) -> None:
    left.stash(INFO)
    (left.lib / "~emo").mkdir()
    (left.lib / "~other").mkdir()
    assert left.mend() == NEW
    assert [each.name for each in left.lib.glob("~*")] == ["~other"]


def test_a_run_that_mended_it_was_killed_too(left: Left) -> None:
    left.stash(INFO)
    (left.lib / "~emo-1.0.dist-info").rename(left.folder / "old-1")
    assert left.mend() == NEW


def test_what_was_not_begun_is_undone(
    left: Left, caplog: pytest.LogCaptureFixture
) -> None:
    assert left.mend() == OLD
    assert not caplog.records


def test_without_a_journal_nothing_was_begun(left: Left) -> None:
    (left.folder / "journal").unlink()
    assert left.mend() == OLD


def test_what_is_finished_is_only_cleared_away(left: Left) -> None:
    left.stash(INFO, PACKAGE)
    left.put("demo", "demo-2.0.dist-info")
    left.workplace.finish()
    # Whatever came since stays, were its number that of a folder which is gone.
    (left.lib / "~emo").rename(left.lib / "demo.new")
    assert left.mend() == {**NEW, "demo.new/__init__.py": OLD["demo/__init__.py"]}


def test_what_somebody_has_installed_since_stays(
    left: Left, caplog: pytest.LogCaptureFixture
) -> None:
    left.stash(INFO, PACKAGE)
    newer = metadata("3.0")
    write(left.lib, newer)
    assert left.mend() == newer
    assert not caplog.records


def test_what_came_into_a_folder_since_stays(left: Left) -> None:
    left.stash(INFO)
    # A package that lay ready before this one may have put it there, or a user.
    write(left.lib, {"demo/part/of_another.py": "another\n", "demo/old.py": "later\n"})
    (left.lib / "demo" / "empty").mkdir()
    stays = {"demo/part/of_another.py": "another\n", "demo/old.py": "later\n"}
    assert left.mend() == {**NEW, **stays}
    assert not (left.lib / "demo" / "empty").exists()


def test_what_a_link_leads_to_is_not_taken_away(left: Left, tmp_path: Path) -> None:
    package = left.lib / "demo"
    (tmp_path / "own").mkdir()
    write(tmp_path / "own", {"x.py": "own"})
    (package / "link").symlink_to(tmp_path / "own")
    found = dict(trees.inside(str(package)))
    assert set(found) == {str(package / "link"), str(package / "__init__.py")}
    trees.remove_known(str(package), set(found.items()))
    assert not package.exists()
    package.symlink_to(tmp_path / "own")
    assert not list(trees.inside(str(package)))
    trees.remove_known(str(package), set())
    assert not package.is_symlink()
    assert read(tmp_path / "own") == {"x.py": "own"}


def test_a_run_that_is_alive_is_let_alone(left: Left) -> None:
    left.stash(INFO)
    # The lock is that of this process.
    code = (
        "import sys\n"
        "from pip._internal.parallel.downloads import recovery\n"
        "recovery.mend(sys.argv[1:])\n"
    )
    assert run_elsewhere(code, str(left.lib)) == 0
    assert (left.lib / "~emo-1.0.dist-info").is_dir()
    assert [each.path for each in abandoned(str(left.lib))] == []
    assert left.mend() == NEW


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_another_user_has_written_is_not_done(left: Left) -> None:
    left.stash(INFO)
    os.chown(left.folder, 4242, -1)
    assert INFO not in left.mend()
    assert (left.folder / "journal").is_file()


def test_what_cannot_be_removed_is_said(
    left: Left, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    left.stash(INFO)

    def remove(path: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(trees, "remove", remove)
    assert left.mend().items() >= NEW.items()
    assert "It was finished now: demo 2.0" in caplog.text
    assert f"You can safely remove {left.folder}" in caplog.text


def test_what_was_undone_is_not_done_later(
    left: Left, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove(path: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(trees, "remove", remove)
    assert left.mend().items() >= OLD.items()
    # By another installer, say.
    for path in left.old:
        shutil.rmtree(path)
    recovery.mend([str(left.lib)])
    assert "It was finished now" not in caplog.text
    assert not list(left.lib.glob("demo*"))


def test_folders_that_are_there_to_be_read_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"old/part/deep/x.py": "", "own/x.py": ""})
    (tmp_path / "old" / "link").symlink_to(tmp_path / "own")
    for path in ("own", "old/part/deep", "old/part", "old"):
        (tmp_path / path).chmod(0o555)
    rmtree = shutil.rmtree

    def removed(path: str) -> None:
        # As it is for everybody but root.
        for folder, _, _ in os.walk(path):
            if not Path(folder).stat().st_mode & 0o200:
                raise PermissionError(errno.EACCES, "Permission denied", folder)
        rmtree(path)

    monkeypatch.setattr(shutil, "rmtree", removed)
    trees.remove(str(tmp_path / "old"))
    assert not (tmp_path / "old").exists()
    assert (tmp_path / "own").stat().st_mode & 0o777 == 0o555
    (tmp_path / "own").chmod(0o755)


def test_an_environment_that_was_moved(
    left: Left, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    left.stash(INFO)
    left.workplace.keep()
    moved = tmp_path / "moved"
    left.lib.rename(moved)
    # Another environment is where that one was.
    write(left.lib, OLD)
    recovery.mend([str(moved)])
    assert read(left.lib) == OLD
    assert "--force-reinstall --no-deps demo==2.0" in caplog.text
    assert not (moved / FOLDER).exists()
    assert "demo/__init__.py" in read(moved)


def test_an_environment_that_is_reached_on_another_way(
    left: Left, tmp_path: Path
) -> None:
    left.stash(INFO)
    left.workplace.keep()
    (tmp_path / "link").symlink_to(left.lib)
    recovery.mend([str(tmp_path / "link")])
    assert read(left.lib) == {**NEW, "other.py": ""}


def test_a_disk_that_is_mounted_again(left: Left) -> None:
    left.stash(INFO)
    journal = left.folder / "journal"
    text = journal.read_text(encoding="utf-8")
    device = left.folder.stat().st_dev
    assert f"[{device}, " in text
    text = text.replace(f"[{device}, ", "[77777, ")
    text = text.replace(f'"device": {device}', '"device": 77777')
    journal.write_text(text, encoding="utf-8")
    assert left.mend() == NEW


def test_what_a_wheel_has_brought_is_no_journal(left: Left) -> None:
    left.stash(INFO)
    # As every folder that is made for the files of a wheel.
    left.folder.chmod(0o755)
    assert INFO not in left.mend()
    assert (left.folder / "journal").is_file()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "é",
        '{"schema": 2, "plans": []}',
        '{"schema": 1, "plans": [7]}',
        '{"schema": 1, "plans": [], "path": 7, "device": 7}',
    ],
)
def test_a_journal_that_cannot_be_read_is_kept(
    left: Left, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    (left.folder / "journal").write_text(text, encoding="utf-8")
    left.workplace.keep()
    recovery.mend([str(left.lib)])
    assert "cannot be finished" in caplog.text
    assert (left.folder / "journal").read_text(encoding="utf-8") == text
    assert {**OLD, "other.py": ""}.items() <= read(left.lib).items()


def test_what_is_said_names_the_places_where_files_will_be() -> None:
    said: list[str] = []
    with elsewhere.installed_below("/lib/new-0"):
        replacing.scripts_not_on_path(
            lambda scripts: said.extend(scripts),
            ["/lib/new-0/bin/tool", "/lib/new-01/bin/other"],
        )
    assert said == ["/bin/tool", "/lib/new-01/bin/other"]
    assert elsewhere.final_path("/lib/new-0/bin/tool") == "/lib/new-0/bin/tool"


def test_what_cannot_be_locked_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(OSError, match="No locks"):
        Workplace.make(str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_paths_that_are_no_text(tmp_path: Path) -> None:
    workplace = Workplace.make(str(tmp_path))
    name = os.fsdecode(b"/caf\xe9/\xff")
    which = trees.Identity(1, 2)
    plans = [Plan("demo", "1", "new-0", which, [(name, which)], [(name, which)])]
    workplace.write(plans)
    assert workplace.read() == (plans, False)
    text = (Path(workplace.path) / "journal").read_bytes()
    assert json.loads(text)["schema"] == 1
    workplace.close()
    assert not (tmp_path / FOLDER).exists()
