"""Commands that run while a test looks on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.lib.environments import Environment, Result

__all__ = ["Running", "processes_of", "start_pip", "wait_for"]


class Running:
    """A command that has been started."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def send(self, number: signal.Signals) -> None:
        """Send a signal to it, and not to what it has started."""
        self._process.send_signal(number)

    def finish(self, seconds: float = 120) -> Result:
        """Wait for its end and return what it printed."""
        stdout, stderr = self._process.communicate(timeout=seconds)
        command = tuple(map(str, self._process.args))  # type: ignore[arg-type]
        return Result(command, self._process.returncode, stdout, stderr)


def start_pip(
    environment: Environment, *arguments: str | Path, env: Mapping[str, str | None]
) -> Running:
    """Start pip with these arguments.

    :param env: variables to add, or with ``None`` to take away
    """
    variables = {**environment.environ(), **env}
    return Running(
        subprocess.Popen(
            [str(environment.python), "-m", "pip", *map(str, arguments)],
            cwd=environment.work,
            env={name: value for name, value in variables.items() if value is not None},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
    )


def processes_of(environment: Environment) -> list[str]:
    """Give the commands that run with an interpreter of *environment*."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if str(environment.venv) in command and int(entry.parent.name) != os.getpid():
            found.append(command)
    return found


def wait_for(condition: Callable[[], object], what: str, seconds: float = 60) -> None:
    """Wait until something holds that another process sees to.

    :raises AssertionError: if it does not in time
    """
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not in {seconds:g} seconds: {what}"
        time.sleep(0.01)
