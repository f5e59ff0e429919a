"""A large download that one run could not finish goes on in the next run."""

from __future__ import annotations

import functools
import os
import random
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from pip._internal.fast.environment_lock import locked
from tests.lib.as_system import WINDOWS
from tests.lib.environments import Environment, Result
from tests.lib.faults import Gate, make_fault
from tests.lib.index import IndexServer
from tests.lib.processes import INTERRUPTED, start_pip, wait_for
from tests.lib.wheels import DistFile, make_wheel

pytestmark = pytest.mark.skipif(WINDOWS, reason="not on Windows")

#: Bytes after which a run breaks off, and bytes that are too few to be kept.
KEPT, FEW = 20_500_000, 19_500_000
NAME = "big-1.0-py3-none-any.whl"
ONCE = ["--resume-retries", "0"]


@functools.cache
def big() -> DistFile:
    """Make a wheel that is just large enough."""
    data = random.Random(44).randbytes(21_000_000)
    return make_wheel("big", "1.0", files={"big/data.bin": data})


@pytest.fixture
def large(index: IndexServer) -> IndexServer:
    """Return an index with a large wheel and a small one that needs it."""
    return filled(index)


def filled(index: IndexServer) -> IndexServer:
    index.add(big())
    index.add(make_wheel("small", "1.0", requires=["big"]))
    return index


def parts(venv: Environment) -> dict[str, int]:
    """Return the sizes of the parts in the cache."""
    found = venv.home.rglob("partial-downloads/*")
    return {path.name: path.stat().st_size for path in found}


def part(venv: Environment, content: bytes) -> Path:
    """Put a part into the cache."""
    cache = venv.pip("cache", "dir").stdout.strip()
    path = Path(cache, "partial-downloads", big().sha256)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def download(venv: Environment, index: IndexServer, *options: str) -> Result:
    """Download the large wheel, and look at it."""
    index.clear_log()
    result = venv.pip("download", "-d", "got", "-i", index.index_url, "big", *options)
    assert (venv.work / "got" / NAME).read_bytes() == big().content
    (venv.work / "got" / NAME).unlink()
    return result


def break_off(
    venv: Environment, index: IndexServer, *options: str, size: int = KEPT
) -> Result:
    """Run a download that breaks off."""
    index.fault(NAME, truncate=size, times=1)
    command = ["download", "-i", index.index_url, "big", *ONCE, *options]
    return venv.pip(*command, code=1)


def requested(index: IndexServer) -> list[str | None]:
    """Return which ranges of the large wheel were requested, None for all of it."""
    requests = [each for each in index.requests if each.path.endswith(NAME)]
    return [each.headers.get("range") for each in requests]


REST = [None, f"bytes={KEPT}-"]

COMMANDS: Mapping[str, Sequence[str]] = {
    "download": ["download", "-d", "got", "big"],
    "install": ["install", "--target", "got", "big"],
    "wheel": ["wheel", "-w", "got", "big"],
    "one at a time": ["download", "-d", "got", "small", "--parallel-downloads=1"],
}


@pytest.mark.on_wheel
@pytest.mark.parametrize("name", COMMANDS)
def test_the_next_run_continues(
    venv: Environment, large: IndexServer, name: str
) -> None:
    command = [*COMMANDS[name], "-i", large.index_url, *ONCE]
    large.fault(NAME, truncate=KEPT, times=1)
    venv.pip(*command, code=1)
    ((sha256, size),) = parts(venv).items()
    assert sha256 == big().sha256
    assert 20_000_000 <= size <= KEPT
    large.clear_log()
    result = venv.pip(*command)
    assert requested(large) == [None, f"bytes={size}-"]
    request = large.requests[-1]
    assert request.headers["if-range"].strip('"') in big().sha256
    assert result.stdout.count("Resuming download") == 1
    assert "(20.5 MB/21.0 MB)" in result.stdout or size < KEPT
    assert result.stderr == ""
    assert parts(venv) == {}
    if name != "install":
        assert (venv.work / "got" / NAME).read_bytes() == big().content


#: What the server does when pip requests the rest.
WRONG: Mapping[str, Mapping[str, Any]] = {
    "200": {"whole": True},
    "416": {"status": 416},
    "another start": {"shift": 13},
    "another Content-Range": {"headers": {"Content-Range": "bytes 0-9/10"}},
    "reset": {"reset": True},
}


@pytest.mark.parametrize("name", WRONG)
def test_begins_again_quietly(venv: Environment, large: IndexServer, name: str) -> None:
    break_off(venv, large)
    large.fault(NAME, ranged=True, **WRONG[name])
    large.clear_log()
    command = ["download", "-d", "got", "-i", large.index_url, "small"]
    result = venv.pip(*command, "--retries", "0")
    assert (venv.work / "got" / NAME).read_bytes() == big().content
    # In a thread, pip repeats a failed request alone.
    assert [each for each, _ in groupby(requested(large))] == [*REST, None]
    assert result.stderr == ""
    assert "Resuming" not in result.stdout
    assert parts(venv) == {}


