"""Stand-ins for wheels like torch's, which are too large to be kept in memory."""

from __future__ import annotations

import base64
import hashlib
import io
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from packaging.tags import sys_tags

from tests.lib.repository import Entry, Repository
from tests.lib.wheels import DistFile, escape_name, make_wheel

__all__ = [
    "ALONE",
    "LARGE",
    "PARTS",
    "RECEIVED",
    "TORCH",
    "add_alone",
    "add_large",
    "add_received",
    "add_torch",
    "find_torch",
]

#: What needs all the others.
LARGE = "large-torch"
PARTS = [f"large-part-{number}" for number in range(15)]
#: What needs nothing else.
ALONE = "large-alone"
#: What is on this machine already.
TORCH = "torch"
#: What is only to be received.
RECEIVED = "received"

_MB = 1_000_000
_SIZE_ALONE = 2000 * _MB
_SIZE = _SIZE_ALONE // 2
_SIZE_OF_RECEIVED = 1000 * _MB
_SIZES_OF_PARTS = [50 * _MB + number * 300 * _MB // 14 for number in range(15)]
#: Modules and headers, of the largest one about as many as torch has.
_COUNTS_ALONE = 2400, 9000
_COUNTS = 1200, 4500
_COUNTS_OF_PART = 30, 150
_BLOCK = 1 << 20
_MODULE = """\
from __future__ import annotations


class Layer{n}:
    \"\"\"A layer.\"\"\"

    def __init__(self, size: int = {n}) -> None:
        self.size = size
        self.weights = [0.0 for _ in range(size)]

    def forward(self, values: list[float]) -> list[float]:
        return [w * v + {n} for w, v in zip(self.weights, values)]


"""


@dataclass(frozen=True, slots=True)
class _File:
    """A part of a file on disk; see :class:`tests.lib.index.Body`."""

    path: Path
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def __getitem__(self, part: slice, /) -> _File:
        start, stop, _ = part.indices(len(self))
        return _File(self.path, self.start + start, self.start + stop)

    def __bytes__(self) -> bytes:
        with self.path.open("rb") as file:
            file.seek(self.start)
            return file.read(len(self))


def add_large(repository: Repository, folder: Path, scale: float) -> None:
    """Write a stand-in for torch and what it needs, and add them.

    :param scale: of all sizes and numbers of files; 1 makes 4 GB
    """
    noise = _noise()
    for name, size in zip(PARTS, _SIZES_OF_PARTS, strict=True):
        _add(repository, folder, name, (), size, _COUNTS_OF_PART, scale, noise)
    _add(repository, folder, LARGE, PARTS, _SIZE, _COUNTS, scale, noise)


def add_alone(repository: Repository, folder: Path, scale: float) -> None:
    """Write a stand-in for torch that needs nothing, and add it."""
    _add(repository, folder, ALONE, (), _SIZE_ALONE, _COUNTS_ALONE, scale, _noise())


def find_torch(folder: Path) -> str | None:
    """Download torch for CPUs from the registry, renamed for this machine.

    That is the wheel for macOS, since the one for Linux is not on the registry. It has
    other libraries and the same modules; nothing of it is run.

    :param folder: where it is put
    :return: why it is not there
    """
    folder.mkdir()
    system = "--platform=macosx_14_0_arm64"
    download = ["download", "-q", "--no-deps", "--only-binary=:all:", system]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *download, "-d", str(folder), f"{TORCH}==2.13.0"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return f"torch is not to be had: {done.stderr.strip().splitlines()[-1]}"
    (wheel,) = folder.iterdir()
    name, version, *_ = wheel.stem.split("-")
    wheel.rename(folder / f"{name}-{version}-{next(sys_tags())}.whl")
    return None


def add_torch(repository: Repository, folder: Path) -> None:
    """Add the wheel that :func:`find_torch` has downloaded."""
    (path,) = folder.iterdir()
    with zipfile.ZipFile(path) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = archive.read(name)
    _, version, *_ = path.name.split("-")
    _add_file(repository, DistFile(TORCH, version, path.name, b"", metadata), path)


def add_received(repository: Repository, folder: Path) -> None:
    """Write a wheel of one GB, in which nothing is compressed, and add it."""
    skeleton = make_wheel(RECEIVED, "1.0")
    path = folder / skeleton.filename
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        writer = _Writer(archive, escape_name(RECEIVED))
        blocks = _shifted(_noise(), _SIZE_OF_RECEIVED // _BLOCK)
        writer.add("weights.bin", blocks)
        writer.finish(skeleton)
    _add_file(repository, skeleton, path)


def _noise() -> bytes:
    """Return bytes of four bits each, which deflate to half, as machine code does."""
    source = random.Random(825)
    return bytes(byte & 15 for byte in source.randbytes(_BLOCK))


def _add(
    repository: Repository,
    folder: Path,
    name: str,
    requires: Sequence[str],
    size: int,
    counts: tuple[int, int],
    scale: float,
    noise: bytes,
) -> None:
    skeleton = make_wheel(name, "1.0", tag="py3-none-any", requires=requires)
    path = folder / skeleton.filename
    modules, headers = (max(1, round(count * scale)) for count in counts)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        writer = _Writer(archive, escape_name(name))
        for number in range(modules):
            text = _MODULE.format(n=number) * 12
            writer.add(f"m{number % 40}/module{number}.py", [text.encode()])
        for number in range(headers):
            text = f"int function_{number}(int x);\n" * 60
            writer.add(f"include/h{number % 90}/header{number}.h", [text.encode()])
        left = round(size * scale)
        library = 0
        while left > 0:
            # Half of what is left, as there are a few large libraries and more small.
            packed = left if left < 20 * _MB else left // 2
            blocks = max(1, 2 * packed // _BLOCK)
            writer.add(f"lib/lib{library}.so", _shifted(noise, blocks))
            left -= packed
            library += 1
        writer.finish(skeleton)
    _add_file(repository, skeleton, path)


def _add_file(repository: Repository, skeleton: DistFile, path: Path) -> None:
    file = DistFile(
        skeleton.project,
        skeleton.version,
        skeleton.filename,
        # Only its length is asked for, and slices.
        cast(bytes, _File(path, 0, path.stat().st_size)),
        skeleton.metadata,
    )
    digest = hashlib.sha256()
    with path.open("rb") as written:
        while block := written.read(_BLOCK):
            digest.update(block)
    repository.projects[file.project] = [Entry(file, sha256=digest.hexdigest())]


def _shifted(noise: bytes, count: int) -> Iterator[bytes]:
    """Yield so many blocks, of which none is like the one before."""
    for number in range(count):
        at = number * 4099 % len(noise)
        yield noise[at:] + noise[:at]


class _Writer:
    """Writes the files of a wheel, and its RECORD."""

    def __init__(self, archive: zipfile.ZipFile, package: str) -> None:
        self._archive = archive
        self._package = package
        self._rows: list[str] = []

    def add(self, path: str, blocks: Sequence[bytes] | Iterator[bytes]) -> None:
        """Add a file of the package."""
        self._write(f"{self._package}/{path}", blocks)

    def finish(self, skeleton: DistFile) -> None:
        """Add the metadata of another wheel, and the package's own module."""
        with zipfile.ZipFile(io.BytesIO(skeleton.content)) as archive:
            *members, record = archive.namelist()
            for member in members:
                self._write(member, [archive.read(member)])
        self._archive.writestr(record, "\n".join([*self._rows, f"{record},,", ""]))

    def _write(self, path: str, blocks: Sequence[bytes] | Iterator[bytes]) -> None:
        digest, size = hashlib.sha256(), 0
        with self._archive.open(path, "w") as file:
            for block in blocks:
                digest.update(block)
                size += len(block)
                file.write(block)
        encoded = base64.urlsafe_b64encode(digest.digest()).decode().rstrip("=")
        self._rows.append(f"{path},sha256={encoded},{size}")
