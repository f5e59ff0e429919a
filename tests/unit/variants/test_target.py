"""The machine that a run installs for."""

from __future__ import annotations

import sys
from optparse import Values

import pytest

from pip._internal.variants.machine.target import is_this_machine, marker_environment


def test_without_options_it_is_this_machine() -> None:
    options = Values({"platforms": [], "python_version": None})
    assert is_this_machine(options)
    assert marker_environment(options, {})["sys_platform"] == sys.platform


@pytest.mark.parametrize(
    ("platform", "system", "machine"),
    [
        ("manylinux_2_28_x86_64", "Linux", "x86_64"),
        ("musllinux_1_2_aarch64", "Linux", "aarch64"),
        ("linux_x86_64", "Linux", "x86_64"),
        ("win_amd64", "Windows", "AMD64"),
        ("win32", "Windows", "x86"),
        ("macosx_11_0_arm64", "Darwin", "arm64"),
        ("macosx_10_15_universal2", "Darwin", ""),
    ],
)
def test_a_platform(platform: str, system: str, machine: str) -> None:
    options = Values({"platforms": [platform], "python_version": (3, 12)})
    environment = marker_environment(options, {})
    assert not is_this_machine(options)
    assert environment["platform_system"] == system
    assert environment["platform_machine"] == machine
    assert environment["python_version"] == "3.12"


@pytest.mark.parametrize("platform", ["any", "emscripten_3_1_wasm32"])
def test_a_platform_that_tells_no_system_changes_nothing(platform: str) -> None:
    options = Values({"platforms": [platform], "python_version": None})
    own = Values({"platforms": [], "python_version": None})
    assert marker_environment(options, {}) == marker_environment(own, {})


def test_what_the_user_describes_wins() -> None:
    options = Values({"platforms": ["win_amd64"]})
    described = {"platform_machine": "ARM64"}
    assert marker_environment(options, described)["platform_machine"] == "ARM64"
