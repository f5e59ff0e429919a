"""Upgrade one environment repeatedly, undisturbed or killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.lib.environments import Workshop
from tests.lib.index import IndexServer
from tools.kills.packages import FIRST_MODULE, OLD, SIZES, fill
from tools.kills.verdict import State, Verdict, judge, read_tree

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
#: Seconds between two checks of a running pip.
_TICK = 0.001
_INSTALLING = b"Installing collected packages"


@dataclass(frozen=True, slots=True)
class Configuration:
    """A pip with its options.

    :ivar name: the name of the configuration on the command line.
    """

    name: str
    title: str
    is_fork: bool = True
    has_variants: bool = False
    options: tuple[str, ...] = ()


CONFIGURATIONS = (
    Configuration("upstream", "stock pip", is_fork=False),
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
    """A configuration that cannot be measured; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """The timing of an undisturbed upgrade, in seconds.

    :ivar span: the time from the start of the installing phase to the end of pip.
    :ivar absent: the time without the first module of the largest package.
    """

    span: float
    absent: float


@dataclass(frozen=True, slots=True)
class Kill:
    """The result of an upgrade that received a signal.

    :ivar moment: the moment of the signal, from 0 to 1, in the installing phase of an
        undisturbed upgrade.
    :ivar status: the exit status of pip; 0 if pip ended before the signal.
    :ivar next: the result of running the same command again; None if the environment was
        neither damaged nor littered.
    """

    signal: str
    moment: float
    status: int
    verdict: Verdict
    next: Verdict | None

    @property
    def is_fixed(self) -> bool:
        """Whether the next run leaves only the new release."""
        after = self.next
        return after is not None and after.outcome is State.NEW and not after.litter


class Stage:
    """The environment and index of a configuration; close it at the end.

    :raises KillError: if two undisturbed upgrades differ.
    """

    def __init__(
        self, configuration: Configuration, workshop: Workshop, root: Path
    ) -> None:
        self._title, self._options = configuration.title, configuration.options
        make = workshop.fork if configuration.is_fork else workshop.upstream
        self._venv = make(root)
        self._pristine, self._temporary = root / "pristine", root / "temporary"
        self._index = IndexServer()
        fill(self._index, variants=configuration.has_variants)
        self._index.start()
        self.close = self._index.stop
        self._temporary.mkdir()
        self._run([f"{name}=={OLD}" for name in SIZES])
        self._old = read_tree(self._venv.venv)
        shutil.copytree(self._venv.venv, self._pristine, symlinks=True)
        self._run(_UPGRADE)
        self._new = read_tree(self._venv.venv)

    def undisturbed(self) -> Undisturbed:
        """Upgrade without disturbance, and measure."""
        self._restore()
        module = self._venv.site_packages / FIRST_MODULE
        absent = 0.0
        with self._pip(_UPGRADE) as (process, output):
            begin = before = _await_installing(process, output)
            while process.poll() is None:
                time.sleep(_TICK)
                now = time.perf_counter()
                absent += 0 if module.exists() else now - before
                before = now
        verdict = self._judge()
        if verdict.outcome is not State.NEW or verdict.litter:
            raise KillError(f"{self._title}, undisturbed: {verdict}")
        return Undisturbed(before - begin, absent)

    def kill(self, number: signal.Signals, moment: float, span: float) -> Kill:
        """Upgrade, send a signal, check the result, and run pip again.

        :param moment: the moment of the signal, from 0 to 1, in *span*.
        :param span: the seconds of the installing phase of an undisturbed upgrade.
        """
        self._restore()
        with self._pip(_UPGRADE) as (process, output):
            end = _await_installing(process, output) + moment * span
            while time.perf_counter() < end and process.poll() is None:
                time.sleep(_TICK)
            process.send_signal(number)
            status = _status(process)
        verdict, after = self._judge(), None
        if verdict.is_damaged or verdict.litter:
            self._run(_UPGRADE, must=False)
            after = self._judge()
        return Kill(number.name, moment, status, verdict, after)

    @contextmanager
    def _pip(
        self, arguments: Sequence[str]
    ) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
        """Start pip with its output in a file; kill its processes at the end."""
        command = [str(self._venv.python), "-m", "pip", "install"]
        command += ["--index-url", self._index.index_url, *self._options, *arguments]
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                command,
                env={**self._venv.environ(), "TMPDIR": str(self._temporary)},
                cwd=self._venv.work,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # The group identifies the children after pip has ended.
                start_new_session=True,
            )
            with process:
                try:
                    yield process, output
                finally:
                    process.kill()
                    process.wait()
                    _end_group(process.pid)

    def _run(self, arguments: Sequence[str], *, must: bool = True) -> None:
        """Run pip to its end."""
        with self._pip(arguments) as (process, output):
            if _status(process) and must:
                raise KillError(f"{self._title}: {_text(output)}")

    def _judge(self) -> Verdict:
        return judge(read_tree(self._venv.venv), self._old, self._new, SIZES)

    def _restore(self) -> None:
        """Restore the environment from before the upgrade, with file times."""
        for folder in (self._venv.venv, self._temporary):
            shutil.rmtree(folder)
        self._temporary.mkdir()
        shutil.copytree(self._pristine, self._venv.venv, symlinks=True)


def _await_installing(process: subprocess.Popen[bytes], output: IO[bytes]) -> float:
    """Wait until pip starts installing, and return the time."""
    while process.poll() is None:
        # pip writes to the same file: its position must not move.
        if _INSTALLING in os.pread(output.fileno(), 1 << 20, 0):
            return time.perf_counter()
        time.sleep(_TICK)
    raise KillError(f"Nothing was upgraded: {_text(output)}")


def _status(process: subprocess.Popen[bytes]) -> int:
    """Wait for pip to end, kill pip if it hangs, and return the exit status."""
    try:
        return process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def _text(output: IO[bytes]) -> str:
    output.seek(0)
    return output.read().decode("utf-8", "replace").strip()


def _end_group(leader: int) -> None:
    """Wait for the processes that *leader* has started, and kill those that remain."""
    end = time.monotonic() + _PATIENCE / 10
    with suppress(ProcessLookupError):
        while time.monotonic() < end:
            os.killpg(leader, 0)
            time.sleep(_TICK)
        os.killpg(leader, signal.SIGKILL)
