"""The private names of upstream that the package ``fast`` uses: those in a table."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

import pip
from pip._internal import fast


class Private(NamedTuple):
    """A private name of upstream.

    :ivar module: which defines it
    :ivar why: what it is used for
    """

    module: str
    why: str


INSTALLED = "pip._internal.operations.install.wheel"
DOWNLOAD = "pip._internal.network.download"
UNINSTALL = "pip._internal.req.req_uninstall"

#: By name.
PRIVATE = {
    # Requests.
    "_original_response": Private(
        "pip._vendor.urllib3.response", "the session takes cookies from it"
    ),
    "_configure_context": Private(
        "pip._vendor.truststore._openssl", "which certificates the system trusts"
    ),
    "_requires_python_skipped": Private(
        "pip._internal.index.package_finder",
        "errors name only what the resolver itself has skipped",
    ),
    "_installed_dists": Private(
        "pip._internal.resolution.resolvelib.factory",
        "what is installed, which pip may not list again",
    ),
    "_cli": Private(
        "pip._internal.cli.base_command", "whether the process ends with the command"
    ),
    "_session": Private(DOWNLOAD, "the session of a command"),
    # Downloads.
    "_FileDownload": Private(DOWNLOAD, "a download that goes on after it broke off"),
    "_http_get": Private(DOWNLOAD, "the same"),
    "_process_response": Private(DOWNLOAD, "the same"),
    "_cache_resumed_download": Private(DOWNLOAD, "the same, in another run"),
    "_progress_bar": Private(DOWNLOAD, "which bar the user wants"),
    # Installation.
    "_getinfo": Private(INSTALLED, "which member of a wheel is installed"),
    "_zip_file": Private(INSTALLED, "the same"),
    "_dist": Private(UNINSTALL, "which distribution is removed"),
    "_moved_paths": Private(UNINSTALL, "what is removed only after the installation"),
    "_paths": Private(UNINSTALL, "what is removed"),
    "_pth": Private(UNINSTALL, "which .pth files are changed"),
    "_get_directory_stash": Private(UNINSTALL, "where removed folders wait"),
    "_get_file_stash": Private(UNINSTALL, "where removed files wait"),
    "_moves": Private(UNINSTALL, "what has been removed, to put it back"),
}
#: How long the table may be.
MOST = 20

SOURCE = Path(fast.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
#: Not names for Python's own use, such as ``__init__``.
IS_PRIVATE = re.compile(r"_(?!_)\w+|__\w+(?<!__)")
#: Ours, on objects of upstream.
SLOT = "_variants_"


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join([fast.__name__, *parts]).removesuffix(".__init__")


def is_private(name: str) -> bool:
    return IS_PRIVATE.fullmatch(name) is not None


def is_own(node: ast.expr) -> bool:
    """Tell whether an expression is the object itself, as far as a method may use it."""
    match node:
        case ast.Name(id="self" | "cls"):
            return True
        case ast.Call(func=ast.Name(id="super")):
            return True
    return False


def defined(tree: ast.AST) -> Iterator[str]:
    """Yield the private names that classes, modules and methods define."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found = name
            case ast.Name(id=name, ctx=ast.Store()):
                found = name
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                found = name
            case _:
                continue
        if is_private(found):
            yield found


def inherited(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield what classes use or replace of upstream's classes that they are made from."""
    module = import_module(module_of(path))
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or not hasattr(module, node.name):
            continue
        theirs = {
            name
            for base in getattr(module, node.name).__mro__
            if base.__module__.startswith("pip.")
            and not base.__module__.startswith(fast.__name__)
            for name in defined(
                ast.parse(inspect.getsource(import_module(base.__module__)))
            )
        }
        ours = {
            each.attr
            for each in ast.walk(node)
            if isinstance(each, ast.Attribute) and is_own(each.value)
        }
        yield from theirs & {*ours, *defined(node)}


def used(path: Path) -> Iterator[str]:
    """Yield the private names of upstream that a module uses.

    A private attribute of anything but ``self`` is upstream's: ours stay where they are.
    """
    tree = parsed(path)
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="sys")):
                continue
            case ast.Attribute(value=value, attr=name) if not is_own(value):
                yield from [name] * is_private(name)
            case ast.ImportFrom(module=str(module), names=names):
                is_hidden = any(map(is_private, module.split(".")[2:]))
                for alias in names:
                    if is_hidden or is_private(alias.name):
                        yield alias.name
    yield from inherited(path, tree)


def test_private_names_of_upstream() -> None:
    found = {name for path in FILES for name in used(path)}
    assert found == set(PRIVATE)
    assert len(PRIVATE) <= MOST


@pytest.mark.parametrize("name", PRIVATE)
def test_upstream_defines_it(name: str) -> None:
    module = Path(pip.__file__).parent.parent.joinpath(*PRIVATE[name].module.split("."))
    path = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
    assert name in set(defined(parsed(path)))


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_no_name_hides_in_a_string(path: Path) -> None:
    """Neither ``vars(x).get("_y")`` nor ``getattr(x, "_y")`` nor ``like(x, _y=...)``."""
    tree = parsed(path)
    hidden = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="TypeVar")):
                continue
            case ast.Call(args=args, keywords=keywords):
                hidden |= {each.arg for each in keywords if each.arg is not None}
            case ast.Subscript(slice=index):
                args = [index]
            case _:
                continue
        hidden |= {
            each.value
            for each in args
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
        }
    assert not [each for each in hidden if is_private(each) and SLOT not in each]
