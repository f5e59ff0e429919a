"""A copy of a wheel has the data of the original, other metadata and the right RECORD."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lib.wheels import make_wheel
from wheel_variants.publish.files import replacing
from wheel_variants.publish.wheels import UnreadableWheel, copy_wheel, open_wheel

JSON = b'{"variants": {"cu128": {}}}\n'
DIST_INFO = "demo-1.0.dist-info"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return make_wheel("demo", "1.0", files={"demo/data.bin": b"x" * 9999}).write_to(
        tmp_path
    )


def copied(wheel: Path, variant_json: bytes | None = JSON) -> bytes:
    target = io.BytesIO()
    with open_wheel(str(wheel)) as opened:
        files = {} if variant_json is None else {"variant.json": variant_json}
        copy_wheel(opened, target, files)
    return target.getvalue()


def contents(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def assert_record_is_right(members: dict[str, bytes]) -> None:
    record = members[f"{DIST_INFO}/RECORD"].decode()
    rows = {path: rest for path, *rest in csv.reader(io.StringIO(record))}
    assert sorted(rows) == sorted(members)
    for path, content in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
        expected = ["sha256=" + digest.decode().rstrip("="), str(len(content))]
        assert rows[path] == (["", ""] if path.endswith("/RECORD") else expected)


def test_adds_metadata_and_keeps_the_rest(wheel: Path) -> None:
    before, after = contents(wheel.read_bytes()), contents(copied(wheel))
    assert after.pop(f"{DIST_INFO}/variant.json") == JSON
    assert after.pop(f"{DIST_INFO}/RECORD") != before.pop(f"{DIST_INFO}/RECORD")
    assert after == before
    names = list(contents(copied(wheel)))
    assert names[-2:] == [f"{DIST_INFO}/variant.json", f"{DIST_INFO}/RECORD"]
    assert_record_is_right(contents(copied(wheel)))


def test_replaces_metadata_and_takes_it_away_again(wheel: Path, tmp_path: Path) -> None:
    variant = tmp_path / "demo-1.0-py3-none-any-cu128.whl"
    variant.write_bytes(copied(wheel))
    assert contents(copied(variant, None)) == contents(wheel.read_bytes())
    other = contents(copied(variant, b"{}"))
    assert other[f"{DIST_INFO}/variant.json"] == b"{}"
    assert_record_is_right(other)


def test_same_bytes_at_any_time_and_under_any_umask(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = copied(wheel)
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    os.utime(wheel, (1, 1))
    for umask in (0o077, 0o022):
        path = tmp_path / f"{umask:o}"
        old = os.umask(umask)
        try:
            with open_wheel(str(wheel)) as opened, replacing(str(path)) as target:
                copy_wheel(opened, target, {"variant.json": JSON})
        finally:
            os.umask(old)
        assert path.read_bytes() == first
        if os.name == "posix":
            assert path.stat().st_mode & 0o777 == 0o666 & ~umask


def test_new_members_are_dated_like_record_and_not_compressed(wheel: Path) -> None:
    # Neither the clock nor the version of zlib may show.
    with zipfile.ZipFile(wheel) as archive:
        dated = archive.getinfo(f"{DIST_INFO}/RECORD").date_time
    with zipfile.ZipFile(io.BytesIO(copied(wheel))) as archive:
        for name in ("RECORD", "variant.json"):
            info = archive.getinfo(f"{DIST_INFO}/{name}")
            assert info.date_time == dated
            assert info.compress_type == zipfile.ZIP_STORED


def test_further_fields_of_headers_are_left_out(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            info.extra = b"\x55\x54\x05\x00\x03\x00\x00\x00\x00"
            archive.writestr(info, content)
    with zipfile.ZipFile(io.BytesIO(copied(wheel))) as archive:
        assert {info.extra for info in archive.infolist()} == {b""}


def test_compressed_data_is_taken_as_it_is(wheel: Path) -> None:
    def compressed(data: bytes) -> dict[str, tuple[int, int, int]]:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {
                i.filename: (i.compress_type, i.compress_size, i.CRC)
                for i in archive.infolist()
                if "RECORD" not in i.filename and "variant" not in i.filename
            }

    assert compressed(copied(wheel)) == compressed(wheel.read_bytes())


class Unseekable(io.RawIOBase):
    """A file without seeking, in which zipfile writes sizes after the data."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object, /) -> int:
        self.data += bytes(data)  # type: ignore[call-overload]
        return len(data)  # type: ignore[arg-type]


