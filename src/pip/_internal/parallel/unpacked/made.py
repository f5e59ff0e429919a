"""Make an entry of the cache from a wheel and what upstream has installed of it."""

from __future__ import annotations

import base64
import csv
import io
import os
import shutil
import stat
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import cache_from_source
from typing import NamedTuple

from pip._internal.parallel.digests import sha256_of
from pip._internal.parallel.unpacked.entries import (
    FILES,
    Entry,
    Row,
    is_own,
    is_plain,
)
from pip._internal.parallel.unpacked.placing import Placer

__all__ = ["Installed", "Unsuitable", "made"]

_PYCACHE = "__pycache__"
#: What bytecode begins with that tells of its source: a flag, when it was changed, its size.
_FLAGS, _CHANGED, _SIZE = slice(4, 8), slice(8, 12), slice(12, 16)


class Unsuitable(Exception):
    """A wheel, or what is installed of it, is not as plain as they are; the message says why."""


class Installed(NamedTuple):
    """A wheel that was installed.

    :ivar wheel: its path
    :ivar lib: the folder of packages
    :ivar is_compiled: whether there is bytecode
    """

    wheel: str
    lib: str
    is_compiled: bool


def made(installed: Installed, folder: str, placer: Placer, space: int) -> Entry:
    """Make an entry of what was installed.

    :param folder: empty
    :param space: how many bytes it may have
    :raises Unsuitable: if what is installed differs from what the wheel's RECORD says, or
        one of the two cannot be told from its names
    :raises OSError: if that is not possible
    """
    with zipfile.ZipFile(installed.wheel) as archive:
        files, rest = _parted(archive)
        if sum(info.file_size for info in archive.infolist()) > space:
            raise Unsuitable("it is too large")
        (record,) = (each for each in rest if each.endswith(".dist-info/RECORD"))
        text = archive.read(record).decode()
        digests = _digests(text)
        rows: list[Row] = []
        for name in files:
            row = _row(installed.lib, name)
            if digests.get(name) != (row.digest, row.size):
                raise Unsuitable(f"RECORD tells of another {name}")
            rows.append(row)
        if installed.is_compiled:
            bytecode = list(_bytecode(installed.lib, rows))
            text = _with_rows(text, bytecode)
            rows += bytecode
        _put(installed.lib, rows, os.path.join(folder, FILES), placer)
        wheel = os.path.join(folder, os.path.basename(installed.wheel))
        _write_rest(archive, rest, {record: text}, wheel)
    entry = Entry(
        folder, _row(folder, os.path.basename(wheel)), sorted(rows, key=_in_folders)
    )
    entry.write()
    return entry


def _in_folders(row: Row) -> tuple[str, str]:
    return os.path.split(row.path)


def _parted(archive: zipfile.ZipFile) -> tuple[Sequence[str], Sequence[str]]:
    """Return the members that upstream only puts in their places, and all others.

    :raises Unsuitable: if two of them may be put in one place
    """
    files: list[str] = []
    rest: list[str] = []
    places: list[str] = []
    for name in archive.namelist():
        if name.endswith("/"):
            continue
        if not is_plain(name):
            raise Unsuitable(f"it holds {name}")
        top, _, below = name.partition("/")
        if top.endswith(".data") and below:
            scheme, _, below = below.partition("/")
            rest.append(name)
            if scheme in ("purelib", "platlib"):
                places.append(below)
        elif top.endswith(".dist-info") and below:
            rest.append(name)
        else:
            if f"/{_PYCACHE}/" in f"/{name}":
                raise Unsuitable(f"it holds {name}")
            places.append(name)
            files.append(name)
    if len({place.casefold() for place in places}) < len(places):
        raise Unsuitable("two of its files have one place")
    return files, rest


def _digests(record: str) -> Mapping[str, tuple[str, int]]:
    """Return what RECORD tells of each file: its sha256 and its size."""
    found: dict[str, tuple[str, int]] = {}
    for row in csv.reader(record.splitlines()):
        path, digest, size = (*row, "", "", "")[:3]
        kind, _, encoded = digest.partition("=")
        if kind == "sha256" and size.isdecimal():
            try:
                known = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
            except ValueError:
                continue
            found[path] = known.hex(), int(size)
    return found


def _row(folder: str, name: str) -> Row:
    """Describe a file that is there.

    :raises Unsuitable: if it is no file of this user's alone
    """
    path = os.path.join(folder, name)
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode) or not is_own(status):
        raise Unsuitable(f"{path} is no file of this user's alone")
    is_executable = bool(status.st_mode & stat.S_IXUSR)
    size, time = status.st_size, status.st_mtime_ns
    return Row(name, size, time, sha256_of(path), is_executable)


def _bytecode(lib: str, rows: Iterable[Row]) -> Iterable[Row]:
    """Yield the bytecode of modules.

    :raises Unsuitable: if it is not of these modules
    """
    for source in rows:
        if not source.path.endswith(".py"):
            continue
        path = cache_from_source(os.path.join(lib, source.path))
        if not os.path.lexists(path):
            # It could not be compiled.
            continue
        with open(path, "rb") as file:
            begin = file.read(_SIZE.stop)
        told = [
            int.from_bytes(begin[part], "little") for part in (_FLAGS, _CHANGED, _SIZE)
        ]
        second, size = source.time // 1_000_000_000, source.size
        if told != [0, second & 0xFFFFFFFF, size & 0xFFFFFFFF]:
            raise Unsuitable(f"{path} is not of this {source.path}")
        below = os.path.dirname(source.path)
        name = "/".join(filter(None, (below, _PYCACHE, os.path.basename(path))))
        yield _row(lib, name)


def _with_rows(record: str, rows: Iterable[Row]) -> str:
    """Add bytecode to RECORD as upstream does, without its digests."""
    added = io.StringIO()
    csv.writer(added, lineterminator="\n").writerows((row.path, "", "") for row in rows)
    return f"{record.rstrip()}\n{added.getvalue()}"


def _put(lib: str, rows: Iterable[Row], folder: str, placer: Placer) -> None:
    os.mkdir(folder)
    known = {folder}
    for row in rows:
        target = os.path.join(folder, row.path)
        parent = os.path.dirname(target)
        if parent not in known:
            os.makedirs(parent, exist_ok=True)
            known.add(parent)
        source = os.path.join(lib, row.path)
        placer.place(source, target, is_executable=row.is_executable, time=row.time)


def _write_rest(
    archive: zipfile.ZipFile,
    names: Iterable[str],
    changed: Mapping[str, str],
    path: str,
) -> None:
    """Write a wheel with some members of another one.

    :param changed: what some of them are to be
    """
    with zipfile.ZipFile(path, "w") as wheel:
        for name in names:
            info = archive.getinfo(name)
            made = zipfile.ZipInfo(name, info.date_time)
            made.external_attr, made.file_size = info.external_attr, info.file_size
            if name in changed:
                wheel.writestr(made, changed[name])
                continue
            with archive.open(info) as source, wheel.open(made, "w") as target:
                shutil.copyfileobj(source, target)
