"""Tell whether the carrier may be published on the registry."""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from tools.release.errors import ReleaseError

__all__ = ["is_registered"]


def is_registered(carrier: Path) -> bool:
    """Return what a carrier's own table says.

    :param carrier: the folder of its project.
    :raises ReleaseError: it says nothing, or something else than true or false.
    """
    path = carrier / "pyproject.toml"
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    registered = document.get("tool", {}).get("pip-variants", {}).get("registered")
    if not isinstance(registered, bool):
        raise ReleaseError(
            "the table [tool.pip-variants] must say registered = true or false: whether "
            f"the name is the project's on the registry. File: {str(path)!r}"
        )
    return registered
