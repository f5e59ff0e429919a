"""Find the CPython versions on this machine, including pyenv's."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

#: The versions of CPython that the fork supports.
SUPPORTED = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15")

_PROBE = (
    "import sys; print(sys.implementation.name, '%d.%d' % sys.version_info[:2], "
    "sys.executable, sep='\\n')"
)


@functools.cache
def find_interpreters() -> dict[str, Path]:
    """Return the working interpreters by version, in the order of `SUPPORTED`.

    Interpreters on ``PATH`` come before pyenv's interpreters of the same version.
    """
    found: dict[str, Path] = {}
    for command, variables in _candidates():
        try:
            done = subprocess.run(
                [*command, "-c", _PROBE],
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
                env={**os.environ, **variables},
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        answer = done.stdout.splitlines()
        # A pyenv shim of a version that is not selected ends with an error.
        if done.returncode != 0 or len(answer) != 3 or answer[0] != "cpython":
            continue
        version, executable = answer[1:]
        if version in SUPPORTED:
            found.setdefault(version, Path(executable))
    return {version: found[version] for version in SUPPORTED if version in found}


def _candidates() -> Iterator[tuple[list[str], dict[str, str]]]:
    """Yield possible interpreter commands, with their variables."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for version in SUPPORTED:
        for folder in folders:
            path = shutil.which(f"python{version}", path=folder)
            if path is not None:
                yield [path], {}
    yield [sys.executable], {}
    pyenv = shutil.which("pyenv")
    if pyenv is None:
        return
    done = subprocess.run(
        [pyenv, "versions", "--bare"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    for version in done.stdout.split():
        if ".".join(version.split(".")[:2]) in SUPPORTED:
            yield [pyenv, "exec", "python"], {"PYENV_VERSION": version}
