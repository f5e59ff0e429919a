"""A driver is asked through NVML, and none of its faults gets in pip's way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lib.nvml import LIBRARY_NAME, NvmlStub, build_nvml_stub
from tests.unit.variants.providers.asking import Asked, ask

DRIVER_VARIABLE = "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION"
SM_VARIABLE = "NV_VARIANT_PROVIDER_FORCE_SM_ARCH"

NOT_SUPPORTED, NO_PERMISSION, DRIVER_NOT_LOADED = 3, 4, 9
GPU_IS_LOST, VERSION_MISMATCH = 15, 18


@pytest.fixture(scope="module")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> NvmlStub:
    return build_nvml_stub(tmp_path_factory.mktemp("nvml"))


def newest(asked: Asked) -> dict[str, str]:
    return {name: values[0] for name, values in asked.features.items()}


@pytest.mark.parametrize(
    ("cuda", "capabilities", "lower", "upper", "architectures"),
    [
        (12080, ["9.0"], "12.8", "12.9", "90_real 90_virtual"),
        (
            *(12060, ["7.5"], "12.6", "12.7"),
            "75_real 74_real 73_real 72_real 71_real 70_real 70_virtual",
        ),
        (13000, ["8.1"], "13.0", "13.1", "81_real 80_real 80_virtual"),
        (12090, ["12.0"], "12.9", "12.10", "120_real 120_virtual"),
        (11000, ["5.0"], "11.0", "11.1", "50_real 50_virtual"),
        (12080, ["7.5", "9.0", "8.6"], "12.8", "12.9", "90_real 90_virtual"),
        (12080, ["9.0", "10.0"], "12.8", "12.9", "100_real 100_virtual"),
    ],
)
def test_driver_and_gpu(
    nvml: NvmlStub,
    cuda: int,
    capabilities: list[str],
    lower: str,
    upper: str,
    architectures: str,
) -> None:
    asked = ask("nvidia", nvml.environ(cuda=cuda, capabilities=capabilities))
    assert list(asked.features) == [
        "cuda_version_lower_bound",
        "cuda_version_upper_bound",
        "sm_arch",
    ]
    assert asked.features["cuda_version_lower_bound"][0] == lower
    assert asked.features["cuda_version_upper_bound"][-1] == upper
    assert asked.features["sm_arch"] == architectures.split()
    assert asked.origin == "NVIDIA driver"
    assert asked.reason is None
    assert asked.warnings == []


@pytest.mark.parametrize(
    ("capabilities", "best"),
    [
        (["!3", "8.9"], "89_real"),
        (["?15", "8.9", "!999"], "89_real"),
        (["-1.0", "8.9"], "89_real"),
        (["100.0", "8.9", "9.10"], "89_real"),
    ],
)
def test_gpu_that_cannot_be_read_is_passed_over(
    nvml: NvmlStub, capabilities: list[str], best: str
) -> None:
    asked = ask("nvidia", nvml.environ(cuda=12080, capabilities=capabilities))
    assert asked.features["sm_arch"][0] == best
    assert asked.reason is None


@pytest.mark.parametrize(
    "driver",
    [
        {"capabilities": []},
        {"capabilities": ["!3", "?15"]},
        {"capabilities": ["99999.7", "9.-1"]},
        {"capabilities": ["9.0"], "errors": {"nvmlDeviceGetCount": NO_PERMISSION}},
    ],
)
def test_driver_without_readable_gpu_has_no_architecture(
    nvml: NvmlStub, driver: dict[str, object]
) -> None:
    asked = ask("nvidia", nvml.environ(cuda=12080, **driver))  # type: ignore[arg-type]
    assert newest(asked) == {
        "cuda_version_lower_bound": "12.8",
        "cuda_version_upper_bound": "15.20",
    }
    assert asked.reason == "the NVIDIA driver shows no GPU that can be read"


def test_old_gpu_has_no_architecture(nvml: NvmlStub) -> None:
    asked = ask("nvidia", nvml.environ(cuda=11040, capabilities=["3.7"]))
    assert "sm_arch" not in asked.features
    assert asked.reason is not None
    assert "3.7" in asked.reason


def test_count_of_gpus_is_not_believed(nvml: NvmlStub) -> None:
    environ = nvml.environ(cuda=12080, capabilities=["9.0"], count=2**32 - 1)
    assert ask("nvidia", environ).features["sm_arch"] == ["90_real", "90_virtual"]


def test_version_that_nvml_was_made_for_stands_in(nvml: NvmlStub) -> None:
    errors = {"nvmlSystemGetCudaDriverVersion_v2": NOT_SUPPORTED}
    environ = nvml.environ(cuda=12080, capabilities=["9.0"], errors=errors)
    assert newest(ask("nvidia", environ))["cuda_version_lower_bound"] == "12.8"


@pytest.mark.parametrize(
    ("cuda", "told"),
    [
        (10020, "10.2"),
        (0, "0.0"),
        (-12080, "-13.92"),
        (15210, "15.21"),
        (16000, "16.0"),
        (2**31 - 1, "2147483.64"),
    ],
)
def test_cuda_version_out_of_range_leaves_nothing(
    nvml: NvmlStub, cuda: int, told: str
) -> None:
    asked = ask("nvidia", nvml.environ(cuda=cuda, capabilities=["9.0"]))
    assert asked.features == {}
    assert asked.reason == (
        f"the NVIDIA driver reports CUDA {told}, which is not within 11.0 to 15.20"
    )


def test_no_cuda_version_leaves_nothing(nvml: NvmlStub) -> None:
    functions = ("nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion")
    errors = dict.fromkeys(functions, 999)
    asked = ask("nvidia", nvml.environ(capabilities=["9.0"], errors=errors))
    assert asked.features == {}
    assert asked.reason == "the NVIDIA driver does not tell its CUDA version"


def test_failing_goodbye_is_no_matter(nvml: NvmlStub) -> None:
    errors = {"nvmlShutdown": GPU_IS_LOST}
    environ = nvml.environ(cuda=12080, capabilities=["9.0"], errors=errors)
    assert ask("nvidia", environ).features["sm_arch"] == ["90_real", "90_virtual"]


def test_driver_that_is_not_loaded_is_not_worth_a_warning(nvml: NvmlStub) -> None:
    asked = ask("nvidia", nvml.environ(errors={"nvmlInit": DRIVER_NOT_LOADED}))
    assert asked.features == {}
    assert asked.reason == "the NVIDIA driver cannot be used: Driver Not Loaded"
    assert asked.warnings == []


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (VERSION_MISMATCH, "RM has detected an NVML/RM version mismatch"),
        (12345, "NVML Error with code 12345"),
    ],
)
def test_driver_that_is_broken_is_worth_a_warning(
    nvml: NvmlStub, error: int, text: str
) -> None:
    asked = ask("nvidia", nvml.environ(errors={"nvmlInit": error}))
    assert asked.features == {}
    assert asked.reason == f"the NVIDIA driver cannot be used: {text}"
    (warning,) = asked.warnings
    assert text in warning
    assert DRIVER_VARIABLE in warning
    assert SM_VARIABLE in warning


@pytest.mark.parametrize("function", ["nvmlInit", "nvmlDeviceGetHandleByIndex"])
def test_hanging_driver_is_given_up(nvml: NvmlStub, function: str) -> None:
    environ = nvml.environ(cuda=12080, capabilities=["9.0"], hangs=function)
    asked = ask("nvidia", environ)
    assert asked.features == {}
    assert asked.reason == "NVML did not answer within 2 seconds"
    (warning,) = asked.warnings
    assert "within 2 seconds" in warning


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n" * 1000, b"\x7fELF" * 1000])
def test_library_that_is_none(tmp_path: Path, content: bytes) -> None:
    tmp_path.joinpath(LIBRARY_NAME).write_bytes(content)
    asked = ask("nvidia", {"LD_LIBRARY_PATH": str(tmp_path)})
    assert asked.features == {}
    assert asked.reason is not None
    assert asked.reason.startswith("the NVIDIA driver library cannot be loaded: ")
    assert LIBRARY_NAME in asked.reason
    assert asked.warnings == []


def test_library_that_lacks_functions(tmp_path: Path) -> None:
    nvml = build_nvml_stub(tmp_path, "NVML_STUB_INCOMPLETE")
    asked = ask("nvidia", nvml.environ(cuda=12080, capabilities=["9.0"]))
    assert asked.features == {}
    assert asked.reason == "the NVIDIA driver does not tell its CUDA version"


def test_library_that_lacks_the_first_function(tmp_path: Path) -> None:
    build_nvml_stub(tmp_path, "nvmlInitWithFlags=nothing_of_the_kind")
    asked = ask("nvidia", {"LD_LIBRARY_PATH": str(tmp_path)})
    assert asked.features == {}
    assert asked.reason == "the NVIDIA driver cannot be used: Function Not Found"


def test_without_a_driver_nothing_is_imported() -> None:
    load = f"import ctypes; ctypes.CDLL({LIBRARY_NAME!r})"
    command = [sys.executable, "-c", load]
    if not subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this machine has an NVIDIA driver")
    asked = ask("nvidia")
    assert asked.features == {}
    assert asked.reason == "no NVIDIA driver library was found"
    assert asked.warnings == []
    assert asked.imported == []


def test_where_the_loader_is_asked_pynvml_is_not_imported(tmp_path: Path) -> None:
    asked = ask("nvidia", {"LD_LIBRARY_PATH": str(tmp_path)})
    assert asked.features == {}
    assert asked.reason is not None
    assert asked.warnings == []
    assert "ctypes" in asked.imported
    assert "ctypes.util" not in asked.imported


def test_nothing_is_loaded_where_both_variables_are_set(nvml: NvmlStub) -> None:
    forced = {DRIVER_VARIABLE: "12.9", SM_VARIABLE: "9.0"}
    asked = ask("nvidia", {**nvml.environ(hangs="nvmlInit"), **forced})
    assert newest(asked)["cuda_version_lower_bound"] == "12.9"
    assert asked.imported == []


def test_nothing_is_loaded_for_another_machine(nvml: NvmlStub) -> None:
    driver = nvml.environ(cuda=12080, capabilities=["9.0"])
    asked = ask("nvidia", driver, hardware=False)
    assert asked.features == {}
    assert asked.imported == []
    asked = ask("nvidia", {**driver, DRIVER_VARIABLE: "12.4"}, hardware=False)
    assert newest(asked)["cuda_version_lower_bound"] == "12.4"
    assert "sm_arch" not in asked.features
    assert asked.imported == []


def test_what_one_variable_does_not_say_is_detected(nvml: NvmlStub) -> None:
    driver = nvml.environ(cuda=12080, capabilities=["9.0"])
    asked = ask("nvidia", {**driver, DRIVER_VARIABLE: "12.4"})
    assert newest(asked) == {
        "cuda_version_lower_bound": "12.4",
        "cuda_version_upper_bound": "15.20",
        "sm_arch": "90_real",
    }
    assert asked.origin == f"NVIDIA driver, {DRIVER_VARIABLE}"
    asked = ask("nvidia", {**driver, SM_VARIABLE: "7.5"})
    assert newest(asked) == {
        "cuda_version_lower_bound": "12.8",
        "cuda_version_upper_bound": "15.20",
        "sm_arch": "75_real",
    }
    assert asked.origin == f"NVIDIA driver, {SM_VARIABLE}"


def test_invalid_variable_is_not_replaced_by_the_hardware(nvml: NvmlStub) -> None:
    driver = nvml.environ(cuda=12080, capabilities=["9.0"])
    asked = ask("nvidia", {**driver, DRIVER_VARIABLE: "newest"})
    assert newest(asked) == {"sm_arch": "90_real"}
    asked = ask("nvidia", {**driver, SM_VARIABLE: "hopper"})
    assert newest(asked) == {
        "cuda_version_lower_bound": "12.8",
        "cuda_version_upper_bound": "15.20",
    }
    (warning,) = asked.warnings
    assert SM_VARIABLE in warning
    assert "'hopper'" in warning


@pytest.mark.parametrize(
    ("visible", "best"),
    [
        ("0", "80_real"),
        ("1", "90_real"),
        ("0,2", "80_real"),
        ("2,1", "90_real"),
        ("GPU-2", "75_real"),
        (" GPU-0 , GPU-2 ", "80_real"),
        ("MIG-GPU-1/3/0", "90_real"),
        ("MIG-e2f5", "90_real"),
        # CUDA stops at the first item that means nothing.
        ("2,-1,1", "75_real"),
        ("2,7,1", "75_real"),
    ],
)
def test_hidden_gpus_do_not_count(nvml: NvmlStub, visible: str, best: str) -> None:
    driver = nvml.environ(cuda=12080, capabilities=["8.0", "9.0", "7.5"])
    asked = ask("nvidia", {**driver, "CUDA_VISIBLE_DEVICES": visible})
    assert asked.features["sm_arch"][0] == best


@pytest.mark.parametrize("visible", ["", "-1", "NoDevFiles", "7", "GPU-9", "٣"])
def test_where_all_are_hidden_nothing_is_supported(
    nvml: NvmlStub, visible: str
) -> None:
    driver = nvml.environ(cuda=12080, capabilities=["8.0", "9.0", "7.5"])
    asked = ask("nvidia", {**driver, "CUDA_VISIBLE_DEVICES": visible})
    assert asked.features == {}
    hidden = f"CUDA_VISIBLE_DEVICES hides every NVIDIA GPU: {visible!r}"
    assert asked.reason == hidden
    assert asked.warnings == []


@pytest.mark.parametrize("error", [None, DRIVER_NOT_LOADED])
def test_the_driver_of_windows_comes_first(tmp_path: Path, error: int | None) -> None:
    """The packages of a Linux driver, which does not work under WSL, shadow it."""
    folder = tmp_path / "wsl"
    folder.mkdir()
    build_nvml_stub(folder)
    # Of two libraries of one name, the linker would take this one.
    shadow = build_nvml_stub(tmp_path, "nvmlInitWithFlags=nothing_of_the_kind")
    errors = {} if error is None else {"nvmlInit": error}
    environ = shadow.environ(cuda=12080, capabilities=["9.0"], errors=errors)
    found = f"from pip._internal.variants.providers import wsl; wsl.FOLDER = {str(folder)!r}"
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
        f"the NVIDIA driver of Windows ({folder / LIBRARY_NAME}) does not answer WSL: "
        "Driver Not Loaded; 'wsl --update' and 'wsl --shutdown' in Windows may help, so "
    )
