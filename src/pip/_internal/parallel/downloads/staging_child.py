"""Run in a process of its own: unpack and compile wheels into a staging folder.

The source of this module is handed to ``python -I -S -c``, so that it imports nothing but
the standard library. It reads a JSON object a line from standard input, and answers each
with a line: ``staged`` if all files of the wheel lie in the folder.

An unpacked file is named after the position of its entry in the wheel, never after the
entry. Its bytecode has the same name, with the kind of library it was compiled for.
"""

from __future__ import annotations

import json
import os
import py_compile
import re
import shutil
import signal
import sys
import zipfile
from typing import Any

#: Larger blocks need fresh pages of memory each time, and take a third longer.
_BLOCK = 1 << 18


def main() -> None:
    """Do one job after the other until pip ends."""
    # Ctrl-C is for pip, which then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for line in sys.stdin:
        job = json.loads(line)
        try:
            stage(job["wheel"], job["folder"], job["libs"])
            answer = "staged"
        except Exception as error:
            # Upstream reports it when it installs the wheel.
            shutil.rmtree(job["folder"], ignore_errors=True)
            answer = f"not staged: {error!r}"
        print(answer.encode("ascii", "backslashreplace").decode(), flush=True)


def stage(wheel: str, folder: str, libs: dict[str, str]) -> None:
    """Unpack a wheel into an empty folder, and compile its modules.

    :param libs: where its files will be, by ``purelib`` and ``platlib``; empty if that is
        unknown, so that nothing is compiled
    :raises Exception: if it cannot be unpacked
    """
    with zipfile.ZipFile(wheel) as archive:
        entries = [info for info in archive.infolist() if info.filename[-1:] != "/"]
        if len({info.header_offset for info in entries}) < len(entries):
            raise ValueError("entries overlap")
        if sum(info.file_size for info in entries) > shutil.disk_usage(folder).free:
            raise OSError("there is no space")
        for info in entries:
            with open(os.path.join(folder, str(info.header_offset)), "wb") as target:
                if info.file_size:
                    with archive.open(info) as source:
                        size = min(info.file_size, _BLOCK)
                        shutil.copyfileobj(source, target, size)
        kind = kind_of_root(archive, entries)
    if kind in libs:
        for info in entries:
            if is_module(info.filename):
                path = os.path.join(folder, str(info.header_offset))
                place = os.path.join(libs[kind], os.path.normpath(info.filename))
                compile_for(path, f"{path}.{kind}", place)


def kind_of_root(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> str:
    """Return the kind of library that a wheel's files go to, apart from its data."""
    pattern = re.compile(r"[^/]+\.dist-info/WHEEL")
    (wheel,) = (info for info in entries if pattern.fullmatch(info.filename))
    lines = archive.read(wheel).decode().lower().splitlines()
    purelib = any(re.fullmatch(r"root-is-purelib:\s*true\s*", line) for line in lines)
    return "purelib" if purelib else "platlib"


def is_module(name: str) -> bool:
    """Tell whether an entry is a module that is not in the wheel's data folder."""
    return name.endswith(".py") and not name.split("/", 1)[0].endswith(".data")


def compile_for(path: str, target: str, place: str) -> None:
    """Compile a file as if it lay in another place, if it can be compiled."""
    try:
        py_compile.compile(path, target, place, doraise=True)
    except Exception as error:
        detail: Any = error
        print(f"{place}: {detail!r}", file=sys.stderr)


if __name__ == "__main__":
    main()
