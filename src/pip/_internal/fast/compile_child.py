"""Compile modules in a separate process.

pip runs the source of this module with ``python -I -S -c``, so the module imports only the
standard library. The process reads one JSON list per line from standard input. Each item of
a list has the path of a module, the path of its bytecode, and the path where pip will
install the module. After each list, the process prints an empty line. A module that cannot
be compiled gets no bytecode, and pip reports the error when it installs the wheel.
"""

from __future__ import annotations

import json
import py_compile
import signal
import sys
from contextlib import suppress

if __name__ == "__main__":
    # pip handles these signals, and then kills this process.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    for line in sys.stdin:
        for path, target, place in json.loads(line):
            with suppress(Exception):
                py_compile.compile(path, target, place, doraise=True)
        print(flush=True)
