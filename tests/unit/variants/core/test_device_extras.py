"""Which extras are for which GPU, and which of them are taken unasked."""

from __future__ import annotations

import pytest

from pip._internal.variants.core.device_extras import (
    chosen,
    device_of,
    devices_in,
    extra_for,
    kinds,
    literal,
)


@pytest.mark.parametrize("device", ["gfx900", "gfx90a", "gfx1151", "gfx1250", "gfxff"])
def test_the_literal_form(device: str) -> None:
    assert device_of(f"device-{device}") == device
    assert chosen([f"device-{device}", "device-all"], [device]) == (f"device-{device}",)


@pytest.mark.parametrize(
    "extra",
    [
        *("device-all", "device", "device-", "device-gfx", "gfx1151", "devicegfx1151"),
        *("device-gfx1250-strict", "device-gfx11-generic", "device-gfx94x-dcgpu"),
        *(
            "device-gfx1151\n",
            " device-gfx1151",
            "device-GFX1151",
            "device-gfx１１５１",
        ),
        *("my-device-gfx1151", "device-device-gfx1151", "device-sm-90", "device-gfx*"),
    ],
)
def test_nothing_else(extra: str) -> None:
    """Not even where a machine is said to have a device of that name."""
    assert device_of(extra) is None
    named = extra.removeprefix("device-")
    assert chosen([extra], [named, extra, "gfx1151", "all"]) == ()
    assert devices_in([extra]) == ()


def test_just_those_that_are_there_and_offered() -> None:
    provided = ["device-gfx1151", "device-gfx1100", "device-all", "test"]
    assert chosen(provided, ["gfx1151", "gfx1151", "gfx1036"]) == ("device-gfx1151",)
    assert chosen(provided, ["gfx1151", "gfx1100"]) == tuple(sorted(provided)[1:3])
    assert chosen(provided, []) == ()
    assert chosen([], ["gfx1151"]) == ()
    assert devices_in(provided) == ("gfx1100", "gfx1151")
    assert literal(provided) == ("device-gfx1100", "device-gfx1151")


def test_what_a_machine_may_support_besides() -> None:
    """Of a feature that has further values, those that name a GPU count."""
    assert kinds(["gfx1250", "gfx1250-strict", "gfx9.4.2", ""]) == ("gfx1250",)


def test_which_extra_is_for_a_property() -> None:
    """Of the one feature alone."""
    assert extra_for("amd", "gfx_arch", "gfx1151") == "device-gfx1151"
    assert extra_for("amd", "gfx_arch", "gfx1250-strict") is None
    assert extra_for("amd", "rocm_version", "gfx1151") is None
    assert extra_for("nvidia", "gfx_arch", "gfx1151") is None
