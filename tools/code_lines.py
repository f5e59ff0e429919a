"""Count code lines per package: no blank lines, no comments, no docstrings.

Run it as ``python -m tools.code_lines [FOLDER ...]``.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

__all__ = ["code_lines", "main"]

_FOLDERS = ("src", "core", "carrier", "fork", "tools", "tests")
_LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}


def code_lines(source: str) -> int:
    """Return the number of code lines in a module.

    Every line inside a string counts, even if blank, unless the string is a docstring.
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        match node:
            case (
                ast.Module(body=[first, *_])
                | ast.ClassDef(body=[first, *_])
                | ast.FunctionDef(body=[first, *_])
                | ast.AsyncFunctionDef(body=[first, *_])
            ) if _is_docstring(first):
                lines.difference_update(range(first.lineno, _end(first) + 1))
    return len(lines)


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def main(folders: Iterable[str] = ()) -> None:
    """Print the code lines of each package, without subpackages."""
    for folder in folders or _FOLDERS:
        counts: Counter[Path] = Counter()
        for path in sorted(Path(folder).rglob("*.py")):
            if not {"build", "__pycache__"}.intersection(path.parts):
                counts[path.parent] += code_lines(path.read_text(encoding="utf-8"))
        for package, count in sorted(counts.items()):
            print(f"{count:7,}  {package}")
        print(f"{sum(counts.values()):7,}  {folder}, all")


if __name__ == "__main__":
    main(sys.argv[1:])
