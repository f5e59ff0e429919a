"""What a user may have meant by an unknown name of a machine.

Loaded only when such a name was typed. Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["nearest_name"]

#: The CUDA version of a driver that knows all of the GPUs.
_DRIVER = "12.8"
#: By the names under which they are sold, compute capabilities without the dot.
_GPUS: Mapping[str, str] = MappingProxyType(
    {
        "v100": "70",
        **dict.fromkeys(("t4", "rtx2080"), "75"),
        **dict.fromkeys(("a100", "a30"), "80"),
        **dict.fromkeys(("a2", "a10", "a10g", "a16", "a40", "rtx3090"), "86"),
        **dict.fromkeys(("l4", "l40", "l40s", "rtx4090"), "89"),
        **dict.fromkeys(("h100", "h200", "h800", "gh200"), "90"),
        **dict.fromkeys(("b100", "b200", "gb200"), "100"),
        "rtx5090": "120",
    }
)
#: What most that are called by no more than that are.
_JETSON = "cuda-12.6-sm_87-tegra"
#: Whole machines, by a word in their names.
_MACHINES: Mapping[str, str] = MappingProxyType(
    {
        "orin": _JETSON,
        "thor": "cuda-13.0-sm_110-tegra",
        **dict.fromkeys(("gb10", "spark"), "cuda-13.0-sm_121-aarch64"),
        "tpu": "tpu",
    }
)
_MAKER = re.compile(r"^(nvidia|geforce|tesla|quadro)")
# In words with dashes between; none of these begins within a word.
_CUDA = re.compile(r"(?<![a-z])cu(?:da)?-?([0-9]{2})-?([0-9]{0,2})(?![0-9])")
_SM = re.compile(r"(?<![a-z])sm-?([0-9]{2,3})(?![0-9])")
_X86_64 = re.compile(r"(?<![a-z])(?:x86-?64|x64|amd64)(?:-?v?([1-4]))?$")
_ARM = re.compile(r"(?<![a-z])(?:(aarch64|arm64)|tegra|jetson)$")
_EXAMPLES = ("cuda-12.8-sm_90", "cpu-x86_64-v3", "cpu-aarch64")


def nearest_name(name: str) -> str | None:
    """Return the name of a machine that *name* may stand for.

    Punctuation does not matter, and a GPU may be named by its model.
    """
    words = re.findall(r"[a-z0-9]+", name.lower())
    gpu = _GPUS.get(_MAKER.sub("", "".join(words)))
    if gpu is not None:
        return f"cuda-{_DRIVER}-sm_{gpu}"
    whole = next((_MACHINES[word] for word in words if word in _MACHINES), None)
    if whole is not None:
        return whole
    dashed = "-".join(words)
    cuda, sm = _CUDA.search(dashed), _SM.search(dashed)
    machine = _type_of_machine(dashed)
    if cuda is not None or sm is not None:
        driver = f"{cuda[1]}.{cuda[2] or '0'}" if cuda is not None else _DRIVER
        capability = f"sm_{sm[1]}" if sm is not None else None
        return "-".join(filter(None, ("cuda", driver, capability, machine)))
    if machine is not None:
        return _JETSON if machine == "tegra" else f"cpu-{machine}"
    return next(iter(difflib.get_close_matches(name, _EXAMPLES, 1)), None)


def _type_of_machine(dashed: str) -> str | None:
    """Return the end of a name that tells the type of a machine."""
    x86_64, arm = _X86_64.search(dashed), _ARM.search(dashed)
    if x86_64 is not None:
        # Without a level, what every CPU of this kind has.
        return f"x86_64-v{x86_64[1] or '1'}"
    if arm is not None:
        return "aarch64" if arm[1] else "tegra"
    return None
