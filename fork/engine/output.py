"""Write the assembled fork into a folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from fork.engine.assembler import Assembly
from fork.engine.errors import ForkError

__all__ = ["write"]


def write(assembly: Assembly, folder: Path, *, link: bool) -> None:
    """Write the fork's files into a folder, and remove other files.

    Unchanged files are left alone, so that caches stay valid.

    :param link: whether to link to the overlay instead of copying it; a folder with only
        overlay files becomes one link, so that new modules appear automatically.
    """
    files = dict(assembly.files)
    links: dict[str, str] = {}
    folders = _folders(files)
    for path, file in assembly.overlay.items():
        if link:
            place, source = _link_place(path, file, folders)
            start = (folder / place).parent.resolve()
            links[place] = os.path.relpath(source.resolve(), start)
        else:
            files[path] = file.read_bytes()
    _remove_others(folder, set(files), links)
    for path, data in files.items():
        target = folder / path
        if not target.is_file() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    for path, source_text in links.items():
        target = folder / path
        if not target.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            _link(target, source_text)


def _folders(files: Iterable[str]) -> set[str]:
    return {parent.as_posix() for path in files for parent in Path(path).parents}


def _link_place(path: str, file: Path, folders: set[str]) -> tuple[str, Path]:
    """Return the outermost overlay-only folder of a file, or the file."""
    place, source = Path(path), file
    while place.parent.as_posix() not in folders:
        place, source = place.parent, source.parent
    return place.as_posix(), source


def _link(target: Path, source: str) -> None:
    try:
        target.symlink_to(source)
    except OSError as error:
        raise ForkError(
            f"cannot make a symbolic link ({error.strerror}); on Windows, switch on its "
            f"developer mode. Link: {str(target)!r}"
        ) from error


def _remove_others(folder: Path, files: set[str], links: dict[str, str]) -> None:
    folders = _folders(files)
    for parent, directories, names in os.walk(folder):
        below = Path(parent).relative_to(folder)
        for name in [*directories, *names]:
            entry, path = Path(parent, name), (below / name).as_posix()
            if entry.is_symlink():
                if links.get(path) != os.fspath(entry.readlink()):
                    entry.unlink()
            elif entry.is_dir():
                if path not in folders and name != "__pycache__":
                    shutil.rmtree(entry)
            elif path not in files and below.name != "__pycache__":
                entry.unlink()
