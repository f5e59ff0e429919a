"""Parse a Python source file, with byte offsets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from fork.engine.errors import ForkError

__all__ = ["Module"]

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(slots=True)
class Module:
    """A parsed file of the assembled tree.

    :ivar path: the archive path of the file.
    :raises ForkError: if the file is not Python.
    """

    path: str
    data: bytes
    tree: ast.Module = field(init=False)
    _starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        try:
            self.tree = ast.parse(self.data, self.path)
        except SyntaxError as error:
            raise ForkError(
                f"this Python cannot parse line {error.lineno} ({error.msg}). "
                f"File: {self.path!r}"
            ) from error
        self._starts = [0]
        for line in self.data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def line_start(self, lineno: int) -> int:
        """Return the byte offset of a line, counted from one."""
        return self._starts[lineno - 1]

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Return the byte offsets of a node, without decorators."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.line_start(node.lineno) + node.col_offset,
            self.line_start(node.end_lineno) + node.end_col_offset,
        )

    def text(self, node: ast.expr | ast.stmt) -> str:
        """Return the source of a node, including the decorators of a function."""
        start, end = self.span(node)
        if isinstance(node, _Definition):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            start = self.line_start(first)
        return self.data[start:end].decode()

    def find(self, target: str) -> list[ast.stmt]:
        """Return every definition or assignment of a qualified name.

        ``Class.method`` finds members of classes; local names cannot be found.
        """
        return [node for name, node in _bindings(self.tree, "") if name == target]


def _bindings(parent: ast.AST, prefix: str) -> Iterator[tuple[str, ast.stmt]]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, _Definition):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _bindings(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield prefix + target.id, node
        elif isinstance(node, ast.AnnAssign):
            if isinstance(node.target, ast.Name):
                yield prefix + node.target.id, node
        elif isinstance(node, ast.stmt | ast.ExceptHandler):
            yield from _bindings(node, prefix)
