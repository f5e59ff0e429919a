"""Replace one pip with another without leaving the environment without a working pip.

1. Run ``--version`` of the new pip from its wheel, with the target Python.
2. Pack the old pip into a wheel that stays in the environment, and run its ``--version``.
3. Write a ``.pth`` file that makes Python use a pip in a wheel while no complete pip is
installed. The file is removed at the end; if this process is killed, the pip in the wheel
still works.
4. Install the new pip with the pip in the bundled wheel. That pip writes all files first,
and then moves them into place.
5. Run ``--version`` of the installed pip. If that fails, restore the old pip.
"""

from __future__ import annotations

import glob
import shlex
import shutil
import signal
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pip_variants.bundled import Fork
from pip_variants.errors import TRY_AGAIN, CarrierError
from pip_variants.installed import Installed, find_pip, hidden_by, is_fork, trouble
from pip_variants.repacking import UnpackableError, damage, repack
from pip_variants.targets import NEW_ENVIRONMENT, TargetInterpreter

__all__ = ["Change", "carry_out", "plan", "plan_undo"]

_PTH = "pip-variants-unfinished.pth"
_UNFINISHED = "unfinished"


class _LostError(CarrierError):
    """A failure that leaves only the pip in a wheel."""


@dataclass(frozen=True)
class Change:
    """A planned replacement of the pip of one Python.

    :ivar target: the Python.
    :ivar old: the installed pip, or ``None``.
    :ivar version: the version of the new pip.
    :ivar wheel: the wheel of the new pip.
    :ivar is_undo: whether the change restores the old pip.
    :ivar options: options for pip.
    """

    target: TargetInterpreter
    old: Installed | None
    version: str
    wheel: Path
    is_undo: bool
    options: tuple[str, ...]

    def __str__(self) -> str:
        old = "no pip" if self.old is None else f"pip {self.old}"
        return f"{self.target.name}: {old} -> pip {self.version}"


def _pip(target: TargetInterpreter) -> str:
    """Return the start of a command that runs the pip of a Python."""
    return f"{shlex.quote(str(target.python))} -m pip"


def plan(
    target: TargetInterpreter, fork: Fork, *, break_system_packages: bool
) -> Change | None:
    """Plan the installation of the fork, or return ``None`` if the fork is installed.

    :raises CarrierError: if the fork must not or cannot be installed.
    """
    options = _begin(target, break_system_packages)
    old = find_pip(target)
    if old is not None and not old.trouble and _is_same(old, fork):
        _clean_up(target)
        return None
    hiding = hidden_by(target)
    if hiding is not None:
        raise CarrierError(
            f"'{hiding}' would take precedence over the new pip in {target.purelib}.",
            f"Uninstall that pip first: {_pip(target)} uninstall pip",
        )
    return Change(target, old, fork.version, fork.wheel, False, options)


def plan_undo(target: TargetInterpreter, *, break_system_packages: bool) -> Change:
    """Plan the restoration of the old pip.

    :raises CarrierError: if the fork is not installed, or no other pip is available.
    """
    options = _begin(target, break_system_packages)
    old = find_pip(target)
    if old is not None and not old.trouble and not is_fork(old.version):
        _clean_up(target)
        raise CarrierError(
            f"'{target.name}' has pip {old.version}, not pip with variants. There is "
            "nothing to undo.",
            f"To install another version, run: {_pip(target)} install 'pip===VERSION'",
        )
    kept = _kept(target, old)
    if kept is not None:
        wrong = damage(kept)
        if wrong is not None:
            raise CarrierError(
                f"The saved wheel of the old pip is damaged: {kept}: {wrong}.",
                "Delete that file and run this command again to install the pip that "
                "comes with Python, if there is one.",
            )
        return Change(target, old, _version(kept), kept, True, options)
    if old is None:
        raise CarrierError(
            f"'{target.name}' has no pip. There is nothing to undo.",
            "To install pip with variants, run this command without --undo.",
        )
    folders = [target.stdlib / "ensurepip" / "_bundled", target.bundled]
    for folder in folders:
        found = sorted(folder.glob("pip-*.whl")) if folder is not None else []
        if found:
            return Change(target, old, _version(found[-1]), found[-1], True, options)
    raise CarrierError(
        f"Cannot restore the old pip of '{target.name}': {target.kept} contains no pip, "
        "and this Python comes without ensurepip.",
        f"To install another version, run: {_pip(target)} install 'pip===VERSION'",
    )


