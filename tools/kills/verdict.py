"""Check the environment after an upgrade."""

from __future__ import annotations

import enum
import functools
import hashlib
import importlib.util
import marshal
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

__all__ = ["LYING", "State", "Tree", "Verdict", "judge", "read_tree"]

#: By path: the digest of a file, or "" for a folder.
Tree = Mapping[str, str]

#: The digest of a module whose bytecode is broken or belongs to another source.
LYING = "wrong bytecode"
#: The maximum number of paths to report per broken package.
_SHOWN = 3


class State(enum.Enum):
    """The state of an environment or of a package.

    A mixed environment has complete packages, some old and some new.
    """

    OLD = "old"
    NEW = "new"
    MIXED = "mixed"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a check.

    :ivar faults: the paths that fit neither release, by broken package.
    :ivar litter: the files and folders that neither release has, without the contents of
        such folders.
    """

    outcome: State
    faults: Mapping[str, list[str]]
    litter: list[str]

    @property
    def is_damaged(self) -> bool:
        """Whether the environment matches neither the old nor the new state."""
        return self.outcome in (State.MIXED, State.BROKEN)


def judge(found: Tree, old: Tree, new: Tree, packages: Iterable[str]) -> Verdict:
    """Compare an environment with its old and new states.

    A package is old or new if it has all files of that release, unchanged, no file that
    only the other release has, and no bytecode of another source.
    """
    known, faults, whole = {**old, **new}, {}, set[State]()
    files = {path: digest for path, digest in found.items() if digest and path in known}
    for name in packages:
        ours, before, after = (_of_package(tree, name) for tree in (files, old, new))
        if ours == before:
            whole.add(State.OLD)
        elif ours == after:
            whole.add(State.NEW)
        else:
            fewest = min(
                (dict(ours.items() ^ release.items()) for release in (before, after)),
                key=len,
            )
            faults[name] = sorted(fewest)[:_SHOWN]
    outcome = State.MIXED if len(whole) > 1 else next(iter(whole), State.BROKEN)
    strange = found.keys() - known
    litter = sorted(path for path in strange if path.rpartition("/")[0] not in strange)
    return Verdict(State.BROKEN if faults else outcome, faults, litter)


def _of_package(tree: Tree, name: str) -> dict[str, str]:
    """Return the files of a package: modules, metadata and scripts."""
    return {
        path: digest
        for path, digest in tree.items()
        if digest and any(part.partition("-")[0] == name for part in path.split("/"))
    }


def read_tree(root: Path) -> dict[str, str]:
    """Read the files below *root*, without bytecode; paths have slashes."""
    tree: dict[str, str] = {}
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_symlink() or "__pycache__" in path.parts:
            continue
        tree[name] = (
            "" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        )
        if path.suffix == ".py" and _has_wrong_bytecode(path):
            tree[name] = LYING
    return tree


def _has_wrong_bytecode(source: Path) -> bool:
    """Return whether Python would load outdated bytecode."""
    cached = Path(importlib.util.cache_from_source(source))
    if not cached.is_file():
        return False
    content, status = cached.read_bytes(), source.stat()
    stamp = struct.pack("<III", 0, int(status.st_mtime), status.st_size)
    if content[:16] != importlib.util.MAGIC_NUMBER + stamp:
        # Python compiles the source again.
        return False
    try:
        return bool(marshal.loads(content[16:]) != _compiled(source.read_bytes()))
    except (EOFError, ValueError, TypeError):
        return True


@functools.cache
def _compiled(source: bytes) -> CodeType:
    return compile(source, "module", "exec", dont_inherit=True)
