"""Intel's GPUs are asked for through Level Zero, and none of its faults gets in the way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from pip._vendor.wheel_variants.properties import is_valid_value

import tests.lib
from pip._internal.variants.providers import intel
from pip._internal.variants.providers.intel import DEVICE_VARIABLE
from pip._internal.variants.providers.result import ProviderResult
from tests.lib.native import compile_library
from tests.unit.variants.providers.asking import Asked, ask

LIBRARY_NAME = "libze_loader.so.1"
STUB = Path(tests.lib.__file__ or "").with_name("level_zero_stub.c")

DEVICE_LOST, NO_DRIVER, UNSUPPORTED_VERSION = 0x70000001, 0x78000001, 0x78000002

NO_GPU = "Level Zero shows no Intel GPU that can be read"
ANOTHER_MACHINE = "another machine is the target: this one is not asked"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the stand-in for Level Zero; its source says how it is told what to do."""
    folder = tmp_path_factory.mktemp("level-zero")
    return compile_library(STUB, folder / LIBRARY_NAME)


def variables(
    library: Path,
    drivers: str = "",
    *,
    errors: Mapping[str, int] | None = None,
    hangs: str = "",
) -> dict[str, str]:
    """Return the variables under which a process finds such drivers."""
    return {
        "LD_LIBRARY_PATH": str(library.parent),
        "ZE_STUB_DRIVERS": drivers,
        "ZE_STUB_ERRORS": ",".join(f"{f}={e}" for f, e in (errors or {}).items()),
        "ZE_STUB_HANGS": hangs,
    }


def gpus(*device_ips: str) -> str:
    return ",".join(f"1:8086:{device_ip}" for device_ip in device_ips)


def device_ips(answer: ProviderResult | Asked) -> str:
    features = (
        answer.features
        if isinstance(answer, Asked)
        else {feature.name: feature.values for feature in answer.features}
    )
    assert set(features) <= {"device_ip"}
    return " ".join(features.get("device_ip", ()))


@pytest.mark.parametrize(
    ("drivers", "values"),
    [
        (gpus("20.2.0"), "20.2.0 20.1.0"),
        (gpus("20.1.0"), "20.1.0"),
        (gpus("12.60.7"), "12.60.7"),
        (gpus("12.56.5", "20.4.4"), "12.56.5 12.55.8 20.4.4 20.1.0"),
        (gpus("20.1.0", "20.2.0"), "20.1.0 20.2.0"),
        (gpus("20.2.0", "20.1.0", "20.2.0"), "20.2.0 20.1.0"),
        (
            gpus("12.0.0") + ";" + gpus("30.1.0", "35.11.0"),
            "12.0.0 30.1.0 30.0.4 35.11.0",
        ),
    ],
)
def test_gpus_in_the_order_of_the_driver(
    library: Path, drivers: str, values: str
) -> None:
    asked = ask("intel", variables(library, drivers))
    assert device_ips(asked) == values
    assert asked.origin == "Level Zero"
    assert asked.reason is None
    assert asked.warnings == []


@pytest.mark.parametrize("base", ["12.55.8", "12.70.4", "20.1.0", "30.0.4"])
def test_base_of_a_platform_is_known_and_has_none(library: Path, base: str) -> None:
    assert device_ips(ask("intel", variables(library, gpus(base)))) == base


@pytest.mark.parametrize(
    ("drivers", "values", "unknown"),
    [
        (gpus("20.3.0", "20.2.0"), "20.2.0 20.1.0", "20.3.0"),
        (gpus("12.60.7", "1023.255.63"), "12.60.7", "1023.255.63"),
        (gpus("20.3.0", "20.1.1", "20.3.0"), "", "20.3.0, 20.1.1"),
        (gpus(""), "", "0.0.0"),
    ],
)
def test_unknown_gpu_is_left_out(
    library: Path, drivers: str, values: str, unknown: str
) -> None:
    asked = ask("intel", variables(library, drivers))
    assert device_ips(asked) == values
    assert asked.reason == f"the provider does not know the device IP {unknown}"
    assert asked.warnings == []


@pytest.mark.parametrize(
    ("drivers", "values"),
    [
        # Another vendor's GPU, a neural processor, an FPGA.
        ("1:10de:20.1.0,1:8086:12.60.7", "12.60.7"),
        ("5:8086:20.1.0,3:8086:20.1.0;" + gpus("12.60.7"), "12.60.7"),
        (f"!{DEVICE_LOST:#x}," + gpus("12.60.7"), "12.60.7"),
        (f"?{DEVICE_LOST:#x};" + gpus("12.60.7"), "12.60.7"),
    ],
)
def test_what_is_no_gpu_of_intel_is_passed_over(
    library: Path, drivers: str, values: str
) -> None:
    asked = ask("intel", variables(library, drivers))
    assert device_ips(asked) == values
    assert asked.reason is None


@pytest.mark.parametrize(
    "drivers", ["", ";", "1:10de:20.1.0", f"!{DEVICE_LOST}", f"?{DEVICE_LOST}"]
)
def test_no_gpu_to_be_read(library: Path, drivers: str) -> None:
    asked = ask("intel", variables(library, drivers))
    assert asked.features == {}
    assert asked.reason == NO_GPU
    assert asked.warnings == []


