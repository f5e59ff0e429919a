"""Compile modules in a separate process.

pip hands the source of this module to ``python -I -S -c``, so it imports nothing but the
standard library. It reads JSON lists from standard input, a list a line: of each module the
path, the path of its bytecode, and the path where it will be installed. It prints an empty line
after each list. A module that cannot be compiled
gets no bytecode, and pip reports it when it installs the wheel.
"""

from __future__ import annotations

import json
import py_compile
import signal
import sys
from contextlib import suppress

if __name__ == "__main__":
    # These are for pip, which then kills this process.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    for line in sys.stdin:
        for path, target, place in json.loads(line):
            with suppress(Exception):
                py_compile.compile(path, target, place, doraise=True)
        print(flush=True)
