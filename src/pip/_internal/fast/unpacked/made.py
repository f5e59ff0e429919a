"""Make an entry of the cache from a wheel and what upstream has installed of it."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import shutil
import stat
import warnings
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import cache_from_source
from typing import BinaryIO, NamedTuple

from pip._internal.fast.digests import sha256_read
from pip._internal.fast.downloads.trees import is_own
from pip._internal.fast.unpacked.entries import (
    FILES,
    PACK,
    Entry,
    Row,
    is_plain,
)
from pip._internal.fast.unpacked.placing import Placer
from pip._internal.utils.unpacking import zip_item_is_executable

__all__ = ["Installed", "Unsuitable", "made", "written"]

#: Disk, number, mode, size and time of a file.
Written = tuple[int, int, int, int, int]

_PYCACHE = "__pycache__"
#: From this many bytes on a file is none that takes longer to be made than to be copied.
_SMALL = 1 << 16
#: What bytecode begins with that tells of its source: a flag, when it was changed, its size.
_FLAGS, _CHANGED, _SIZE = slice(4, 8), slice(8, 12), slice(12, 16)


class Unsuitable(Exception):
    """A wheel, or what is installed of it, is not as plain as they are; the message says why."""


class Installed(NamedTuple):
    """A wheel that was installed.

    :ivar wheel: its path
    :ivar lib: the folder of packages
    :ivar files: what upstream has written of it there, by path below that folder, and
        what each file was like when it had just been written; bytecode too
    :ivar is_compiled: whether there is bytecode
    """

    wheel: str
    lib: str
    files: Mapping[str, Written]
    is_compiled: bool


def written(path: str) -> Written | None:
    """Return what tells a file from others, and from itself when it is changed."""
    try:
        return _written(os.lstat(path))
    except OSError:
        return None


def _written(status: os.stat_result) -> Written:
    mode = status.st_mode
    return status.st_dev, status.st_ino, mode, status.st_size, status.st_mtime_ns


def made(installed: Installed, folder: str, placer: Placer, space: int) -> Entry:
    """Make an entry of what was installed; it is not written down yet.

    :param folder: empty
    :param space: how many bytes it may have
    :raises Unsuitable: if what is there is not what was installed, or not what the wheel's
        RECORD says, or one of the two cannot be told from its names
    :raises OSError: if that is not possible
    """
    with zipfile.ZipFile(installed.wheel) as archive:
        files, rest = _parted(archive)
        if sum(info.file_size for info in archive.infolist()) > space:
            raise Unsuitable("it is too large")
        (record,) = (each for each in rest if each.endswith(".dist-info/RECORD"))
        text = archive.read(record).decode()
        digests = _digests(text)
        pack = os.path.join(folder, PACK)
        with open(pack, "xb") as packed:
            keeping = _Keeping(installed, os.path.join(folder, FILES), placer, packed)
            rows: list[Row] = []
            for name in sorted(files, key=os.path.split):
                is_executable = zip_item_is_executable(archive.getinfo(name))
                row, _ = keeping.add(name, is_executable=is_executable)
                if digests.get(name) != (row.digest, row.size):
                    raise Unsuitable(f"RECORD tells of another {name}")
                rows.append(row)
            if installed.is_compiled:
                bytecode = list(_bytecode(keeping, rows))
                text = _with_rows(text, bytecode)
                rows += bytecode
        wheel = os.path.join(folder, os.path.basename(installed.wheel))
        _write_rest(archive, rest, {record: text}, wheel)
    return Entry(folder, _described(wheel), _described(pack), rows)


def _described(path: str) -> Row:
    status = os.lstat(path)
    name = os.path.basename(path)
    return Row(name, status.st_size, status.st_mtime_ns, sha256_read(path))


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
        if not is_plain(name) or f"/{_PYCACHE}/" in f"/{name}":
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


class _Keeping:
    """Puts what was installed into an entry.

    :ivar installed: what was
    :param folder: of files that are not packed
    :param pack: of the others
    """

    def __init__(
        self, installed: Installed, folder: str, placer: Placer, pack: BinaryIO
    ) -> None:
        self.installed = installed
        self._folder = folder
        self._placer = placer
        self._pack = pack
        self._parents: set[str] = set()

    def add(self, name: str, *, is_executable: bool = False) -> tuple[Row, bytes]:
        """Add a file that is there as it was installed.

        :return: what is to be written down, and what the file begins with
        :raises Unsuitable: if it is not
        """
        path = os.path.join(self.installed.lib, name)
        status = os.lstat(path)
        is_same = _written(status) == self.installed.files.get(name)
        if not is_same or not stat.S_ISREG(status.st_mode):
            raise Unsuitable(f"{path} is not what was installed")
        if not is_own(status):
            raise Unsuitable(f"{path} may be changed by others")
        size, time = status.st_size, status.st_mtime_ns
        with open(path, "rb", buffering=0) as file:
            begin = file.read(_SMALL)
        is_small = len(begin) == size
        is_packed = is_small and not self._placer.links
        digest = hashlib.sha256(begin).hexdigest() if is_small else sha256_read(path)
        if is_packed:
            self._pack.write(begin)
        else:
            target = os.path.join(self._folder, name)
            if (parent := os.path.dirname(target)) not in self._parents:
                os.makedirs(parent, exist_ok=True)
                self._parents.add(parent)
            self._placer.place(path, target, is_executable, time)
        return Row(name, size, time, digest, is_executable, is_packed), begin


def _bytecode(keeping: _Keeping, rows: Iterable[Row]) -> Iterable[Row]:
    """Add the bytecode of modules, and yield what is to be written down of it.

    :raises Unsuitable: if it is not of these modules, or lacks for another reason than
        that there can be none
    """
    installed = keeping.installed
    for source in rows:
        if not source.path.endswith(".py"):
            continue
        name = cache_from_source(source.path).replace(os.sep, "/")
        if name not in installed.files:
            if _can_be_compiled(os.path.join(installed.lib, source.path)):
                raise Unsuitable(f"{source.path} was not compiled")
            continue
        row, begin = keeping.add(name)
        told = [
            int.from_bytes(begin[part], "little") for part in (_FLAGS, _CHANGED, _SIZE)
        ]
        second, size = source.time // 1_000_000_000, source.size
        if told != [0, second & 0xFFFFFFFF, size & 0xFFFFFFFF]:
            raise Unsuitable(f"{name} is not of this {source.path}")
        yield row


def _can_be_compiled(path: str) -> bool:
    with open(path, "rb") as file:
        source = file.read()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _with_rows(record: str, rows: Iterable[Row]) -> str:
    """Add bytecode to RECORD as upstream does, without its digests."""
    added = io.StringIO()
    csv.writer(added, lineterminator="\n").writerows((row.path, "", "") for row in rows)
    return f"{record.rstrip()}\n{added.getvalue()}"


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
