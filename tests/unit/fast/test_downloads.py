"""Which file is downloaded next, and what is unpacked meanwhile."""

from __future__ import annotations

import hashlib
import logging
import threading
import zipfile
from collections.abc import Iterator
from optparse import Values
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import pytest

from pip._vendor.urllib3.exceptions import ReadTimeoutError

from pip._internal.fast import download_pool, pages, switches
from pip._internal.fast.digests import check_path, known_sha256, register
from pip._internal.fast.download_pool import Fetch, Pool, Stopped
from pip._internal.fast.parallel_downloads import batch
from pip._internal.fast.threads import Workers
from pip._internal.fast.unpacker import UnpackedWheel, Unpacker
from pip._internal.models.link import Link
from pip._internal.network.download import Downloader
from pip._internal.network.session import PipSession
from pip._internal.utils.hashes import Hashes
from tests.lib.processes import wait_for
from tests.lib.wheels import make_wheel


class Alone(Downloader):
    """A downloader that returns the folder of the file."""

    def __call__(self, _link: Link, location: str) -> tuple[str, str]:
        """Download nothing."""
        return location, "alone"


def pool_of(*megabytes: int) -> Pool:
    """Return what downloads files of these sizes; 0: not known."""
    links = [Link(f"https://example.invalid/{n}.whl") for n in range(len(megabytes))]
    known = zip(links, megabytes, strict=True)
    pages._SIZES.update({link.url: size * 1_000_000 for link, size in known if size})
    return Pool(Alone(PipSession(), "off"), 6, links, "")


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the sizes of files."""
    monkeypatch.setattr(pages, "_SIZES", {})


def numbers(fetches: list[Fetch | None]) -> list[int | None]:
    """Return the numbers in the names of the files."""
    return [int(each.link.filename[:-4]) if each else None for each in fetches]


def test_the_largest_first_but_few_of_them_at_once() -> None:
    pool = pool_of(3, 900, 0, 100, 700, 2000, 8)
    taken = [pool._next() for _ in range(7)]
    assert numbers(taken) == [5, 1, 4, 6, 0, 2, None]
    assert taken[0] is not None
    pool._running.discard(taken[0])
    assert numbers([pool._next(), pool._next()]) == [3, None]


def test_in_order_where_no_size_is_known() -> None:
    pool = pool_of(0, 0, 0)
    assert numbers([pool._next() for _ in range(4)]) == [0, 1, 2, None]


@pytest.fixture
def unpacker(tmp_path: Path) -> Iterator[Unpacker]:
    """Return what unpacks wheels in a folder."""
    folder = tmp_path / "unpacked"
    folder.mkdir()
    made = Unpacker(str(folder), "/lib")
    yield made
    made.close()
    assert not folder.exists()


def finished(_: zipfile.ZipFile, wheel: UnpackedWheel) -> UnpackedWheel:
    """Do nothing with an unpacked wheel."""
    return wheel


def unpacked(unpacker: Unpacker, wheel: Path) -> dict[str, bytes]:
    """Return the files of a wheel once it is unpacked."""
    unpacker.add(str(wheel), finished)
    job = unpacker._jobs[str(wheel)]
    wait_for(lambda: job.error or job.result, "it is unpacked")
    if unpacker.get(str(wheel)) is None:
        wait_for(lambda: not Path(job.folder).exists(), "it is removed")
        return {}
    return {path.name: path.read_bytes() for path in Path(job.folder).iterdir()}


def test_names_in_the_wheel_are_no_names_in_the_folder(
    unpacker: Unpacker, tmp_path: Path
) -> None:
    wheel = make_wheel("plain", "1.0").write_to(tmp_path)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("../../escaped.py", "x = 1\n")
        archive.writestr("/absolute.py", "x = 1\n")
        numbers = {name: str(n) for n, name in enumerate(archive.namelist())}
    files = unpacked(unpacker, wheel)
    assert {name.partition(".")[0] for name in files} == set(numbers.values())
    assert files[numbers["../../escaped.py"]] == b"x = 1\n"
    assert b"/lib/plain/__init__.py" in files[f"{numbers['plain/__init__.py']}.pyc"]


def test_another_file_at_the_path_of_a_wheel(
    unpacker: Unpacker, tmp_path: Path
) -> None:
    wheel = make_wheel("plain", "1.0").write_to(tmp_path)
    assert unpacked(unpacker, wheel)
    make_wheel("plain", "1.0", files={"more.py": ""}).write_to(tmp_path)
    assert unpacker.get(str(wheel)) is None


@pytest.mark.parametrize("damage", ["cut", "checksum", "size"])
def test_what_cannot_be_unpacked_is_left_to_pip(
    unpacker: Unpacker, tmp_path: Path, damage: str
) -> None:
    wheel = make_wheel("plain", "1.0").write_to(tmp_path)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("x", "SENTINEL")
    content = wheel.read_bytes()
    if damage == "checksum":
        wheel.write_bytes(content.replace(b"SENTINEL", b"DAMAGED!"))
    elif damage == "cut":
        wheel.write_bytes(content[:-30])
    else:
        size = content.rindex(b"PK\1\2") + 24
        wheel.write_bytes(content[:size] + b"\xff" + content[size + 1 :])
    assert unpacked(unpacker, wheel) == {}
    # What comes after it is unpacked all the same.
    (tmp_path / "next").mkdir()
    assert unpacked(unpacker, make_wheel("next", "1.0").write_to(tmp_path / "next"))


class Unpacks:
    """Notes the wheels that are to be unpacked."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def add(self, path: str, *_: object) -> None:
        """Note a wheel."""
        self.paths.append(path)


