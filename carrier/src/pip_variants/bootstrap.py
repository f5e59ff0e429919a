"""Put one pip in place of another, so that there is one that works at any moment.

1. The new one runs ``--version`` from its wheel, with the Python that will have it.
2. The old one is packed into a wheel again, which is kept in the environment and has run
   ``--version`` too, before the old one is touched.
3. A ``.pth`` file is written that lets Python find a pip in a wheel while there is none
   that is whole among the packages. It goes when all is done; if this is killed, the pip
   in the wheel is what runs.
4. The new one is installed by the pip in the carried wheel, which writes all files first
   and then moves them to their places.
5. It runs ``--version``. If it does not, the old one is put back.
"""

from __future__ import annotations

import glob
import shutil
import signal
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pip_variants.bundled import Fork
from pip_variants.errors import CarrierError
from pip_variants.external import refuse_if_managed
from pip_variants.installed import Installed, hidden_by, is_fork, look, trouble
from pip_variants.locking import alone
from pip_variants.repacking import UnpackableError, damage, repack
from pip_variants.targets import Target

__all__ = ["Change", "carry_out", "plan", "plan_undo"]

_PTH = "pip-variants-unfinished.pth"
_UNFINISHED = "unfinished"


class _LostError(CarrierError):
    """There is no pip but the one in the wheel."""


@dataclass(frozen=True)
class Change:
    """What is to be done to one Python.

    :ivar target: the Python
    :ivar old: the pip that it has, ``None`` if none
    :ivar version: of the pip that it will have
    :ivar wheel: of that pip
    :ivar is_undo: whether this is the way back
    :ivar options: for pip
    """

    target: Target
    old: Installed | None
    version: str
    wheel: Path
    is_undo: bool
    options: tuple[str, ...]

    def __str__(self) -> str:
        old = "no pip" if self.old is None else f"pip {self.old}"
        return f"{self.target.name}: {old} -> pip {self.version}"


def plan(target: Target, fork: Fork, *, break_system_packages: bool) -> Change | None:
    """Return what is to be done for a Python to have the fork, ``None`` if it has it.

    :raises CarrierError: that must not or cannot be done
    """
    options = _begin(target, break_system_packages)
    old = look(target)
    if old is not None and not old.trouble and _is_same(old, fork):
        return None
    hiding = hidden_by(target)
    if hiding is not None:
        raise CarrierError(
            f"{hiding} would hide the pip that is put into {target.purelib}.",
            f"Take it away first: {target.python} -m pip uninstall pip",
        )
    return Change(target, old, fork.version, fork.wheel, False, options)


def plan_undo(target: Target, *, break_system_packages: bool) -> Change:
    """Return what is to be done for a Python to have the pip that it had before.

    :raises CarrierError: the fork is not there, or there is no other pip to be had
    """
    options = _begin(target, break_system_packages)
    old = look(target)
    if old is not None and not old.trouble and not is_fork(old.version):
        raise CarrierError(
            f"{target.name} has pip {old.version}, which is not the one with variants. "
            "There is nothing to undo.",
            f"Any other release is had with: {target.python} -m pip install pip==VERSION",
        )
    kept = _kept(target, old)
    if kept is not None:
        wrong = damage(kept)
        if wrong is not None:
            raise CarrierError(
                f"{kept}, the pip that was replaced, is damaged: {wrong}.",
                "Remove that file and undo again: then the pip that comes with Python is "
                "taken, if it has one.",
            )
        return Change(target, old, _version(kept), kept, True, options)
    if old is None:
        raise CarrierError(
            f"{target.name} has no pip. There is nothing to undo.",
            f"The pip that comes with Python is had with: {target.python} -m ensurepip",
        )
    folders = [target.stdlib / "ensurepip" / "_bundled", target.bundled]
    for folder in folders:
        found = sorted(folder.glob("pip-*.whl")) if folder is not None else []
        if found:
            return Change(target, old, _version(found[-1]), found[-1], True, options)
    raise CarrierError(
        f"{target.name} had no pip before this one, or it was not kept in {target.kept}, "
        "and this Python comes without ensurepip.",
        f"Any other release is had with: {target.python} -m pip install pip==VERSION",
    )


