"""Propose a valid name for a mistyped name of a machine.

Loaded only when such a name was typed. Pure: no I/O.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from types import MappingProxyType

__all__ = ["nearest_name"]

#: By word that people type: the parts of a name that it stands for.
_MEANING = MappingProxyType(
    {
        "v100": "cuda-12.8-sm_70",
        **dict.fromkeys(("t4", "rtx2080"), "cuda-12.8-sm_75"),
        **dict.fromkeys(("a100", "a30"), "cuda-12.8-sm_80"),
        **dict.fromkeys(("a10", "a10g", "a40", "rtx3090"), "cuda-12.8-sm_86"),
        **dict.fromkeys(("l4", "l40", "l40s", "rtx4090"), "cuda-12.8-sm_89"),
        **dict.fromkeys(("h100", "h200"), "cuda-12.8-sm_90"),
        "gh200": "cuda-12.8-sm_90-aarch64",
        "b200": "cuda-12.8-sm_100",
        "gb200": "cuda-12.8-sm_100-aarch64",
        "rtx5090": "cuda-12.8-sm_120",
        **dict.fromkeys(("gb10", "spark"), "cuda-13.0-sm_121-aarch64"),
        **dict.fromkeys(("jetson", "orin"), "cuda-12.6-sm_87-tegra"),
        "thor": "cuda-13.0-sm_110-tegra",
        **dict.fromkeys(("mi250", "mi250x"), "rocm-gfx90a"),
        **dict.fromkeys(("mi300a", "mi300x", "mi325x"), "rocm-gfx942"),
        **dict.fromkeys(("mi350x", "mi355x"), "rocm-gfx950"),
        **dict.fromkeys(("rx7900xt", "rx7900xtx"), "rocm-gfx1100"),
        **dict.fromkeys(("rx9070", "rx9070xt"), "rocm-gfx1201"),
        **dict.fromkeys(("amd64", "x64"), "x86_64"),
        **dict.fromkeys(("mac", "osx", "darwin"), "macos"),
        "win": "windows",
    }
)
_WHOLE = frozenset(meaning for meaning in _MEANING.values() if "-" in meaning)
_PARTS = frozenset(
    {
        *("linux", "macos", "windows", "glibc", "musl"),
        *("x86_64", "aarch64", "arm64", "tegra", "cuda", "rocm", "xpu", "tpu", "cpu"),
        *("py310", "py311", "py312", "py313", "py314", "py315", "py313t", "py314t"),
        *(part for meaning in _MEANING.values() for part in meaning.split("-")),
    }
)
#: The least ratio of what two words that are alike have in common.
_ALIKE = 0.65


def nearest_name(name: str) -> str | None:
    """Return the name of a machine that *name* may stand for, which may be invalid.

    No proposal has other numbers than what was typed, except for the words of a table.
    """
    typed = name.lower().replace(" ", "-")
    # Models are written in one word or in two.
    joined = next((each for each in _MEANING if each == typed.replace("-", "")), None)
    words = [joined] if joined is not None else typed.split("-")
    meant = [_MEANING.get(word) or _closest(word, _PARTS) or word for word in words]
    # Of several words with one meaning, one counts.
    parts = dict.fromkeys("-".join(meant).split("-"))
    proposed = "-".join(parts)
    return proposed if proposed != typed else _closest(typed, _WHOLE)


def _closest(typed: str, known: Iterable[str]) -> str | None:
    """Return the known text most like the typed one, with the same digits in it."""
    same = [each for each in known if _digits(each) == _digits(typed)]
    return next(iter(difflib.get_close_matches(typed, same, 1, _ALIKE)), None)


def _digits(text: str) -> str:
    return "".join(filter(str.isdigit, text))
