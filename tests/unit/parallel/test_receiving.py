"""Which responses are received with less work, and which as upstream does it."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from pip._internal.models.link import Link
from pip._internal.network.cache import SafeFileCache
from pip._internal.network.download import Downloader, _FileDownload
from pip._internal.network.session import PipSession
from pip._internal.parallel.connections import like
from pip._internal.parallel.receiving import _Cache, _InFile, response_processed
from pip._internal.parallel.slots import IS_FAST
from tests.lib.index import IndexServer
from tests.lib.wheels import make_wheel

LARGE = "large-1.0-py3-none-any.whl"


@pytest.fixture
def index() -> Iterator[IndexServer]:
    made = IndexServer()
    made.add(make_wheel("large", "1.0"))
    with made:
        yield made


@pytest.mark.parametrize(
    ("fault", "is_fast", "is_lean"),
    [
        ({"size": 600_000}, True, True),
        ({"size": 600_000}, False, False),
        ({"size": 600_000}, None, False),
        ({"size": 500_000}, True, False),
        ({"size": 600_000, "headers": {"Content-Length": ""}}, True, False),
        ({"status": 206, "body": b"x" * 600_000}, True, False),
    ],
    ids=["large", "switched-off", "nobody-said", "small", "no-length", "a-part"],
)
def test_which_are_received_with_less_work(
    index: IndexServer, fault: dict[str, Any], is_fast: bool | None, is_lean: bool
) -> None:
    index.fault(LARGE, **fault)
    session = PipSession()
    if is_fast is not None:
        IS_FAST.set(session, is_fast)
    url = index.file_url(LARGE)
    response = session.get(url, stream=True)
    raw = response.raw
    seen = []

    def process(_: object, __: object, resp: Any) -> None:
        seen.append(resp.raw is not raw)

    download = _FileDownload(Link(url), io.BytesIO(), None)
    response_processed(process, Downloader(session, "off"), download, response)
    assert seen == [is_lean]
    assert response.raw is raw
    response.close()
    session.close()


def _fail(*_: object) -> NoReturn:
    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


def _copy_a_part(source: int, target: int, _: int) -> int:
    if os.lseek(source, 0, os.SEEK_CUR):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    return os.write(target, os.read(source, 1000))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere files are copied")
@pytest.mark.parametrize(
    ("missing", "rights", "of_folder", "is_same"),
    [
        ([], 0o644, 0o755, True),
        ([], 0o600, 0o755, False),
        ([], 0o644, 0o2755, False),
        (["listxattr"], 0o644, 0o755, False),
        (["link"], 0o644, 0o755, False),
        (["link", "copy_file_range"], 0o644, 0o755, False),
        (["link", "half"], 0o644, 0o755, False),
        (["link", "gone"], 0o644, 0o755, False),
    ],
    ids=[
        *("linked", "rights", "group", "unknown", "by-the-system", "copied", "half"),
        "on-pypy",
    ],
)
@pytest.mark.linux
def test_the_cache_gets_the_file(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    missing: list[str],
    rights: int,
    of_folder: int,
    is_same: bool,
) -> None:
    """It is the very file where it would not differ from a copy of upstream's."""
    for name in missing:
        if name == "half":
            monkeypatch.setattr(os, "copy_file_range", _copy_a_part, raising=False)
        elif name == "gone":
            monkeypatch.delattr(os, "copy_file_range", raising=False)
        else:
            monkeypatch.setattr(os, name, _fail, raising=False)
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(of_folder)
    source = tmp_path / "source"
    source.write_bytes(b"content" * 100_000)
    source.chmod(rights)
    upstreams = SafeFileCache(str(folder))
    cache: Any = like(upstreams, _Cache)
    for key in ("ours", "theirs"):
        cache.set(key, b"entry")
    cache.set_body("ours", _InFile(str(source)))
    upstreams.set_body("theirs", source.read_bytes())
    ours, theirs = (
        Path(f"{upstreams._get_cache_path(key)}.body") for key in ("ours", "theirs")
    )
    assert ours.read_bytes() == theirs.read_bytes()
    modes = {stat.S_IMODE(each.stat().st_mode) for each in (ours, theirs)}
    assert modes == {0o644}
    assert stat.S_IMODE(source.stat().st_mode) == rights
    assert ours.samefile(source) is is_same
    bodies = [path for path in folder.rglob("*.*") if path.is_file()]
    assert sorted(bodies) == sorted([ours, theirs])


def test_a_cache_that_cannot_be_written_to_is_left_alone(tmp_path: Path) -> None:
    source, folder = tmp_path / "source", tmp_path / "cache"
    source.write_bytes(b"content")
    folder.write_bytes(b"no folder")
    cache: Any = like(SafeFileCache(str(folder)), _Cache)
    cache.set_body("key", _InFile(str(source)))
    assert folder.read_bytes() == b"no folder"
