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
from pip._internal.fast.downloads.arrival import Arrival
from pip._internal.fast.downloads.downloader import ParallelDownloader
from pip._internal.fast.downloads.fetch import Fetch, Stopped
from pip._internal.fast.downloads.pool import Pool
from pip._internal.fast.downloads.progress import CombinedProgress
from pip._internal.fast.downloads.staging import Staging
from pip._internal.fast.threads import Workers
from pip._internal.models.link import Link
from pip._internal.network.download import _FileDownload
from pip._internal.network.session import PipSession
from pip._internal.utils.hashes import Hashes
from pip._internal.utils.temp_dir import global_tempdir_manager
from tests.lib.processes import wait_for
from tests.lib.wheels import make_wheel

#: A file of any kind, of which nothing is unpacked.
ANY = Arrival(None, None, 0, is_early=False)


def pool_of(*megabytes: int) -> Pool:
    """Return what downloads files of these sizes; 0: not known."""
    links = [Link(f"https://example.invalid/{n}.whl") for n in range(len(megabytes))]
    known = zip(links, megabytes, strict=True)
    sizes._NOTED.update({link.url: size * 1_000_000 for link, size in known if size})
    fetches = [Fetch(link, "", ANY) for link in links]
    progress = CombinedProgress("off", fetches)
    return Pool(PipSession(), fetches, progress, lambda fetch: (fetch.folder, "alone"))


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
def staging(tmp_path: Path) -> Iterator[Staging]:
    """Return a staging folder."""
    with global_tempdir_manager():
        yield Staging(str(tmp_path / "cache"), {"purelib": "/lib", "platlib": "/lib64"})
    assert not list((tmp_path / "cache").iterdir())


def staged(staging: Staging, wheel: Path) -> dict[str, bytes]:
    """Return what lies in the folder of a wheel once it is unpacked."""
    staging.add(Verified.unchecked(str(wheel)))
    job = staging._all[str(wheel)]
    wait_for(lambda: job.has_failed or not job._open, "it is unpacked")
    folder = staging.folder_of(str(wheel))
    if folder is None:
        assert not Path(job.folder).exists()
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


def test_a_process_that_dies_takes_nothing_along(
    staging: Staging, tmp_path: Path
) -> None:
    first, second = (
        make_wheel(name, "1.0").write_to(tmp_path) for name in ("first", "second")
    )
    assert staged(staging, first)
    for child in staging._children:
        child.kill()
        child.wait()
    for _ in range(9):
        staging.add(Verified.unchecked(str(second)))
    # Another process may have taken over by then.
    folder = staging.folder_of(str(second))
    assert folder is None or (Path(folder) / "0").is_file()
    assert staging.folder_of(str(first)) is not None


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
@pytest.mark.parametrize("is_early", [False, True])
def test_nothing_is_used_before_its_hash_has_passed(
    staging: Staging,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    expected: str | None,
    is_early: bool,
    is_used: bool,
) -> None:
    made = make_wheel("demo", "1.0")
    began: list[str] = []

    def begin(path: str, size: int) -> None:
        began.append(path)
        assert size == len(made.content)

    used: list[str] = []
    monkeypatch.setattr(staging, "begin", begin)
    monkeypatch.setattr(staging, "add", lambda file: used.append(file.path))
    digests = None
    if expected is not None:
        digest = made.sha256 if expected == "right" else "0" * 64
        digests = Digests.of(Hashes({"sha256": [digest]}))
    link = Link(f"https://example.invalid/{made.filename}")
    fetch = Written(link, str(tmp_path), Arrival(digests, staging, 0, is_early))
    fetch.content = made.content
    fetch.run(PipSession())
    path = str(tmp_path / made.filename)
    assert began == [path] * (is_early and expected is not None)
    assert used == [path] * is_used
    assert isinstance(fetch.error, HashMismatch) is not is_used
    assert (fetch.result is not None) is is_used


def test_what_came_first_of_another_file_is_dropped(
    staging: Staging, tmp_path: Path
) -> None:
    """It may have the sums that the right file has, but not its hash."""
    made = make_wheel("demo", "1.0")
    digests = Digests.of(Hashes({"sha256": [made.sha256]}))
    arrival = Arrival(digests, staging, 0, is_early=True)
    path = tmp_path / made.filename
    with path.open("wb") as file:
        link = Link(f"https://example.invalid/{made.filename}")
        download = _FileDownload(link, file, len(made.content))
        arrival.watch(download, lambda _: None)
        download.write_chunk(b"something else")
        first = staging._all[str(path)]
        assert not first.has_failed
        download.reset_file()
        assert first.has_failed
        download.write_chunk(made.content)
    arrival.check(str(path))
    second = staging._all[str(path)]
    assert second is not first
    wait_for(lambda: not second._open, "it is unpacked")
    assert staging.folder_of(str(path)) == second.folder


def test_what_is_settled_is_waited_for_no_more(
    staging: Staging, tmp_path: Path
) -> None:
    wheels = [make_wheel(f"p{n}", "1.0").write_to(tmp_path) for n in range(9)]
    for wheel in wheels:
        staging.add(Verified.unchecked(str(wheel)))
    staging.settle()
    # What had not begun by then is upstream's.
    for job in staging._all.values():
        assert job.has_failed is bool(job._open)
        assert (staging.folder_of(job.path) is None) is job.has_failed


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


def test_without_a_process_nothing_is_waited_for(
    staging: Staging, tmp_path: Path
) -> None:
    wheels = [make_wheel(f"p{n}", "1.0").write_to(tmp_path) for n in range(9)]
    staging.add(Verified.unchecked(str(wheels[0])))
    staging.close()
    staging.folder_of(str(wheels[0]))
    for wheel in wheels[1:]:
        staging.add(Verified.unchecked(str(wheel)))
        assert staging.folder_of(str(wheel)) is None


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
    downloads = ParallelDownloader(cast(Any, preparer), None)
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
