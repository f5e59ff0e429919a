"""Which file is downloaded next, and what is unpacked meanwhile."""

from __future__ import annotations

import hashlib
import io
import logging
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pip._vendor.requests import Response

from pip._internal.exceptions import HashMismatch, NetworkConnectionError
from pip._internal.fast import sizes
from pip._internal.fast.digests import Digests, Verified, check_path
from pip._internal.fast.downloads import downloader, pool
from pip._internal.fast.downloads import staging as of_staging
from pip._internal.fast.downloads.arrival import Arrival
from pip._internal.fast.downloads.downloader import ParallelDownloader
from pip._internal.fast.downloads.fetch import Fetch, Stopped
from pip._internal.fast.downloads.pool import Pool
from pip._internal.fast.downloads.progress import CombinedProgress
from pip._internal.fast.downloads.staging import Staging
from pip._internal.fast.session_requests import SessionRequests
from pip._internal.fast.threads import Workers
from pip._internal.models.link import Link
from pip._internal.network.download import _FileDownload
from pip._internal.network.session import PipSession
from pip._internal.utils.hashes import Hashes
from pip._internal.utils.temp_dir import global_tempdir_manager
from tests.lib.processes import wait_for
from tests.lib.wheels import make_wheel

#: A file of any kind, of which nothing is unpacked.
ANY = Arrival(None, None)