class Written(Fetch):
    """A download that has ended, with a hash that is still to be compared."""

    content = b""

    def __call__(self, link: Link, location: str) -> tuple[str, str]:
        """Write the file."""
        path = Path(location) / link.filename
        path.write_bytes(self.content)
        return str(path), "application/zip"


@pytest.mark.parametrize("expected", ["right", "wrong", None])
def test_nothing_is_unpacked_before_its_hash_is_checked(
    tmp_path: Path, expected: str | None
) -> None:
    made = make_wheel("demo", "1.0")
    digest = {"right": made.sha256, "wrong": "0" * 64}.get(expected or "")
    fragment = f"#sha256={digest}" if digest else ""
    link = Link(f"https://example.invalid/{made.filename}{fragment}")
    unpacks = Unpacks()
    fetch = Written(PipSession(), link, str(tmp_path), cast(Any, unpacks))
    fetch.content = made.content
    fetch.run()
    path = str(tmp_path / made.filename)
    # pip itself reports a wrong hash.
    assert fetch.result == (path, "application/zip")
    assert unpacks.paths == [path] * (expected == "right")
    assert known_sha256(path) == (made.sha256 if expected == "right" else None)


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    sha256 = hashlib.sha256(b"right").hexdigest()
    hashes = Hashes({"sha256": [sha256]})
    path.write_bytes(b"right")
    register(str(path), sha256)
    read: list[str] = []

    def read_again(_: Hashes, path: str) -> None:
        read.append(path)

    check_path(read_again, hashes, str(path))
    assert read == []
    other = Hashes({"sha256": ["0" * 64]})
    check_path(read_again, other, str(path))
    path.unlink()
    path.write_bytes(b"wrong")
    check_path(read_again, hashes, str(path))
    assert read == [str(path)] * 2


def test_what_is_stopped_says_no_more(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Nor later: a thread that waits for a server outlives the downloads."""
    answered, said = threading.Event(), threading.Event()

    class Awaited(Fetch):
        def __call__(self, link: Link, _: str) -> tuple[str, str]:
            if link.filename == "comes.whl":
                return "comes", "application/zip"
            try:
                assert answered.wait(60)
                logging.getLogger("pip._vendor.urllib3").warning("Retrying")
            finally:
                said.set()
            raise Stopped

    monkeypatch.setattr(download_pool, "Fetch", Awaited)
    waited: list[float] = []
    monkeypatch.setattr(Workers, "join", lambda _, seconds: waited.append(seconds))
    session = PipSession()
    options = Values({"no_fast": False, "parallel_downloads": 6})
    monkeypatch.setattr(switches, "_options", options)
    links = [Link(f"https://example.invalid/{name}.whl") for name in ("comes", "waits")]
    downloads = iter(
        batch(Downloader.batch, Alone(session, "off"), links, str(tmp_path))
    )
    assert next(downloads) == (links[0], ("comes", "application/zip"))
    cast(Any, downloads).close()
    assert waited == [download_pool._PATIENCE], "once for all is enough"
    answered.set()
    assert said.wait(60)
    assert "Retrying" not in caplog.messages


@pytest.mark.parametrize(("seconds", "is_final"), [(20, True), (10, False)])
def test_a_timeout_is_final_if_nothing_else_went_on(
    seconds: int, is_final: bool
) -> None:
    downloads = pool_of(0, 0)
    downloads._downloader._session.timeout = 15
    failed, _ = downloads._fetches
    failed.error = ReadTimeoutError(cast("Any", None), "", "")
    failed.ended_at, downloads._went_on_at = 100.0 + seconds, 100.0
    assert downloads._is_final(failed) == is_final


def test_after_a_failure_nothing_else_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    downloads = pool_of(0, 0, 0)
    fetch = downloads._next()
    assert fetch is not None
    monkeypatch.setattr(fetch, "run", lambda: setattr(fetch, "error", OSError()))
    downloads._work(iter([fetch]))
    assert [type(e.error) for e in downloads._fetches] == [OSError, Stopped, Stopped]
    assert downloads._next() is None


def test_an_interrupt_of_the_start_stops_what_has_begun(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    downloads = pool_of(0)
    monkeypatch.setattr(Workers, "grow", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        next(downloads.download())
    assert isinstance(downloads._fetches[0].error, Stopped)
