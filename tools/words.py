"""Find banned words and docstring openings.

Run ``python -m tools.words``. It prints each line to change, and exits with 1 if there is
one.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["main", "problems"]

#: The replacement for each banned word.
_BANNED = {
    "mend": "fix",
    "mends": "fixes",
    "mended": "fixed",
    "mending": "fixing",
    "likewise": "also",
    "save for": "except",
    "kin": "similar",
    "as ever": "as usual",
    "untouched pip": "stock pip",
    "in place of": "instead of",
    "by hand": "manually, explicitly",
    "of its own": "separate, its own",
    "usual index": "default index",
    "foretell": "predict",
    "foresee": "predict",
    "foresees": "predicts",
    "foresaw": "predicted",
    "foreseen": "predicted",
    "early request": "prefetch",
    "early requests": "prefetches",
    "whoever": "the actor's name",
    "comes to": "is",
    "has a say": "affects",
    "have a say": "affect",
    "pass over": "skip",
    "passes over": "skips",
    "passed over": "skipped",
    "type of machine": "CPU architecture",
    "afterwards": "afterward",
    "behaviour": "behavior",
    "catalogue": "catalog",
    "colour": "color",
    "colours": "colors",
    "labelled": "labeled",
    "licence": "license",
    "licences": "licenses",
    "neighbour": "neighbor",
    "neighbours": "neighbors",
    "normalise": "normalize",
    "normalised": "normalized",
    "organisation": "organization",
}
_WORDS = re.compile(
    r"\b(" + "|".join(_BANNED).replace(" ", r"\s+") + r")\b", re.IGNORECASE
)
_OPENINGS = re.compile(r"(Tell|Say|Let|Have|Hold|Give)s?\b")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_FOLDERS = ("src", "core", "carrier", "fork", "tools", "tests", "docs", "news")
_SUFFIXES = (".py", ".md", ".rst", ".toml")


def problems(text: str, *, is_code: bool) -> Iterator[tuple[int, str]]:
    """Yield the number of each line to change, with the reason."""
    for found in _WORDS.finditer(text):
        number = text.count("\n", 0, found.start()) + 1
        word = " ".join(found[0].lower().split())
        yield number, f"{word!r}: write {_BANNED[word]!r}"
    if not is_code:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, _DOCUMENTED) and (docstring := ast.get_docstring(node)):
            opening = _OPENINGS.match(docstring)
            if opening is not None:
                where = node.body[0].lineno
                yield where, f"a docstring begins with {opening[0]!r}"


def main() -> int:
    """Print the lines to change, and return 1 if there are any."""
    paths = [path for folder in _FOLDERS for path in Path(folder).rglob("*")]
    count = 0
    for path in sorted([*paths, *Path().glob("*.md"), Path("noxfile.py")]):
        # Skip this module and its test, which contain the words.
        if path.suffix in _SUFFIXES and not path.name.endswith("words.py"):
            text = path.read_text(encoding="utf-8")
            for number, problem in problems(text, is_code=path.suffix == ".py"):
                print(f"{path}:{number}: {problem}")
                count += 1
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
