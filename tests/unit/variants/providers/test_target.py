"""The machine that a run installs for."""

from __future__ import annotations

from optparse import Values
from typing import Any

import pytest

from pip._vendor.packaging.markers import default_environment

from pip._internal.variants.errors import InvalidHostFile
from pip._internal.variants.providers import host_names, target
from pip._internal.variants.providers.host_file import HostDescription
from pip._internal.variants.providers.target import is_this_machine, marker_environment
from pip._internal.variants.settings import Settings


def given(options: dict[str, Any]) -> Settings:
    """Return the settings of a command with these options."""
    return Settings(Values(options))


@pytest.mark.parametrize(
    ("platform", "system", "machine"),
    [
        ("manylinux_2_28_x86_64", "Linux", "x86_64"),
        ("musllinux_1_2_aarch64", "Linux", "aarch64"),
        ("linux_x86_64", "Linux", "x86_64"),
        ("win_amd64", "Windows", "AMD64"),
        ("win32", "Windows", "x86"),
        ("macosx_11_0_arm64", "Darwin", "arm64"),
        ("macosx_10_15_universal2", "Darwin", "arm64"),
    ],
)
def test_a_platform(platform: str, system: str, machine: str) -> None:
    settings = given({"platforms": [platform], "python_version": (3, 12)})
    environment = marker_environment(settings, None)
    assert not is_this_machine(settings)
    assert environment["platform_system"] == system
    assert environment["platform_machine"] == machine
    assert environment["python_version"] == "3.12"


@pytest.mark.parametrize("platform", ["any", "emscripten_3_1_wasm32"])
def test_a_platform_that_tells_no_system_changes_nothing(platform: str) -> None:
    settings = given({"platforms": [platform], "python_version": None})
    own = given({"platforms": [], "python_version": None})
    assert marker_environment(settings, None) == marker_environment(own, None)


def test_what_the_user_describes_wins() -> None:
    settings = given({"platforms": ["manylinux_2_28_aarch64"]})
    described = HostDescription("x", {}, {"platform_release": "tegra"})
    assert marker_environment(settings, described)["platform_release"] == "tegra"


#: Names of machines, on what machine they are said, and what is there.
ELSEWHERE = [
    ("windows", ("linux", "x86_64"), ("win32", "AMD64")),
    ("windows", ("linux", "aarch64"), ("win32", "ARM64")),
    ("macos", ("linux", "aarch64"), ("darwin", "arm64")),
    ("macos", ("win32", "AMD64"), ("darwin", "x86_64")),
    ("linux", ("win32", "AMD64"), ("linux", "x86_64")),
    ("linux", ("darwin", "arm64"), ("linux", "aarch64")),
    ("cuda-12.8-sm_90", ("darwin", "arm64"), ("linux", "aarch64")),
    ("cuda-12.8-sm_90", ("win32", "ARM64"), ("win32", "ARM64")),
    ("glibc-2.31", ("darwin", "x86_64"), ("linux", "x86_64")),
]


def _on(monkeypatch: pytest.MonkeyPatch, **changes: str) -> None:
    here = {**default_environment(), **changes}
    monkeypatch.setattr(target, "default_environment", lambda: here)


@pytest.mark.parametrize(("name", "here", "there"), ELSEWHERE)
def test_each_system_has_its_own_word_for_a_machine(
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    here: tuple[str, str],
    there: tuple[str, str],
) -> None:
    """Also where only the system is named."""
    _on(monkeypatch, sys_platform=here[0], platform_machine=here[1])
    environment = marker_environment(given({}), host_names.named_host(name))
    told = environment["sys_platform"], environment["platform_machine"]
    assert told == there


def test_a_machine_that_its_system_does_not_run_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _on(monkeypatch, sys_platform="linux", platform_machine="ppc64le")
    with pytest.raises(InvalidHostFile) as error:
        host_names.named_host("windows")
    assert "pip knows no platform tags for win32 on ppc64le" in str(error.value.context)


@pytest.mark.parametrize(
    ("options", "version", "names"),
    [
        ({"python_version": (3, 9)}, "3.9.0", ("cpython", "CPython")),
        ({"python_version": (3,)}, "3.0.0", ("cpython", "CPython")),
        (
            {"implementation": "pp", "python_version": (3, 9)},
            *("3.9.0", ("pypy", "PyPy")),
        ),
    ],
)
def test_all_that_markers_say_of_a_python_is_of_the_same(
    options: dict[str, Any], version: str, names: tuple[str, str]
) -> None:
    told = marker_environment(given(options), None)
    assert told["python_full_version"] == told["implementation_version"] == version
    assert told["implementation_name"] == names[0]
    assert told["platform_python_implementation"] == names[1]