@pytest.mark.parametrize("count", ["4294967295", "3", "1"])
def test_count_of_devices_is_not_believed(library: Path, count: str) -> None:
    environ = variables(library, gpus("12.60.7", "20.1.0"))
    told = ask("intel", {**environ, "ZE_STUB_COUNT": count})
    assert device_ips(told) == ("12.60.7" if count == "1" else "12.60.7 20.1.0")


def test_machine_without_gpu_is_not_worth_a_warning(library: Path) -> None:
    asked = ask("intel", variables(library, errors={"zeInit": NO_DRIVER}))
    assert asked.features == {}
    assert asked.reason == "Level Zero finds no GPU that this user may use"
    assert asked.warnings == []


@pytest.mark.parametrize("function", ["zeInit", "zeDriverGet"])
def test_driver_that_is_broken_is_worth_a_warning(library: Path, function: str) -> None:
    errors = {function: UNSUPPORTED_VERSION}
    asked = ask("intel", variables(library, gpus("20.1.0"), errors=errors))
    assert asked.features == {}
    assert asked.reason == (
        "Intel's GPU driver cannot be used: error 0x78000002 of Level Zero"
    )
    (warning,) = asked.warnings
    assert warning.startswith(asked.reason)
    assert DEVICE_VARIABLE in warning


@pytest.mark.parametrize("function", ["zeInit", "zeDeviceGetProperties"])
def test_hanging_driver_is_given_up(library: Path, function: str) -> None:
    asked = ask("intel", variables(library, gpus("20.1.0"), hangs=function))
    assert asked.features == {}
    assert asked.reason == "Level Zero did not answer within 2 seconds"
    (warning,) = asked.warnings
    assert "within 2 seconds" in warning


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n" * 1000, b"\x7fELF" * 1000])
def test_library_that_is_none(tmp_path: Path, content: bytes) -> None:
    tmp_path.joinpath(LIBRARY_NAME).write_bytes(content)
    asked = ask("intel", {"LD_LIBRARY_PATH": str(tmp_path)})
    assert asked.features == {}
    assert asked.reason is not None
    assert asked.reason.startswith("Level Zero cannot be loaded: ")
    assert LIBRARY_NAME in asked.reason
    assert asked.warnings == []


def test_library_that_lacks_functions(tmp_path: Path) -> None:
    incomplete = compile_library(STUB, tmp_path / LIBRARY_NAME, "ZE_STUB_INCOMPLETE")
    asked = ask("intel", variables(incomplete, gpus("20.1.0")))
    assert asked.features == {}
    assert asked.reason is not None
    assert asked.reason.startswith("Level Zero cannot be asked: AttributeError: ")
    assert "zeDriverGet" in asked.reason
    assert len(asked.warnings) == 1


def test_without_level_zero_nothing_is_imported() -> None:
    load = f"import ctypes; ctypes.CDLL({LIBRARY_NAME!r})"
    command = [sys.executable, "-c", load]
    if not subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this machine has Level Zero")
    asked = ask("intel")
    assert asked.features == {}
    assert asked.reason == "Level Zero is not installed"
    assert asked.warnings == []
    assert asked.imported == []


def test_nothing_is_asked_where_the_variable_is_set(library: Path) -> None:
    environ = variables(library, gpus("20.1.0"), hangs="zeInit")
    asked = ask("intel", {**environ, DEVICE_VARIABLE: "12.60.7"})
    assert device_ips(asked) == "12.60.7"
    assert asked.imported == []


def test_nothing_is_asked_for_another_machine(library: Path) -> None:
    environ = variables(library, gpus("20.1.0"))
    asked = ask("intel", environ, hardware=False)
    assert asked.features == {}
    assert asked.reason == ANOTHER_MACHINE
    assert asked.imported == []
    asked = ask("intel", {**environ, DEVICE_VARIABLE: "12.60.7"}, hardware=False)
    assert device_ips(asked) == "12.60.7"
    assert asked.imported == []


def test_invalid_variable_is_not_replaced_by_the_hardware(library: Path) -> None:
    environ = variables(library, gpus("20.1.0"))
    asked = ask("intel", {**environ, DEVICE_VARIABLE: "xe2"})
    assert asked.features == {}
    assert asked.reason == f"{DEVICE_VARIABLE} is invalid"
    (warning,) = asked.warnings
    assert "'xe2'" in warning


def test_empty_variable_is_as_good_as_unset(library: Path) -> None:
    environ = variables(library, gpus("20.1.0"))
    assert device_ips(ask("intel", {**environ, DEVICE_VARIABLE: ""})) == "20.1.0"


@pytest.mark.parametrize("text", ["20.2.0", " 12.70.4\n", "35.10.4"])
def test_forced_device_stands_alone(text: str) -> None:
    answer = intel.detect({DEVICE_VARIABLE: text}, hardware=False)
    assert device_ips(answer) == text.strip()
    assert is_valid_value(text.strip())
    assert answer.origin == DEVICE_VARIABLE
    assert answer.reason is None
    assert answer.warnings == ()


@pytest.mark.parametrize("text", ["20.1", "99.0.0", "20.1.0,20.2.0", "bmg", "20.1.0.0"])
def test_forced_device_that_is_unknown(text: str) -> None:
    answer = intel.detect({DEVICE_VARIABLE: text}, hardware=False)
    assert answer.features == ()
    (warning,) = answer.warnings
    assert warning.startswith(f"{DEVICE_VARIABLE} is ignored")
    assert repr(text) in warning
