"""The name under which the fork may look for releases of itself.

The carrier is a project of its own, which brings the fork to people. Until its name is
registered, whoever registers it first could have anything installed by it: so nothing
asks for it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fork.engine.errors import ForkError

if sys.version_info >= (3, 11):
    import tomllib
else:
    # A build requirement brings it.
    from pip._vendor import tomli as tomllib

__all__ = ["FILE", "NAME", "name_to_ask_for", "registered_name"]

#: The name of the carrier.
NAME = "pip-variants"
#: What says whether it is registered.
FILE = Path(__file__).resolve().parent.parent / "carrier" / "pyproject.toml"

_WAY_OUT = (
    f"Write 'registered = false' or 'registered = true' below [tool.{NAME}], without "
    "quotes; true only once the name is yours."
)


def registered_name(file: Path = FILE) -> str | None:
    """Return the name of the carrier if its project says that it is registered.

    :param file: the carrier's ``pyproject.toml``; without one, it is not registered.
    :return: None if indexes must not be asked for it.
    :raises ForkError: the file cannot be read, or says something else.
    """
    try:
        table: Any = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ForkError(
            "cannot read whether the carrier's name is registered "
            f"({error}). {_WAY_OUT} File: {str(file)!r}"
        ) from error
    for key in ("tool", NAME):
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise ForkError(
                f"{key!r} should be a table. {_WAY_OUT} File: {str(file)!r}"
            )
    registered = table.get("registered", False)
    if not isinstance(registered, bool):
        raise ForkError(
            f"'registered' should be true or false, not {registered!r}. {_WAY_OUT} "
            f"File: {str(file)!r}"
        )
    return NAME if registered else None


def name_to_ask_for() -> str | None:
    """Return what :func:`registered_name` does, for this project.

    :raises SystemExit: it raised an error; the seams are read before anything could
        report it.
    """
    try:
        return registered_name()
    except ForkError as error:
        raise SystemExit(f"error: {error}") from None
