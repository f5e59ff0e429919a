"""Write a static index of a folder, with the wheel-variants of this repository."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from fork.project import ROOT
from tools.release.errors import ReleaseError

__all__ = ["write_index"]

# What `wheel-variants index` remembers for its next run: times of files among it.
_STATE = ".pip-variants-index.json"


def write_index(folder: Path) -> None:
    """Write ``simple/`` for the wheels and sdists of a folder, and their metadata.

    :raises ReleaseError: it cannot be made; the command has said why.
    """
    done = subprocess.run(
        [sys.executable, "-m", "wheel_variants", "index", "--simple", str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "core" / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ReleaseError(f"cannot make an index of {str(folder)!r}:\n{done.stdout}")
    (folder / _STATE).unlink()
