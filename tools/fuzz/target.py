"""Fuzz targets, and the limits of each execution."""

from __future__ import annotations

import logging
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

from pip._internal.console.output import get_logger
from pip._internal.exceptions import DiagnosticPipError

__all__ = [
    "FOLDER",
    "FuzzTarget",
    "LimitExceeded",
    "Limits",
    "check_error",
    "check_text",
    "printable",
    "structured",
]

_temporary = tempfile.TemporaryDirectory(prefix="fuzz-")
#: The folder for files that a target writes once per execution.
FOLDER = Path(_temporary.name)


@dataclass(frozen=True, slots=True)
class FuzzTarget:
    """Code that reads malicious input.

    :ivar run: a function that reads one input; any exception is a finding.
    :ivar seeds: the initial inputs.
    """

    name: str
    run: Callable[[bytes], object]
    seeds: Callable[[], Iterable[bytes]] = tuple


def structured(
    name: str, check: Callable[..., None], *inputs: SearchStrategy[Any]
) -> FuzzTarget:
    """Create a target from a function that takes structured data."""
    unlimited = settings(
        database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    test = unlimited(given(*inputs)(check))
    fuzz: Callable[[bytes], object] = test.hypothesis.fuzz_one_input  # type: ignore[attr-defined]
    return FuzzTarget(name, fuzz, _noise)


def _noise() -> Iterator[bytes]:
    chance = random.Random(825)
    for _ in range(100):
        yield chance.randbytes(chance.choice((512, 1024, 2048, 4096)))


class LimitExceeded(AssertionError):
    """An execution took too much time or memory."""


class Limits:
    """A target with limits: one second of CPU time, 200 MB of memory."""

    seconds = 1.0
    megabytes = 200

    def __init__(self, target: FuzzTarget) -> None:
        self._target = target

    def __call__(self, data: bytes) -> None:
        """Run the target once.

        :raises LimitExceeded: if the execution exceeds a limit.
        """
        # atheris itself takes more with each execution.
        memory, start = peak_memory(), time.process_time()
        self._target.run(data)
        taken = time.process_time() - start
        if taken > self.seconds:
            raise LimitExceeded(f"{self._target.name} took {taken:.1f} seconds")
        more = peak_memory() - memory
        if more > self.megabytes:
            raise LimitExceeded(f"{self._target.name} took {more:.0f} MB")


def peak_memory() -> float:
    """Return the peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def printable(text: str) -> None:
    """Check that a line of text contains only printable characters."""
    assert text.isprintable(), f"not printable: {text!r}"


#: The loggers of this fork's packages.
_OWN = ("pip._internal.variants", "pip._internal.fast", "pip._internal.console")


class _Watch(logging.Handler):
    """A log handler that checks the text of the fork's warnings and errors."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith(_OWN):
            for line in self.format(record).split("\n"):
                printable(line)


logging.getLogger().addHandler(_Watch())
_logger = get_logger("pip._internal.variants.fuzz")


def check_text(text: str) -> None:
    """Check that quoted external text is one printable line."""
    _logger.warning("%s", text)


def check_error(error: DiagnosticPipError) -> None:
    """Check that an error quotes external text safely."""
    for part in (error.message, error.context, error.hint_stmt, error.note_stmt):
        for line in str(part).split("\n"):
            printable(line)
