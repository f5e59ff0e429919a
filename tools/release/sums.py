"""Write the digests of a release's files, as ``sha256sum --check`` reads them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tools.release.names import SUMS

__all__ = ["sums"]


def sums(folder: Path) -> bytes:
    """Return a line for each file of a folder; not of folders in it, nor hidden ones."""
    rows = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.is_file() and file.name != SUMS and not file.name.startswith(".")
    ]
    return "".join(rows).encode("utf-8")
