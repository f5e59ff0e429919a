"""Several files at a time, and the same outcome as with ``--parallel-downloads=1``."""

from __future__ import annotations

import os
import random
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from tests.lib.environments import Environment, Result
from tests.lib.index import IndexServer, ReceivedRequest
from tests.lib.wheels import make_wheel

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


INSTALL = ["install", "--target", "target", "top"]
#: Commands, and whether pages have what metadata and hashes pip likes.
COMMANDS: Mapping[str, tuple[Sequence[str], bool]] = {
    "install": (INSTALL, True),
    "download": (["download", "-d", "target", "top"], True),
    "wheel": (["wheel", "-w", "target", "top"], True),
    "fast-deps": ([*INSTALL, "--use-feature", "fast-deps"], False),
    "bare pages": (INSTALL, False),
    "quiet": ([*INSTALL, "-q", "--progress-bar", "on"], True),
    "--progress-bar off": ([*INSTALL, "--progress-bar", "off"], True),
    "--progress-bar raw": ([*INSTALL, "--progress-bar", "raw"], True),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_same_files_requests_and_output(
    venv: Environment, parts: IndexServer, name: str
) -> None:
    command, has_all = COMMANDS[name]
    parts.pages.core_metadata = parts.pages.hashes = has_all
    seen, results = [], []
    for number, options in enumerate((IN_TURN, [])):
        venv.clear_cache()
        parts.clear_log()
        folder = venv.work / f"run{number}"
        folder.mkdir()
        result = venv.pip(*command, *options, "-i", parts.index_url, cwd=folder)
        results.append(result.stdout)
        seen.append((Counter(parts.log()), files(folder), result.stderr))
    serial, parallel = results
    assert seen[0] == seen[1]
    assert sorted(without_bars(serial)) == sorted(without_bars(parallel))
    bars = parallel.count("━━")
    if name in ("quiet", "--progress-bar off"):
        assert bars == 0
        assert "Progress" not in parallel
    elif name == "--progress-bar raw":
        entries = [entry for each in parts.projects.values() for entry in each]
        whole = sum(len(entry.file.content) for entry in entries)
        assert f"Progress {whole} of {whole}\n" in parallel
    elif name == "install":
        # One for all that three had in turn.
        assert len(re.findall("━+", serial)) == 3
        assert re.search(r"━ 3\.6/3\.6 MB .* 10/10 files\n", parallel)


@pytest.mark.process
def test_no_temporary_file_is_left(
    venv: Environment, tls_index: IndexServer, tmp_path: Path
) -> None:
    fill(tls_index)
    for name in PARTS:
        tls_index.fault(wheel(name), truncate=1500, times=1, reset=True)
    options = ["-i", tls_index.index_url, "--cert", str(tls_index.certificates)]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    venv.pip("install", "top", *options, env={"TMPDIR": str(temporary)})
    assert not [*temporary.iterdir()]


def test_resumed_after_a_break(venv: Environment, tls_index: IndexServer) -> None:
    fill(tls_index)
    broken = ["part0", "part4"]
    for name in broken:
        tls_index.fault(wheel(name), truncate=1500, times=1, methods=["GET"])
    command = ["download", "-d", "got", "top", "-i", tls_index.index_url]
    command += ["--cert", str(tls_index.certificates)]
    result = venv.pip(*command)
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
@pytest.mark.skipif(os.name == "nt", reason="limits are those of POSIX")
def test_few_open_files(venv: Environment, index: IndexServer) -> None:
    names = [f"p{number}" for number in range(12)]
    for version in ("1.0", "2.0"):
        for name in names:
            data = random.Random(name + version).randbytes(300_000)
            content: dict[str, str | bytes] = {f"{name}/data.bin": data}
            content |= {f"{name}/a/b/c/d/e/x.py": "x = 1\n"}
            index.add(make_wheel(name, version, files=content))
    for old in [f"{name}==1.0" for name in names], names:
        command = ["install", "-U", *old, "-i", index.index_url]
        limited = ["sh", "-c", 'ulimit -n 16; exec "$@"', "sh"]
        assert venv.run(*limited, venv.python, "-m", "pip", *command).stderr == ""
    assert set(venv.installed().values()) == {"2.0"}
    left = [path.name for path in venv.site_packages.iterdir()]
    assert not [name for name in left if name.startswith(("~", ".pip"))]


@pytest.mark.process
def test_bytecode_elsewhere(
    venv: Environment, index: IndexServer, tmp_path: Path
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
        for more in [], ["-U", "--force-reinstall"]:
            venv.pip(*command, *more, env=env)
        record = venv.site_packages / "bulk-1.0.dist-info" / "RECORD"
        bytecode = set(prefix.rglob("bulk/*"))
        seen.append((record.read_text(), bytecode))
        assert bytecode
        venv.pip("uninstall", "-y", "bulk", env=env)
    assert seen[0] == seen[1]


class _FilesNeedCredentials(IndexServer):
    def _is_allowed(self, request: ReceivedRequest) -> bool:
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