def carry_out(change: Change, fork: Fork) -> Path | None:
    """Put one pip in place of the other; return the wheel of the old one, if kept.

    :param fork: what does the work
    :raises CarrierError: it did not work; the old pip is what it was
    """
    with alone(change.target):
        now = look(change.target)
        if _known(now) == _known(change.old):
            return _carry_out(change, fork)
        if not change.is_undo and now is not None and _is_same(now, fork):
            return None
    raise CarrierError(
        f"{change.target.name} was changed meanwhile: it has "
        f"{'no pip' if now is None else f'pip {now}'} now, so nothing was done to it.",
        "To begin with that, run this again.",
    )


def _known(pip: Installed | None) -> tuple[str, str] | None:
    return None if pip is None else (pip.version, pip.trouble)


def _carry_out(change: Change, fork: Fork) -> Path | None:
    """Do it, while nobody else is at work."""
    target, old = change.target, change.old
    _must_run(target, change.wheel if change.is_undo else fork.code, change.version)
    with tempfile.TemporaryDirectory(prefix="pip-variants-") as temporary:
        kept: Path | None = None
        if old is not None and not old.trouble:
            where = Path(temporary) if change.is_undo else target.kept
            kept = _keep(target, old, where)
        with _uninterrupted(), _unfinished(target, fork) as unfinished:
            try:
                _replace(change, fork, kept)
            except OSError as error:
                raise _LostError(
                    f"{target.name} was not changed as a whole: {error}. Until it is, "
                    f"its pip is the one in {unfinished}.",
                    "Mend what is named, and run this again.",
                ) from None
        if not change.is_undo:
            return kept
    for each in target.kept.glob("pip-*.whl"):
        # Once the pip from before the fork is back, no other is wanted.
        if each == change.wheel or not is_fork(change.version):
            each.unlink()
    _remove_empty(target)
    return None


def _begin(target: Target, break_system_packages: bool) -> tuple[str, ...]:
    """See to it that a Python may be changed; finish what was stopped before.

    :return: options for pip
    :raises CarrierError: it may not
    """
    if not break_system_packages:
        refuse_if_managed(target)
    folder = target.unwritable()
    if folder is not None:
        raise CarrierError(
            f"{folder} cannot be written to, and {target.name} needs that.",
            "Run this as the user who owns it, or make an environment of your own: "
            "python -m pip_variants venv ENV",
        )
    options = ("--break-system-packages",) if break_system_packages else ()
    if (target.purelib / _PTH).exists():
        with alone(target):
            # Whoever was at work has finished, or was killed.
            if (target.purelib / _PTH).exists():
                _finished(target)
    return options


def _is_same(old: Installed, fork: Fork) -> bool:
    """Tell whether the pip that is there is what the wheel has, file by file."""
    if old.version != fork.version:
        return False
    if old.is_movable:
        return True  # virtualenv has linked to its files, and lists folders alone.
    with zipfile.ZipFile(fork.wheel) as archive:
        listed = archive.read(f"pip-{fork.version}.dist-info/RECORD").decode()
    there = (old.info / "RECORD").read_text(encoding="utf-8").splitlines()
    return {x for x in listed.splitlines() if x.startswith("pip/")} <= set(there)


def _version(wheel: Path) -> str:
    return wheel.name.split("-")[1]


def _kept(target: Target, old: Installed | None) -> Path | None:
    """Return the wheel that was kept last, but for the pip that is installed."""
    wheels = sorted(target.kept.glob("pip-*.whl"), key=lambda each: is_fork(each.name))
    others = [w for w in wheels if old is None or _version(w) != old.version]
    return others[-1] if others else None


def _must_run(target: Target, code: Path, version: str) -> None:
    """See to it that a pip works with a Python, without installing it.

    :raises CarrierError: it does not
    """
    done = target.run_pip(code, "--version")
    if done.returncode or not done.stdout.startswith(f"pip {version} from "):
        said = (done.stderr or done.stdout).strip().splitlines()
        raise CarrierError(
            f"pip {version} does not start with {target.python}: "
            f"{said[-1].strip() if said else 'it says nothing'}. Nothing was changed.",
            "Keep the pip that it has, and report this.",
        )


