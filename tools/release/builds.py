"""Build wheels and source distributions, each from the source distribution."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.release.errors import ReleaseError

__all__ = ["Built", "build"]


@dataclass(frozen=True, slots=True)
class Built:
    """What was built of one project."""

    wheel: Path
    sdist: Path


def build(
    project: Path, folder: Path, variables: Mapping[str, str] | None = None
) -> Built:
    """Build the source distribution of a project, and the wheel from that.

    :param folder: where both are put.
    :param variables: what the build sees in its environment besides.
    :raises ReleaseError: it failed, or made something else; the frontend has said why.
    """
    if not (project / "pyproject.toml").is_file():
        raise ReleaseError(
            f"there is no project here; run this in a clone. Folder: {str(project)!r}"
        )
    with TemporaryDirectory(prefix="release-") as own:
        command = [sys.executable, "-m", "build", "--outdir", own, str(project)]
        done = subprocess.run(
            command,
            env={**os.environ, **(variables or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ReleaseError(f"{project.name} cannot be built:\n{done.stdout}")
        folder.mkdir(parents=True, exist_ok=True)
        return Built(
            _moved(Path(own), "*.whl", folder), _moved(Path(own), "*.tar.gz", folder)
        )


def _moved(own: Path, pattern: str, folder: Path) -> Path:
    files = list(own.glob(pattern))
    if len(files) != 1:
        names = ", ".join(file.name for file in files) or "none"
        raise ReleaseError(f"a build must make one {pattern}, and made: {names}")
    target = folder / files[0].name
    target.write_bytes(files[0].read_bytes())
    return target
