"""A driver is asked through NVML, and none of its faults gets in pip's way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.lib.nvml import LIBRARY_NAME, NvmlStub, build_nvml_stub
from tests.unit.variants.providers.asking import Asked, ask

DRIVER_VARIABLE = "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION"
SM_VARIABLE = "NV_VARIANT_PROVIDER_FORCE_SM_ARCH"

NOT_SUPPORTED, NO_PERMISSION, DRIVER_NOT_LOADED = 3, 4, 9
GPU_IS_LOST, VERSION_MISMATCH = 15, 18
NOT_INIT = "nvmlInitWithFlags=nothing_of_the_kind"


@pytest.fixture(scope="module")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> NvmlStub:
    return build_nvml_stub(tmp_path_factory.mktemp("nvml"))


def newest(asked: Asked) -> dict[str, str]:
    return {name: values[0] for name, values in asked.features.items()}


@dataclass(frozen=True)
class Case:
    """A driver, and what it is found to support.

    :ivar driver: what its library answers.
    :ivar bounds: the highest lower bound of CUDA's version, and the lowest upper one.
    :ivar warned: whether the user is warned, too.
    """

    driver: Mapping[str, Any]
    bounds: str = "12.8 12.9"
    architectures: str = "90_real 90_virtual"
    reason: str | None = None
    warned: bool = False


NO_GPU = "the NVIDIA driver shows no readable GPU"
VERSION = "nvmlSystemGetCudaDriverVersion"
UNUSABLE = "the NVIDIA driver cannot be used: "


def _gpus(*capabilities: str, cuda: int = 12080, **more: Any) -> Mapping[str, Any]:
    return {"cuda": cuda, "capabilities": capabilities, **more}


def _fails(reason: str, warned: bool = True, **driver: Any) -> Case:
    return Case(_gpus("9.0", **driver), "", "", reason, warned)


CASES = {
    "7.5": Case(
        _gpus("7.5", cuda=12060),
        "12.6 12.7",
        "75_real 74_real 73_real 72_real 71_real 70_real 70_virtual",
    ),
    "12.0": Case(_gpus("12.0", cuda=12090), "12.9 12.10", "120_real 120_virtual"),
    "5.0": Case(_gpus("5.0", cuda=11000), "11.0 11.1", "50_real 50_virtual"),
    "the best of three": Case(_gpus("7.5", "9.0", "8.6")),
    "a GPU after 9.9": Case(_gpus("9.0", "10.0"), architectures="100_real 100_virtual"),
    # One fails, of another not even the handle is to be had, others cannot be.
    "GPUs that cannot be read": Case(
        _gpus("!3", "?15", "-1.0", "100.0", "9.0", "9.10")
    ),
    "too many GPUs": Case(_gpus("9.0", count=2**32 - 1)),
    "a goodbye that fails": Case(_gpus("9.0", errors={"nvmlShutdown": GPU_IS_LOST})),
    # The version that NVML was made for stands in.
    "no second version": Case(_gpus("9.0", errors={f"{VERSION}_v2": NOT_SUPPORTED})),
    "no GPU": Case(_gpus(), architectures="", reason=NO_GPU),
    "no GPU to be read": Case(
        _gpus("!3", "?15", "99999.7", "9.-1"), architectures="", reason=NO_GPU
    ),
    "no permission": Case(
        _gpus("9.0", errors={"nvmlDeviceGetCount": NO_PERMISSION}),
        architectures="",
        reason=NO_GPU,
    ),
    **{
        f"CUDA {told}": _fails(
            f"the NVIDIA driver reports CUDA {told}, but pip supports CUDA 11.0 to 15.20",
            warned=False,
            cuda=cuda,
        )
        for cuda, told in {
            10020: "10.2",
            0: "0.0",
            -12080: "-13.92",
            15210: "15.21",
            2**31 - 1: "2147483.64",
        }.items()
    },
    "no version of CUDA": _fails(
        "the NVIDIA driver does not report its CUDA version",
        warned=False,
        errors=dict.fromkeys([VERSION, f"{VERSION}_v2"], 999),
    ),
    # A machine may have the library and no GPU.
    "not loaded": _fails(
        f"{UNUSABLE}Driver Not Loaded",
        warned=False,
        errors={"nvmlInit": DRIVER_NOT_LOADED},
    ),
    "another version": _fails(
        f"{UNUSABLE}RM has detected an NVML/RM version mismatch",
        errors={"nvmlInit": VERSION_MISMATCH},
    ),
    "an unknown error": _fails(
        f"{UNUSABLE}NVML Error with code 12345", errors={"nvmlInit": 12345}
    ),
    "a driver that hangs": _fails(
        "NVML did not answer within 2 seconds", hangs="nvmlDeviceGetHandleByIndex"
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_driver_supports(nvml: NvmlStub, name: str) -> None:
    case = CASES[name]
    asked = ask("nvidia", nvml.environ(**case.driver))
    bounds = (
        asked.features.get("cuda_version_lower_bound", [])[:1]
        + asked.features.get("cuda_version_upper_bound", [])[-1:]
    )
    assert bounds == case.bounds.split()
    assert asked.features.get("sm_arch", []) == case.architectures.split()
    assert asked.reason == case.reason
    assert asked.origin == "NVIDIA driver" or not asked.features
    assert len(asked.warnings) == case.warned
    for warning in asked.warnings:
        assert (case.reason or "").partition(": ")[2] in warning
        assert DRIVER_VARIABLE in warning
        assert SM_VARIABLE in warning


def test_old_gpu_has_no_architecture(nvml: NvmlStub) -> None:
    asked = ask("nvidia", nvml.environ(cuda=11040, capabilities=["3.7"]))
    assert "sm_arch" not in asked.features
    assert "3.7" in (asked.reason or "")


def test_library_that_is_none(tmp_path: Path) -> None:
    tmp_path.joinpath(LIBRARY_NAME).write_bytes(b"\x7fELF" * 1000)
    asked = ask("nvidia", {"LD_LIBRARY_PATH": str(tmp_path)})
    assert (asked.features, asked.warnings) == ({}, [])
    assert asked.reason == "no NVIDIA driver found"


@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        ("NVML_STUB_INCOMPLETE", "the NVIDIA driver does not report its CUDA version"),
        (NOT_INIT, f"{UNUSABLE}Function Not Found"),
    ],
)
def test_library_that_lacks_functions(
    tmp_path: Path, definition: str, reason: str
) -> None:
    nvml = build_nvml_stub(tmp_path, definition)
    asked = ask("nvidia", nvml.environ(cuda=12080, capabilities=["9.0"]))
    assert asked.features == {}
    assert asked.reason == reason


def test_pynvml_is_not_imported_without_a_driver(tmp_path: Path) -> None:
    load = f"import ctypes; ctypes.CDLL({LIBRARY_NAME!r})"
    command = [sys.executable, "-c", load]
    if not subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this machine has an NVIDIA driver")
    asked = ask("nvidia", {"LD_LIBRARY_PATH": str(tmp_path)})
    assert asked.features == {}
    assert asked.reason == "no NVIDIA driver found"
    assert asked.warnings == []
    assert "pip._vendor.pynvml" not in asked.imported


def test_nothing_is_loaded_that_is_not_asked_for(nvml: NvmlStub) -> None:
    hanging = nvml.environ(hangs="nvmlInit")
    forced = {DRIVER_VARIABLE: "12.9", SM_VARIABLE: "9.0"}
    asked = ask("nvidia", {**hanging, **forced})
    assert newest(asked)["cuda_version_lower_bound"] == "12.9"
    assert asked.imported == []
    # Nor for another machine.
    assert ask("nvidia", hanging, hardware=False).features == {}
    asked = ask("nvidia", {**hanging, DRIVER_VARIABLE: "12.4"}, hardware=False)
    assert newest(asked)["cuda_version_lower_bound"] == "12.4"
    assert "sm_arch" not in asked.features
    assert asked.imported == []


@pytest.mark.parametrize(
    ("forced", "supported"),
    [
        ({DRIVER_VARIABLE: "12.4"}, "12.4 15.20 90_real"),
        ({SM_VARIABLE: "7.5"}, "12.8 15.20 75_real"),
        # What is invalid is not replaced by the hardware.
        ({DRIVER_VARIABLE: "newest"}, "90_real"),
        ({SM_VARIABLE: "hopper"}, "12.8 15.20"),
    ],
)
def test_what_one_variable_does_not_say_is_detected(
    nvml: NvmlStub, forced: dict[str, str], supported: str
) -> None:
    driver = nvml.environ(cuda=12080, capabilities=["9.0"])
    asked = ask("nvidia", {**driver, **forced})
    assert list(newest(asked).values()) == supported.split()
    ((variable, text),) = forced.items()
    if asked.warnings:
        assert variable in asked.warnings[0]
        assert repr(text) in asked.warnings[0]
    else:
        assert asked.origin == f"NVIDIA driver, {variable}"


#: What the variable names, and the best GPU that is left of an 8.0, a 9.0 and a 7.5.
VISIBLE = {
    "0": "80_real",
    "2,1": "90_real",
    "GPU-2": "75_real",
    " GPU-0 , GPU-2 ": "80_real",
    "MIG-GPU-1/3/0": "90_real",
    "MIG-e2f5": "90_real",
    # CUDA stops at the first item that means nothing.
    "2,-1,1": "75_real",
    "2,7,1": "75_real",
    **dict.fromkeys(("", "-1", "NoDevFiles", "7", "GPU-9", "٣")),
}


@pytest.mark.parametrize("visible", VISIBLE)
def test_hidden_gpus_do_not_count(nvml: NvmlStub, visible: str) -> None:
    driver = nvml.environ(cuda=12080, capabilities=["8.0", "9.0", "7.5"])
    asked = ask("nvidia", {**driver, "CUDA_VISIBLE_DEVICES": visible})
    best = VISIBLE[visible]
    assert asked.features.get("sm_arch", [None])[0] == best
    assert asked.warnings == []
    if best is None:
        assert asked.features == {}
        hidden = f"CUDA_VISIBLE_DEVICES hides every NVIDIA GPU: {visible!r}"
        assert asked.reason == hidden


@pytest.mark.parametrize("failing", ["!15", "?2"])
def test_a_gpu_that_cannot_be_read_is_not_hidden(nvml: NvmlStub, failing: str) -> None:
    driver = nvml.environ(cuda=12080, capabilities=[failing])
    asked = ask("nvidia", {**driver, "CUDA_VISIBLE_DEVICES": "0"})
    assert asked.features["cuda_version_lower_bound"][0] == "12.8"


@pytest.mark.parametrize("error", [None, DRIVER_NOT_LOADED])
def test_the_driver_of_windows_comes_first(tmp_path: Path, error: int | None) -> None:
    """The packages of a Linux driver, which does not work under WSL, shadow it."""
    folder = tmp_path / "wsl"
    folder.mkdir()
    library = str(folder / LIBRARY_NAME)
    build_nvml_stub(folder)
    # Of two libraries of one name, the linker would take this one.
    shadow = build_nvml_stub(tmp_path, NOT_INIT)
    errors = {} if error is None else {"nvmlInit": error}
    environ = shadow.environ(cuda=12080, capabilities=["9.0"], errors=errors)
    module = "pip._internal.variants.providers.nvml"
    found = f"import {module} as nvml; nvml._WSL_LIBRARY = {library!r}"
    assert ask("nvidia", environ).reason == (
        "the NVIDIA driver cannot be used: Function Not Found"
    )
    asked = ask("nvidia", environ, prepare=found)
    if error is None:
        assert asked.features["sm_arch"] == ["90_real", "90_virtual"]
        return
    # There is a driver, and the user hears that it does not answer.
    assert asked.features == {}
    (warning,) = asked.warnings
    assert warning.startswith(
        f"the NVIDIA driver of Windows ({library}) does not answer WSL: Driver Not "
        "Loaded; try 'wsl --update' and 'wsl --shutdown' in Windows, so "
    )
