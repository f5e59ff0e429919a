"""An archive holds what it is given, and nothing of where it was written."""

from __future__ import annotations

import io
import zipfile

from tools.release.archives import zipped

FILES = {"b.py": b"b\n" * 100, "a/c.txt": b"c"}


def test_files_keep_their_order_and_have_neither_time_nor_owner() -> None:
    with zipfile.ZipFile(io.BytesIO(zipped(FILES))) as archive:
        assert archive.namelist() == ["b.py", "a/c.txt"]
        assert {name: archive.read(name) for name in FILES} == FILES
        for info in archive.infolist():
            assert info.date_time == (2020, 2, 2, 0, 0, 0)
            assert (info.create_system, info.external_attr >> 16) == (3, 0o100644)


def test_the_same_files_give_the_same_bytes() -> None:
    assert zipped(FILES) == zipped(dict(FILES))
    assert zipped(FILES) != zipped({**FILES, "b.py": b""})
