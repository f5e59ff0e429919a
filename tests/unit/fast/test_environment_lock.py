"""The lock of a virtual environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from optparse import Values
from pathlib import Path

import pytest

from pip._internal.exceptions import InstallationError
from pip._internal.fast import environment_lock
from pip._internal.fast.environment_lock import installing, take_lock, uninstalling
from tests.lib.as_system import WINDOWS

if sys.platform == "win32" or WINDOWS:
    pytest.skip("not on Windows", allow_module_level=True)
import fcntl


@pytest.fixture(autouse=True)
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of packages of a virtual environment that pip runs in."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("get_purelib", "get_platlib"):
        monkeypatch.setattr(environment_lock, name, lambda: str(site))
    return site


@pytest.fixture
def other(tmp_path: Path) -> Iterator[int]:
    """Keep the lock, as another installer would."""
    fd = os.open(tmp_path / ".lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
    yield fd
    os.close(fd)


def options(**given: object) -> Values:
    lists = "requirements", "constraints", "requirements_from_scripts"
    return Values({**dict.fromkeys(lists, ()), "json_report_file": None, **given})


def is_locked(path: Path) -> bool:
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def run(*_: object) -> int:
    """Install something, as a command that nobody disturbs."""
    take_lock()
    return 7


def test_only_this_user_can_take_it(site: Path) -> None:
    installing(run, None, options(), [])
    assert (site.parent / ".lock").stat().st_mode & 0o777 == 0o600


class Run:
    """A command during which something happens before pip installs."""

    def __init__(self, site: Path, *changes: str) -> None:
        self.site, self.changes = site, list(changes)
        self.was_locked: list[bool] = []

    def __call__(self, *_: object) -> int:
        self.was_locked.append(is_locked(self.site.parent / ".lock"))
        if self.changes:
            (self.site / self.changes.pop(0)).mkdir()
        take_lock()
        assert is_locked(self.site.parent / ".lock")
        return 7


@pytest.mark.parametrize(
    ("changed", "runs"),
    [([], 1), (["a"], 1), (["a-1.dist-info", "b-1.dist-info"], 2), (["a.egg-info"], 2)],
)
def test_what_changed_is_resolved_once_more(
    site: Path, changed: list[str], runs: int
) -> None:
    run = Run(site, *changed)
    assert installing(run, None, options(), []) == 7
    # Otherwise, a pip that a build starts could not install anything.
    assert run.was_locked == [False] * runs
    assert not is_locked(site.parent / ".lock")


@pytest.mark.parametrize(
    ("given", "is_at_once"),
    [
        ({"requirements": ["file"]}, False),
        ({"requirements": ["pipe"]}, True),
        ({"requirements_from_scripts": ["pipe"]}, True),
        ({"json_report_file": "-"}, True),
    ],
)
def test_what_cannot_be_repeated_is_done_under_the_lock(
    site: Path, given: dict[str, object], is_at_once: bool
) -> None:
    Path("file").touch()
    os.mkfifo("pipe")
    run = Run(site, "a-1.dist-info")
    assert installing(run, None, options(**given), []) == 7
    assert run.was_locked == ([True] if is_at_once else [False, False])


@pytest.mark.parametrize("yes", [False, True])
def test_uninstalling_locks_only_without_a_prompt(site: Path, yes: bool) -> None:
    run = Run(site)
    assert uninstalling(run, None, options(yes=yes), []) == 7
    assert run.was_locked == [yes]


@pytest.mark.usefixtures("other")
def test_it_waits_and_names_the_lock(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment_lock, "_PATIENCE", 0.3)
    with pytest.raises(InstallationError, match=r"\.lock'"):
        installing(Run(site), None, options(), [])


@pytest.mark.parametrize("is_gone", [False, True])
def test_it_goes_on_when_the_other_is_done(
    site: Path,
    other: int,
    is_gone: bool,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A lock whose file is gone counts for nothing: a third installer may have the next."""
    path = site.parent / ".lock"

    def other_ends(_: float) -> None:
        if is_gone:
            path.unlink()
        fcntl.flock(other, fcntl.LOCK_UN)

    monkeypatch.setattr("time.sleep", other_ends)
    with caplog.at_level("INFO"):
        assert installing(Run(site), None, options(), []) == 7
    assert caplog.text.count("Waiting for another installer") == 1
    assert path.exists(), "another installer may wait for it"


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_what_is_no_file_is_not_locked(tmp_path: Path, kind: str) -> None:
    lock, outside = tmp_path / ".lock", tmp_path / "outside"
    if kind == "link":
        lock.symlink_to(outside)
    elif kind == "fifo":
        os.mkfifo(lock)
    else:
        lock.mkdir()

    assert installing(run, None, options(), []) == 7
    assert not outside.exists()


def test_without_locks_it_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)

    assert installing(run, None, options(), []) == 7


@pytest.mark.parametrize(
    "given",
    [
        *({"target_dir": "x"}, {"prefix_path": "x"}, {"root_path": "x"}),
        *({"dry_run": True}, {"outside": True}),
    ],
)
@pytest.mark.usefixtures("other")
def test_elsewhere_there_is_none(
    given: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    if given.pop("outside", False):
        monkeypatch.setattr(sys, "base_prefix", sys.prefix)
    assert installing(run, None, options(**given), []) == 7
