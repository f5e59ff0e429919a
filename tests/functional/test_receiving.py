"""Large files arrive with less work, and to the same end.

Each case runs the fork as it is and with ``--no-fast``: the same words, requests, file
and cache, whatever goes wrong on the way.
"""

from __future__ import annotations

import hashlib
import random
import re
import shutil
import ssl
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import trustme

from tests.lib.environments import Environment
from tests.lib.faults import FAULTS, make_fault
from tests.lib.index import IndexServer
from tests.lib.modes import on_wheel
from tests.lib.wheels import make_wheel

#: More than what is received as ever, and no multiple of a block.
CONTENT = random.Random(1).randbytes(1_234_567)
WHEEL = make_wheel("large", "1.0", files={"large/data.bin": CONTENT})
#: The first block comes whole.
LATE: Mapping[str, Mapping[str, Any]] = {
    "breaks off": {"truncate": 300_000},
    "breaks off once": {"truncate": 300_000, "times": 1},
    "is reset once": {"truncate": 700_000, "times": 1, "reset": True},
    "stalls": {"truncate": 300_000, "gate": True},
    "is shorter": {"longer": 1000},
    "is longer": {"longer": -1000},
    "is not to be kept": {"headers": {"Cache-Control": "no-store"}},
    "has no tag": {"headers": {"ETag": "", "Cache-Control": "max-age=60"}},
}
#: What has a body, at which upstream does not crash.
BODIES = [
    name
    for name, fault in FAULTS.items()
    if "redirect" not in name and fault.get("status", 200) < 300
]
ON_WHEEL = {"all is well", "breaks off once"}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[IndexServer]:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    made = IndexServer()
    made.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(made.tls)
    made.add(WHEEL)
    with made:
        yield made


def plant(index: IndexServer, name: str) -> None:
    """Let the file come in one of the ways."""
    path = index.file_path(WHEEL.filename)
    if path in index.faults and (gate := index.faults[path].gate) is not None:
        gate.open()
    if name in FAULTS:
        index.faults[path] = make_fault(name, path, index.files_url)
    elif name in LATE:
        given = dict(LATE[name])
        if given.pop("gate", False):
            index.faults[path] = make_fault("stalled", **given)
        else:
            index.fault(WHEEL.filename, **given)
    elif name == "has another hash":
        (entry,) = index.projects["large"]
        index.projects["large"] = [entry.__class__(entry.file, sha256="0" * 64)]


def below(folder: Path) -> Mapping[str, tuple[str, int, int]]:
    """Return what lies below a folder: contents, rights, and in how many places."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            status = path.stat()
            name = str(path.relative_to(folder))
            found[name] = digest, status.st_mode, status.st_nlink
    return found


def outcome(
    environment: Environment, index: IndexServer, name: str, options: Sequence[str]
) -> tuple[object, ...]:
    """Download the file once, and tell all that came of it."""
    index.clear_log()
    environment.clear_cache()
    plant(index, name)
    got, cache = environment.work / "got", environment.work / "cache"
    for each in (got, cache):
        shutil.rmtree(each, ignore_errors=True)
    command: list[str | Path] = [
        "download",
        "-d",
        got,
        "large",
        "-i",
        index.index_url,
        "--no-deps",
    ]
    command += ["--cert", environment.work / "ca.pem", "--timeout", "1"]
    command += ["--retries", "1", "--cache-dir", cache, *options]
    result = environment.pip(*command, code=None)
    output = re.sub(r"0x[0-9a-f]+|[\d.]+ [kM]?B/s.*|\(/.*", "<>", result.output)
    output = re.sub(r"(?m)^(Progress|   .*━).*\n", "", output)
    if name == "is reset once":
        # How much of what was sent is lost is up to the system.
        output = re.sub(r"\d+ kB/", "<>/", output)
    # Dates differ from second to second, and stand in what describes an entry.
    kept = [each for each in below(cache).items() if each[0].endswith(".body")]
    entries = sorted(path for path in below(cache))
    return result.returncode, output, index.log(), below(got), kept, entries


@pytest.mark.parametrize(
    "name",
    on_wheel(
        ["all is well", "has another hash", "without a cache", *LATE, *BODIES], ON_WHEEL
    ),
)
def test_the_same_comes_of_it(
    name: str, index: IndexServer, venv: Environment, tmp_path: Path
) -> None:
    shutil.copy(tmp_path / "ca.pem", venv.work)
    options = ["--no-cache-dir"] if name == "without a cache" else []
    expected = outcome(venv, index, name, [*options, "--no-fast"])
    assert outcome(venv, index, name, options) == expected


@pytest.mark.on_wheel
def test_the_cache_answers_for_it(
    index: IndexServer, venv: Environment, tmp_path: Path
) -> None:
    command: list[str | Path] = [
        "install",
        "large",
        "-i",
        index.index_url,
        "--cert",
        tmp_path / "ca.pem",
    ]
    venv.pip(*command)
    path = index.file_path(WHEEL.filename)
    assert ("GET", path) in index.log()
    index.clear_log()
    for option in ("--no-fast", "--force-reinstall"):
        result = venv.pip(*command, "--force-reinstall", option)
        assert "Using cached large" in result.stdout
    assert ("GET", path) not in index.log()
    file = "open(large.__path__[0] + '/data.bin', 'rb').read()"
    digest = venv.eval(f"hashlib.sha256({file}).hexdigest()", "hashlib, large")
    assert digest == hashlib.sha256(CONTENT).hexdigest()


def test_hashes_of_another_kind_are_computed(
    index: IndexServer, venv: Environment, tmp_path: Path
) -> None:
    """The index tells a hash of one kind, and the user asks for another."""
    good = hashlib.sha512(WHEEL.content).hexdigest()
    requirements = venv.work / "requirements.txt"
    command: list[str | Path] = [
        "download",
        "-r",
        requirements,
        "--no-deps",
        "-i",
        index.index_url,
    ]
    command += ["--cert", tmp_path / "ca.pem", "--require-hashes"]
    requirements.write_text(f"large==1.0 --hash=sha512:{good}\n")
    venv.pip(*command)
    requirements.write_text(f"large==1.0 --hash=sha512:{'0' * 128}\n")
    result = venv.pip(*command, "-d", "other", code=1)
    assert f"Got        {good}" in result.stderr
