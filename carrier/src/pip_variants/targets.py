"""Find the Python to change, and query its paths."""

from __future__ import annotations

import configparser
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from pip_variants.bundled import OLDEST
from pip_variants.errors import CarrierError

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:
    # Windows has no locks for folders, so two processes at once are not supported.
    fcntl = None

__all__ = ["NEW_ENVIRONMENT", "TargetInterpreter", "find_target"]

# The script of a release has no module to run, and system Pythons may lack ensurepip.
NEW_ENVIRONMENT = (
    "To use an environment instead, run: python -m venv --without-pip ENV. Then run this "
    "command again, with the argument ENV"
)

# The probe must run on any Python, so that old versions get a clear message.
_PROBE = """\
import json, os, sys
found = {"version": list(sys.version_info[:3]), "path": sys.path}
if sys.version_info >= (3, 4):
    import sysconfig
    found["is_environment"] = sys.prefix != sys.base_prefix
    found["bundled"] = sysconfig.get_config_var("WHEEL_PKG_DIR")
    names = "stdlib", "purelib", "scripts", "data"
    found["paths"] = {name: sysconfig.get_path(name) for name in names}
print(json.dumps(found))
"""

_INTERPRETERS = (
    ("bin/python", "bin/python3")
    if os.name != "nt"
    else ("Scripts/python.exe", "python.exe", "bin/python.exe")
)


@dataclass(frozen=True)
class TargetInterpreter:
    """A Python with its paths.

    :ivar name: the name that the user specified.
    :ivar python: the interpreter.
    :ivar is_environment: whether the Python is in a virtual environment.
    :ivar stdlib: the folder of the standard library.
    :ivar purelib: the folder where pip is installed.
    :ivar scripts: the folder of pip's commands.
    :ivar data: the root folder of the environment.
    :ivar bundled: the folder of ensurepip's wheels, if not in the standard library.
    :ivar path: ``sys.path``.
    """

    name: str
    python: Path
    is_environment: bool
    stdlib: Path
    purelib: Path
    scripts: Path
    data: Path
    bundled: Path | None
    path: tuple[str, ...]

    @property
    def kept(self) -> Path:
        """The folder for the saved wheel of the old pip."""
        return self.data / "share" / "pip-variants"

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the interpreter without the user's settings for pip.

        :raises OSError: if the interpreter does not start.
        """
        return _run(self.python, *arguments)

    def run_pip(self, code: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a pip with the interpreter without installing that pip.

        :param code: the wheel, or the folder that contains the package.
        :raises OSError: if the interpreter does not start.
        """
        return self.run("-I", "-c", _pip_script(code), *arguments)

    def unwritable(self) -> Path | None:
        """Return a folder that must be writable but is not, or ``None``."""
        for folder in (self.purelib, self.scripts, self.kept):
            there = folder
            while not there.exists() and there != there.parent:
                there = there.parent
            if not os.access(there, os.W_OK | os.X_OK):
                return there
        return None

    def refuse_if_managed(self) -> None:
        """Check that no other program manages this Python (PEP 668).

        :raises CarrierError: if another program does; the message quotes
            ``EXTERNALLY-MANAGED``.
        """
        marker = self.stdlib / "EXTERNALLY-MANAGED"
        if self.is_environment or not marker.is_file():
            return
        parser = configparser.ConfigParser(interpolation=None)
        text = ""
        # The marker counts even if its content cannot be read.
        with suppress(OSError, UnicodeDecodeError, configparser.Error):
            parser.read(marker, encoding="utf-8")
            text = parser.get("externally-managed", "Error").strip()
        details = f" Its message:\n\n{text}\n" if text else ""
        raise CarrierError(
            f"'{self.name}' is externally managed ({marker}).{details}",
            f"{NEW_ENVIRONMENT}. To change this Python anyway, at the risk of breaking "
            "Python or the system, add --break-system-packages.",
        )

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock this Python against other processes, after waiting until the lock is free.

        The lock is on the Python's folder of packages, so a killed process leaves nothing
        behind.
        """
        if fcntl is None:
            yield
            return
        self.purelib.mkdir(parents=True, exist_ok=True)
        folder = os.open(self.purelib, os.O_RDONLY)
        try:
            # Some network file systems do not support locks.
            with suppress(OSError):
                fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)


def _pip_script(code: Path) -> str:
    """Return a program for ``python -c`` that runs a pip that is not installed.

    :param code: the wheel, or the folder that contains the package.
    """
    # The path must not be WHEEL/pip: on Windows, pip refuses to replace itself under that
    # name.
    return (
        f"import runpy, sys; sys.path.insert(0, {str(code)!r}); "
        "runpy.run_module('pip', run_name='__main__', alter_sys=True)"
    )


def find_target(name: str | None) -> TargetInterpreter:
    """Return the Python that the user specified.

    :param name: an interpreter, its name on ``PATH``, or the folder of an environment;
        ``None`` for the Python that runs this process.
    :raises CarrierError: if the Python does not exist, does not start, or is too old.
    """
    python = Path(sys.executable) if name is None else _interpreter(name)
    try:
        done = _run(python, "-E", "-c", _PROBE)
    except OSError as error:
        raise CarrierError(
            f"Cannot start '{python}': {error.strerror or error}.",
            "Specify another interpreter or the folder of a virtual environment.",
        ) from None
    try:
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        raise CarrierError(
            f"'{python}' does not run as a Python interpreter{_reason(done)}.",
            "Specify another interpreter or the folder of a virtual environment.",
        ) from None
    version = tuple(found["version"])
    if version < OLDEST:
        raise CarrierError(
            f"'{python}' is Python {_dotted(version)}, but the fork needs Python "
            f"{_dotted(OLDEST)} or newer.",
            "Keep the installed pip, or create an environment with a newer Python.",
        )
    return TargetInterpreter(
        name=str(python) if name is None else name,
        python=python,
        is_environment=found["is_environment"],
        bundled=Path(found["bundled"]) if found["bundled"] else None,
        path=tuple(found["path"]),
        **{name: Path(path) for name, path in found["paths"].items()},
    )


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line of a program's output, as the end of a sentence."""
    lines = (done.stderr or done.stdout).strip().splitlines()
    return f": {lines[-1].strip().removesuffix('.')}" if lines else ""


