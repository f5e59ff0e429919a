"""Run commands on terminals of a given width."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.lib.environments import Environment, Result, changed
from tests.lib.in_process import InProcess

_TERMINAL = {"TERM": "xterm-256color"}
_ESCAPE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|(\r\n|\n|\r)|([^\x1b\r\n]+)")


def run_pip(
    environment: Environment | InProcess,
    columns: int | None,
    *arguments: str | Path,
    code: int | None = 0,
    env: Mapping[str, str | None] | None = None,
) -> Result:
    """Run ``pip`` on a terminal; all output is in the result's stdout.

    In a separate process, the terminal is a pseudo-terminal.

    :param columns: the width; None for no terminal.
    """
    if columns is None:
        if isinstance(environment, InProcess):
            return environment.pip(*arguments, code=code, env=env)
        script = environment.scripts / "pip"
        return environment.run(script, *arguments, code=code, env=env)
    if isinstance(environment, InProcess):
        size: dict[str, str | None] = {**_TERMINAL, "COLUMNS": str(columns)}
        return environment.pip(
            *arguments, code=code, env={**size, **(env or {})}, terminal=True
        )
    import fcntl
    import pty
    import struct
    import termios

    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    command = [str(environment.scripts / "pip"), *map(str, arguments)]
    with subprocess.Popen(
        command,
        cwd=environment.work,
        env=changed(environment.environ(), {**_TERMINAL, **(env or {})}),
        stdin=subprocess.DEVNULL,
        stdout=side,
        stderr=side,
    ) as process:
        os.close(side)
        written = b""
        while True:
            try:
                piece = os.read(main, 1 << 16)
            except OSError:
                # Linux raises this error at the end.
                break
            if not piece:
                break
            written += piece
        os.close(main)
        status = process.wait()
    text = written.decode().replace("\r\n", "\n")
    result = Result(tuple(command), status, text, "")
    assert code is None or status == code, str(result)
    return result


def shown(result: Result, columns: int | None = None) -> str:
    """Return the visible output of a result, on a terminal or in a file."""
    if columns is None:
        return result.output
    return "".join(f"{line}\n" for line in screen(result.stdout))


def screen(written: str) -> list[str]:
    """Return the final screen of an infinitely wide terminal.

    :raises AssertionError: for an unknown control sequence.
    """
    lines, at, column = [""], 0, 0
    place = 0
    for match in _ESCAPE.finditer(written):
        assert match.start() == place, written[place : match.start()]
        place = match.end()
        parameters, command, end, text = match.groups()
        if text is not None:
            line = lines[at].ljust(column)
            lines[at] = line[:column] + text + line[column + len(text) :]
            column += len(text)
        elif end is not None:
            column = 0
            if end != "\r":
                at += 1
                if at == len(lines):
                    lines.append("")
        elif command == "A":
            at = max(0, at - int(parameters or 1))
        elif command == "K":
            assert parameters == "2"
            lines[at] = ""
        else:
            assert command in "mhl", match[0]
    assert place == len(written), written[place:]
    while lines and not lines[-1]:
        lines.pop()
    return lines
