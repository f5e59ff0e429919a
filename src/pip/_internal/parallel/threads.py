"""Start threads that neither keep Python from ending nor crash it there.

CPython 3.11 may crash if a thread is born, by another thread, while Python ends: what the
new thread needs is freed before it runs. So none is born from the moment on at which the
main thread has nothing left to do.
"""

from __future__ import annotations

import atexit
import threading

__all__ = ["start"]

#: Held while a thread is born; and by the main thread, for good, when Python ends.
_BIRTHS = threading.RLock()
atexit.register(_BIRTHS.acquire)


def start(thread: threading.Thread) -> None:
    """Start a thread, for which nobody waits when Python ends.

    :raises RuntimeError: if there can be no more threads.
    """
    thread.daemon = True
    with _BIRTHS:
        thread.start()
