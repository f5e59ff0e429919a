"""What is fuzzed, and the limits that hold for each execution."""

from __future__ import annotations

import logging
import random
import resource
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pip._internal.console.output import get_logger
from pip._internal.exceptions import DiagnosticPipError
from tools.fuzz.choices import Choices

__all__ = [
    "MEMORY",
    "LimitExceeded",
    "Limits",
    "Target",
    "failed",
    "printable",
    "said",
    "structured",
]


#: Where files are that are written once an execution: in memory if there is a place.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None


@dataclass(frozen=True, slots=True)
class Target:
    """Something that reads hostile input.

    :ivar run: reads one input; whatever it raises is a finding.
    :ivar seeds: inputs to begin with.
    :ivar tokens: what is worth inserting into an input.
    :ivar runs: how many executions there are if nobody says; the slow ones get fewer.
    """

    name: str
    run: Callable[[bytes], object]
    seeds: Callable[[], Iterable[bytes]] = tuple
    tokens: Sequence[bytes] = ()
    runs: int = 120_000


def structured(
    name: str, check: Callable[[Choices], object], *, runs: int = 20_000
) -> Target:
    """Make a target of what takes data of some shape."""
    return Target(name, lambda data: check(Choices(data)), _noise, runs=runs)


def _noise() -> Iterator[bytes]:
    chance = random.Random(825)
    for power in range(4, 11):
        for _ in range(20):
            yield chance.randbytes(2**power)


class LimitExceeded(AssertionError):
    """An execution took too long, or too much memory."""


class Limits:
    """Run a target within limits: a second of CPU time, 200 MB of memory more."""

    seconds = 1.0
    megabytes = 200

    def __init__(self, target: Target) -> None:
        self._target = target
        self._memory = peak_memory()

    def __call__(self, data: bytes) -> None:
        """Run the target once.

        :raises LimitExceeded: if it is over a limit.
        """
        start = time.process_time()
        self._target.run(data)
        taken = time.process_time() - start
        if taken > self.seconds:
            raise LimitExceeded(f"{self._target.name} took {taken:.1f} seconds")
        more = peak_memory() - self._memory
        if more > self.megabytes:
            raise LimitExceeded(f"{self._target.name} took {more:.0f} MB")


def peak_memory() -> float:
    """Return the most memory that this process has had, in MB (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def printable(text: str) -> None:
    """Check that a line of text does nothing to a terminal but show."""
    assert text.isprintable(), f"not printable: {text!r}"


#: What this pip has beside upstream's.
_OWN = ("pip._internal.variants", "pip._internal.fast", "pip._internal.console")


class _Watch(logging.Handler):
    """Look at what reaches the handlers of upstream, warnings and worse."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith(_OWN):
            for line in self.format(record).split("\n"):
                printable(line)


logging.getLogger().addHandler(_Watch())
_logger = get_logger("pip._internal.variants.fuzz")


def said(text: str) -> None:
    """Check that what others wrote is one line where it is said, and shows no more."""
    _logger.warning("%s", text)


def failed(error: DiagnosticPipError) -> None:
    """Check that an error shows what others wrote and does no more."""
    for part in (error.message, error.context, error.hint_stmt, error.note_stmt):
        for line in str(part).split("\n"):
            printable(line)
