"""Upgrade one environment again and again, undisturbed or killed on the way."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.lib.environments import Environment, Workshop
from tests.lib.index import IndexServer
from tests.lib.processes import wait_for
from tools.kills.clock import Clock, processes_of_session
from tools.kills.packages import FIRST_MODULE, OLD, SIZES, fill
from tools.kills.trees import Packages, Tree, read_packages, read_tree
from tools.kills.verdict import Outcome, Verdict, judge
from tools.kills.watch import Absence, Watch

__all__ = [
    "CONFIGURATIONS",
    "Configuration",
    "Kill",
    "KillError",
    "Stage",
    "Undisturbed",
]

_UPGRADE = ("--upgrade", *SIZES)
_PATIENCE = 120
#: Seconds between two looks at the clock.
_TICK = 0.002
_SHOWN = 400
_INSTALLING = b"Installing collected packages"
#: More bytes than pip prints in the output of a run.
_MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class Configuration:
    """A pip, and how it is used.

    :ivar name: as the command line has it.
    """

    name: str
    title: str
    is_fork: bool = True
    has_variants: bool = False
    options: tuple[str, ...] = ()


CONFIGURATIONS = (
    Configuration("upstream", "untouched pip", is_fork=False),
    Configuration("plain", "the fork, plain wheels"),
    Configuration("variants", "with variants", has_variants=True),
    Configuration(
        "copies",
        "from the store of unpacked wheels, by copies",
        has_variants=True,
        options=("--link-mode", "copy"),
    ),
    Configuration(
        "unpacked",
        "from the store of unpacked wheels, by hard links",
        has_variants=True,
        options=("--link-mode", "hardlink"),
    ),
)


class KillError(Exception):
    """Nothing can be said of a configuration; the text says why."""


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """An upgrade that nobody kills; all in seconds of :class:`~tools.kills.clock.Clock`.

    :ivar whole: from the start of pip to its end.
    :ivar span: of the installing phase, to the end of pip.
    :ivar absent: how long the first module of the largest package was not there.
    """

    whole: float
    span: float
    absent: float


@dataclass(frozen=True, slots=True)
class Kill:
    """An upgrade that a signal met.

    :ivar moment: when, from 0 to 1, in the installing phase of an undisturbed upgrade.
    :ivar after: the seconds from the start of the installing phase to the signal.
    :ivar status: how pip ended; 0 if it was faster than the signal.
    :ivar left: processes that were still there after ten seconds.
    :ivar verdict: of what it left.
    :ivar next: of what the same command, run once more, makes of that; None where that
        was neither damaged nor littered.
    :ivar next_output: the end of what that printed, if it did not end well.
    """

    moment: float
    after: float
    status: int
    left: int
    verdict: Verdict
    next: Verdict | None = None
    next_output: str = ""

    @property
    def is_mended(self) -> bool:
        """Tell whether the next run leaves nothing but the new release."""
        return (
            self.next is not None
            and self.next.outcome is Outcome.NEW
            and not self.next.litter
        )


class Stage:
    """The environment of a configuration, with an index; to be entered.

    :raises KillError: two undisturbed upgrades differ
    """

    def __init__(
        self, configuration: Configuration, workshop: Workshop, root: Path
    ) -> None:
        self.configuration = configuration
        make = workshop.fork if configuration.is_fork else workshop.upstream
        self._venv: Environment = make(root)
        self._index = IndexServer()
        fill(self._index, variants=configuration.has_variants)
        self._pristine = root / "pristine"
        self._temporary = root / "temporary"
        self._temporary.mkdir()
        self._libs = self._venv.site_packages.relative_to(self._venv.venv).as_posix()
        empty = self._read()
        self._files, self._folders = set(empty.files), empty.folders
        self._stack = ExitStack()
        self._old: Packages = {}
        self._new: Packages = {}
        self._sizes: list[int] = []

    def __enter__(self) -> Stage:
        self._stack.enter_context(self._index)
        pins = [f"{name}=={OLD}" for name in SIZES]
        self._run(pins)
        self._old = self._packages()
        self._keep()
        self._sizes = [self._first_module.stat().st_size]
        self._run(_UPGRADE)
        self._new = self._packages()
        self._sizes.append(self._first_module.stat().st_size)
        self._check()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def undisturbed(self) -> Undisturbed:
        """Upgrade, and look on."""
        self._restore()
        absence = Absence(self._first_module, self._sizes)
        with Watch() as watch, self._pip(_UPGRADE) as (process, output):
            clock = Clock(process.pid)
            start = clock.now()
            _await_installing(process, output)
            begin = clock.now()
            end = watch.until_the_end(process, absence, clock)
        self._check()
        self._forget()
        return Undisturbed(end - start, end - begin, absence.seconds)

    def kill(self, number: signal.Signals, moment: float, span: float) -> Kill:
        """Upgrade, send a signal, judge what is left, and let pip try again.

        :param moment: from 0 to 1, of the span
        :param span: the seconds of the installing phase of an undisturbed upgrade
        """
        self._restore()
        with self._pip(_UPGRADE) as (process, output):
            clock = Clock(process.pid)
            _await_installing(process, output)
            begin = clock.now()
            while (after := clock.now() - begin) < moment * span:
                if process.poll() is not None:
                    break
                time.sleep(min(_TICK, moment * span - after))
            process.send_signal(number)
            status = _status(process)
            left = _end_of_session(process.pid)
        verdict = self._judge()
        mended, text = None, ""
        if verdict.is_damaged or verdict.litter:
            text = self._run(_UPGRADE, must=False)
            mended = self._judge()
        self._forget()
        is_well = mended is not None and mended.outcome is Outcome.NEW
        tail = "" if is_well else text[-_SHOWN:]
        return Kill(moment, after, status, left, verdict, mended, tail)

    @property
    def _first_module(self) -> Path:
        return self._venv.site_packages / FIRST_MODULE

    def _command(self, arguments: Sequence[str]) -> list[str]:
        return [
            *(str(self._venv.python), "-m", "pip", "install"),
            *("--index-url", self._index.index_url, *self.configuration.options),
            *arguments,
        ]

    @contextmanager
    def _pip(
        self, arguments: Sequence[str]
    ) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
        """Start pip, with a file of what it prints; none of its processes is left."""
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                self._command(arguments),
                env={**self._venv.environ(), "TMPDIR": str(self._temporary)},
                cwd=self._venv.work,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # So that its children are known when it is no more.
                start_new_session=True,
            )
            with process:
                try:
                    yield process, output
                finally:
                    process.kill()
                    _end_of_session(process.pid)

    def _run(self, arguments: Sequence[str], *, must: bool = True) -> str:
        """Run pip to its end, and return what it printed."""
        with self._pip(arguments) as (process, output):
            status = _status(process)
            text = _text(output)
        if status and must:
            raise KillError(f"{self.configuration.title}: {text}")
        return text

    def _is_left_out(self, path: str) -> bool:
        """Tell whether a folder is of pip itself, which nothing here changes."""
        name = path.removeprefix(f"{self._libs}/")
        return name == "pip" or (name.startswith("pip-") and "/" not in name)

    def _packages(self) -> Packages:
        return read_packages(self._read(), self._venv.venv, self._libs)

    def _read(self) -> Tree:
        return read_tree(self._venv.venv, self._is_left_out)

    def _judge(self) -> Verdict:
        return judge(self._read(), self._old, self._new, self._folders)

    def _check(self) -> None:
        """See to it that an undisturbed upgrade leaves what the first one left.

        :raises KillError: it does not
        """
        verdict = self._judge()
        if verdict.outcome is not Outcome.NEW or verdict.litter:
            raise KillError(f"{self.configuration.title}, undisturbed: {verdict}")

    def _keep(self) -> None:
        """Copy the environment as it is now, without pip."""
        self._pristine.mkdir()
        ignored = [self._venv.site_packages]
        shutil.copytree(
            self._venv.venv,
            self._pristine,
            symlinks=True,
            dirs_exist_ok=True,
            ignore=lambda top, names: [
                name
                for name in names
                if Path(top) in ignored and self._is_left_out(f"{self._libs}/{name}")
            ],
        )

    def _restore(self) -> None:
        """Make the environment what it was when it was kept."""
        self._forget()
        strange = [str(entry) for entry in self._strange()]
        if strange:
            subprocess.run(["rm", "-rf", *strange], check=True)
        # Files may be changed in place: no links. The times matter to bytecode.
        copy = ["cp", "-a", "--reflink=auto", "--remove-destination"]
        source = f"{self._pristine}{os.sep}."
        subprocess.run([*copy, source, str(self._venv.venv)], check=True)

    def _strange(self) -> Iterator[Path]:
        """Yield what the environment had not before packages were installed."""
        root = self._venv.venv
        for top, names, files in os.walk(root):
            here = Path(top)
            known = []
            for name in [*names, *files]:
                path = (here / name).relative_to(root).as_posix()
                if path in self._folders:
                    known.append(name)
                elif path not in self._files and not self._is_left_out(path):
                    yield here / name
            names[:] = known

    def _forget(self) -> None:
        """Remove what killed pips left where temporary files go."""
        shutil.rmtree(self._temporary)
        self._temporary.mkdir()


def _await_installing(process: subprocess.Popen[bytes], output: IO[bytes]) -> None:
    """Wait until pip begins to install: the first packages may be removed from now on."""
    while process.poll() is None:
        # pip writes to the same file: its position must stay.
        if _INSTALLING in os.pread(output.fileno(), _MOST, 0):
            return
        time.sleep(_TICK)
    raise KillError(f"Nothing was upgraded: {_text(output)}")


def _status(process: subprocess.Popen[bytes]) -> int:
    """Wait for the end of pip, and end it if it hangs, so that this shows as SIGKILL."""
    try:
        return process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _text(output: IO[bytes]) -> str:
    output.seek(0)
    return output.read().decode("utf-8", "replace").strip()


def _end_of_session(session: int, seconds: float = 10) -> int:
    """Wait until no process of a session is left; end those that stay, and count them."""
    try:
        wait_for(
            lambda: not processes_of_session(session), "no process is left", seconds
        )
    except AssertionError:
        left = processes_of_session(session)
        for process in left:
            os.kill(process, signal.SIGKILL)
        wait_for(lambda: not processes_of_session(session), "no process is left")
        return len(left)
    return 0
