"""The machine that a run installs for."""

from __future__ import annotations

import sys
from optparse import Values
from typing import Any

import pytest

from pip._internal.variants.choice.settings import Settings
from pip._internal.variants.core.properties import SupportedProperties
from pip._internal.variants.machine.host_file import Host
from pip._internal.variants.machine.target import is_this_machine, marker_environment


def given(options: dict[str, Any]) -> Settings:
    """Return the settings of a command with these options."""
    return Settings(Values(options))


def test_without_options_it_is_this_machine() -> None:
    settings = given({"platforms": [], "python_version": None})
    assert is_this_machine(settings)
    assert marker_environment(settings, None)["sys_platform"] == sys.platform


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
    settings = given({"platforms": ["win_amd64"]})
    described = Host("x", SupportedProperties({}), {"platform_machine": "ARM64"})
    assert marker_environment(settings, described)["platform_machine"] == "ARM64"
