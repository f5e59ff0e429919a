"""The packages that are upgraded: trees as large and as mixed as real ones."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from tests.lib.repository import Repository
from tests.lib.wheels import make_wheel

__all__ = ["FIRST_MODULE", "NEW", "OLD", "SIZES", "fill"]

#: By name, how many files a package has, its metadata left out.
SIZES: Mapping[str, int] = {"engine": 2000, "tables": 200, "words": 50}
OLD, NEW = "1.0", "2.0"
#: Of the largest package, below site-packages; the releases' are not equally long.
FIRST_MODULE = "engine/__init__.py"

_FILES_OF_FOLDER = 50
_DATA_SIZE = 2_000
#: Every machine supports it: no plugin has to be asked.
_VARIANTS: Mapping[str, Any] = {"best": ["priority :: order :: 1"]}
_FUNCTION = '''

def step_{number}(values, *, limit={number}):
    """Return what is left of the values."""
    chosen = [each for each in values if each % {divisor} != {rest}]
    if len(chosen) > limit:
        raise ValueError("too many: " + repr(len(chosen)))
    return {{"version": __version__, "chosen": sorted(chosen, reverse=True)}}
'''


def fill(repository: Repository, *, variants: bool) -> None:
    """Add both releases of each package; each wheel is a variant if there are any."""
    for name, size in SIZES.items():
        for version in (OLD, NEW):
            files = _files(name, version, size)
            if variants:
                repository.add_release(
                    name, version, _VARIANTS, plain=False, files=files
                )
            else:
                repository.add(make_wheel(name, version, files=files))


def _files(name: str, version: str, size: int) -> dict[str, str | bytes]:
    """Return *size* files of a package, and the entry points of a console script.

    Half of them are modules. All of these differ between the releases; of the data every
    second file does. The last folder goes by another name in each release.
    """
    paths: dict[str, str | bytes] = {}
    count = 0
    while len(paths) < size:
        folder = count // _FILES_OF_FOLDER
        is_last = (folder + 1) * _FILES_OF_FOLDER >= size
        place = f"part_{folder:02}"
        if folder == 0:
            place = ""
        elif is_last:
            place = f"part_of_{version.replace('.', '_')}"
        if count % _FILES_OF_FOLDER == 0:
            paths[_join(name, place, "__init__.py")] = _package(name, version)
        elif count % 2:
            stated = version if count % 4 == 1 else "both"
            path = _join(name, place, "data", f"table_{count:04}.bin")
            paths[path] = _data(f"{name} {stated} {count}")
        else:
            path = _join(name, place, f"module_{count:04}.py")
            paths[path] = _module(version, count)
        count += 1
    entry_points = f"[console_scripts]\n{name}-{version[0]} = {name}:main\n"
    entry_points += f"{name} = {name}:main\n"
    paths[f"{name}-{version}.dist-info/entry_points.txt"] = entry_points
    return paths


def _join(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def _package(name: str, version: str) -> str:
    # One that is longer, so that the size of the first module tells its release.
    about = f"{name}, release {version}" + ", revised" * (version == NEW)
    return (
        f'"""{about}."""\n\n__version__ = {version!r}\n\n\n'
        f"def main():\n    print({name!r}, __version__)\n"
    )


def _module(version: str, number: int) -> str:
    functions = "".join(
        _FUNCTION.format(number=number + n, divisor=n + 2, rest=number % (n + 2))
        for n in range(number // 2 % 3 + 1)
    )
    return f'"""Steps from {number} on."""\n\n__version__ = {version!r}\n{functions}'


def _data(seed: str) -> bytes:
    """Return bytes that no archive makes smaller."""
    return hashlib.shake_128(seed.encode()).digest(_DATA_SIZE)
