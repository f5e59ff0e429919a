"""Make data of a given shape out of bytes: each byte decides something.

So a fuzzer that knows only bytes changes labels, types and orders, and keeps what led it
somewhere. Where the bytes end, the first option is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

__all__ = ["HOSTILE", "Choices"]

T = TypeVar("T")

#: Texts that got the better of some program: terminals, regular expressions, encodings,
#: file systems, parsers of numbers.
HOSTILE = (
    "",
    " ",
    "\n",
    "v3\n",
    "\x00",
    "\x1b[31m",
    "\x9b2J",
    "\r",
    "\u202e",
    "\ud800",
    "\u0663",
    "\N{LATIN SMALL LIGATURE FI}",
    "..",
    "../../etc/passwd",
    "NUL",
    "null",
    "-",
    "--index-url",
    "::",
    "[red]",
    "%(x)s",
    "{0}",
    "9" * 5000,
    "a" * 300,
)
_SCALARS = (
    *(None, True, False, 0, 1, -1, 2**70, 1.5, 1e308, float("inf"), float("nan")),
    *("", "v3", "nvidia"),
)


class Choices:
    """Decide by the bytes of *data*, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        """Return the next byte; zero if there is none left."""
        if self._at >= len(self._data):
            return 0
        self._at += 1
        return self._data[self._at - 1]

    def rest(self) -> bytes:
        """Return all bytes that are left."""
        at, self._at = self._at, len(self._data)
        return self._data[at:]

    def one_of(self, options: Sequence[T]) -> T:
        """Return one of at most 256 options."""
        return options[self.byte() % len(options)]

    def rarely(self) -> bool:
        """Be true one time in 32."""
        return self.byte() % 32 == 31

    def several(self, make: Callable[[], T], least: int, most: int) -> list[T]:
        """Return between *least* and *most* of what *make* makes."""
        return [make() for _ in range(least + self.byte() % (most - least + 1))]

    def table(
        self, key: Callable[[], str], value: Callable[[], T], least: int, most: int
    ) -> dict[str, T]:
        """Return so many keys with values; of the same key, the last one."""
        return dict(self.several(lambda: (key(), value()), least, most))

    def some_of(self, makers: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
        """Return some of the keys with values."""
        return {key: make() for key, make in makers.items() if self.byte() % 2}

    def text(self) -> str:
        """Return a text that few programs expect."""
        if self.byte() % 2:
            return self.one_of(HOSTILE)
        size = self.byte() % 16
        taken = self._data[self._at : self._at + size]
        self._at += size
        return taken.decode("utf-8", "replace")

    def json(self, depth: int = 3) -> Any:
        """Return anything that JSON can say, and what Python's takes for JSON."""
        kind = self.byte() % 4
        if kind == 1:
            return self.text()
        if depth and kind == 2:
            return self.several(lambda: self.json(depth - 1), 0, 3)
        if depth and kind == 3:
            return self.table(self.text, lambda: self.json(depth - 1), 0, 3)
        return self.one_of(_SCALARS)

    def mostly(self, make: Callable[[], Any]) -> Any:
        """Return what *make* makes; one time in 32 anything else."""
        return self.json() if self.rarely() else make()
