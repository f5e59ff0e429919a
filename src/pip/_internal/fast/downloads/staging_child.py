"""Run in a process of its own: unpack and compile parts of wheels into staging folders.

The source of this module is handed to ``python -I -S -c``, so that it imports nothing but
the standard library. Its argument is the folder of all wheels. It reads a JSON object per
line from standard input, and answers each with a line: ``done`` if it unpacked everything.

It knows nothing of archives: it is told where the bytes are. A file is named after their
position, and its bytecode likewise, with the kind of library it was compiled for.
"""

from __future__ import annotations

import json
import os
import py_compile
import shutil
import signal
import sys
import time
import zlib
from collections.abc import Iterator
from typing import Any

#: Larger blocks need fresh pages of memory each time, and take a third longer.
_BLOCK = 1 << 18
#: Seconds between two looks at a file that is still growing.
_PAUSE = 0.01


def main(folder: str) -> None:
    """Do one part after the other until pip ends, and remove the folder of all wheels.

    pip removes the folder itself, after it has killed this process. So the folder is
    still there only if pip was killed.

    :param folder: with all that processes of this run unpack
    """
    # These are for pip, which then kills this process.
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    try:
        for line in sys.stdin:
            try:
                do(json.loads(line))
                answer = "done"
            except Exception as error:
                # Upstream reports it when it installs the wheel.
                answer = f"not done: {error!r}"
            print(answer.encode("ascii", "backslashreplace").decode(), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def do(part: dict[str, Any]) -> None:
    """Unpack files, and compile modules.

    :param part: the path of the ``wheel``, and whether it ``is_whole``; the ``folder``; of
        each of ``files`` where it is to be found, its ``packed`` bytes, its ``size`` and
        ``crc``, and whether it ``is_stored``; of ``modules``, which are in the folder by
        then, the names, those of their bytecode, and the places where they will be
    :raises Exception: if that cannot be done
    """
    if part["files"]:
        with open(part["wheel"], "rb", buffering=0) as wheel:
            for each in part["files"]:
                unpack(wheel.fileno(), part["folder"], part["is_whole"], *each)
    for name, bytecode, place in part["modules"]:
        path, target = (os.path.join(part["folder"], each) for each in (name, bytecode))
        compile_for(path, target, place)


def unpack(
    wheel: int,
    folder: str,
    is_whole: bool,
    at: int,
    begins: int,
    packed: int,
    size: int,
    crc: int,
    is_stored: bool,
) -> None:
    """Unpack a file; it has the size and the sum that were told, or there is an error."""
    blocks = arriving(wheel, begins, packed, None if is_whole else folder)
    total, found = 0, 0
    with open(os.path.join(folder, str(at)), "xb") as target:
        for block in blocks if is_stored else inflated(blocks, size):
            total += len(block)
            found = zlib.crc32(block, found)
            target.write(block)
    if (total, found) != (size, crc):
        raise ValueError(f"{total} bytes of sum {found} at {at}")


def arriving(wheel: int, at: int, count: int, folder: str | None) -> Iterator[bytes]:
    """Yield bytes of a file; wait for them while *folder* is there, and pip."""
    if sys.platform == "win32":
        raise AssertionError("nothing is unpacked ahead there")
    parent = os.getppid()
    while count:
        block = os.pread(wheel, min(count, _BLOCK), at)
        if block:
            at += len(block)
            count -= len(block)
            yield block
        elif folder is None or not os.path.exists(folder) or os.getppid() != parent:
            raise EOFError(f"{count} bytes are missing")
        else:
            time.sleep(_PAUSE)


def inflated(blocks: Iterator[bytes], size: int) -> Iterator[bytes]:
    """Yield what was deflated, but not more than *size* and a block."""
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    for block in blocks:
        rest = block
        while rest and not stream.eof:
            data = stream.decompress(rest, 4 * _BLOCK)
            rest = stream.unconsumed_tail
            size -= len(data)
            if size < 0:
                raise ValueError("more bytes than were told")
            yield data
        if rest or stream.unused_data:
            raise ValueError("bytes behind the end")
    if not stream.eof:
        # What is left of it, if anything.
        yield stream.flush()
    if not stream.eof:
        raise ValueError("no end")


def compile_for(path: str, target: str, place: str) -> None:
    """Compile a file as if it lay in another place, if it can be compiled."""
    try:
        py_compile.compile(path, target, place, doraise=True)
    except Exception as error:
        detail: Any = error
        print(f"{place}: {detail!r}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
