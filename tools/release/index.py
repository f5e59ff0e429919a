"""Write a static index of a folder, with the pip that is released."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tools.release.errors import ReleaseError

__all__ = ["write_index"]

# What `pip variants index` remembers for its next run: times of files among it.
_STATE = ".pip-variants-index.json"


def write_index(folder: Path, pip: Path) -> None:
    """Write ``simple/`` for the wheels and sdists of a folder, and their metadata.

    :param pip: the fork, as a file that Python runs.
    :raises ReleaseError: it cannot be made; pip has said why.
    """
    command = [sys.executable, str(pip), "variants", "index", "--simple", str(folder)]
    variables = {k: v for k, v in os.environ.items() if not k.startswith("PIP_")}
    variables["PIP_CONFIG_FILE"] = os.devnull
    done = subprocess.run(
        command,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ReleaseError(
            f"the released pip cannot make an index of {str(folder)!r}:\n{done.stdout}"
        )
    (folder / _STATE).unlink()
