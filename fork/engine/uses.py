"""What the overlay imports from upstream, and what another release makes of it.

Seams and the census are about what upstream calls. The overlay calls upstream too: what it
imports by name may be gone in another release, or do something else.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fork.engine.module import Module
from fork.engine.normal import fingerprint

__all__ = ["Use", "lines_of", "uses", "what_became_of"]


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """Say which name of upstream's the overlay imports.

    :param module: upstream's module; as a package or as a file, it is the same.
    :param name: what is imported from it; empty for the module itself.
    """

    module: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.module}:{self.name}" if self.name else self.module

    def file(self, upstream: Mapping[str, bytes]) -> str | None:
        """Return the archive path of the module; None if it is not there."""
        stem = self.module.replace(".", "/")
        paths = (f"{stem}.py", f"{stem}/__init__.py")
        return next((each for each in paths if each in upstream), None)


def uses(
    overlay: Mapping[str, bytes], upstream: Mapping[str, bytes]
) -> dict[Use, list[str]]:
    """Return what is imported from upstream's files, with the overlay's that do so.

    :param overlay: contents by archive path, as those of *upstream*.
    """
    found: dict[Use, list[str]] = {}
    for path, data in overlay.items():
        if path.endswith(".py"):
            tree = ast.parse(data, path)
            for use in set(_imported(tree, upstream)):
                found.setdefault(use, []).append(path)
    return dict(sorted(found.items()))


def what_became_of(
    use: Use, old: Mapping[str, bytes], new: Mapping[str, bytes]
) -> str | None:
    """Say what another release makes of a name.

    :param old: the files of the release in which the overlay finds it.
    :return: ``missing`` or ``changed``; None if it is the same.
    """
    if use.file(old) is None or use.file(new) is None:
        return "missing"
    if not use.name:
        return None
    meant, means = (
        [fingerprint(node) for _, node in _definitions(use, files)]
        for files in (old, new)
    )
    if not means:
        return "missing" if meant else None
    return None if meant == means else "changed"


def lines_of(use: Use, upstream: Mapping[str, bytes]) -> list[str]:
    """Return the source of what defines a name, wherever it is imported from."""
    found = [
        module.text(node)
        for module, node in _definitions(use, upstream)
        if isinstance(node, ast.stmt)
    ]
    return [line for text in found for line in text.splitlines()]


def _definitions(
    use: Use, upstream: Mapping[str, bytes], seen: frozenset[Use] = frozenset()
) -> Iterator[tuple[Module, ast.AST]]:
    """Yield all that gives a name of a module its meaning, with where that is.

    What the module imports from another one of upstream's is looked up there.
    """
    path = use.file(upstream)
    if path is None or not use.name or use in seen:
        return
    module = _parsed(path, upstream[path])
    for found in module.find(use.name):
        yield module, found
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if use.name == (alias.asname or alias.name.partition(".")[0]):
                    origin = _origin(path, node, alias)
                    if origin is None or origin.file(upstream) is None:
                        # What else the same statement imports has nothing to do with it.
                        yield module, alias
                    else:
                        yield from _definitions(origin, upstream, seen | {use})


@functools.cache
def _parsed(path: str, data: bytes) -> Module:
    return Module(path, data)


def _origin(
    path: str, node: ast.Import | ast.ImportFrom, alias: ast.alias
) -> Use | None:
    """Return what a name is called where the module at *path* imports it from."""
    if isinstance(node, ast.Import):
        return None
    parts = path.removesuffix(".py").split("/")[: -node.level or None]
    if not node.level:
        parts = []
    return Use(".".join([*parts, *filter(None, [node.module])]), alias.name)


def _imported(tree: ast.Module, upstream: Mapping[str, bytes]) -> Iterator[Use]:
    for node in ast.walk(tree):
        found: list[Use] = []
        if isinstance(node, ast.Import):
            found = [Use(alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                module = Use(f"{node.module}.{alias.name}")
                is_module = module.file(upstream) is not None
                found.append(module if is_module else Use(node.module, alias.name))
        yield from (use for use in found if use.file(upstream) is not None)