def _keep(target: Target, old: Installed, folder: Path) -> Path:
    """Pack an installed pip into a wheel that works.

    At most one pip of the fork is kept, and one of upstream.

    :raises CarrierError: that cannot be done; nothing was changed
    """
    unfinished = folder / _UNFINISHED
    try:
        unfinished.mkdir(parents=True, exist_ok=True)
        wheel = repack(old.info, target.scripts, target.data, unfinished)
        _must_run(target, wheel, old.version)
        kept = folder / wheel.name
        wheel.replace(kept)
        for other in folder.glob("pip-*.whl"):
            if other != kept and (is_fork(other.name) or not is_fork(kept.name)):
                other.unlink()
    except OSError as error:
        raise CarrierError(
            f"pip {old.version} of {target.name} cannot be kept: {error}. Nothing was "
            "changed.",
            "Make room, or get the right to write there, and try again.",
        ) from None
    except UnpackableError as error:
        raise CarrierError(
            f"pip {old.version} of {target.name} cannot be kept: {error}. Nothing was "
            "changed.",
            f"Mend it first: {target.python} -m pip install --force-reinstall "
            f"pip=={old.version}",
        ) from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        with suppress(OSError):
            folder.rmdir()  # Nothing is in it if this has failed.
    return kept


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let interrupts wait, here and in what is started; it does not take long."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _unfinished(target: Target, fork: Fork) -> Iterator[Path]:
    """Let Python find the pip in a wheel while there is none that is whole.

    :raises CarrierError: that cannot be done; nothing was changed
    """
    try:
        folder = target.kept / _UNFINISHED
        folder.mkdir(parents=True, exist_ok=True)
        wheel = Path(shutil.copy(fork.wheel, folder))
        # pip removes metadata first and writes it last, and it has a staging folder
        # until all files are in their places.
        purelib = Path(glob.escape(str(target.purelib)))
        whole = str(purelib / "pip-*.dist-info" / "RECORD")
        staging = str(purelib / ".pip-staging-*")
        line = (
            f"import glob, sys; (glob.glob({staging!a}) or not glob.glob({whole!a})) "
            f"and sys.path.insert(0, {str(wheel)!a})\n"
        )
        (target.purelib / _PTH).write_text(line, encoding="ascii")
    except OSError as error:
        with suppress(OSError):
            _finished(target)
        raise CarrierError(
            f"{target.name} cannot be changed: {error}. Nothing was changed.",
            "Make room, or get the right to write there, and try again.",
        ) from None
    try:
        yield wheel
    except _LostError:
        raise
    except CarrierError:
        _finished(target)
        raise
    _finished(target)


def _finished(target: Target) -> None:
    """Remove what lets Python find a pip in a wheel."""
    (target.purelib / _PTH).unlink(missing_ok=True)
    shutil.rmtree(target.kept / _UNFINISHED, ignore_errors=True)
    _remove_empty(target)


def _remove_empty(target: Target) -> None:
    with suppress(OSError):
        target.kept.rmdir()  # It holds what is kept, if anything is.


def _replace(change: Change, fork: Fork, kept: Path | None) -> None:
    """Install the new pip; if it does not work, put the old one back.

    :raises CarrierError: it did not work
    """
    target, old = change.target, change.old
    moved = old.paths if old is not None and old.is_movable else ()
    aside = target.kept / _UNFINISHED / "moved"
    aside.mkdir(exist_ok=True)
    for path in moved:
        shutil.move(path, aside / path.name)
    problem = _install(change, fork, change.wheel, change.version)
    if problem is None:
        return
    if old is None or moved:
        target.run_pip(fork.code, "uninstall", "-y", "pip", *change.options)
        for path in moved:
            shutil.move(aside / path.name, path)
    elif kept is not None and trouble(target, old.version) is not None:
        again = _install(change, fork, kept, old.version)
        if again is not None:
            raise _lost(change, problem, again, kept)
    raise CarrierError(
        f"pip {change.version} could not be put into {target.name}: {problem} "
        + ("There is no pip, as before." if old is None else "The old pip is there."),
        "Mend what it names, and try again.",
    )


def _lost(change: Change, problem: str, again: str, kept: Path) -> _LostError:
    """Return the error for when neither pip works."""
    return _LostError(
        f"pip {change.version} could not be put into {change.target.name}: {problem} "
        f"The old pip could not be put back either: {again}",
        f"It lies in {kept}. Mend what is named, and then: {change.target.python} "
        f"{kept / 'pip'} install --force-reinstall {kept}",
    )


def _install(change: Change, fork: Fork, wheel: Path, version: str) -> str | None:
    """Install a pip from its wheel; return what went wrong."""
    target = change.target
    done = target.run_pip(
        fork.code,
        *("install", "--quiet", "--no-index", "--no-deps", "--force-reinstall"),
        *("--find-links", str(wheel.parent), "--root-user-action=ignore"),
        "--no-warn-script-location",
        *(*change.options, f"pip==={version}"),
    )
    if done.returncode:
        return (done.stderr or done.stdout).strip()
    wrong = trouble(target, version)
    return None if wrong is None else f"{wrong}."
