"""TPUs are told by what the kernel shows on the PCI bus."""

from __future__ import annotations

from pathlib import Path

import pytest

from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.providers import tpu
from pip._internal.variants.providers.result import NOT_THIS_MACHINE, ProviderResult
from pip._internal.variants.providers.tpu import PRESENT_VARIABLE
from tests.unit.variants.providers.asking import ask

GOOGLE = "0x1ae0"
# v2 and v3, v4, v5p, v5e, v6e, 7x, 8t, 8i, and one without a public name.
TPUS = ["0x0027", "0x005e", "0x0062", "0x0063", "0x006f", "0x0076", "0x007c", "0x0083"]
TPUS += ["0x0056"]


def add_device(root: Path, vendor: str, device: str | None) -> None:
    """Add a device to the PCI bus below a folder.

    :param vendor: as the kernel writes it.
    :param device: what the kernel reports of it; None if the kernel does not tell.
    """
    bus = root / "sys/bus/pci/devices"
    bus.mkdir(parents=True, exist_ok=True)
    folder = bus / f"0000:00:{len(list(bus.iterdir())):02x}.0"
    folder.mkdir()
    folder.joinpath("vendor").write_text(f"{vendor}\n", encoding="ascii")
    if device is not None:
        folder.joinpath("device").write_text(f"{device}\n", encoding="ascii")


def present(answer: ProviderResult) -> str | None:
    if not answer.features:
        return None
    (feature,) = answer.features
    assert feature.name == "present"
    (value,) = feature.values
    return value


@pytest.mark.parametrize("device", TPUS)
def test_a_tpu(tmp_path: Path, device: str) -> None:
    add_device(tmp_path, "0x8086", "0x1237")
    add_device(tmp_path, GOOGLE, device)
    add_device(tmp_path, GOOGLE, device)
    assert tpu.detect({}, hardware=True, root=str(tmp_path)) == ProviderResult(
        (SupportedFeature("present", ("true",)),), "PCI bus"
    )


@pytest.mark.parametrize(
    ("vendor", "device"),
    [
        # The network of Google's machines, another vendor, and what is not told.
        (GOOGLE, "0x0042"),
        ("0x1ae1", "0x0062"),
        (GOOGLE, None),
        (GOOGLE, ""),
        ("\u0660x1ae0", "0x0062"),
        (GOOGLE + "0" * 100, "0x0062"),
    ],
)
def test_no_tpu(tmp_path: Path, vendor: str, device: str | None) -> None:
    add_device(tmp_path, vendor.encode("ascii", "replace").decode(), device)
    for root in (tmp_path, tmp_path / "absent"):
        assert present(tpu.detect({}, hardware=True, root=str(root))) == "false"


def test_a_bus_that_cannot_be_read(tmp_path: Path) -> None:
    bus = tmp_path / "sys/bus/pci/devices"
    bus.parent.mkdir(parents=True)
    bus.write_text("", encoding="ascii")
    answer = tpu.detect({}, hardware=True, root=str(tmp_path))
    assert answer == ProviderResult(reason=f"{bus} cannot be read: Not a directory")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, "true") for text in ("1", "true", "TRUE", "Yes")),
        *((text, "false") for text in ("0", "False", " no ")),
    ],
)
@pytest.mark.parametrize("hardware", [True, False])
def test_the_override_variable(
    tmp_path: Path, text: str, value: str, hardware: bool
) -> None:
    add_device(tmp_path, GOOGLE, TPUS[0])
    environ = {PRESENT_VARIABLE: text}
    answer = tpu.detect(environ, hardware=hardware, root=str(tmp_path))
    assert (present(answer), answer.origin) == (value, PRESENT_VARIABLE)
    assert answer.reason is None


@pytest.mark.parametrize("text", ["2", "on", "v5e", "tru", "\u0661"])
def test_an_invalid_override_variable(tmp_path: Path, text: str) -> None:
    add_device(tmp_path, GOOGLE, TPUS[0])
    answer = tpu.detect({PRESENT_VARIABLE: text}, hardware=True, root=str(tmp_path))
    assert answer.features == ()
    (warning,) = answer.warnings
    assert warning == (
        f"{PRESENT_VARIABLE} is invalid, so pip ignores that feature: expected 'true' or 'false', "
        f"got {text!r}"
    )


def test_an_empty_override_variable_and_another_machine(tmp_path: Path) -> None:
    add_device(tmp_path, GOOGLE, TPUS[0])
    environ = {PRESENT_VARIABLE: " "}
    assert present(tpu.detect(environ, hardware=True, root=str(tmp_path))) == "true"
    answer = tpu.detect(environ, hardware=False, root=str(tmp_path))
    assert answer == ProviderResult(reason=NOT_THIS_MACHINE)


def test_nothing_is_imported_and_no_program_run() -> None:
    asked = ask("tpu")
    assert asked.imported == []
    assert list(asked.features) == ["present"]