def pool_of(*megabytes: int) -> Pool:
    """Return what downloads files of these sizes; 0: not known."""
    links = [Link(f"https://example.invalid/{n}.whl") for n in range(len(megabytes))]
    known = zip(links, megabytes, strict=True)
    sizes._NOTED.update({link.url: size * 1_000_000 for link, size in known if size})
    fetches = [Fetch(link, "", ANY) for link in links]
    progress = CombinedProgress("off", fetches)
    session = PipSession()
    requests = SessionRequests(session, 6)
    alone = lambda fetch: (fetch.folder, "alone")  # noqa: E731
    return Pool(session, requests, 6, fetches, progress, alone)


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the sizes of files."""
    monkeypatch.setattr(sizes, "_NOTED", {})


def numbers(fetches: list[Fetch | None]) -> list[int | None]:
    """Tell which files these are."""
    return [
        None if fetch is None else int(fetch.link.filename.removesuffix(".whl"))
        for fetch in fetches
    ]


def test_the_largest_first_but_few_of_them_at_once() -> None:
    pool = pool_of(3, 900, 0, 100, 700, 2000, 8)
    taken = [pool._next() for _ in range(7)]
    assert numbers(taken) == [5, 1, 4, 6, 0, 2, None]
    assert taken[0] is not None
    pool._running.discard(taken[0])
    assert numbers([pool._next(), pool._next()]) == [3, None]


def test_in_order_where_no_size_is_known() -> None:
    pool = pool_of(0, 0, 0, 0)
    assert numbers([pool._next() for _ in range(5)]) == [0, 1, 2, 3, None]


@pytest.fixture
def staging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Staging]:
    """Return a staging folder."""
    monkeypatch.setattr(of_staging, "LARGE", 0)
    with global_tempdir_manager():
        yield Staging(str(tmp_path / "cache"), {"purelib": "/lib", "platlib": "/lib64"})
    assert not list((tmp_path / "cache").iterdir())


def staged(staging: Staging, wheel: Path) -> dict[str, bytes]:
    """Return what lies in the folder of a wheel once it is unpacked."""
    staging.add(Verified.unchecked(str(wheel)))
    job = staging._wheels[str(wheel)]
    wait_for(lambda: job.error or job.left == 0, "it is unpacked")
    folder = staging.folder_of(str(wheel))
    if folder is None:
        wait_for(lambda: not Path(job.folder).exists(), "it is removed")
        return {}
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_names_in_the_wheel_are_no_names_in_the_folder(
    staging: Staging, tmp_path: Path
) -> None:
    wheel = make_wheel("plain", "1.0").write_to(tmp_path)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("../../escaped.py", "x = 1\n")
        archive.writestr("/absolute.py", "x = 1\n")
        positions = {info.filename: info.header_offset for info in archive.infolist()}
    files = staged(staging, wheel)
    assert {name.partition(".")[0] for name in files} == set(
        map(str, positions.values())
    )
    assert files[str(positions["../../escaped.py"])] == b"x = 1\n"
    assert (
        b"/lib/plain/__init__.py" in files[f"{positions['plain/__init__.py']}.purelib"]
    )


def test_another_file_at_the_path_of_a_wheel(staging: Staging, tmp_path: Path) -> None:
    wheel = make_wheel("plain", "1.0").write_to(tmp_path)
    assert staged(staging, wheel)
    make_wheel("plain", "1.0", files={"more.py": ""}).write_to(tmp_path)
    assert staging.folder_of(str(wheel)) is None


@pytest.mark.parametrize("damage", ["cut", "checksum", "twice"])
def test_what_cannot_be_unpacked_is_left_to_upstream(
    staging: Staging, tmp_path: Path, damage: str
) -> None:
    wheel = make_wheel("plain", "1.0").write_to(tmp_path)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("x", "SENTINEL")
        if damage == "twice":
            archive.filelist.append(archive.filelist[0])
            archive.writestr("y", "")
    content = wheel.read_bytes()
    if damage == "checksum":
        wheel.write_bytes(content.replace(b"SENTINEL", b"DAMAGED!"))
    elif damage == "cut":
        wheel.write_bytes(content[:-30])
    assert staged(staging, wheel) == {}
    # What comes after it is unpacked all the same.
    (tmp_path / "next").mkdir()
    assert staged(staging, make_wheel("next", "1.0").write_to(tmp_path / "next"))


class Written(Fetch):
    """A download that is over, of which the hash is still to be compared."""

    def download(self, _session: PipSession) -> tuple[str, str]:
        """Write the file."""
        path = Path(self.folder) / self.link.filename
        with path.open("wb") as file:
            download = _FileDownload(self.link, file, len(self.content))
            self._arrival.watch(download, lambda _: None)
            for block in (self.content[:700], self.content[700:]):
                download.write_chunk(block)
        return str(path), "application/zip"

    content = b""


@pytest.mark.parametrize(
    ("expected", "is_used"), [("right", True), ("wrong", False), (None, True)]
)
def test_nothing_is_used_before_its_hash_has_passed(
    staging: Staging,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    expected: str | None,
    is_used: bool,
) -> None:
    made = make_wheel("demo", "1.0")
    used: list[str] = []
    monkeypatch.setattr(staging, "add", lambda file: used.append(file.path))
    digests = None
    if expected is not None:
        digest = made.sha256 if expected == "right" else "0" * 64
        digests = Digests.of(Hashes({"sha256": [digest]}))
    link = Link(f"https://example.invalid/{made.filename}")
    fetch = Written(link, str(tmp_path), Arrival(digests, staging))
    fetch.content = made.content
    fetch.run(PipSession())
    path = str(tmp_path / made.filename)
    assert used == [path] * is_used
    assert isinstance(fetch.error, HashMismatch) is not is_used
    assert (fetch.result is not None) is is_used


def test_what_is_settled_is_waited_for_no_more(
    staging: Staging, tmp_path: Path
) -> None:
    wheels = [make_wheel(f"p{n}", "1.0").write_to(tmp_path) for n in range(9)]
    for wheel in wheels:
        staging.add(Verified.unchecked(str(wheel)))
    staging.settle()
    # What had not begun by then is upstream's.
    for path, job in staging._wheels.items():
        assert (job.error is None) is (job.left == 0)
        assert (staging.folder_of(path) is None) is (job.error is not None)


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    hashes = Hashes({"sha256": [hashlib.sha256(b"right").hexdigest()]})
    path.write_bytes(b"right")
    digests = Digests.of(hashes)
    assert digests is not None
    digests.update(b"wrong")
    digests.reset()
    digests.update(b"right")
    digests.check(str(path))
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
        def download(self, _session: PipSession) -> tuple[str, str]:
            if self.link.filename == "fails.whl":
                self.has_arrived = True
                raise HashMismatch({}, {})
            try:
                assert answered.wait(60)
                logging.getLogger("pip._vendor.urllib3").warning("Retrying")
            finally:
                said.set()
            raise Stopped

    monkeypatch.setattr(downloader, "Fetch", Awaited)
    waited: list[float] = []
    monkeypatch.setattr(Workers, "join", lambda _, seconds: waited.append(seconds))
    preparer = SimpleNamespace(
        _session=PipSession(),
        _download=SimpleNamespace(_progress_bar="off"),
        require_hashes=False,
    )
    downloads = ParallelDownloader(cast(Any, preparer), None, 6)
    names = ("fails", "waits")
    links = [Link(f"https://example.invalid/{name}.whl") for name in names]
    with pytest.raises(HashMismatch):
        list(downloads.batch(links, str(tmp_path)))
    assert waited == [pool._PATIENCE], "once for all is enough"
    answered.set()
    assert said.wait(60)
    assert "Retrying" not in caplog.messages


@pytest.mark.parametrize("status", [429, 403, 404, 503, None])
def test_a_failure_is_not_told_before_it_is_for_good(
    status: int | None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Every failure may come from other downloads, so the file is tried once alone."""
    response = Response()
    response.raw = io.BytesIO()

    class Failed(Fetch):
        def download(self, _session: PipSession) -> tuple[str, str]:
            logging.getLogger("pip._internal.network.download").critical("HTTP error")
            if status is None:
                raise RuntimeError("something else")
            response.status_code = status
            raise NetworkConnectionError("failed", response=response)

    failed = Failed(Link("https://example.invalid/0.whl"), "folder", ANY)
    downloads = pool_of(0)
    downloads._fetches = [failed]
    monkeypatch.setattr(downloads, "_wait", lambda: downloads._work(iter([failed])))
    assert downloads.finish(failed) == ("folder", "alone")
    assert caplog.messages == []