def carry_out(change: Change, fork: Fork) -> Path | None:
    """Replace the pip as planned, and return the saved wheel of the old pip, if any.

    :param fork: the pip that installs the new pip.
    :raises CarrierError: if the replacement failed; the old pip is unchanged.
    """
    with change.target.alone():
        now = find_pip(change.target)
        if _known(now) == _known(change.old):
            return _carry_out(change, fork)
        if not change.is_undo and now is not None and _is_same(now, fork):
            return None
    raise CarrierError(
        f"Another process changed '{change.target.name}'. The pip there is now: "
        f"{'none' if now is None else now}. This command changed nothing.",
        "To continue, run this command again.",
    )


def _known(pip: Installed | None) -> tuple[str, str] | None:
    return None if pip is None else (pip.version, pip.trouble)


def _carry_out(change: Change, fork: Fork) -> Path | None:
    """Replace the pip while holding the lock."""
    target, old = change.target, change.old
    _check_runs(target, change.wheel if change.is_undo else fork.code, change.version)
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
                    f"The change of '{target.name}' is incomplete: {error}. While pip is "
                    f"incomplete, Python uses the pip in {unfinished}.",
                    "Fix this problem, then run this command again.",
                ) from None
        if not change.is_undo:
            return kept
    for each in target.kept.glob("pip-*.whl"):
        # After the original pip is restored, no saved wheel is needed.
        if each == change.wheel or not is_fork(change.version):
            each.unlink()
    _remove_empty(target)
    return None


def _begin(target: TargetInterpreter, break_system_packages: bool) -> tuple[str, ...]:
    """Check that a Python may be changed.

    :return: options for pip.
    :raises CarrierError: if the Python must not or cannot be changed.
    """
    if not break_system_packages:
        target.refuse_if_managed()
    folder = target.unwritable()
    if folder is not None:
        raise CarrierError(
            f"Cannot change '{target.name}': '{folder}' is not writable.",
            f"Run this command as the owner of that folder. {NEW_ENVIRONMENT}.",
        )
    return ("--break-system-packages",) if break_system_packages else ()


def _clean_up(target: TargetInterpreter) -> None:
    """Clean up after a run that was killed when its pip was already complete."""
    with target.alone():
        _finished(target)


def _is_same(old: Installed, fork: Fork) -> bool:
    """Return whether the installed pip has the same files as the fork's wheel."""
    if old.version != fork.version:
        return False
    if old.is_movable:
        return (
            True  # virtualenv linked to its files, and its RECORD lists only folders.
        )
    with zipfile.ZipFile(fork.wheel) as archive:
        listed = archive.read(f"pip-{fork.version}.dist-info/RECORD").decode()
    there = (old.info / "RECORD").read_text(encoding="utf-8").splitlines()
    return {x for x in listed.splitlines() if x.startswith("pip/")} <= set(there)


def _version(wheel: Path) -> str:
    return wheel.name.split("-")[1]


def _kept(target: TargetInterpreter, old: Installed | None) -> Path | None:
    """Return the last saved wheel that is not the installed pip, or ``None``."""
    wheels = sorted(target.kept.glob("pip-*.whl"), key=lambda each: is_fork(each.name))
    others = [w for w in wheels if old is None or _version(w) != old.version]
    return others[-1] if others else None


def _check_runs(target: TargetInterpreter, code: Path, version: str) -> None:
    """Check that a pip works with a Python, without installing the pip.

    :raises CarrierError: if the pip does not work.
    """
    done = target.run_pip(code, "--version")
    if done.returncode or not done.stdout.startswith(f"pip {version} from "):
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise CarrierError(
            f"pip {version} does not run under '{target.python}': "
            f"{lines[-1].strip() if lines else 'no output'}. Nothing was changed.",
            "Keep the installed pip, and report this problem.",
        )


