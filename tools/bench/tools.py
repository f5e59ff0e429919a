"""The installers that are compared, each in a place of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import tomli

from tests.lib.environments import Environment, Workshop, scrubbed_environ
from tests.lib.wheels import normalize_name

__all__ = [
    "FETCH",
    "FORK",
    "INSTALL",
    "LOCK",
    "LTT",
    "PIP",
    "RESOLVE",
    "TOOLS",
    "UV",
    "Tool",
    "make_tools",
]

FORK, PIP, UV, LTT = TOOLS = ("fork", "pip", "uv", "light-the-torch")
#: What is done with a package; only pip can lock, and only pip fetch its file alone.
INSTALL, RESOLVE, LOCK, FETCH = "install", "resolve", "lock", "fetch"

_UV = "uv==0.13.9"
_LTT = "light-the-torch==0.8.1"
_LOCK_FILE = "pylock.toml"
_FETCHED = "fetched"
_COMMANDS: Mapping[str, Sequence[str]] = {
    INSTALL: ["install"],
    RESOLVE: ["install", "--dry-run", "--ignore-installed"],
    LOCK: ["lock", "-o", _LOCK_FILE],
    FETCH: ["download", "--no-deps", "-d", _FETCHED],
}
#: Of a package that would be installed: name, version and label.
_PLANNED = re.compile(r"(\S+)-([^\s-]+)(?: \((\S+)\))?")
#: The same as uv tells it, a line each.
_UV_PLANNED = re.compile(r"^ \+ (\S+)==\S+$", re.MULTILINE)


class Tool(ABC):
    """An installer and the environment that it installs into.

    :ivar name: one of :data:`TOOLS`.
    :ivar version: as it states itself.
    :ivar knows_variants: whether it chooses among variants; if not, it is given the
        plain twin of a package.
    """

    def __init__(self, name: str, environment: Environment) -> None:
        self.name = name
        self.knows_variants = name in (FORK, UV)
        self._environment = environment
        self._kept = set(environment.site_packages.iterdir())
        self._kept |= set(environment.scripts.iterdir())
        done = subprocess.run(
            self.version_command(),
            env=self.environ(Path(os.devnull)),
            cwd=environment.work,
            capture_output=True,
            text=True,
            check=True,
        )
        # Without the path that pip adds.
        self.version = " ".join(done.stdout.split()[:2])

    @property
    def folder(self) -> Path:
        """Return the empty folder that it is run in."""
        return self._environment.work

    @abstractmethod
    def version_command(self) -> list[str]:
        """Return the command that tells its version."""

    @abstractmethod
    def command(self, way: str, requirement: str, index_url: str) -> list[str]:
        """Return a command for a requirement and what it needs from an index.

        :param way: :data:`INSTALL`, :data:`RESOLVE`, which only tells what would be
            installed, :data:`LOCK`, or :data:`FETCH`, which leaves its wheel in a folder.
        """

    def environ(self, certificates: Path) -> dict[str, str]:
        """Return the variables that it needs, and nothing of the user's."""
        trusted = str(certificates)
        return {
            **scrubbed_environ(self._environment.home, self._environment.scripts),
            "PIP_CERT": trusted,
            "SSL_CERT_FILE": trusted,
        }

    def forget(self) -> None:
        """Empty its caches."""
        self._environment.clear_cache()

    def uninstall(self) -> None:
        """Make the environment what it was at first."""
        for folder in (self._environment.site_packages, self._environment.scripts):
            for entry in folder.iterdir():
                if entry in self._kept:
                    continue
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                else:
                    entry.unlink()
        (self.folder / _LOCK_FILE).unlink(missing_ok=True)
        shutil.rmtree(self.folder / _FETCHED, ignore_errors=True)

    def outcome(self, way: str, printed: str) -> dict[str, str | None]:
        """Return which build of each package a command came to; None for a plain one.

        That is its label, or the local part of its version. Of a lock file, it is all
        labels, and ``plain`` for a plain build beside them.

        :param printed: what the command printed.
        """
        if way == RESOLVE:
            return _planned(printed)
        if way == LOCK:
            return _locked(self.folder / _LOCK_FILE)
        if way == FETCH:
            wheels = (self.folder / _FETCHED).glob("*.whl")
            return {wheel.name.split("-")[0]: None for wheel in wheels}
        return self.installed()

    def installed(self) -> dict[str, str | None]:
        """Return which build of each package is installed."""
        found: dict[str, str | None] = {}
        for folder in self._environment.site_packages.glob("*.dist-info"):
            if folder in self._kept:
                continue
            name, version = folder.name.removesuffix(".dist-info").split("-")
            local = version.partition("+")[2] or None
            build = _label(folder / "variant.json") or local
            found[name.replace("_", "-")] = build
        return dict(sorted(found.items()))


