"""What pages show as commands is tried, or says why not; what they name exists."""

from __future__ import annotations

import ast
import functools
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from pip._internal.commands import commands_dict, create_command
from tests.lib.environments import REPOSITORY
from wheel_variants.publish.cli import make_parser

# Pages show options of each mode.
pytestmark = [pytest.mark.pytorch, pytest.mark.scoped, pytest.mark.locks]

DOCS = REPOSITORY / "docs"
PAGES = sorted(
    [
        *DOCS.rglob("*.md"),
        *(REPOSITORY / each for each in ("README.md", "CONTRIBUTING.md")),
    ]
)
IDS = [page.relative_to(REPOSITORY).as_posix() for page in PAGES]

#: A block in fences, or an indented one, and the comment before it.
_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*?) -->\n\n?)?"
    r"(?:^```(?P<language>\w*)\n(?P<fenced>.*?)^```$|(?P<indented>(?:^    [^\n]*\n)+))",
    re.M | re.S,
)
_COMMAND = re.compile(
    r"^(?:\$ )?(?:[A-Z_]+=\S+ )*"
    r"(?:(?:pip|wheel-variants|uv|nox|tox|twine|docker|virtualenv|pipx|uvx|curl|export) |python|\.venv)"
)
#: What a page may say of a block that no test reads.
_NOT_RUN = re.compile(r"not run: .{10,}")
_TEST = re.compile(r"test: (.+)")


def _blocks(page: Path) -> Iterator[tuple[str | None, str]]:
    """Yield the blocks of a page that have commands, and what is said of each."""
    text = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        if match["fenced"] is not None:
            if match["language"] in ("sh", "bash", "console", "dockerfile"):
                yield match["mark"], match["fenced"]
        else:
            lines = "".join(line[4:] for line in match["indented"].splitlines(True))
            if _COMMAND.match(lines):
                yield match["mark"], lines


@functools.cache
def _read_by_tests() -> set[tuple[str, str]]:
    """Return the blocks that tests read: the page below ``docs``, and the name."""
    found = set()
    for file in (REPOSITORY / "tests").rglob("test_*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        constants: dict[str, object] = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        texts = {
            each.value
            for each in ast.walk(tree)
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
        }
        for node in ast.walk(tree):
            match node:
                case ast.Call(ast.Name("block" | "words_of"), [page, name]):
                    pages = _values(page, constants, texts)
                    names = _values(name, constants, texts)
                    found |= {(str(p), str(n)) for p in pages for n in names}
    return found


def _values(
    node: ast.expr, constants: dict[str, object], texts: set[str]
) -> set[object]:
    match node:
        case ast.Constant(value):
            return {value}
        case ast.Name(name) if name in constants:
            return {constants[name]}
    # What is computed is one of the texts of the file.
    return set(texts)


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_each_block_is_tried_or_says_why_not(page: Path) -> None:
    known = _read_by_tests()
    for mark, text in _blocks(page):
        assert mark is not None, f"neither tested nor marked: {text}"
        test = _TEST.fullmatch(mark)
        if test is None:
            assert _NOT_RUN.fullmatch(mark), f"neither a test nor a reason: {mark}"
        else:
            name = page.relative_to(DOCS).as_posix(), test[1]
            assert name in known, f"no test reads it: {name}"


def test_each_override_variable_is_told_of() -> None:
    name = re.compile(r"\b[A-Z]+(?:_[A-Z]+)*_(?:FORCE|DISABLE)_[A-Z_]+\b")
    providers = REPOSITORY / "src/pip/_internal/variants/providers"
    known = {
        each.value
        for file in providers.glob("*.py")
        for each in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(each, ast.Constant)
        and isinstance(each.value, str)
        and name.fullmatch(each.value)
    }
    assert known
    text = (DOCS / "options.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)`", text, re.M)) == known


def test_the_error_index_lists_each_code() -> None:
    sources = (REPOSITORY / "src/pip/_internal/variants").rglob("*.py")
    raised = {
        node.value.value
        for file in sources
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and ast.unparse(node.targets[0]) == "reference"
    }
    assert raised
    listed = re.findall(
        r"^## `([a-z-]+)`$", (DOCS / "errors.md").read_text(encoding="utf-8"), re.M
    )
    assert listed == sorted(map(str, raised))


@pytest.mark.parametrize(
    "name", ["SECURITY.md", "docs/proposals.md", "docs/reliability.md"]
)
def test_each_test_that_a_page_names_exists(name: str) -> None:
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w/]+/)?test_\w+\.py)(?:::([\w:]+))?`", text)
    assert named
    for path, test in named:
        file = REPOSITORY / (path if "/" in path else f"tests/functional/{path}")
        assert file.is_file(), path
        tree = ast.parse(file.read_text(encoding="utf-8"))
        defined = {getattr(each, "name", "") for each in ast.walk(tree)}
        assert not {*test.split("::")} - {*defined, ""}, f"{path}::{test}"


def test_each_promise_has_a_test() -> None:
    text = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (\S+ .+) \| (.*) \|$", text.partition("## Promises")[2], re.M
    )
    assert len(rows) > 30
    assert [promise for promise, tests in rows if "test_" not in tests] == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_pip_understands_each_command(page: Path) -> None:
    """Its options exist, where they stand, and take such values."""
    for _, text in _blocks(page):
        for line in text.replace("\\\n", " ").splitlines():
            words = _of_pip(line)
            if words and words[0] in commands_dict:
                # Files and folders that are named are not there.
                placed = [re.sub(r"^[\w./-]+\.toml$", "", word) for word in words[1:]]
                url = "=https://index.example/"
                placed = [re.sub(r"=(?=\w+/simple$)", url, word) for word in placed]
                create_command(words[0], isolated=True).parse_args(placed)


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_wheel_variants_understands_each_command(page: Path) -> None:
    for _, text in _blocks(page):
        for line in text.replace("\\\n", " ").splitlines():
            command = line.removeprefix("$ ")
            if command.startswith("wheel-variants "):
                words = shlex.split(command, comments=True)[1:]
                make_parser().parse_args(words)


def _of_pip(line: str) -> list[str]:
    """Return what follows ``pip`` in a line of a shell; nothing if it is no such line."""
    match = re.match(
        r"(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\S*python[0-9.]* -m |\S*/)?pip (.*)", line
    )
    if match is None or "..." in line:
        return []
    command = re.split(r" (?:&&|\||>) ", match[1])[0]
    return shlex.split(command, comments=True)
