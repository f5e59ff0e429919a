"""Several files at a time, and the same outcome as with ``--parallel-downloads=1``."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.faults import Gate
from tests.lib.hosts import forced
from tests.lib.index import Answer, IndexServer, Request
from tests.lib.manifests import cuda
from tests.lib.processes import INTERRUPTED, start_pip
from tests.lib.wheels import make_sdist, make_wheel

IN_TURN = ["--parallel-downloads=1"]
PARTS = [f"part{number}" for number in range(9)]


#: What shows how far a download is, finished or not.
_BAR = re.compile(r"━|^Progress |^  .*([\d-]:[\d-]{2}:[\d-]{2}|\d+/\d+ files)$")


def wheel(name: str) -> str:
    """Return the name of the wheel of a package."""
    return f"{name}-1.0-py3-none-any.whl"


def fill(index: IndexServer) -> None:
    """Add nine wheels, some of which upstream shows a progress bar for, and a tenth."""
    noise = random.Random(1)
    for number, name in enumerate(PARTS):
        data = noise.randbytes(1_200_000 if number % 4 == 0 else 3_000)
        index.add(make_wheel(name, "1.0", files={f"{name}/data.bin": data}))
    index.add(make_wheel("top", "1.0", requires=PARTS))


@pytest.fixture
def parts(index: IndexServer) -> IndexServer:
    """Return an index with a package that needs nine others."""
    fill(index)
    return index


def files(folder: Path) -> dict[str, bytes]:
    """Return what lies below a folder, without bytecode, which has times in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }


def without_bars(text: str) -> list[str]:
    """Return the lines that do not show how far a download is."""
    shown = (line.rstrip() for line in text.splitlines())
    return [line for line in shown if line and not _BAR.search(line)]


def run_both(
    venv: Environment,
    index: IndexServer,
    command: Sequence[str],
    change: Callable[[], object] = lambda: None,
    code: int = 0,
) -> tuple[Result, Result]:
    """Run a command as ever and in parallel: all else must be alike.

    :param change: what happens to the index before each of the two
    """
    seen, results = [], []
    for number, options in enumerate((IN_TURN, [])):
        venv.clear_cache()
        index.clear_log()
        change()
        folder = venv.work / f"run{number}"
        folder.mkdir()
        given = [part.replace("FOLDER", "target") for part in command]
        options = [*options, "-i", index.index_url]
        result = venv.pip(*given, *options, code=code, cwd=folder)
        results.append(result)
        seen.append((Counter(index.log()), files(folder), result.stderr))
    serial, parallel = results
    assert seen[0] == seen[1]
    assert sorted(without_bars(serial.stdout)) == sorted(without_bars(parallel.stdout))
    return serial, parallel


def _without_metadata(index: IndexServer) -> None:
    index.pages.core_metadata = False


def _without_hashes(index: IndexServer) -> None:
    index.pages.hashes = False


def _without_lengths(index: IndexServer) -> None:
    for name in PARTS:
        index.fault(wheel(name), headers={"Content-Length": ""})


def _with_a_source(index: IndexServer) -> None:
    index.add(make_sdist("source", "1.0", requires=["top"]))


def _nothing(_: IndexServer) -> None:
    pass