def test_a_wrong_part_is_downloaded_again(
    venv: Environment, tls_index: IndexServer
) -> None:
    filled(tls_index)
    options = ["--cert", str(tls_index.certificates)]
    part(venv, b"x" * KEPT)
    result = download(venv, tls_index, *options)
    assert requested(tls_index) == [*REST, None]
    assert "ERROR" not in result.stderr
    assert parts(venv) == {}
    # What was wrong is not in the cache.
    assert "Using cached" in download(venv, tls_index, *options).stdout


@pytest.mark.parametrize(("sent", "expected"), [('"one"', '"one"'), ('W/"one"', None)])
def test_if_range(
    venv: Environment, large: IndexServer, sent: str, expected: str | None
) -> None:
    part(venv, big().content[:KEPT])
    large.fault(NAME, headers={"ETag": sent})
    download(venv, large)
    assert requested(large) == REST
    assert large.requests[-1].headers.get("if-range") == expected


def test_another_host_gets_no_password(
    venv: Environment, large: IndexServer, make_index: Callable[[], IndexServer]
) -> None:
    other = filled(make_index())
    # Another port of the same name would be the same host for requests.
    other.host = "localhost"
    large.auth = ("user", "secret")
    path = large.file_path(NAME)
    large.faults[path] = make_fault("redirect", path, elsewhere=other.url)
    part(venv, big().content[:KEPT])
    venv.pip("download", "-i", large.index_url_with_auth, "big")
    assert requested(large) == requested(other) == REST
    for server in large, other:
        last = server.requests[-1].headers
        assert ("authorization" in last) == (server is large)
    assert (venv.work / NAME).read_bytes() == big().content


def _no_hashes(index: IndexServer) -> None:
    index.pages.hashes = False


def _nothing(_: IndexServer) -> None:
    pass


#: With which options and servers pip keeps nothing.
NOT_KEPT: Mapping[str, tuple[Sequence[str], Callable[[IndexServer], None], int]] = {
    "small": ([], _nothing, FEW),
    "--no-fast": (["--no-fast"], _nothing, KEPT),
    "no hashes": ([], _no_hashes, KEPT),
}


@pytest.mark.parametrize("name", NOT_KEPT)
def test_not_kept(venv: Environment, large: IndexServer, name: str) -> None:
    options, change, size = NOT_KEPT[name]
    change(large)
    break_off(venv, large, *options, size=size)
    assert parts(venv) == {}
    download(venv, large, *options)
    assert requested(large) == [None]
    assert parts(venv) == {}


def test_one_writer(venv: Environment, large: IndexServer) -> None:
    path = part(venv, big().content[:KEPT])
    with locked(str(path)):
        result = download(venv, large)
        assert requested(large) == [None]
        assert result.stderr == ""
        assert parts(venv) == {big().sha256: KEPT}
        venv.pip("cache", "purge")
        assert parts(venv) == {big().sha256: KEPT}


def test_only_a_folder_of_its_own(venv: Environment, large: IndexServer) -> None:
    path = part(venv, big().content[:KEPT])
    path.parent.chmod(0o777)
    result = download(venv, large)
    assert requested(large) == [None]
    assert result.stderr == ""


def test_what_is_removed(venv: Environment, large: IndexServer) -> None:
    path = part(venv, big().content[:KEPT])
    old, new = path.with_name("0" * 64), path.with_name("1" * 64)
    for each, days in (old, 15), (new, 13):
        each.write_bytes(path.read_bytes())
        at = time.time() - days * 24 * 60 * 60
        os.utime(each, (at, at))
    download(venv, large)
    assert parts(venv) == {new.name: KEPT}
    venv.pip("cache", "purge")
    assert parts(venv) == {}


@pytest.mark.on_wheel
@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("project", ["big", "small"])
def test_killed(
    venv: Environment, large: IndexServer, number: signal.Signals, project: str
) -> None:
    gate = Gate()
    large.fault(NAME, truncate=KEPT, gate=gate, times=1)
    command = ["install", project, "-i", large.index_url]
    running = start_pip(venv, *command, env={})
    gate.wait_until_reached()
    wait_for(lambda: max(parts(venv).values(), default=0) >= 20_000_000, "20 MB")
    running.send(number)
    result = running.finish()
    gate.open()
    expected = INTERRUPTED if number == signal.SIGINT else (-number,)
    assert result.returncode in expected, result
    (size,) = parts(venv).values()
    large.clear_log()
    result = venv.pip(*command)
    assert requested(large) == [None, f"bytes={size}-"]
    assert "Resuming download" in result.stdout
    assert "big" in venv.installed()
    assert parts(venv) == {}
