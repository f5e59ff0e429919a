"""Tell the workflow that runs a session what came of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

__all__ = ["tell_workflow"]


def tell_workflow(outputs: Mapping[str, str]) -> None:
    """Add lines to the file that GitHub names in ``GITHUB_OUTPUT``, if it does.

    :param outputs: values of one line, by name.
    """
    path = os.environ.get("GITHUB_OUTPUT")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(f"{name}={value}\n" for name, value in outputs.items())
