"""What lies in an environment: files by digest, folders, and bytecode that lies."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import marshal
import os
import posixpath
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

__all__ = ["REST", "Packages", "Tree", "read_packages", "read_tree"]

#: Files by package, each with its digest.
Packages = Mapping[str, Mapping[str, str]]

#: What stands in :data:`Packages` for the files that belong to no package.
REST = "(the rest)"

_CACHE = "__pycache__"
#: Of bytecode: what it was made by and from (PEP 552).
_HEADER = 16
_UNCOMPILED = (SyntaxError, ValueError)
_UNREADABLE = (EOFError, ValueError, TypeError)

# The bytecode of sources by digest: runs see the same two releases over and over.
_compiled: dict[str, CodeType | None] = {}


@dataclass(frozen=True, slots=True)
class Tree:
    """What lies below a folder; paths are relative to it, with slashes.

    :ivar files: digests, bytecode left out.
    :ivar folders: those of bytecode left out.
    :ivar lying: modules for which Python takes bytecode that was compiled from something
        else, or that it cannot read.
    """

    files: Mapping[str, str]
    folders: frozenset[str] = frozenset()
    lying: frozenset[str] = frozenset()


def read_tree(root: Path, is_left_out: Callable[[str], bool]) -> Tree:
    """Read what lies below *root*, for the interpreter that runs this.

    :param is_left_out: by relative path, whether a folder is passed over
    """
    files: dict[str, str] = {}
    folders: set[str] = set()
    bytecode: list[str] = []
    for top, names, found in os.walk(root):
        place = os.path.relpath(top, root).replace(os.sep, "/")
        prefix = "" if place == "." else f"{place}/"
        is_cache = posixpath.basename(place) == _CACHE
        for name in found:
            path = prefix + name
            if is_cache and name.endswith(".pyc"):
                bytecode.append(path)
            else:
                files[path] = _digest(Path(top, name))
        linked = [name for name in names if Path(top, name).is_symlink()]
        files.update((prefix + name, _digest(Path(top, name))) for name in linked)
        names[:] = [
            name
            for name in names
            if name not in linked and not is_left_out(prefix + name)
        ]
        folders.update(prefix + name for name in names if name != _CACHE)
    return Tree(files, frozenset(folders), frozenset(_lying(root, bytecode, files)))


def read_packages(tree: Tree, root: Path, libs: str) -> Packages:
    """Say which package the files of a tree belong to, by what RECORD says.

    :param libs: the folder of packages, relative to *root*
    """
    packages: dict[str, dict[str, str]] = {}
    rest = dict(tree.files)
    for path in tree.files:
        folder, name = posixpath.split(path)
        if name != "RECORD" or not folder.endswith(".dist-info"):
            continue
        with (root / path).open(encoding="utf-8", newline="") as record:
            rows = [
                posixpath.normpath(f"{libs}/{row[0]}") for row in csv.reader(record)
            ]
        package = posixpath.basename(folder).split("-")[0]
        owned = {row: rest.pop(row) for row in rows if row in rest}
        packages.setdefault(package, {}).update(owned)
    return {**packages, REST: rest}


def _digest(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _lying(root: Path, bytecode: list[str], files: Mapping[str, str]) -> Iterator[str]:
    for path in bytecode:
        cache, name = posixpath.split(path)
        stem, _, kind = name.removesuffix(".pyc").partition(".")
        source = posixpath.join(posixpath.dirname(cache), f"{stem}.py")
        # Without a source it is never read; optimized, only on demand.
        if source not in files or ".opt-" in kind:
            continue
        content = (root / path).read_bytes()
        if _is_taken(content, root / source) and not _tells(
            content, root / source, files[source]
        ):
            yield source


def _is_taken(content: bytes, source: Path) -> bool:
    """Tell whether Python takes bytecode for that of a source."""
    if len(content) < _HEADER or content[:4] != importlib.util.MAGIC_NUMBER:
        return False
    if int.from_bytes(content[4:8], "little"):
        # It goes by a hash, which pip's never does.
        return True
    status = source.stat()
    stated = [int.from_bytes(content[at : at + 4], "little") for at in (8, 12)]
    return stated == [int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF]


def _tells(content: bytes, source: Path, digest: str) -> bool:
    """Tell whether bytecode is what a source compiles to."""
    if digest not in _compiled:
        try:
            code = compile(source.read_bytes(), source.name, "exec", dont_inherit=True)
        except _UNCOMPILED:
            code = None
        _compiled[digest] = code
    try:
        return bool(marshal.loads(content[_HEADER:]) == _compiled[digest])
    except _UNREADABLE:
        return False
