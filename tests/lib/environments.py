"""Create virtual environments, isolated from the user's settings.

Tests run the fork as users do: as a wheel, built once, installed in a real environment, and
started in an empty folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from tests.lib.schemas import validate_json

REPOSITORY = Path(__file__).resolve().parents[2]

#: The release of pip that the fork is based on.
UPSTREAM_PIP = "26.3"

# The variables that a process needs to start.
_KEPT = ("SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class Result:
    """The output and exit status of a command."""

    command: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str

    def __post_init__(self) -> None:
        """Validate JSON output against its schema."""
        validate_json(self.command, self.stdout)

    @property
    def output(self) -> str:
        """The combined stdout and stderr."""
        return self.stdout + self.stderr

    @property
    def lines(self) -> list[str]:
        """The lines of stdout."""
        return self.stdout.splitlines()

    def __str__(self) -> str:
        return (
            f"$ {' '.join(self.command)}\n[exit status {self.returncode}]\n"
            f"--- stdout\n{self.stdout}--- stderr\n{self.stderr}"
        )


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The folders of an environment, of the user's home, and for running commands."""

    root: Path

    @property
    def venv(self) -> Path:
        """The folder of the environment."""
        return self.root / "venv"

    @property
    def home(self) -> Path:
        """The user's home folder, which contains pip's cache."""
        return self.root / "home"

    @property
    def work(self) -> Path:
        """The working directory of commands."""
        return self.root / "work"

    def clear_cache(self) -> None:
        """Clear pip's cache."""
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()


@dataclass(frozen=True, slots=True)
class Environment(Surroundings):
    """A virtual environment with a separate home and an empty working folder."""

    @property
    def scripts(self) -> Path:
        """The folder of the environment's scripts."""
        return self.venv / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> Path:
        """The interpreter."""
        return self.scripts / ("python.exe" if os.name == "nt" else "python")

    @property
    def site_packages(self) -> Path:
        """The folder of installed packages."""
        if os.name == "nt":
            return self.venv / "Lib" / "site-packages"
        (folder,) = self.venv.glob("lib/python3*/site-packages")
        return folder

    def environ(self) -> dict[str, str]:
        """Return the environment variables of commands."""
        return scrubbed_environ(self.home, self.scripts)

    def run(
        self,
        *command: str | Path,
        code: int | None = 0,
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
        timeout: float = 300,
    ) -> Result:
        """Run a command and return its output.

        :param code: the expected exit status; ``None``: any.
        :param env: the variables to add; ``None`` removes a variable.
        :raises AssertionError: for another exit status.
        """
        variables = changed(self.environ(), env)
        arguments = tuple(str(part) for part in command)
        done = subprocess.run(
            arguments,
            cwd=cwd or self.work,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )
        result = Result(arguments, done.returncode, done.stdout, done.stderr)
        assert code is None or result.returncode == code, str(result)
        assert "Traceback (most recent call last)" not in result.output, str(result)
        return result

    def pip(
        self,
        *arguments: str | Path,
        code: int | None = 0,
        env: Mapping[str, str | None] | None = None,
        cwd: Path | None = None,
    ) -> Result:
        """Run ``python -m pip`` with these arguments; see :meth:`run`."""
        return self.run(
            self.python, "-m", "pip", *arguments, code=code, env=env, cwd=cwd
        )

    def eval(self, expression: str, imports: str = "sys") -> str:
        """Evaluate an expression in a new interpreter, and return the result as text."""
        code = f"import {imports}\nprint({expression})"
        return self.run(self.python, "-c", code).stdout.strip()

    def installed(self) -> dict[str, str]:
        """Return the versions of the installed packages, without pip."""
        code = (
            "import importlib.metadata as m\n"
            "for d in m.distributions(): print(d.metadata['Name'], d.version)"
        )
        rows = self.run(self.python, "-c", code).lines
        versions = dict(row.split(" ", 1) for row in rows)
        versions.pop("pip", None)
        return versions


def changed(
    variables: Mapping[str, str], changes: Mapping[str, str | None] | None
) -> dict[str, str]:
    """Return variables with changes; ``None`` removes a variable."""
    both = {**variables, **(changes or {})}
    return {name: value for name, value in both.items() if value is not None}


def scrubbed_environ(home: Path, scripts: Path | None = None) -> dict[str, str]:
    """Return variables for a command that must not see the user's settings."""
    search = os.defpath if os.name == "nt" else "/usr/local/bin:/usr/bin:/bin"
    variables = {name: os.environ[name] for name in _KEPT if name in os.environ}
    variables.update(
        {
            "PATH": f"{scripts}{os.pathsep}{search}" if scripts else search,
            "HOME": str(home),
            "USERPROFILE": str(home),
            "LANG": "C.UTF-8",
            "PYTHONIOENCODING": "utf-8",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            # Otherwise, virtualenv leaves a process behind that writes into its folders.
            "VIRTUALENV_NO_PERIODIC_UPDATE": "1",
        }
    )
    return variables


