"""Build the carrier from the wheel of the fork, and run it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from tests.lib.environments import (
    REPOSITORY,
    Environment,
    Result,
    Workshop,
    changed,
    scrubbed_environ,
)

_KILLER = """\
import os, sys
if os.environ.get("KILL"):
    _lib, _which, _group, _number = os.environ["KILL"].split("|")
    def _kill(event, args):
        global _which
        if event != "os.rename" or not any(each.startswith(".pip-staging-") for each in os.listdir(_lib)):
            return
        if _lib + "/" + _which in [str(each).rstrip("/") for each in args[:2]]:
            try:
                os.close(os.open(_lib + "/tested_killed" + _group, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            os.kill(0 if _group else os.getpid(), int(_number))
    sys.addaudithook(_kill)
"""


@dataclass(frozen=True)
class Carrier:
    """A built carrier with its installed files.

    :ivar wheel: the wheel of the carrier.
    :ivar files: the folder of the installed files.
    :ivar home: the home folder of the user.
    """

    wheel: Path
    files: Path
    home: Path

    @property
    def folder(self) -> Path:
        """The folder with the wheel of the fork."""
        return self.files / "pip_variants" / "wheels"

    def environ(self) -> dict[str, str]:
        """Return environment variables with which programs find the carrier."""
        return {**scrubbed_environ(self.home), "PYTHONPATH": str(self.files)}

    def run(
        self,
        *arguments: str | Path,
        python: str | Path = sys.executable,
        code: int | None = 0,
        answer: str = "",
        env: Mapping[str, str | None] | None = None,
    ) -> Result:
        """Run ``python -m pip_variants``; see :meth:`module`."""
        return self.module(
            "pip_variants", *arguments, python=python, code=code, answer=answer, env=env
        )

    def module(
        self,
        *arguments: str | Path,
        python: str | Path = sys.executable,
        code: int | None = 0,
        answer: str = "",
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
    ) -> Result:
        """Run a module with the carrier installed.

        :param answer: the text that the user types.
        :raises AssertionError: for another exit status, or a traceback.
        """
        command = [str(python), "-m", *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=cwd or self.home,
            env=changed(self.environ(), env),
            input=answer,
            capture_output=True,
            text=True,
            encoding="utf-8",
            start_new_session=True,
            check=False,
        )
        result = Result(tuple(command), done.returncode, done.stdout, done.stderr)
        assert code is None or result.returncode == code, str(result)
        assert "Traceback (most recent call last)" not in result.output, str(result)
        return result

    def copy(self, folder: Path) -> Carrier:
        """Copy the carrier, so that a test may change its files."""
        shutil.copytree(self.files, folder)
        return Carrier(self.wheel, folder, self.home)


def built_carrier(workshop: Workshop, home: Path) -> Carrier:
    """Return the carrier, built once per session."""
    folder = workshop.folder / "carrier"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            partial = folder.with_suffix(".partial")
            # Use the settings of the user, because hatchling is downloaded.
            command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps"]
            subprocess.run(
                [*command, "-w", str(partial), str(REPOSITORY / "carrier")],
                check=True,
                env={**os.environ, "FORK_WHEEL": str(workshop.fork_wheel())},
            )
            (wheel,) = partial.glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(partial / "files")
            partial.rename(folder)
    (wheel,) = folder.glob("*.whl")
    home.mkdir(parents=True, exist_ok=True)
    return Carrier(wheel, folder / "files", home)


def new_environment(root: Path, python: str | Path, *options: str) -> Environment:
    """Create an environment with ``python -m venv``."""
    environment = Environment(root)
    for folder in (environment.home, environment.work):
        folder.mkdir(parents=True)
    command = [str(python), "-I", "-m", "venv", *options, str(environment.venv)]
    subprocess.run(command, check=True, env=scrubbed_environ(environment.home))
    return environment


def make_managed(folder: Path, python: str | Path) -> Path:
    """Create a Python that the operating system manages.

    :return: the interpreter.
    """
    code = (
        "import json, sys, sysconfig; print(json.dumps([sysconfig.get_path('stdlib'), "
        "sys._base_executable, '%d.%d' % sys.version_info[:2]]))"
    )

    done = subprocess.run([str(python), "-c", code], capture_output=True, check=True)
    stdlib, executable, version = json.loads(done.stdout)
    lib = folder / "lib" / f"python{version}"
    (lib / "site-packages").mkdir(parents=True)
    for entry in Path(stdlib).iterdir():
        if entry.name not in ("site-packages", "EXTERNALLY-MANAGED"):
            (lib / entry.name).symlink_to(entry)
    (lib / "EXTERNALLY-MANAGED").write_text(
        "[externally-managed]\nError=Ask the keeper of this machine.\n",
        encoding="utf-8",
    )
    (folder / "bin").mkdir()
    interpreter = folder / "bin" / f"python{version}"
    shutil.copy(Path(executable).resolve(), interpreter)
    return interpreter


def killing(
    environment: Environment, moved: str, *, group: bool, number: int = signal.SIGKILL
) -> dict[str, str]:
    """Return variables that kill one program of *environment*, once.

    :param moved: the path whose move triggers the kill, relative to site-packages.
    :param group: whether to kill the whole process group.
    :param number: the signal.
    """
    lib = environment.site_packages
    (lib / "tested_killer.py").write_text(_KILLER, encoding="utf-8")
    (lib / "tested_killer.pth").write_text("import tested_killer\n", encoding="utf-8")
    return {"KILL": f"{lib}|{moved}|{'all' if group else ''}|{number:d}"}
