"""Check the layers of the source against all imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import tomli

_ROOT = "pip._internal."


@dataclass(frozen=True, slots=True)
class Floors:
    """The packages (rooms), their layers and allowed imports.

    :ivar level: the layer of each room; the lowest is 0.
    :ivar known_by: the only rooms that may import from a room, by room; unlimited for other
        rooms.
    :ivar knows_only: the only rooms that a room may import from, by room; unlimited for
        other rooms.
    """

    level: Mapping[str, int]
    known_by: Mapping[str, list[str]]
    knows_only: Mapping[str, list[str]]

    def room(self, module: str) -> str | None:
        """Return the room of a module, or None."""
        rooms = [each for each in self.level if f"{module}.".startswith(f"{each}.")]
        return max(rooms, key=len, default=None)

    def allows(self, one: str, other: str) -> bool:
        """Return whether a module of room *one* may import from room *other*."""
        if one == other:
            return True
        if one not in self.known_by.get(other, [one]):
            return False
        if other not in self.knows_only.get(one, [other]):
            return False
        return self.level[other] < self.level[one]


def read_floors(path: Path) -> Floors:
    """Read the layers."""
    plan = tomli.loads(path.read_text(encoding="utf-8"))
    level = {room: at for at, rooms in enumerate(plan["floors"]) for room in rooms}
    return Floors(level, plan["known_by"], plan["knows_only"])


def modules(source: Path) -> dict[str, Path]:
    """Return the files of the modules below *source*, by name."""
    return {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for path in source.rglob("*.py")
    }


def imports(source: Path) -> dict[str, set[str]]:
    """Return the imports between modules below *source*.

    The module names start with ``pip._internal``.
    """
    paths = modules(source)
    found = {}
    for name, path in paths.items():
        if name.startswith(_ROOT):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            known = {each for each in _imported(tree, paths) if each.startswith(_ROOT)}
            found[name.removeprefix(_ROOT)] = {
                each.removeprefix(_ROOT) for each in known - {name}
            }
    return found


def _imported(tree: ast.AST, modules: Mapping[str, object]) -> Iterator[str]:
    """Yield the imported modules, without their parent packages.

    :raises ValueError: for a relative import, which the source must not contain.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (each.name for each in names if each.name in modules)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                for each in names:
                    inside = f"{module}.{each.name}"
                    if inside in modules:
                        yield inside
                    elif module in modules:
                        yield module
            case ast.ImportFrom():
                raise ValueError(f"a relative import: {ast.unparse(node)}")


def circles(arrows: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the import cycles (Tarjan)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_: list[str] = []
    found: list[set[str]] = []

    def visit(module: str) -> None:
        order[module] = lowest[module] = len(order)
        open_.append(module)
        for other in sorted(arrows.get(module, ())):
            if other not in order:
                visit(other)
            if other in open_:
                lowest[module] = min(lowest[module], lowest[other])
        if lowest[module] == order[module]:
            at = open_.index(module)
            found.append(set(open_[at:]))
            del open_[at:]

    for module in arrows:
        if module not in order:
            visit(module)
    return [each for each in found if len(each) > 1]