def test_sizes_that_came_after_the_data_come_before_it(wheel: Path) -> None:
    streamed = Unseekable()
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(streamed, "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info), zipfile.ZIP_DEFLATED)
    wheel.write_bytes(streamed.data)
    with zipfile.ZipFile(wheel) as archive:
        assert all(info.flag_bits & 0x8 for info in archive.infolist())
    result = copied(wheel)
    assert_record_is_right(contents(result))
    with zipfile.ZipFile(io.BytesIO(result)) as archive:
        assert not any(info.flag_bits & 0x8 for info in archive.infolist())


def test_a_large_member_is_not_held_in_memory(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("demo/large.so", bytes(64 << 20))
    tracemalloc.start()
    try:
        with (
            open_wheel(str(wheel)) as opened,
            (tmp_path / "copy").open("w+b") as target,
        ):
            opened.check_integrity()
            copy_wheel(opened, target, {"variant.json": JSON})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 << 20


def test_a_member_beyond_4_gib_keeps_its_size(
    wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 1000)
    members = contents(copied(wheel))
    assert members["demo/data.bin"] == b"x" * 9999
    assert_record_is_right(members)


def test_signatures_of_the_old_record_are_left_out(wheel: Path) -> None:
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr(f"{DIST_INFO}/RECORD.jws", b"{}")
    members = contents(copied(wheel))
    assert f"{DIST_INFO}/RECORD.jws" not in members
    assert_record_is_right(members)


def test_names_beyond_ascii_and_with_commas_survive(tmp_path: Path) -> None:
    wheel = make_wheel("demo", "1.0", files={"demo/größe.txt": "x"}).write_to(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    record = members.pop(f"{DIST_INFO}/RECORD")
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in {**members, "demo/a,b": b""}.items():
            archive.writestr(name, content)
        row = b'"demo/a,b",sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n'
        archive.writestr(f"{DIST_INFO}/RECORD", row + record)
    after = contents(copied(wheel))
    assert {"demo/größe.txt", "demo/a,b"} <= set(after)
    assert_record_is_right(after)


def spoil_local_name(data: bytearray) -> None:
    at = data.index(b"demo/data.bin")
    data[at : at + 4] = b"evil"


def spoil_data(data: bytearray) -> None:
    at = data.index(b"demo/data.bin") + len(b"demo/data.bin")
    data[at + 2 : at + 6] = b"\xff\xff\xff\xff"


def encrypt(data: bytearray) -> None:
    at = data.rindex(b"demo/data.bin") - 46
    data[at + 8] |= 1


def overlap(data: bytearray) -> None:
    at = data.rindex(b"demo/data.bin") - 46
    data[at + 20] += 8


def spoil_header(data: bytearray) -> None:
    data[data.index(b"demo/data.bin") - 30] ^= 1


def test_damage_that_only_the_check_sum_tells(tmp_path: Path) -> None:
    path = tmp_path / "demo-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{DIST_INFO}/WHEEL", "")
        archive.writestr("demo/data.bin", "as it was")
    path.write_bytes(path.read_bytes().replace(b"as it was", b"as it is!"))
    with (
        open_wheel(str(path)) as opened,
        pytest.raises(UnreadableWheel, match=r"damaged at demo/data\.bin"),
    ):
        opened.check_integrity()


def test_damaged_data_is_found(wheel: Path) -> None:
    data = bytearray(wheel.read_bytes())
    spoil_data(data)
    wheel.write_bytes(data)
    with open_wheel(str(wheel)) as opened, pytest.raises(UnreadableWheel):
        opened.check_integrity()


@pytest.mark.parametrize("spoil", [spoil_header, spoil_local_name, encrypt, overlap])
def test_an_archive_that_contradicts_itself(
    wheel: Path, spoil: Callable[[bytearray], None]
) -> None:
    data = bytearray(wheel.read_bytes())
    spoil(data)
    wheel.write_bytes(data)
    with (
        open_wheel(str(wheel)) as opened,
        pytest.raises(UnreadableWheel, match=r"data\.bin"),
    ):
        copy_wheel(opened, io.BytesIO(), {"variant.json": JSON})


def test_no_two_members_of_one_name(wheel: Path) -> None:
    with zipfile.ZipFile(wheel, "a") as archive, pytest.warns(match="Duplicate"):
        archive.writestr("demo/data.bin", b"other")
    with pytest.raises(UnreadableWheel, match="more than once"), open_wheel(str(wheel)):
        pass


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("demo-1.0-py3-none-any.zip", "invalid file name"),
        ("demo-2.0-py3-none-any.whl", "belongs to another release"),
        ("other-1.0-py3-none-any.whl", "belongs to another release"),
        ("demo-1.0-py3-none-any-CU128.whl", "invalid file name"),
        ("demo-1.0-1-2py-none-any.whl", "invalid file name"),
    ],
)
def test_names_of_files_that_are_not_the_wheel(
    wheel: Path, name: str, problem: str
) -> None:
    renamed = wheel.rename(wheel.with_name(name))
    with pytest.raises(UnreadableWheel, match=problem), open_wheel(str(renamed)):
        pass


def test_one_dist_info_folder(wheel: Path) -> None:
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("other-1.0.dist-info/variant.json", b"{}")
    with (
        pytest.raises(UnreadableWheel, match=r"one \.dist-info"),
        open_wheel(str(wheel)),
    ):
        pass


def test_no_archive(wheel: Path) -> None:
    wheel.write_bytes(b"PK nonsense")
    with pytest.raises(UnreadableWheel, match="zip archive"), open_wheel(str(wheel)):
        pass
