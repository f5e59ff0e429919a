"""Modules that installers import as plugins."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES

import pytest

from wheel_variants.plugin_modules import belongs

FILES = {
    "npu.py",
    "package/__init__.py",
    "package/part.py",
    "package/deep/more.py",
    f"native{EXTENSION_SUFFIXES[0]}",
    "spread/part.py",
    "compiled.pyc",
    "notes.txt",
    "json.py",
    "venv/__main__.py",
}


@pytest.mark.parametrize(
    "module",
    ["npu", "package", "package.part", "package.deep.more", "native", "spread.part"],
)
def test_modules_that_belong(module: str) -> None:
    assert belongs(module, FILES)


@pytest.mark.parametrize(
    "module",
    [
        *("os", "venv.__main__", "antigravity", "this", "sys", "builtins"),
        # What a distribution calls so, the standard library has before it.
        *("json", "venv"),
        *("absent", "npu.absent", "package.absent", "package.deep", "spread"),
        *("compiled", "notes", "notes.txt", "NPU", "npu.py"),
        *("", ".", ".npu", "npu.", "..npu", "package/part", "package\\part", "npu\n"),
    ],
)
def test_modules_that_do_not(module: str) -> None:
    assert not belongs(module, FILES)