class _PipTool(Tool):
    """A pip, run as a module of its environment's Python."""

    def version_command(self) -> list[str]:
        return [*self._command(), "--version"]

    def command(self, way: str, requirement: str, index_url: str) -> list[str]:
        options = *_COMMANDS[way], "--index-url", index_url
        return [*self._command(), *options, requirement]

    def _command(self) -> list[str]:
        return [str(self._environment.python), "-m", "pip"]


class _LttTool(_PipTool):
    """light-the-torch: a pip of some older release, wrapped."""

    def _command(self) -> list[str]:
        return [str(self._environment.scripts / "ltt")]


class _UvTool(Tool):
    """uv, which needs no Python for itself but one to install for."""

    def __init__(self, name: str, environment: Environment, program: Path) -> None:
        self._program = program
        super().__init__(name, environment)

    def version_command(self) -> list[str]:
        return [str(self._program), "--version"]

    def command(self, way: str, requirement: str, index_url: str) -> list[str]:
        assert way in (INSTALL, RESOLVE), way
        dry = ["--dry-run"] if way == RESOLVE else []
        return [
            *(str(self._program), "pip", "install", "--no-config", *dry),
            *("--preview-features", "wheel-variants", "--index-url", index_url),
            *("--python", str(self._environment.python), requirement),
        ]

    def outcome(self, way: str, printed: str) -> dict[str, str | None]:
        if way == RESOLVE:
            return dict.fromkeys(_UV_PLANNED.findall(printed))
        return super().outcome(way, printed)

    def environ(self, certificates: Path) -> dict[str, str]:
        cache = str(self._environment.home / "uv")
        return super().environ(certificates) | {"UV_CACHE_DIR": cache}


def make_tools(names: Iterable[str], folder: Path) -> list[Tool]:
    """Build or download tools and give each a fresh environment.

    The fork is built from this checkout, the rest comes from the registry that pip is
    configured for.
    """
    workshop = Workshop(folder)
    makers = {FORK: _make_fork, PIP: _make_pip, UV: _make_uv, LTT: _make_ltt}
    return [makers[name](workshop, folder / name) for name in names]


def _make_fork(workshop: Workshop, root: Path) -> Tool:
    return _PipTool(FORK, workshop.fork(root))


def _make_pip(workshop: Workshop, root: Path) -> Tool:
    return _PipTool(PIP, workshop.upstream(root))


def _make_uv(_: Workshop, root: Path) -> Tool:
    environment = _empty_environment(root)
    target = root / "uv"
    _install(["--target", str(target)], [_UV])
    return _UvTool(UV, environment, target / "bin" / "uv")


def _make_ltt(_: Workshop, root: Path) -> Tool:
    environment = _empty_environment(root)
    _install_into(environment, [_LTT])
    return _LttTool(LTT, environment)


def _empty_environment(root: Path) -> Environment:
    environment = Environment(root)
    environment.home.mkdir(parents=True)
    environment.work.mkdir()
    command = [sys.executable, "-m", "virtualenv", "-q", "--no-seed"]
    subprocess.run([*command, str(environment.venv)], check=True)
    return environment


def _install_into(environment: Environment, requirements: Sequence[str]) -> None:
    python = ["--python", str(environment.python)]
    subprocess.run(
        [sys.executable, "-m", "pip", *python, "install", "-q", *requirements],
        check=True,
    )


def _install(options: Sequence[str], requirements: Sequence[str]) -> None:
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", *options]
    subprocess.run([*command, *requirements], check=True)


def _label(path: Path) -> str | None:
    if not path.is_file():
        return None
    described: Mapping[str, Mapping[str, object]] = json.loads(path.read_bytes())
    (label,) = described["variants"]
    return label


def _planned(printed: str) -> dict[str, str | None]:
    head = "Would install "
    found = [line for line in printed.splitlines() if line.startswith(head)]
    planned = _PLANNED.findall(found[-1].removeprefix(head)) if found else ()
    return {normalize_name(name): label or None for name, _, label in planned}


def _locked(path: Path) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for package in tomli.loads(path.read_text(encoding="utf-8"))["packages"]:
        names = [wheel["name"].removesuffix(".whl") for wheel in package["wheels"]]
        labels = {"".join(name.split("-")[5:]) or "plain" for name in names}
        has_variants = labels != {"plain"}
        found[package["name"]] = " ".join(sorted(labels)) if has_variants else None
    return found
