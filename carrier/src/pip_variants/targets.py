"""The Pythons whose pip is to be replaced, as they describe themselves."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pip_variants.bundled import OLDEST
from pip_variants.errors import CarrierError

__all__ = ["Target", "find_target"]

# Any Python must be able to run this, to be told that it is too old.
_PROBE = """\
import json, os, sys
found = {"version": list(sys.version_info[:3]), "path": sys.path}
if sys.version_info >= (3, 4):
    import sysconfig
    found["is_environment"] = sys.prefix != sys.base_prefix
    found["bundled"] = sysconfig.get_config_var("WHEEL_PKG_DIR")
    for name in ("stdlib", "purelib", "platlib", "scripts", "data"):
        found[name] = sysconfig.get_path(name)
print(json.dumps(found))
"""

_INTERPRETERS = (
    ("bin/python", "bin/python3")
    if os.name != "nt"
    else ("Scripts/python.exe", "python.exe", "bin/python.exe")
)


@dataclass(frozen=True)
class Target:
    """A Python, and where it has what.

    :ivar name: what the user called it
    :ivar python: its interpreter
    :ivar version: of Python, three numbers
    :ivar is_environment: whether it is a virtual environment
    :ivar stdlib: where its standard library is
    :ivar purelib: where pip is installed
    :ivar scripts: where pip's commands are
    :ivar data: the folder around all that
    :ivar bundled: where ``ensurepip`` has wheels, if not in the standard library
    :ivar path: where it looks for modules, in this order
    """

    name: str
    python: Path
    version: tuple[int, ...]
    is_environment: bool
    stdlib: Path
    purelib: Path
    scripts: Path
    data: Path
    bundled: Path | None
    path: tuple[str, ...]

    @property
    def kept(self) -> Path:
        """Return the folder for the pip that was replaced."""
        return self.data / "share" / "pip-variants"

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the interpreter, out of reach of what the user has set for pip.

        :raises CarrierError: it does not start
        """
        return _run(self.python, *arguments)

    def run_pip(self, code: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a pip that is not installed with the interpreter.

        :param code: its wheel, or the folder around its package
        :raises CarrierError: the interpreter does not start
        """
        return self.run("-I", "-c", _pip_script(code), *arguments)

    def unwritable(self) -> Path | None:
        """Return a folder that must be written to, and cannot be."""
        for folder in (self.purelib, self.scripts, self.kept):
            there = folder
            while not there.exists() and there != there.parent:
                there = there.parent
            if not os.access(there, os.W_OK | os.X_OK):
                return there
        return None


def _pip_script(code: Path) -> str:
    """Return a program for ``python -c`` that is a pip which is not installed.

    :param code: its wheel, or the folder around its package
    """
    # Not WHEEL/pip: on Windows, a program of that name may not replace itself.
    return (
        f"import runpy, sys; sys.path.insert(0, {str(code)!r}); "
        "runpy.run_module('pip', run_name='__main__', alter_sys=True)"
    )


def find_target(name: str | None) -> Target:
    """Return the Python that the user means.

    :param name: an interpreter, its name on ``PATH``, or the folder of an environment;
        ``None``: the Python that runs this
    :raises CarrierError: there is none, it does not start, or it is too old
    """
    python = Path(sys.executable) if name is None else _interpreter(name)
    done = _run(python, "-E", "-c", _PROBE)
    try:
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        raise CarrierError(
            f"{python} does not start as a Python{_reason(done)}.",
            "Name another interpreter or the folder of a virtual environment.",
        ) from None
    version = tuple(found["version"])
    if version < OLDEST:
        raise CarrierError(
            f"{python} is Python {_dotted(version)}; this pip needs "
            f"{_dotted(OLDEST)} or newer.",
            "Keep the pip that it has, or make an environment of a newer Python.",
        )
    return Target(
        name=str(python) if name is None else name,
        python=python,
        version=version,
        is_environment=found["is_environment"],
        stdlib=Path(found["stdlib"]),
        purelib=Path(found["purelib"]),
        scripts=Path(found["scripts"]),
        data=Path(found["data"]),
        bundled=Path(found["bundled"]) if found["bundled"] else None,
        path=tuple(found["path"]),
    )


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last that a program has said, to be put after a sentence."""
    lines = (done.stderr or done.stdout).strip().splitlines()
    return f": {lines[-1].strip().removesuffix('.')}" if lines else ""


def _interpreter(name: str) -> Path:
    """Return the interpreter that a name stands for.

    :raises CarrierError: there is none
    """
    path = Path(name).absolute()
    if path.is_dir():
        for each in _inside(path):
            if each.is_file():
                return each
        for each in _inside(path):
            if each.is_symlink():
                raise CarrierError(
                    f"{each} leads to {each.readlink()}, which is not there: the Python "
                    "that the environment was made with is gone.",
                    f"Make it again: python -m venv --clear {shlex.quote(str(path))}",
                )
        raise CarrierError(
            f"{path} is a folder without an interpreter ({_INTERPRETERS[0]}).",
            f"Make an environment there: python -m venv {shlex.quote(str(path))}",
        )
    if path.is_file():
        return path
    on_path = shutil.which(name) if Path(name).name == name else None
    if on_path is not None:
        return Path(on_path).absolute()
    raise CarrierError(
        f"There is no interpreter and no environment {name}.",
        "Name an interpreter (python3.12, /usr/bin/python3) or the folder of a virtual "
        "environment (.venv).",
    )


def _inside(environment: Path) -> Iterator[Path]:
    return (environment / each for each in _INTERPRETERS)


def _run(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run an interpreter in an empty folder, without the user's settings for pip.

    :raises CarrierError: it does not start
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
        PYTHONIOENCODING="utf-8",
    )
    with tempfile.TemporaryDirectory(prefix="pip-variants-") as empty:
        try:
            return subprocess.run(
                [str(python), *arguments],
                cwd=empty,
                env=variables,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                check=False,
            )
        except OSError as error:
            raise CarrierError(
                f"{python} does not start: {error.strerror or error}.",
                "Name another interpreter or the folder of a virtual environment.",
            ) from None
