"""Namespace ``tpu``: presence of a Google TPU.

Properties; equal to those of the provider that is built into uv 0.13.9 (observed), which
replaces tpu-variant-provider 0.1.0:

``present``
    ``true`` if a TPU is on the PCI bus, otherwise ``false``.

pip identifies TPUs by the vendor and device numbers from the kernel, like JAX. pip loads no
library and sends no request.

Limits: pip finds TPUs only on Linux, and only those whose number is in this module.

The override variable replaces detection; an invalid value leaves the feature out.
"""

from __future__ import annotations

import os

from pip._internal.variants.providers.result import (
    Environ,
    Findings,
    NotDetected,
    ProviderResult,
    forced,
    require_this_machine,
    system_file,
)

PRESENT_VARIABLE = "TPU_VARIANT_PROVIDER_FORCE_PRESENT"

_GOOGLE = "0x1ae0"
_TPUS = {
    "0x0027",  # v2, v3
    "0x0056",
    "0x005e",  # v4
    "0x0062",  # v5p
    "0x0063",  # v5e
    "0x006f",  # v6e
    "0x0076",  # 7x
    "0x007c",  # 8t
    "0x0083",  # 8i
}


def detect(environ: Environ, *, hardware: bool, root: str = "/") -> ProviderResult:
    """Return the presence of a TPU on this machine, or the value forced by *environ*.

    :param root: the folder with ``sys``.
    """
    found = Findings()
    present = found.attempt(lambda: _present(environ, hardware, root))
    found.add("present", () if present is None else (present,))
    return found.answer()


def _present(environ: Environ, hardware: bool, root: str) -> tuple[str, str]:
    given = forced(environ, PRESENT_VARIABLE, _boolean, "'true' or 'false'")
    if given is not None:
        return given
    require_this_machine(hardware)
    devices = os.path.join(root, "sys/bus/pci/devices")
    try:
        names = os.listdir(devices)
    except FileNotFoundError:
        # Not Linux, or no PCI bus, so the machine has no TPU.
        names = []
    except OSError as error:
        raise NotDetected(f"{devices} cannot be read: {error.strerror}") from error
    is_present = any(_is_tpu(os.path.join(devices, name)) for name in names)
    return ("true" if is_present else "false"), "PCI bus"


def _boolean(text: str) -> str | None:
    if text.lower() in ("1", "true", "yes"):
        return "true"
    return "false" if text.lower() in ("0", "false", "no") else None


def _is_tpu(device: str) -> bool:
    files = (os.path.join(device, name) for name in ("vendor", "device"))
    vendor, kind = (system_file(file).strip() for file in files)
    return vendor == _GOOGLE and kind in _TPUS
