"""Pythons that belong to an operating system (PEP 668)."""

from __future__ import annotations

import configparser
import locale
import sys
from collections.abc import Iterator

from pip_variants.errors import CarrierError
from pip_variants.targets import Target

__all__ = ["refuse_if_managed"]


def refuse_if_managed(target: Target) -> None:
    """Leave a Python alone that something else manages.

    :raises CarrierError: with what its ``EXTERNALLY-MANAGED`` says
    """
    marker = target.stdlib / "EXTERNALLY-MANAGED"
    if target.is_environment or not marker.is_file():
        return
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read(marker, encoding="utf-8")
    except (OSError, UnicodeDecodeError, configparser.Error):
        # Whatever it says, it is there.
        parser.clear()
    section = "externally-managed"
    texts = dict(parser[section]) if parser.has_section(section) else {}
    said = next((texts[key] for key in _keys() if key in texts), "")
    own = f" It says:\n\n{said.strip()}\n" if said.strip() else ""
    raise CarrierError(
        f"{target.name} is managed by something other than pip ({marker}).{own}",
        "Make an environment of your own: python -m pip_variants venv ENV. At the risk "
        "of breaking this Python or the system: --break-system-packages",
    )


def _keys() -> Iterator[str]:
    """Yield the names of the text, that in the user's language first (PEP 668)."""
    language = None
    if sys.platform != "win32":
        language = locale.getlocale(locale.LC_MESSAGES)[0]
    if language:
        yield f"Error-{language}"
        yield f"Error-{language.partition('_')[0]}"
    yield "Error"
