"""The kinds of seams: what may be changed in an upstream file, and how it is anchored.

An anchor is found in the syntax tree and must match exactly once; the edit is made in
the text, at byte offsets, so that upstream's layout, comments and line numbers survive.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar, Literal

from fork.engine.edits import Edit
from fork.engine.errors import AnchorError, ForkError
from fork.engine.module import Module
from fork.engine.normal import fingerprint, normal_form

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


@dataclass(frozen=True, slots=True)
class Door:
    """Say how edited files reach the hooks: through one module of the overlay.

    That module has hooks of its own, functions that make decorators of others
    (``Decorate.by``), and ``find`` and ``of_mode``, which return others.

    :param path: its archive path.
    :param name: what edited files know it as.
    :param statement: what imports it there.
    :param folder: archive path of the folder that the modules of other hooks are in.
    :param modes: the modules that may be modes, as a pattern of archive paths.
    """

    path: str = ""
    name: str = ""
    statement: str = ""
    folder: str = ""
    modes: str = ""


@dataclass(frozen=True, slots=True)
class Seam(ABC):
    """Describe one small edit of one upstream file.

    :param target: qualified name of the definition or module-level assignment that
        the edit depends on; its fingerprint is recorded.
    :param hook: the function that the edit refers to: ``module:function`` below the
        door's folder; ``:function`` where a mode has it; or the name of one in the
        door itself.
    :param file: archive path of the file.
    :param why: what the seam is for, in one sentence.
    :param door: what the hook is reached through.
    :param requires: an import statement that the edit needs besides the door's.
    """

    target: str
    hook: str = ""
    _: KW_ONLY
    file: str = ""
    why: str = ""
    door: Door = field(default=Door(), repr=False)
    requires: str = ""
    KIND: ClassVar[str]

    @property
    def name(self) -> str:
        """Return how messages refer to this seam."""
        return f"{self.file}: {self.target} ({self.KIND})"

    @property
    def implementation(self) -> tuple[str, str]:
        """Return where the hook is defined, and its name.

        The former is a pattern of archive paths: several modules may be modes.
        """
        module, is_elsewhere, name = self.hook.partition(":")
        if not is_elsewhere:
            return self.door.path, self.hook
        if not module:
            return self.door.modes, name
        return f"{self.door.folder}{module.replace('.', '/')}.py", name

    @property
    def call(self) -> str:
        """Return the expression that stands for the hook in the edited file."""
        return self._by("find")

    def _by(self, finder: str) -> str:
        if ":" not in self.hook:
            return f"{self.door.name}.{self.hook}"
        finder = "of_mode" if self.hook.startswith(":") else finder
        return f'{self.door.name}.{finder}("{self.hook}")'

    def imports(self) -> list[str]:
        """Return the import lines that the file needs for this seam."""
        lines = [self.requires, self.door.statement if self.hook else ""]
        return [line for line in lines if line]

    def anchor(self, module: Module) -> ast.stmt:
        """Return the target's node.

        :raises AnchorError: the target is not there exactly once.
        """
        found = module.find(self.target)
        if len(found) != 1:
            raise self.error(f"the target is there {len(found)}x, not once")
        return found[0]

    def fingerprint(self, module: Module) -> str:
        """Return the fingerprint of what the edit depends on.

        :raises AnchorError: the target is not there exactly once.
        """
        return fingerprint(self.anchor(module))

    @abstractmethod
    def edits(self, module: Module) -> list[Edit]:
        """Return the edits of the file.

        :raises AnchorError: the anchor does not match exactly once.
        """

    def error(self, problem: str) -> AnchorError:
        """Return an error that names the seam."""
        return AnchorError(self.name, problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decorate(Seam):
    """Decorate a function with its hook, directly above ``def``.

    :param by: what of the door makes a decorator of it.
    """

    KIND = "decorate"
    by: Literal["around", "if_fast", "if_loaded", "with_modes", "with_loaded_modes"] = (
        "around"
    )

    @property
    def call(self) -> str:
        """Return the decorator."""
        return self._by(self.by)

    def edits(self, module: Module) -> list[Edit]:
        """Return the decorator's line."""
        node = self.anchor(module)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            raise self.error("the target is not a function")
        start = module.line_start(node.lineno)
        indent = module.data[start : start + node.col_offset]
        line = indent + f"@{self.call}\n".encode()
        return [Edit(start, b"", line)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Append(Seam):
    """Append a statement to the module; the target is the name that it changes.

    ``{hook}`` stands for the hook, here and in the texts of the kinds below.
    """

    KIND = "append"
    statement: str

    def edits(self, module: Module) -> list[Edit]:
        """Return the statement's line, at the end."""
        self.anchor(module)
        if not module.data.endswith(b"\n"):
            raise self.error("the file does not end with a line end")
        line = self.statement.replace("{hook}", self.call)
        return [Edit(len(module.data), b"", f"{line}\n".encode())]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceExpression(Seam):
    """Replace one expression of a function; ``{old}`` stands for its source."""

    KIND = "replace expression"
    expression: str
    replacement: str

    def edits(self, module: Module) -> list[Edit]:
        """Return the replacement of the expression."""
        wanted = normal_form(ast.parse(self.expression, mode="eval").body)
        found = [
            node
            for node in ast.walk(self.anchor(module))
            if isinstance(node, ast.expr) and normal_form(node) == wanted
        ]
        if len(found) != 1:
            raise self.error(f"{self.expression!r} is there {len(found)}x, not once")
        start, end = module.span(found[0])
        old = module.data[start:end]
        new = self.replacement.replace("{hook}", self.call)
        return [Edit(start, old, new.replace("{old}", old.decode()).encode())]


@dataclass(frozen=True, slots=True, kw_only=True)
class InsertLine(Seam):
    """Insert a statement before another statement of a function."""

    KIND = "insert line"
    before: str
    statement: str

    def edits(self, module: Module) -> list[Edit]:
        """Return the statement's line."""
        wanted = normal_form(ast.parse(self.before).body[0])
        found = [
            node
            for node in ast.walk(self.anchor(module))
            if isinstance(node, ast.stmt) and normal_form(node) == wanted
        ]
        if len(found) != 1:
            raise self.error(f"{self.before!r} is there {len(found)}x, not once")
        start = module.line_start(found[0].lineno)
        indent = module.data[start : start + found[0].col_offset]
        if indent.strip():
            raise self.error(f"{self.before!r} shares its line")
        line = self.statement.replace("{hook}", self.call)
        return [Edit(start, b"", indent + f"{line}\n".encode())]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditLiteral(Seam):
    """Replace a fragment inside one string literal of the target."""

    KIND = "edit literal"
    fragment: str
    replacement: str

    def edits(self, module: Module) -> list[Edit]:
        """Return the replacement of the fragment."""
        fragment = self.fragment.encode()
        starts: list[int] = []
        for node in ast.walk(self.anchor(module)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                start, end = module.span(node)
                position = module.data.find(fragment, start, end)
                while position >= 0:
                    starts.append(position)
                    position = module.data.find(fragment, position + 1, end)
        if len(starts) != 1:
            raise self.error(f"{self.fragment!r} is there {len(starts)}x, not once")
        return [Edit(starts[0], fragment, self.replacement.encode())]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(Seam):
    """Replace the literal value of a module-level name."""

    KIND = "constant"
    value: str

    def fingerprint(self, module: Module) -> str:
        """Return the fingerprint of the assignment, whatever the value."""
        node = self._assignment(module)
        return fingerprint(ast.Assign(node.targets, ast.Constant(None)))

    def edits(self, module: Module) -> list[Edit]:
        """Return the replacement of the assignment."""
        node = self._assignment(module)
        # The whole statement: its text is the file's own, the literal's may not be.
        start, end = module.span(node)
        literal = module.span(node.value)
        new = (
            module.data[start : literal[0]]
            + f'"{self.value}"'.encode()
            + module.data[literal[1] : end]
        )
        return [Edit(start, module.data[start:end], new)]

    def _assignment(self, module: Module) -> ast.Assign:
        node = self.anchor(module)
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Constant):
            raise self.error("the target is not a literal")
        return node


def import_edits(module: Module, seams: list[Seam]) -> list[Edit]:
    """Return one import line for each import that a file's seams need.

    They go below the docstring and the ``__future__`` imports.

    :raises ForkError: the file uses the name of the door itself.
    """
    lines = dict.fromkeys(line for seam in seams for line in seam.imports())
    for name in {seam.door.name for seam in seams if seam.hook}:
        if _uses(module.tree, name):
            raise ForkError(
                f"upstream uses the name {name!r} itself, which the fork's hooks go by. "
                f"Choose another name in fork/seams.py. File: {module.path!r}"
            )
    return [Edit(_below_header(module), b"", f"{line}\n".encode()) for line in lines]


def _uses(tree: ast.Module, name: str) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id == name)
        or (isinstance(node, ast.alias) and name in (node.name, node.asname))
        for node in ast.walk(tree)
    )


def _below_header(module: Module) -> int:
    header: ast.stmt | None = None
    for position, node in enumerate(module.tree.body):
        docstring = (
            position == 0
            and isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        )
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not (docstring or future):
            break
        header = node
    if header is None:
        return module.line_start(module.tree.body[0].lineno)
    assert header.end_lineno is not None
    return module.line_start(header.end_lineno + 1)