def _interpreter(name: str) -> Path:
    """Return the interpreter for a path or name.

    :raises CarrierError: if there is no interpreter.
    """
    path = Path(name).absolute()
    # An empty name is not this folder.
    if name and path.is_dir():
        for each in _inside(path):
            if each.is_file():
                return each
        for each in _inside(path):
            if each.is_symlink():
                raise CarrierError(
                    f"'{each}' points to '{each.readlink()}', but that file does not exist: the "
                    "Python of this environment was removed.",
                    "Create the environment again: python -m venv --clear "
                    f"{shlex.quote(str(path))}",
                )
        raise CarrierError(
            f"'{path}' has no interpreter ({_INTERPRETERS[0]}).",
            f"Create an environment there: python -m venv {shlex.quote(str(path))}",
        )
    if path.is_file():
        return path
    on_path = shutil.which(name) if Path(name).name == name else None
    if on_path is not None:
        return Path(on_path).absolute()
    raise CarrierError(
        f"'{name}' is neither an interpreter nor an environment.",
        "Specify an interpreter (python3.12, /usr/bin/python3) or the folder of a "
        "virtual environment (.venv).",
    )


def _inside(environment: Path) -> Iterator[Path]:
    return (environment / each for each in _INTERPRETERS)


def _run(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run an interpreter in an empty folder, without the user's settings for pip.

    :raises OSError: if the interpreter does not start.
    """
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith(("PIP_", "PYTHON", "__PYVENV_LAUNCHER__"))
    }
    variables.update(
        PIP_CONFIG_FILE=os.devnull,
        PIP_DISABLE_PIP_VERSION_CHECK="1",
        PIP_NO_INPUT="1",
    )
    with tempfile.TemporaryDirectory(prefix="pip-variants-") as empty:
        return subprocess.run(
            [str(python), "-X", "utf8", *arguments],
            cwd=empty,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
