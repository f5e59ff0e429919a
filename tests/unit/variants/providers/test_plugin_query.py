"""What pip makes of a plugin's process and of its answer."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.providers.plugin_query import PluginFailed, query_plugin

GOOD = """
class Config:
    name, values = "kind", ["b1"]
def get_supported_configs():
    return [Config]
"""
#: What a plugin begins with that has its own way with the answer.
REQUEST = """\
import json, os, socket, sys
request = json.loads(sys.argv[1])
answer = request["answer"]
folder = os.path.dirname(answer)
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a plugin, of which ``npu.py`` is recorded."""
    temporary, folder = tmp_path / "temporary", tmp_path / "installed"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    info = folder / "npu-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "RECORD").write_text("npu.py,,\n", encoding="utf-8")
    return folder


def ask(
    folder: Path, code: str, timeout: float = 30, api: str = "npu"
) -> tuple[SupportedFeature, ...]:
    (folder / "npu.py").write_text(code, encoding="utf-8")
    return query_plugin(str(folder), api, (), os.environ, timeout)


def test_the_answer(installed: Path) -> None:
    assert ask(installed, GOOD) == (SupportedFeature("kind", ("b1",)),)


def test_nothing_is_run_that_is_not_recorded(installed: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    (installed / "beside.py").write_text(f"open({str(mark)!r}, 'w')", encoding="utf-8")
    for api in ("beside", "beside:x", "this", "venv.__main__", "\x1b[31m"):
        with pytest.raises(PluginFailed, match="its installed packages lack module"):
            ask(installed, GOOD, api=api)
    assert not mark.exists()


#: What a plugin puts where its answer should be, and what is told then.
ANSWERS = {
    "nothing": ("", "exit status 0"),
    "removed": ("os.remove(answer)", "exit status 0"),
    "pipe": ("os.remove(answer); os.mkfifo(answer)", "exit status 0"),
    "zeros": ("os.remove(answer); os.symlink('/dev/zero', answer)", "exit status 0"),
    "terminal": ("os.remove(answer); os.symlink('/dev/tty', answer)", "exit status 0"),
    "folder": ("os.remove(answer); os.mkdir(answer)", "exit status 0"),
    "socket": (
        (
            "os.remove(answer); os.chdir(folder); "
            "socket.socket(socket.AF_UNIX).bind('answer.json')"
        ),
        "exit status 0",
    ),
    "ten gigabytes": ("os.truncate(answer, 10 << 30)", "its answer is too long"),
    "its folder gone": (
        "import shutil; shutil.rmtree(folder); os.symlink('x', folder)",
        "exit status 0",
    ),
    "its folder shut": (
        "os.mkdir(folder + '/x'); open(folder + '/x/y', 'w'); os.chmod(folder, 0)",
        "exit status 0",
    ),
    "no JSON": (
        "with open(answer, 'w') as file:\n    file.write('{')",
        "its answer cannot be read",
    ),
    "another process that writes": (
        (
            "import time\npid = os.fork()\n"
            "if pid == 0:\n"
            "    os.setsid()\n"
            "    with open(answer, 'ab', buffering=0) as file:\n"
            "        while os.path.exists(answer):\n"
            "            file.write(b' ' * 65536)\n"
            "            time.sleep(0.001)\n"
            "    os._exit(0)\n"
            "time.sleep(0.5)\n"
        ),
        "its answer is too long",
    ),
}


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize("name", ANSWERS)
def test_answers_of_its_own(installed: Path, name: str) -> None:
    code, told = ANSWERS[name]
    with pytest.raises(PluginFailed, match=told):
        ask(installed, f"{REQUEST}{code}\nos._exit(0)")


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_a_pipe_that_the_plugin_waits_for(installed: Path) -> None:
    """Its process ends with the time that it has."""
    code = f"{REQUEST}os.remove(answer); os.mkfifo(answer)\n{GOOD}"
    with pytest.raises(PluginFailed, match="did not answer within 1 second"):
        ask(installed, code, timeout=1)
