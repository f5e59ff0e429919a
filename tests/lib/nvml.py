"""Compile a fake NVIDIA driver library for tests.

Only the library is fake: the loader finds it through its normal search path, and all other
code is what users run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.lib.native import compile_library

#: The name under which the loader searches for the driver library.
LIBRARY_NAME = "libnvidia-ml.so.1"


@dataclass(frozen=True, slots=True)
class NvmlStub:
    """A folder with a fake driver library.

    :ivar folder: the folder for ``LD_LIBRARY_PATH``.
    """

    folder: Path

    def environ(
        self,
        *,
        cuda: int = 0,
        driver: str = "",
        capabilities: Iterable[str] = (),
        count: int | None = None,
        errors: Mapping[str, int] | None = None,
        hangs: str | None = None,
    ) -> dict[str, str]:
        """Return the variables with which a process finds the fake driver.

        :param cuda: the CUDA version as NVML reports it: ``12080`` is 12.8.
        :param driver: the version of the driver, ``"535.104.05"``.
        :param capabilities: the compute capability of each GPU, ``"9.0"``; ``"!15"``: a GPU
            that fails with error 15; ``"?2"``: a GPU whose handle fails with error 2.
        :param count: the reported number of GPUs, if wrong.
        :param errors: the errors by function that fails.
        :param hangs: the function that never returns.
        """
        variables = {
            "LD_LIBRARY_PATH": str(self.folder),
            "NVML_STUB_CUDA": str(cuda),
            "NVML_STUB_DRIVER": driver,
            "NVML_STUB_CAPABILITIES": ",".join(capabilities),
            "NVML_STUB_ERRORS": ",".join(f"{f}={e}" for f, e in (errors or {}).items()),
        }
        if count is not None:
            variables["NVML_STUB_COUNT"] = str(count)
        if hangs is not None:
            variables["NVML_STUB_HANGS"] = hangs
        return variables


def build_nvml_stub(folder: Path, *definitions: str) -> NvmlStub:
    """Compile the fake driver into a folder, or skip the test without a compiler.

    :param definitions: the macros to define: ``"NVML_STUB_INCOMPLETE"``.
    """
    source = Path(__file__).with_name("nvml_stub.c")
    compile_library(source, folder / LIBRARY_NAME, *definitions)
    return NvmlStub(folder)
