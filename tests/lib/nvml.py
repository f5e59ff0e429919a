"""A stand-in for the NVIDIA driver library, compiled for the tests.

Only the library is false: the loader finds it through its own search path, and
everything above it is what users run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["NvmlStub", "build_nvml_stub"]

_SOURCE = Path(__file__).with_name("nvml_stub.c")
_LIBRARY = "libnvidia-ml.so.1"


@dataclass(frozen=True, slots=True)
class NvmlStub:
    """A folder that holds a stand-in for the driver library.

    :ivar folder: for ``LD_LIBRARY_PATH``
    """

    folder: Path

    def environ(
        self,
        *,
        cuda: int = 0,
        capabilities: Iterable[str] = (),
        count: int | None = None,
        errors: Mapping[str, int] | None = None,
        hangs: str | None = None,
    ) -> dict[str, str]:
        """Return the variables under which a process finds such a driver.

        :param cuda: the CUDA version as NVML tells it: ``12080`` is 12.8
        :param capabilities: one a GPU, ``"9.0"``; ``"!15"``: it fails with error 15;
            ``"?2"``: not even its handle is to be had
        :param count: the number of GPUs that is told, if not the true one
        :param errors: by function the error with which it fails
        :param hangs: the function that never returns
        """
        variables = {
            "LD_LIBRARY_PATH": str(self.folder),
            "NVML_STUB_CUDA": str(cuda),
            "NVML_STUB_CAPABILITIES": ",".join(capabilities),
            "NVML_STUB_ERRORS": ",".join(f"{f}={e}" for f, e in (errors or {}).items()),
        }
        if count is not None:
            variables["NVML_STUB_COUNT"] = str(count)
        if hangs is not None:
            variables["NVML_STUB_HANGS"] = hangs
        return variables


def build_nvml_stub(folder: Path, *definitions: str) -> NvmlStub:
    """Compile the stand-in into a folder; skip the test where that cannot be done.

    :param definitions: macros to define, such as ``"NVML_STUB_INCOMPLETE"``
    """
    if not sys.platform.startswith("linux"):
        pytest.skip("the stand-in for the NVIDIA driver is made for Linux")
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        pytest.skip("no C compiler")
    macros = [f"-D{name}" for name in definitions]
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", *macros]
        + ["-o", str(folder / _LIBRARY), str(_SOURCE)],
        check=True,
    )
    return NvmlStub(folder)
