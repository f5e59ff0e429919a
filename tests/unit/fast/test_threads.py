"""Threads are born in one place, and none is while Python ends."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

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
from pip._internal.fast.threads import in_thread
def work():
    in_thread(lambda: print("in time")).result()
    ready.set()
    ends.wait()
    print("ends")
    said.set()
    in_thread(lambda: print("too late"))
in_thread(work)
ready.wait()
"""
#: OpenSSL crashes in a thread that is using it when the process ends.
AT_WORK = """
import queue, threading, time
from pip._internal.fast.threads import Workers, in_thread
began = threading.Semaphore(0)
def work(name):
    began.release()
    time.sleep(0.05)
    print(name, "ended")
def hang():
    began.release()
    threading.Event().wait()
in_thread(lambda: work("thread"))
jobs = queue.SimpleQueue()
workers = Workers(lambda jobs: [work(each) for each in jobs], 1, jobs.get)
workers.grow(1)
for each in ["first", "late"]:
    jobs.put(each)
if {hangs}:
    in_thread(hang)
    in_thread(hang, patience=0)
for _ in range(2 + 2 * {hangs}):
    began.acquire()
"""


def starts_threads(tree: ast.Module) -> bool:
    """Return whether a module makes threads and starts something itself."""
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
    # It runs in a separate process, without the rest of pip.
    found.remove("pip._internal.variants.providers.plugin_child")
    assert found == {"pip._internal.fast.threads"}


def test_none_is_born_while_python_ends() -> None:
    assert run(LATE) == "in time\nends\n"


@pytest.mark.parametrize("hangs", [False, True])
def test_what_is_done_ends_before_python(hangs: bool) -> None:
    said = run(AT_WORK.format(hangs=hangs)).splitlines()
    assert sorted(said) == ["first ended", "thread ended"]


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(Path(pip.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
