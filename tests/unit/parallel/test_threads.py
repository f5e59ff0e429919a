"""Threads are born in one place, and none is while Python ends."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pip
from tests.lib.floors import modules

SOURCE = Path(__file__).resolve().parents[3] / "src"
#: What is registered first is called last: when Python has begun to end.
LATE = """
import atexit, threading, time
ready, ends, said = (threading.Event() for _ in range(3))
def begin():
    ends.set()
    said.wait()
    time.sleep(0.5)
atexit.register(begin)
from pip._internal.parallel.threads import start
def work():
    early = threading.Thread(target=print, args=["in time"])
    start(early)
    early.join()
    ready.set()
    ends.wait()
    print("ends")
    said.set()
    start(threading.Thread(target=print, args=["too late"]))
start(threading.Thread(target=work))
ready.wait()
"""


def starts_threads(tree: ast.Module) -> bool:
    """Tell whether a module makes threads and starts something itself."""
    attributes = {
        each.attr for each in ast.walk(tree) if isinstance(each, ast.Attribute)
    }
    return "start" in attributes and not attributes.isdisjoint(("Thread", "Timer"))


def test_one_module_starts_threads() -> None:
    found = {
        name
        for name, path in modules(SOURCE).items()
        if starts_threads(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == {"pip._internal.parallel.threads"}


def test_none_is_born_while_python_ends() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LATE],
        env={"PYTHONPATH": str(Path(pip.__file__).parents[1])},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("in time\nends\n", "")
    assert done.returncode == 0
