"""Intel's GPUs are asked for through Level Zero, and none of its faults gets in the way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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

NO_GPU = "Level Zero shows no readable Intel GPU"
ANOTHER_MACHINE = "the target is another machine"


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


UNKNOWN = "the provider does not know the device_ip {}"
#: What drivers list, in their order, and what is supported then; a reason, if any.
DRIVERS: list[tuple[str, str, str | None]] = [
    (gpus("20.2.0"), "20.2.0 20.1.0", None),
    (gpus("12.60.7"), "12.60.7", None),
    (gpus("12.56.5", "20.4.4"), "12.56.5 12.55.8 20.4.4 20.1.0", None),
    (gpus("20.1.0", "20.2.0"), "20.1.0 20.2.0", None),
    (gpus("20.2.0", "20.1.0", "20.2.0"), "20.2.0 20.1.0", None),
    (
        gpus("12.0.0") + ";" + gpus("30.1.0", "35.11.0"),
        "12.0.0 30.1.0 30.0.4 35.11.0",
        None,
    ),
    # The base of a platform has none.
    *((gpus(base), base, None) for base in ("12.55.8", "12.70.4", "20.1.0", "30.0.4")),
    (gpus("20.3.0", "20.2.0"), "20.2.0 20.1.0", UNKNOWN.format("20.3.0")),
    (gpus("12.60.7", "1023.255.63"), "12.60.7", UNKNOWN.format("1023.255.63")),
    (gpus("20.3.0", "20.1.1", "20.3.0"), "", UNKNOWN.format("20.3.0, 20.1.1")),
    (gpus(""), "", UNKNOWN.format("0.0.0")),
    # Another vendor's GPU, a neural processor, an FPGA, and what cannot be read.
    ("1:10de:20.1.0,1:8086:12.60.7", "12.60.7", None),
    ("5:8086:20.1.0,3:8086:20.1.0;" + gpus("12.60.7"), "12.60.7", None),
    (f"!{DEVICE_LOST:#x}," + gpus("12.60.7"), "12.60.7", None),
    (f"?{DEVICE_LOST:#x};" + gpus("12.60.7"), "12.60.7", None),
    *((none, "", NO_GPU) for none in ("", ";", "1:10de:20.1.0", f"!{DEVICE_LOST}")),
]


@pytest.mark.parametrize(("drivers", "values", "reason"), DRIVERS)
def test_what_drivers_list(
    library: Path, drivers: str, values: str, reason: str | None
) -> None:
    asked = ask("intel", variables(library, drivers))
    assert device_ips(asked) == values
    assert asked.origin == "Level Zero" or not values
    assert asked.reason == reason
    assert asked.warnings == []


@pytest.mark.parametrize("count", ["4294967295", "3", "1"])
def test_count_of_devices_is_not_believed(library: Path, count: str) -> None:
    environ = variables(library, gpus("12.60.7", "20.1.0"))
    told = ask("intel", {**environ, "ZE_STUB_COUNT": count})
    assert device_ips(told) == ("12.60.7" if count == "1" else "12.60.7 20.1.0")


BROKEN = "Intel's GPU driver cannot be used: Level Zero returned error 0x78000002"
HANGS = "Level Zero did not answer within 2 seconds"


@pytest.mark.parametrize(
    ("given", "reason", "warning"),
    [
        # A machine without GPU is not worth a warning.
        (
            {"errors": {"zeInit": NO_DRIVER}},
            "Level Zero shows no GPU to this user",
            None,
        ),
        ({"errors": {"zeInit": UNSUPPORTED_VERSION}}, BROKEN, DEVICE_VARIABLE),
        ({"errors": {"zeDriverGet": UNSUPPORTED_VERSION}}, BROKEN, DEVICE_VARIABLE),
        ({"hangs": "zeDeviceGetProperties"}, HANGS, "within 2 seconds"),
    ],
)
def test_driver_that_does_not_answer(
    library: Path, given: dict[str, Any], reason: str, warning: str | None
) -> None:
    asked = ask("intel", variables(library, gpus("20.1.0"), **given))
    assert asked.features == {}
    assert asked.reason == reason
    assert [warning in each for each in asked.warnings if warning] == (
        [] if warning is None else [True]
    )


def test_library_that_is_none(tmp_path: Path) -> None:
    tmp_path.joinpath(LIBRARY_NAME).write_bytes(b"\x7fELF" * 1000)
    asked = ask("intel", {"LD_LIBRARY_PATH": str(tmp_path)})
    assert (asked.features, asked.warnings) == ({}, [])
    assert asked.reason == "Level Zero is not installed"


def test_library_that_lacks_functions(tmp_path: Path) -> None:
    incomplete = compile_library(STUB, tmp_path / LIBRARY_NAME, "ZE_STUB_INCOMPLETE")
    asked = ask("intel", variables(incomplete, gpus("20.1.0")))
    assert asked.features == {}
    reason = asked.reason or ""
    assert reason.startswith("pip cannot query Level Zero: AttributeError: ")
    assert "zeDriverGet" in reason
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
    for hardware in (True, False):
        forced = {**environ, DEVICE_VARIABLE: "12.60.7"}
        asked = ask("intel", forced, hardware=hardware)
        assert device_ips(asked) == "12.60.7"
        assert asked.imported == []
    asked = ask("intel", environ, hardware=False)
    assert asked.features == {}
    assert asked.reason == ANOTHER_MACHINE
    assert asked.imported == []


def test_a_variable_that_names_no_gpu(library: Path) -> None:
    environ = variables(library, gpus("20.1.0"))
    assert device_ips(ask("intel", {**environ, DEVICE_VARIABLE: ""})) == "20.1.0"
    # What is invalid is not replaced by the hardware.
    asked = ask("intel", {**environ, DEVICE_VARIABLE: "xe2"})
    assert asked.features == {}
    assert asked.reason == f"{DEVICE_VARIABLE} is invalid"
    assert "'xe2'" in asked.warnings[0]


@pytest.mark.parametrize("text", ["20.2.0", " 12.70.4\n", "35.10.4"])
def test_forced_device_stands_alone(text: str) -> None:
    answer = intel.detect({DEVICE_VARIABLE: text}, hardware=False)
    assert device_ips(answer) == text.strip()
    assert is_valid_value(text.strip())
    assert (answer.origin, answer.reason, answer.warnings) == (
        DEVICE_VARIABLE,
        None,
        (),
    )


@pytest.mark.parametrize("text", ["20.1", "99.0.0", "20.1.0,20.2.0", "bmg", "20.1.0.0"])
def test_forced_device_that_is_unknown(text: str) -> None:
    answer = intel.detect({DEVICE_VARIABLE: text}, hardware=False)
    assert answer.features == ()
    assert answer.warnings[0].startswith(f"{DEVICE_VARIABLE} is invalid, so pip ")
    assert repr(text) in answer.warnings[0]
