"""Start commands that run during a test."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.lib.environments import Environment, Result

#: The exit statuses of pip after SIGINT. CPython ends by the signal itself if the signal
#: arrives while CPython runs code from a string, such as a dataclass.
INTERRUPTED = (1, -signal.SIGINT)

_STOPPER = """\
import os, signal, sys
path, mark = os.environ.get("STOP_AT"), os.environ.get("STOP_MARK")
if path:
    def stop(event, args):
        global path
        if event == "open" and path and str(args[0]).endswith(path) and args[1] == "w":
            path = ""
            os.close(os.open(mark, os.O_CREAT))
            signal.pause()
    sys.addaudithook(stop)
"""


_DISTURBER = """\
import os, sys
_job = os.environ.get("DISTURB")
if _job:
    _after, _events, _number, _signal = _job.split("|")
    _number = int(_number)
    _begun = False
    def _disturb(event, args):
        global _begun, _number
        if not _begun:
            _begun = event in ("os.mkdir", "os.rename") and any(
                _after in str(each) for each in args
            )
        elif event in _events.split(","):
            if event == "open" and (".pip-staging-" not in str(args[0]) or "r" in str(args[1])):
                return
            _number -= 1
            if not _number:
                os.kill(os.getpid(), int(_signal))
    sys.addaudithook(_disturb)
"""


class Running:
    """A running command."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process, but not to its children."""
        self._process.send_signal(number)

    def finish(self, seconds: float = 120) -> Result:
        """Wait for the command, and return its result."""
        stdout, stderr = self._process.communicate(timeout=seconds)
        command = tuple(map(str, self._process.args))  # type: ignore[arg-type]
        return Result(command, self._process.returncode, stdout, stderr)


def start_pip(
    environment: Environment, *arguments: str | Path, env: Mapping[str, str | None]
) -> Running:
    """Start pip with these arguments.

    :param env: the variables to add; ``None`` removes a variable.
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


def _run_at_start(environment: Environment, name: str, code: str) -> None:
    """Run code at the start of each interpreter of *environment*.

    A module sitecustomize would not work: some systems already have one that comes first.
    """
    folder = environment.site_packages
    (folder / f"tested_{name}.py").write_text(code, encoding="utf-8")
    (folder / f"tested_{name}.pth").write_text(f"import tested_{name}\n")


def stop_at_write(
    environment: Environment, path: str, mark: Path
) -> dict[str, str | None]:
    """Return variables that pause a program of *environment* at a write.

    :param path: the end of the path of the file to be written.
    :param mark: a file that exists once the program has stopped.
    """
    _run_at_start(environment, "stopper", _STOPPER)
    return {"STOP_AT": path, "STOP_MARK": str(mark)}


def disturb(
    environment: Environment, after: str, events: str, number: int, signal_number: str
) -> dict[str, str | None]:
    """Return variables that send a signal to a program of *environment*.

    :param after: a part of a path; events count only after such a path is created or
        renamed.
    :param events: the audit events to count, with commas; "open" only for writing to the
        staging folder.
    :param number: the number of the event before which the signal is sent.
    :param signal_number: the signal to send.
    """
    _run_at_start(environment, "disturber", _DISTURBER)
    return {"DISTURB": f"{after}|{events}|{number}|{signal_number}"}


def processes_of(environment: Environment) -> list[str]:
    """Return the running commands of an interpreter of *environment*."""
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
    """Wait until a condition becomes true.

    :raises AssertionError: if the time limit is exceeded.
    """
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not in {seconds:g} seconds: {what}"
        time.sleep(0.01)