@dataclass(frozen=True, slots=True)
class Workshop:
    """Wheels and environment templates, created once for all workers.

    :ivar folder: the folder of the wheels and templates.
    :ivar interpreter: the interpreter of the environments.
    """

    folder: Path
    interpreter: str = sys.executable

    def fork_wheel(self) -> Path:
        """Return the wheel of the fork: ``$FORK_WHEEL``, or built now."""
        return self._wheel("FORK_WHEEL", "fork", [str(REPOSITORY)])

    def upstream_wheel(self) -> Path:
        """Return the wheel of stock pip: ``$PIP_UPSTREAM_WHEEL``, or downloaded."""
        return self._wheel("PIP_UPSTREAM_WHEEL", "upstream", [f"pip==={UPSTREAM_PIP}"])

    def fork(self, root: Path) -> Environment:
        """Return a new environment at ``root`` with the fork."""
        return self._clone("fork", self.fork_wheel(), root)

    def upstream(self, root: Path) -> Environment:
        """Return a new environment at ``root`` with stock pip."""
        return self._clone("upstream", self.upstream_wheel(), root)

    def publisher(self, root: Path) -> Environment:
        """Return a new environment with stock pip, wheel-variants and the extra ``cli``."""
        return self._clone("publisher", self.upstream_wheel(), root)

    def core_wheel(self) -> Path:
        """Return the wheel of wheel-variants: ``$WHEEL_VARIANTS_WHEEL``, or built now."""
        core = [str(REPOSITORY / "core")]
        return self._wheel("WHEEL_VARIANTS_WHEEL", "core", core)

    def _wheel(self, variable: str, name: str, arguments: list[str]) -> Path:
        given = os.environ.get(variable)
        if given:
            return Path(given).resolve(strict=True)
        wheels = self.folder / f"{name}-wheel"
        with FileLock(f"{wheels}.lock"):
            if not wheels.exists():
                # Not through a private pip: this command needs the user's settings for
                # registries and certificates.
                command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-q"]
                partial = self.folder / f"{name}-wheel.partial"
                subprocess.run([*command, "-w", str(partial), *arguments], check=True)
                partial.rename(wheels)
        (wheel,) = wheels.glob("*.whl")
        return wheel

    def _clone(self, name: str, wheel: Path, root: Path) -> Environment:
        template = self.folder / f"{name}-{_slug(self.interpreter)}"
        with FileLock(f"{template}.lock"):
            if not template.exists():
                partial = Environment(template.with_suffix(".partial"))
                shutil.rmtree(partial.root, ignore_errors=True)
                self._create(partial, wheel)
                if name == "publisher":
                    self._add_core(partial)
                partial.root.rename(template)
        environment = Environment(root)
        root.mkdir(parents=True, exist_ok=True)
        environment.home.mkdir()
        environment.work.mkdir()
        shutil.copytree(template / "venv", environment.venv, symlinks=True)
        _move_scripts(environment.scripts, str(template), str(root))
        return environment

    def _create(self, environment: Environment, wheel: Path) -> None:
        environment.home.mkdir(parents=True)
        environment.work.mkdir()
        virtualenv = [sys.executable, "-m", "virtualenv", "-q", "--no-seed"]
        subprocess.run(
            [*virtualenv, "--python", self.interpreter, str(environment.venv)],
            check=True,
            env={**scrubbed_environ(environment.home), "PATH": os.environ["PATH"]},
        )
        environment.run(
            environment.python, wheel / "pip", "install", "-q", "--no-index", wheel
        )

    def _add_core(self, environment: Environment) -> None:
        # As for wheels, the user's settings determine where the libraries come from.
        pip = [sys.executable, "-m", "pip", "--python", str(environment.python)]
        wheel = f"{self.core_wheel()}[cli]"
        subprocess.run([*pip, "install", "-q", wheel], check=True)


def _slug(interpreter: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in interpreter).strip("-")


def _move_scripts(scripts: Path, old: str, new: str) -> None:
    """Make the scripts of a copied environment use its interpreter."""
    for script in scripts.iterdir():
        if script.is_symlink() or not script.is_file():
            continue
        content = script.read_bytes()
        if content.startswith(b"#!"):
            moved = content.replace(f"{old}.partial".encode(), new.encode())
            script.write_bytes(moved.replace(old.encode(), new.encode()))
