"""Create wheels as large as torch's, without keeping them in memory."""

from __future__ import annotations

import hashlib
import io
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from packaging.tags import sys_tags

from tests.lib.repository import Repository
from tests.lib.wheels import DistFile, make_wheel

__all__ = ["LARGE", "PARTS", "TORCH", "add_large", "add_torch"]

#: The package that requires all the others.
LARGE = "large-torch"
PARTS = [f"large-part-{number}" for number in range(15)]
TORCH = "torch"

_MB = 1_000_000
_BLOCK = 1 << 20
_MODULE = """\
class Layer{n}:
    \"\"\"A layer.\"\"\"

    def forward(self, values: list[float]) -> list[float]:
        return [weight * value + {n} for weight, value in zip(self.weights, values)]


"""


@dataclass(frozen=True, slots=True)
class _OnDisk:
    """A part of a file; see :class:`tests.lib.index.Body`."""

    path: Path
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start

    def __getitem__(self, part: slice, /) -> _OnDisk:
        start, stop, _ = part.indices(len(self))
        return _OnDisk(self.path, self.start + start, self.start + stop)

    def __bytes__(self) -> bytes:
        with self.path.open("rb") as file:
            file.seek(self.start)
            return file.read(len(self))


def add_large(repository: Repository, folder: Path, scale: float) -> None:
    """Write and add a replacement for torch and its dependencies.

    :param scale: the factor for all sizes and numbers of files; 1 makes 4 GB.
    """
    for number, name in enumerate(PARTS):
        size = 50 * _MB + number * 300 * _MB // 14
        _write(repository, folder, make_wheel(name, "1.0"), size * scale, 150 * scale)
    whole = make_wheel(LARGE, "1.0", requires=PARTS)
    _write(repository, folder, whole, 1000 * _MB * scale, 4500 * scale)


def add_torch(repository: Repository, folder: Path) -> str | None:
    """Download torch for CPUs, rename it for this machine, and add it.

    The wheel is for macOS, because the registry has no CPU wheel for Linux. It has the same
    modules as the wheel for Linux, but other libraries. None of the wheel's code runs.

    :return: the reason why the wheel is not available, or None.
    """
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
    (path,) = folder.glob(f"{TORCH}-*.whl")
    with zipfile.ZipFile(path) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = archive.read(name)
    _, version, *_ = path.name.split("-")
    filename = f"{TORCH}-{version}-{next(sys_tags())}.whl"
    _add(repository, DistFile(TORCH, version, filename, b"", metadata), path)
    return None


def _write(
    repository: Repository, folder: Path, small: DistFile, size: float, headers: float
) -> None:
    """Add a wheel with modules, headers and libraries."""
    path, package = folder / small.filename, small.project.replace("-", "_")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for n in range(max(1, round(headers / 4))):
            module = f"{package}/m{n % 40}/module{n}.py"
            archive.writestr(module, _MODULE.format(n=n) * 12)
        for n in range(max(1, round(headers))):
            header = f"{package}/include/h{n % 90}/header{n}.h"
            archive.writestr(header, f"int function_{n}(int x);\n" * 60)
        for n, packed in enumerate(_libraries(size)):
            with archive.open(f"{package}/lib/lib{n}.so", "w") as file:
                for block in _noise(max(1, 2 * packed // _BLOCK)):
                    file.write(block)
        with zipfile.ZipFile(io.BytesIO(small.content)) as other:
            *members, record = other.namelist()
            for member in members:
                archive.writestr(member, other.read(member))
        rows = [f"{name},," for name in (*archive.namelist(), record)]
        archive.writestr(record, "\n".join(rows))
    _add(repository, small, path)


def _libraries(size: float) -> Iterator[int]:
    """Yield the sizes of libraries: a few large sizes, and more small sizes."""
    left = round(size)
    while left > 0:
        packed = left if left < 20 * _MB else left // 2
        yield packed
        left -= packed


def _noise(count: int) -> Iterator[bytes]:
    """Yield unique blocks that compress to half their size, like machine code."""
    source = random.Random(825)
    block = bytes(byte & 15 for byte in source.randbytes(_BLOCK))
    for number in range(count):
        at = number * 4099 % _BLOCK
        yield block[at:] + block[:at]


def _add(repository: Repository, small: DistFile, path: Path) -> None:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    # Callers use only the length and slices.
    content = cast(bytes, _OnDisk(path, 0, path.stat().st_size))
    repository.add(replace(small, content=content), sha256=digest.hexdigest())
