"""What the overlay imports from upstream, and what another release makes of it.

Seams and the census are about what upstream calls. The overlay calls upstream too: what it
imports by name may be gone in another release, or do something else.
"""

from __future__ import annotations

import ast
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
    before, after = use.file(old), use.file(new)
    if before is None or after is None:
        return "missing"
    if not use.name or old[before] == new[after]:
        return None
    meant = _meanings(use.name, Module(before, old[before]))
    means = _meanings(use.name, Module(after, new[after]))
    if not means:
        return "missing" if meant else None
    return None if meant == means else "changed"


def lines_of(use: Use, upstream: Mapping[str, bytes]) -> list[str]:
    """Return the source of what defines a name, none for what is imported there."""
    file = use.file(upstream)
    if file is None or not use.name:
        return []
    module = Module(file, upstream[file])
    found = (module.text(node) for node in module.find(use.name))
    return [line for text in found for line in text.splitlines()]


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


def _meanings(name: str, module: Module) -> list[str]:
    """Return the fingerprints of all that gives a name of a module its meaning."""
    nodes: list[ast.AST] = [*module.find(name)]
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            # What else the same statement imports has nothing to do with it.
            nodes += [
                alias
                for alias in node.names
                if name == (alias.asname or alias.name.partition(".")[0])
            ]
    return [fingerprint(node) for node in nodes]