def _keep(target: TargetInterpreter, old: Installed, folder: Path) -> Path:
    """Save the installed pip as a working wheel.

    At most one version of the fork and one stock pip are kept.

    :raises CarrierError: if the pip cannot be saved; nothing was changed.
    """
    unfinished = folder / _UNFINISHED
    try:
        unfinished.mkdir(parents=True, exist_ok=True)
        wheel = repack(old.info, target.scripts, target.data, unfinished)
        _check_runs(target, wheel, old.version)
        kept = folder / wheel.name
        wheel.replace(kept)
        for other in folder.glob("pip-*.whl"):
            if other != kept and (is_fork(other.name) or not is_fork(kept.name)):
                other.unlink()
    except (OSError, UnpackableError) as error:
        again = f"{_pip(target)} install --force-reinstall pip=={old.version}"
        is_broken = isinstance(error, UnpackableError)
        raise CarrierError(
            f"Cannot save pip {old.version} of '{target.name}': {error}. Nothing was "
            "changed.",
            f"Repair that pip first: {again}" if is_broken else TRY_AGAIN,
        ) from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
        with suppress(OSError):
            folder.rmdir()  # The folder is empty if saving failed.
    return kept


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Leave interrupts to the child process, which then fails or finishes."""
    # A child process would inherit SIG_IGN, and could not be interrupted while it waits.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _unfinished(target: TargetInterpreter, fork: Fork) -> Iterator[Path]:
    """Make Python use a pip in a wheel while no complete pip is installed.

    A run that fails leaves the files of an interrupted run, which may be the only pip.

    :raises CarrierError: if a file cannot be written; nothing was changed.
    """
    is_first = not (target.purelib / _PTH).exists()
    try:
        folder = target.kept / _UNFINISHED
        folder.mkdir(parents=True, exist_ok=True)
        copy = Path(shutil.copy(fork.wheel, folder / "copy"))
        wheel = copy.replace(folder / fork.wheel.name)
        # pip removes the metadata first and writes it last. Its staging folder exists
        # until all files are in place.
        purelib = Path(glob.escape(str(target.purelib)))
        whole = str(purelib / "pip-*.dist-info" / "RECORD")
        staging = str(purelib / ".pip-staging-*")
        line = (
            f"import glob, sys; (glob.glob({staging!a}) or not glob.glob({whole!a})) "
            f"and sys.path.insert(0, {str(wheel)!a})\n"
        )
        (folder / _PTH).write_text(line, encoding="ascii")
        shutil.move(folder / _PTH, target.purelib / _PTH)
    except OSError as error:
        with suppress(OSError):
            if is_first:
                _finished(target)
        raise CarrierError(
            f"Cannot change '{target.name}': {error}. Nothing was changed.",
            TRY_AGAIN,
        ) from None
    try:
        yield wheel
    except _LostError:
        raise
    except CarrierError:
        if is_first:
            _finished(target)
        raise
    _finished(target)


def _finished(target: TargetInterpreter) -> None:
    """Remove the ``.pth`` file and the wheel that Python used in the meantime."""
    (target.purelib / _PTH).unlink(missing_ok=True)
    shutil.rmtree(target.kept / _UNFINISHED, ignore_errors=True)
    _remove_empty(target)


def _remove_empty(target: TargetInterpreter) -> None:
    with suppress(OSError):
        target.kept.rmdir()  # This fails if the folder contains saved wheels.


def _replace(change: Change, fork: Fork, kept: Path | None) -> None:
    """Install the new pip; if that fails, restore the old pip.

    :raises CarrierError: if the new pip could not be installed.
    """
    target, old = change.target, change.old
    moved = old.paths if old is not None and old.is_movable else ()
    aside = Path(tempfile.mkdtemp(dir=target.kept / _UNFINISHED))
    for path in moved:
        shutil.move(path, aside / path.name)
    problem = _install(change, fork, change.wheel, change.version)
    if problem is None:
        return
    if old is None or moved:
        if find_pip(target) is not None:
            target.run_pip(fork.code, "uninstall", "-y", "pip", *change.options)
        for path in moved:
            shutil.move(aside / path.name, path)
    elif kept is not None and trouble(target, old.version) is not None:
        again = _install(change, fork, kept, old.version)
        if again is not None:
            raise _LostError(
                f"Cannot install pip {change.version} into '{target.name}': {problem} "
                f"Cannot restore the old pip either: {again}",
                f"The old pip is saved in {kept}. Fix this problem, then run this "
                "command again.",
            )
    raise CarrierError(
        f"Cannot install pip {change.version} into '{target.name}': {problem} "
        + ("There is still no pip." if old is None else "The old pip still runs."),
        "Fix this problem, then run this command again.",
    )


def _install(change: Change, fork: Fork, wheel: Path, version: str) -> str | None:
    """Install a pip from its wheel, and return the problem, or ``None``."""
    target = change.target
    # Another pip that this Python finds, such as Debian's, is not for pip to replace.
    replace = "--ignore-installed" if change.old is None else "--force-reinstall"
    done = target.run_pip(
        fork.code,
        *("install", "--quiet", "--no-index", "--no-deps", replace),
        *("--find-links", str(wheel.parent), "--root-user-action=ignore"),
        "--no-warn-script-location",
        *(*change.options, f"pip==={version}"),
    )
    if done.returncode:
        problem = (done.stderr or done.stdout).strip()
        # An interrupt may leave a traceback, or nothing.
        stopped = problem.endswith(("KeyboardInterrupt", "cancelled by user"))
        return "it was cancelled." if stopped or not problem else problem
    wrong = trouble(target, version)
    return None if wrong is None else f"{wrong}."
