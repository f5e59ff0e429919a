"""Create the upgraded packages, as large and mixed as real packages."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from tests.lib.repository import Repository
from tests.lib.wheels import make_wheel

__all__ = ["FIRST_MODULE", "NEW", "OLD", "SIZES", "fill"]

#: The number of files in each package, without its metadata.
SIZES: Mapping[str, int] = {"engine": 2000, "tables": 200, "words": 50}
OLD, NEW = "1.0", "2.0"
#: The first module of the largest package, below site-packages; its length differs between
#: the releases.
FIRST_MODULE = "engine/__init__.py"

_FILES_OF_FOLDER = 50
_FUNCTION = '''

def step_{number}(values, *, limit={number}):
    """Return what is left of the values."""
    chosen = [each for each in values if each % {divisor}]
    if len(chosen) > limit:
        raise ValueError("too many: " + repr(len(chosen)))
    return {{"version": __version__, "chosen": sorted(chosen, reverse=True)}}
'''


def fill(repository: Repository, *, variants: bool) -> None:
    """Add both releases of each package.

    :param variants: whether each wheel is a variant.
    """
    # Every machine supports this property, without a plugin.
    labels = {"best": ["priority :: order :: 1"]}
    for name, size in SIZES.items():
        for version in (OLD, NEW):
            files = _files(name, version, size)
            if variants:
                repository.add_release(name, version, labels, plain=False, files=files)
            else:
                repository.add(make_wheel(name, version, files=files))


def _files(name: str, version: str, size: int) -> dict[str, str | bytes]:
    """Return *size* files of a package, and the entry points of two scripts.

    Half of the files are modules, all of which differ between the releases. Every second
    data file differs. The last folder has another name in each release.
    """
    scripts = f"[console_scripts]\n{name}-{version[0]} = {name}:main\n"
    files: dict[str, str | bytes] = {
        f"{name}-{version}.dist-info/entry_points.txt": f"{scripts}{name} = {name}:main\n"
    }
    for number in range(size):
        folder = f"{name}/part_{number // _FILES_OF_FOLDER:02}"
        if number < _FILES_OF_FOLDER:
            folder = name
        elif number >= size - _FILES_OF_FOLDER:
            folder = f"{name}/part_of_{version[0]}"
        if number % 2:
            content = f"{number} {version if number % 4 == 1 else 'both'}".encode()
            # Incompressible bytes.
            noise = hashlib.shake_128(content).digest(2_000)
            files[f"{folder}/data/table_{number:04}.bin"] = noise
        elif number % _FILES_OF_FOLDER:
            module = f"{folder}/module_{number:04}.py"
            text = _FUNCTION.format(number=number, divisor=number + 1)
            files[module] = f"__version__ = {version!r}\n{text * (number // 2 % 3 + 1)}"
        else:
            about = f"release {version}{', revised' * (version == NEW)}"
            text = f'"""{about}."""\n\n__version__ = {version!r}\n\n\n'
            files[f"{folder}/__init__.py"] = f"{text}def main():\n    print({name!r})\n"
    return files
