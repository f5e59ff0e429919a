"""Let signals that would end pip wait until what is being installed is whole."""

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
    """Signals that wait; a second one of a kind takes effect at once.

    Only the main thread gets signals, so that in another one nothing is held. Nor is a
    signal for which somebody else has a handler.
    """

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._came: set[int] = set()

    def hold(self, number: int) -> None:
        """Let a signal wait from here on."""
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            with suppress(ValueError):  # This is not the main thread.
                self._before[number] = signal.signal(number, self._take)

    def release(self) -> None:
        """Let nothing wait any more; what came takes effect when that is asked for."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def take_effect(self) -> None:
        """Do what the signals were to do that came while they had to wait.

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
