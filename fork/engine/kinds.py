"""The kinds of seams, which edit upstream's files.

The syntax tree must contain an anchor exactly once. The edit changes the text at byte
offsets, so that upstream's layout, comments and line numbers survive.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar, Literal, TypeVar

from fork.engine.edits import Edit
from fork.engine.errors import AnchorError
from fork.engine.module import Module

__all__ = [
    "Append",
    "Constant",
    "Decorate",
    "Door",
    "EditLiteral",
    "InsertLine",
    "ReplaceExpression",
    "Seam",
    "import_edits",
]

_Node = TypeVar("_Node", ast.expr, ast.stmt)


@dataclass(frozen=True, slots=True)
class Door:
    """The overlay module through which edited files call the hooks.

    The module has its own hooks, functions that turn other hooks into decorators
    (``Decorate.by``), and ``find`` and ``of_mode``, which return other hooks.

    :ivar path: the archive path of the module.
    :ivar name: the name of the module in edited files.
    :ivar statement: the import statement in edited files.
    """

    path: str = ""
    name: str = ""
    statement: str = ""


@dataclass(frozen=True, slots=True)
class Seam(ABC):
    """A small edit of one upstream file.

    :ivar target: the qualified name of the definition or module-level assignment that the
        edit depends on.
    :ivar hook: the function that the edit refers to: ``module:function``, which the door
        imports; ``:function`` for a function of a mode; or the name of a function in the
        door.
    :ivar file: the archive path of the file.
    :ivar why: the purpose of the seam, in one sentence.
    :ivar door: the module through which the edit reaches the hook.
    :ivar requires: an additional import statement for the edit.
    :ivar by: the function of the door that returns the hook, or turns it into a decorator.
    """

    target: str
    hook: str = ""
    _: KW_ONLY
    file: str = ""
    why: str = ""
    door: Door = field(default=Door(), repr=False)
    requires: str = ""
    by: Literal["find", "around", "if_fast", "if_loaded"] = "find"
    KIND: ClassVar[str]

    @property
    def name(self) -> str:
        """The name of the seam in messages."""
        return f"{self.file}: {self.target} ({self.KIND})"

    @property
    def call(self) -> str:
        """The expression for the hook in the edited file."""
        if ":" not in self.hook:
            return f"{self.door.name}.{self.hook}"
        finder = "of_mode" if self.hook.startswith(":") else self.by
        return f'{self.door.name}.{finder}("{self.hook}")'

    def imports(self) -> list[str]:
        """Return the import lines that the file needs for this seam."""
        lines = [self.requires, self.door.statement if self.hook else ""]
        return [line for line in lines if line]

    def anchor(self, module: Module) -> ast.stmt:
        """Return the target's node.

        :raises AnchorError: if the file does not contain the target exactly once.
        """
        found = module.find(self.target)
        if len(found) != 1:
            raise self.error(f"the target is there {len(found)}x, not once")
        return found[0]

    def inside(self, module: Module, wanted: _Node) -> _Node:
        """Return the node inside the target that equals *wanted*.

        :raises AnchorError: if the target does not contain the node exactly once.
        """
        dumped = ast.dump(wanted)
        found = [
            node
            for node in ast.walk(self.anchor(module))
            if isinstance(node, type(wanted)) and ast.dump(node) == dumped
        ]
        if len(found) != 1:
            text = ast.unparse(wanted)
            raise self.error(f"{text!r} is there {len(found)}x, not once")
        return found[0]

    @abstractmethod
    def edits(self, module: Module) -> list[Edit]:
        """Return the edits of the file.

        :raises AnchorError: if the anchor does not match exactly once.
        """

    def error(self, problem: str) -> AnchorError:
        """Return an error that names the seam."""
        return AnchorError(self.name, problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decorate(Seam):
    """A seam that decorates a function with its hook."""

    KIND = "decorate"
    by: Literal["find", "around", "if_fast", "if_loaded"] = "around"

    def edits(self, module: Module) -> list[Edit]:
        """Return the edit that inserts the decorator's line."""
        node = self.anchor(module)
        start = module.line_start(node.lineno)
        indent = module.data[start : start + node.col_offset]
        line = indent + f"@{self.call}\n".encode()
        return [Edit(start, b"", line)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Append(Seam):
    """A seam that appends a statement to the module.

    ``{hook}`` stands for the hook, here and in the texts of the kinds below.
    """

    KIND = "append"
    statement: str

    def edits(self, module: Module) -> list[Edit]:
        """Return the edit that appends the statement's line."""
        self.anchor(module)
        line = self.statement.replace("{hook}", self.call)
        return [Edit(len(module.data), b"", f"{line}\n".encode())]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceExpression(Seam):
    """A seam that replaces one expression; ``{old}`` is the source of the expression."""

    KIND = "replace expression"
    expression: str
    replacement: str

    def edits(self, module: Module) -> list[Edit]:
        """Return the edit that replaces the expression."""
        node = ast.parse(self.expression, mode="eval").body
        start, end = module.span(self.inside(module, node))
        old = module.data[start:end]
        new = self.replacement.replace("{hook}", self.call)
        return [Edit(start, old, new.replace("{old}", old.decode()).encode())]


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertLine(Seam):
    """A seam that inserts a statement before another statement."""

    KIND = "insert line"
    before: str
    statement: str

    def edits(self, module: Module) -> list[Edit]:
        """Return the edit that inserts the statement's line."""
        node = self.inside(module, ast.parse(self.before).body[0])
        start = module.line_start(node.lineno)
        indent = module.data[start : start + node.col_offset]
        line = self.statement.replace("{hook}", self.call)
        return [Edit(start, b"", indent + f"{line}\n".encode())]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditLiteral(Seam):
    """A seam that replaces a text that the target contains once, part of a literal."""

    KIND = "edit literal"
    fragment: str
    replacement: str

    def edits(self, module: Module) -> list[Edit]:
        """Return the edit that replaces the fragment."""
        fragment = self.fragment.encode()
        start, end = module.span(self.anchor(module))
        found = module.data.count(fragment, start, end)
        if found != 1:
            raise self.error(f"{self.fragment!r} is there {found}x, not once")
        start = module.data.index(fragment, start)
        return [Edit(start, fragment, self.replacement.encode())]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(Seam):
    """A seam that replaces the value of a module-level constant."""

    KIND = "constant"
    value: str

    def edits(self, module: Module) -> list[Edit]:
        """Return the edit that replaces the assignment."""
        node = self.anchor(module)
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
            raise self.error("the target is not a literal")
        # Replace the whole statement: its text is in the file, but the literal's may not
        # be.
        start, end = module.span(node)
        literal = module.span(node.value)
        new = (
            module.data[start : literal[0]]
            + f'"{self.value}"'.encode()
            + module.data[literal[1] : end]
        )
        return [Edit(start, module.data[start:end], new)]


def import_edits(module: Module, seams: list[Seam]) -> list[Edit]:
    """Return the edits that add the import lines for a file's seams.

    The lines go below the docstring and the ``__future__`` imports.
    """
    lines = dict.fromkeys(line for seam in seams for line in seam.imports())
    return [Edit(_below_header(module), b"", f"{line}\n".encode()) for line in lines]


def _below_header(module: Module) -> int:
    header: ast.stmt | None = None
    for position, node in enumerate(module.tree.body):
        docstring = position == 0 and ast.get_docstring(module.tree) is not None
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (docstring or future):
            break
        header = node
    if header is None:
        return module.line_start(module.tree.body[0].lineno)
    assert header.end_lineno is not None
    return module.line_start(header.end_lineno + 1)