INSTALL = ["install", "--target", "FOLDER", "top"]
COMMANDS: Mapping[str, tuple[Sequence[str], Callable[[IndexServer], None]]] = {
    "install": (INSTALL, _nothing),
    "download": (["download", "-d", "FOLDER", "top"], _nothing),
    "wheel": (["wheel", "-w", "FOLDER", "top"], _nothing),
    "one wheel": (["install", "--target", "FOLDER", "part0"], _nothing),
    "a source": (["download", "-d", "FOLDER", "source"], _with_a_source),
    "fast-deps": ([*INSTALL, "--use-feature", "fast-deps"], _without_metadata),
    "no metadata": (INSTALL, _without_metadata),
    "no hashes": (INSTALL, _without_hashes),
    "no lengths": (INSTALL, _without_lengths),
    "quiet": ([*INSTALL, "-q", "--progress-bar", "on"], _nothing),
    "dry run": (["install", "--dry-run", "top"], _nothing),
    "--progress-bar off": ([*INSTALL, "--progress-bar", "off"], _nothing),
    "--progress-bar on": ([*INSTALL, "--progress-bar", "on"], _nothing),
    "--progress-bar raw": ([*INSTALL, "--progress-bar", "raw"], _nothing),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_same_files_requests_and_output(
    venv: Environment, parts: IndexServer, name: str
) -> None:
    command, change = COMMANDS[name]
    change(parts)
    serial, parallel = run_both(venv, parts, command)
    bars = parallel.stdout.count("━━")
    if name in ("quiet", "dry run", "--progress-bar off"):
        assert bars == 0
        assert "Progress" not in parallel.stdout
    elif name == "--progress-bar raw":
        entries = [entry for each in parts.projects.values() for entry in each]
        whole = sum(len(entry.file.content) for entry in entries)
        assert f"Progress {whole} of {whole}\n" in parallel.stdout
    elif name == "install":
        # One for all that three had in turn.
        assert len(re.findall("━+", serial.stdout)) == 3
        assert re.search(r"━ 3\.6/3\.6 MB .* 10/10 files\n", parallel.stdout)


@pytest.mark.on_wheel
@pytest.mark.process
def test_several_at_a_time(venv: Environment, parts: IndexServer) -> None:
    gate = Gate()
    for name in PARTS:
        parts.fault(wheel(name), gate=gate)
    running = start_pip(venv, "install", "top", "-i", parts.index_url, env={})
    # None of them is answered, and still six are asked for; four of the ten are not.
    gate.wait_until_reached(6)
    gate.open()
    result = running.finish()
    assert result.returncode == 0, result
    assert len(venv.installed()) == 10


def test_begun_again_after_a_break(venv: Environment, parts: IndexServer) -> None:
    parts.ranges = False
    for name in ("part0", "part4"):
        parts.fault(wheel(name), truncate=1500, times=1, methods=["GET"])
    result = venv.pip("install", "top", "-i", parts.index_url)
    assert result.stderr.count("Attempting to resume incomplete download") == 2
    assert len(venv.installed()) == 10


def test_resumed_after_a_break(venv: Environment, tls_index: IndexServer) -> None:
    fill(tls_index)
    broken = ["part0", "part4"]
    for name in broken:
        tls_index.fault(wheel(name), truncate=1500, times=1, methods=["GET"])
    command = ["download", "-d", "got", "top", "-i", tls_index.index_url]
    command += ["--cert", str(tls_index.certificates)]
    result = venv.pip(*command)
    for name in broken:
        assert result.stdout.count(f"Resuming download {tls_index.url}") <= 2
    assert result.stderr.count("Attempting to resume incomplete download") == 2
    ranged = [each for each in tls_index.requests if "range" in each.headers]
    assert {each.path for each in ranged} == {f"/files/{wheel(n)}" for n in broken}
    assert {each.headers["range"] for each in ranged} == {"bytes=1500-"}
    for name in PARTS:
        entry = tls_index.find(wheel(name))
        assert entry is not None
        assert (venv.work / "got" / wheel(name)).read_bytes() == entry.file.content
    # What was resumed is in the cache like all the rest.
    tls_index.clear_log()
    again = venv.pip(*command, "-d", "again")
    assert again.stdout.count("Using cached part") == 2 * len(PARTS)
    assert not [path for _, path in tls_index.log() if path.endswith(".whl")]


#: What becomes of the sixth of ten files.
FAILURES: Mapping[str, Callable[[IndexServer], None]] = {
    "another hash": lambda index: index.replace(wheel("part4"), sha256="0" * 64),
    "gone": lambda index: index.fault(wheel("part4"), status=404),
    "forbidden": lambda index: index.fault(wheel("part4"), status=403),
    "broken off": lambda index: index.fault(wheel("part4"), truncate=9, whole=True),
}


def errors(result: Result) -> list[str]:
    """Return the error of a command, without the warnings before it."""
    lines = result.stderr.splitlines()
    return [line for line in lines if not line.startswith("WARNING")]


@pytest.mark.parametrize("name", FAILURES)
def test_same_failure(venv: Environment, parts: IndexServer, name: str) -> None:
    FAILURES[name](parts)
    options = ["--target", "FOLDER", "--resume-retries", "1"]
    serial, parallel = (
        venv.pip("install", "top", "-i", parts.index_url, *options, *more, code=1)
        for more in (IN_TURN, [])
    )
    assert errors(serial) == errors(parallel)
    assert errors(parallel)
    assert not list(venv.work.iterdir())


@pytest.mark.process
def test_a_failure_stops_the_others(
    venv: Environment, parts: IndexServer, tmp_path: Path
) -> None:
    gate = Gate()
    for part in PARTS[:4]:
        parts.fault(wheel(part), gate=gate, truncate=100)
    FAILURES["gone"](parts)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = ["install", "top", "-i", parts.index_url]
    before = files(venv.site_packages)
    # These four would never end.
    result = venv.pip(*command, code=1, env={"TMPDIR": str(temporary)})
    gate.open()
    assert "404 Client Error" in result.stderr
    assert "resume" not in result.output
    assert files(venv.site_packages) == before
    assert not list(temporary.iterdir())


@pytest.mark.on_wheel
@pytest.mark.process
@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_interrupted(venv: Environment, tls_index: IndexServer, tmp_path: Path) -> None:
    fill(tls_index)
    gate = Gate()
    for part in PARTS[:3]:
        tls_index.fault(wheel(part), gate=gate, truncate=700)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    command = ["install", "top", "-i", tls_index.index_url]
    command += ["--cert", str(tls_index.certificates)]
    running = start_pip(venv, *command, env={"TMPDIR": str(temporary)})
    gate.wait_until_reached(3)
    running.send(signal.SIGINT)
    result = running.finish()
    gate.open()
    assert result.returncode in INTERRUPTED
    assert "ERROR: Operation cancelled by user" in result.stderr
    assert "Traceback" not in result.output
    assert venv.installed() == {}
    assert not list(temporary.iterdir())


#: How a server fails once if it is asked for several files at a time.
BUSY: Mapping[str, Mapping[str, Any]] = {
    "503": {"status": 503},
    "429": {"status": 429},
    "reset": {"reset": True},
    "broken off": {"truncate": 9, "whole": True},
}


@pytest.mark.parametrize("name", BUSY)
def test_a_failed_download_is_tried_again_alone(
    venv: Environment, parts: IndexServer, name: str
) -> None:
    command = ["install", "--target", "got", "top", "-i", parts.index_url]
    command += ["--retries", "0", "--resume-retries", "0"]
    parts.fault(wheel(PARTS[2]), times=1, **BUSY[name])
    result = venv.pip(*command)
    assert "ERROR" not in result.stderr
    assert len(list((venv.work / "got").glob("*.dist-info"))) == 10


@pytest.mark.process
@pytest.mark.skipif(os.name == "nt", reason="limits are those of POSIX")
@pytest.mark.parametrize("limit", [24, 64])
def test_few_open_files(venv: Environment, index: IndexServer, limit: int) -> None:
    names = [f"p{number}" for number in range(12)]
    for version in ("1.0", "2.0"):
        for name in names:
            data = random.Random(name + version).randbytes(300_000)
            content: dict[str, str | bytes] = {f"{name}/data.bin": data}
            content |= {f"{name}/a/b/c/d/e/x.py": "x = 1\n"}
            index.add(make_wheel(name, version, files=content))
    for old in [f"{name}==1.0" for name in names], names:
        command = ["install", "-U", *old, "-i", index.index_url]
        limited = ["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"]
        result = venv.run(*limited, venv.python, "-m", "pip", *command)
        assert result.stderr == ""
    assert set(venv.installed().values()) == {"2.0"}
    left = [path.name for path in venv.site_packages.iterdir()]
    assert not [name for name in left if name.startswith(("~", ".pip"))]


@pytest.mark.process
@pytest.mark.parametrize("way", [[], ["-U", "--force-reinstall"]])
def test_bytecode_elsewhere(
    venv: Environment, index: IndexServer, tmp_path: Path, way: list[str]
) -> None:
    data = random.Random(1).randbytes(600_000)
    content: dict[str, str | bytes] = {"bulk/data.bin": data}
    content |= {"bulk/m.py": "x = 1\n"}
    index.add(make_wheel("bulk", "1.0", files=content))
    seen = []
    for option in ["--no-fast"], []:
        prefix = tmp_path / "bytecode"
        env = {"PYTHONPYCACHEPREFIX": str(prefix)}
        command = ["install", "bulk", "-i", index.index_url, *option]
        for more in [[], way]:
            venv.pip(*command, *more, env=env)
        record = venv.site_packages / "bulk-1.0.dist-info" / "RECORD"
        bytecode = set(prefix.rglob("bulk/*"))
        seen.append((record.read_text(), bytecode))
        assert bytecode
        venv.pip("uninstall", "-y", "bulk", env=env)
    assert seen[0] == seen[1]


def test_what_hangs_is_not_waited_for_twice(
    venv: Environment, parts: IndexServer
) -> None:
    gate = Gate()
    parts.fault(wheel("part4"), gate=gate)
    command = ["download", "-d", "got", "top", "-i", parts.index_url]
    command += ["--timeout", "1", "--retries", "1"]
    said = []
    for more in (IN_TURN, []):
        parts.clear_log()
        result = venv.pip(*command, *more, code=1)
        said.append(result.stderr)
    gate.open()
    assert said[0] == said[1]
    asked = [path for _, path in parts.log()]
    # Beside others, and then alone with retries.
    assert asked.count(parts.file_path(wheel("part4"))) <= 3


class _OneAtATime(IndexServer):
    """Answers one request for a wheel after the other, none of them at once."""

    def __init__(self) -> None:
        super().__init__()
        self._answering = threading.Lock()

    def answer(self, request: Request) -> Answer:
        if request.path.endswith(".whl"):
            with self._answering:
                time.sleep(0.6)
        return super().answer(request)


def test_a_server_that_answers_one_at_a_time(venv: Environment) -> None:
    with _OneAtATime() as index:
        for name in ("a", "b"):
            content = random.Random(name).randbytes(600_000)
            index.add(make_wheel(name, "1.0", files={f"{name}.bin": content}))
        command = ["download", "-d", "got", "a", "b", "-i", index.index_url]
        result = venv.pip(*command, "--timeout", "1", "--retries", "0")
    assert result.stderr == ""
    assert len(list((venv.work / "got").iterdir())) == 2


class _FilesNeedCredentials(IndexServer):
    def _is_allowed(self, request: Request) -> bool:
        return not request.path.endswith(".whl") or super()._is_allowed(request)


@pytest.mark.process
def test_the_user_is_asked_once(venv: Environment) -> None:
    with _FilesNeedCredentials() as index:
        fill(index)
        index.auth = ("user", "secret")
        command = ["-m", "pip", "download", "-d", "got", "top"]
        command += ["-i", index.index_url]
        done = subprocess.run(
            [str(venv.python), *command],
            cwd=venv.work,
            env=venv.environ(),
            input="user\nsecret\n",
            capture_output=True,
            text=True,
            check=True,
            # So that the password is read from there as well.
            start_new_session=True,
        )
        assert done.stdout.count("User for") == 1
        assert len(list((venv.work / "got").iterdir())) == 10
        refused = venv.pip(*command[2:], "--no-input", "-d", "other", code=1)
        assert "401 Client Error" in refused.stderr


def test_variants_and_required_hashes(venv: Environment, index: IndexServer) -> None:
    names = [f"app{number}" for number in range(3)]
    for name in names:
        index.add_release(name, "1.0", {"gpu": cuda("12.8"), "null": {}})
    command = ["install", "-i", index.index_url]
    venv.pip(*command, *names, env=forced("12.8"))
    for name in names:
        assert venv.eval(f"{name}.variant_label", name) == "gpu"
    hashed = venv.work / "hashed.txt"
    lines = []
    for name in names:
        entry = index.find(f"{name}-1.0-py3-none-any-null.whl")
        assert entry is not None
        lines.append(f"{name}==1.0 --hash=sha256:{entry.file.sha256}\n")
    hashed.write_text("".join(lines), encoding="utf-8")
    command += ["--force-reinstall", "-r", str(hashed), "--require-hashes"]
    venv.pip(*command, env=forced("12.8"))
    for name in names:
        assert venv.eval(f"{name}.variant_label", name) == "null"
