"""What ``--json`` writes.

``docs/schemas`` has a JSON Schema for each action.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pip import __version__
from pip._internal.console.output import write_document

__all__ = ["write_report"]

#: A change that a reader would notice makes another one.
_VERSION = "1"


def write_report(document: Mapping[str, Any]) -> None:
    """Write a document with the version of its form, and that of pip."""
    write_document({"version": _VERSION, "pip_version": __version__, **document})
