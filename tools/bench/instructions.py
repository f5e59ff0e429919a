"""Count the instructions of a command, which vary less than its time."""

from __future__ import annotations

import re
import shutil

__all__ = ["counted", "counter"]

_COUNT = re.compile(r"I\s+refs:\s+([\d,]+)")


def counter() -> list[str] | None:
    """Return what is put before a command, or None where there is no valgrind."""
    program = shutil.which("valgrind")
    if program is None:
        return None
    options = "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"
    return [program, *options]


def counted(printed: str) -> int:
    """Return the number of instructions, from what the counter printed.

    :raises ValueError: if there is no such number.
    """
    found = _COUNT.findall(printed)
    if not found:
        raise ValueError("no instructions were counted")
    return int(found[-1].replace(",", ""))
