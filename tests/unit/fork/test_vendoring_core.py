"""The package of this repository that the fork vendors."""

from __future__ import annotations

from pathlib import Path

import pytest

from fork.engine.errors import ForkError
from fork.engine.vendoring import vendored_package


def vendored(folder: Path, text: str) -> str:
    """Return what the fork has of a module with that text."""
    package = folder / "model"
    (package / "tools").mkdir(parents=True)
    (package / "tools" / "own.py").write_text("import rich\n")
    (package / "one.py").write_text(text)
    files = vendored_package(package, ["packaging"], "tool.vendor")
    assert list(files) == ["model/one.py"], "not what is in subfolders"
    return files["model/one.py"].decode()


def test_imports_are_rewritten(tmp_path: Path) -> None:
    text = """\
import re
from packaging.version import (
    Version,
)
def f():
    from model.two import a; from collections import abc
    return "from packaging.version import Version"
"""
    assert vendored(tmp_path, text) == text.replace(
        "from packaging.version import (", "from tool.vendor.packaging.version import ("
    ).replace("    from model.two", "    from tool.vendor.model.two")


@pytest.mark.parametrize(
    "text",
    [
        "import rich",
        "from rich import print",
        "if False:\n    import requests.adapters",
        "import packaging.version",
        "from . import two",
        "from .two import a",
        "from pip._internal import main",
    ],
)
def test_other_imports_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ForkError, match=r"one\.py"):
        vendored(tmp_path, text)
