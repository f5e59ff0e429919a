"""Hold signals that would end pip until the installation is whole."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from typing import Any

__all__ = ["HeldSignals"]

_INTERRUPTED = b"""\
Finishing the installation, so that nothing is left half installed. Press Ctrl-C again \
to stop at once.
"""


class HeldSignals:
    """Signals that wait; the second one of a kind takes effect at once.

    Nothing is held in other threads than the main one, which alone gets signals, nor
    signals that somebody else handles.
    """

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._came: set[int] = set()

    def hold(self, number: int) -> None:
        """Hold a signal from here on."""
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            with suppress(ValueError):  # This is not the main thread.
                self._before[number] = signal.signal(number, self._take)

    def release(self) -> None:
        """Hold nothing any more; see :meth:`take_effect` for what came meanwhile."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def take_effect(self) -> None:
        """Do what the signals that came meanwhile should have done.

        :raises KeyboardInterrupt: if one of them was Ctrl-C.
        """
        came = sorted(self._came)
        self._came.clear()
        for number in came:
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            os.kill(os.getpid(), number)

    def _take(self, number: int, _frame: object) -> None:
        if number in self._came:
            self.release()
            self.take_effect()
        self._came.add(number)
        if number == signal.SIGINT:
            os.write(2, _INTERRUPTED)
