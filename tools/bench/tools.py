"""The installers that the benchmarks compare, each in its own environment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.lib.environments import Environment, Workshop

__all__ = ["FORK", "PIP", "TOOLS", "UV", "Tool", "make_tools"]

FORK, PIP, UV = TOOLS = ("fork", "pip", "uv")


class Tool:
    """An installer and the environment that it installs into.

    :ivar name: a name in :data:`TOOLS`.
    :ivar version: the version that the installer reports.
    :ivar folder: the empty folder in which the installer runs.
    """

    def __init__(self, name: str, environment: Environment) -> None:
        self.name = name
        self.folder = environment.work
        self._environment = environment
        self._folders = environment.site_packages, environment.scripts
        self._kept = {entry for folder in self._folders for entry in folder.iterdir()}
        done = subprocess.run(
            self.version_command(),
            env=self.environ(Path(os.devnull)),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        )
        # Omit the path that pip adds.
        self.version = " ".join(done.stdout.split()[:2])

    def version_command(self) -> list[str]:
        """Return the command that prints the installer's version."""
        if self.name == UV:
            return [str(Path(sys.executable).with_name("uv")), "--version"]
        return [str(self._environment.python), "-m", "pip", "--version"]

    def command(self, requirement: str, index_url: str) -> list[str]:
        """Return the command that installs a requirement from an index."""
        *program, _ = self.version_command()
        options: Sequence[str] = ()
        if self.name == UV:
            program.append("pip")
            python = str(self._environment.python)
            options = "--no-config", "--preview-features", "wheel-variants", "--python"
            options = *options, python
        return [*program, "install", *options, "--index-url", index_url, requirement]

    def environ(self, certificates: Path) -> dict[str, str]:
        """Return the installer's environment variables, without the user's settings."""
        return {
            **self._environment.environ(),
            "PIP_CERT": str(certificates),
            "SSL_CERT_FILE": str(certificates),
            "UV_CACHE_DIR": str(self._environment.home / "uv"),
        }

    def forget(self) -> None:
        """Clear the caches of the installer."""
        self._environment.clear_cache()

    def uninstall(self) -> None:
        """Restore the initial state of the environment."""
        for folder in self._folders:
            for entry in set(folder.iterdir()) - self._kept:
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                else:
                    entry.unlink()

    def installed(self) -> dict[str, str | None]:
        """Return the label of each installed package, or None for a plain package."""
        found: dict[str, str | None] = {}
        for folder in set(self._folders[0].glob("*.dist-info")) - self._kept:
            name = folder.name.partition("-")[0].replace("_", "-")
            path = folder / "variant.json"
            found[name] = None
            if path.is_file():
                (found[name],) = json.loads(path.read_bytes())["variants"]
        return found


def make_tools(names: Iterable[str], folder: Path) -> list[Tool]:
    """Build or download the pips, and create an environment for each tool."""
    workshop = Workshop(folder)
    return [
        Tool(
            name, (workshop.fork if name == FORK else workshop.upstream)(folder / name)
        )
        for name in names
    ]
