"""Compile small shared libraries that replace system libraries."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def compile_library(source: Path, library: Path, *definitions: str) -> Path:
    """Compile a C file and return the library, or skip the test without a compiler.

    :param definitions: the macros to define.
    """
    if not sys.platform.startswith("linux"):
        pytest.skip("stand-ins for shared libraries are made for Linux")
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        pytest.skip("no C compiler")
    macros = [f"-D{name}" for name in definitions]
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", *macros]
        + [f"-Wl,-soname,{library.name}", "-o", str(library), str(source)],
        check=True,
    )
    return library
