"""The private names of upstream that the package ``fast`` uses: those in a table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pip
from pip._internal import fast

INSTALLED = "pip._internal.operations.install.wheel"
DOWNLOAD = "pip._internal.network.download"
UNINSTALL = "pip._internal.req.req_uninstall"

#: By name the module that defines it.
PRIVATE = {
    # The session takes cookies from it.
    "_original_response": "pip._vendor.urllib3.response",
    # Which certificates the system trusts.
    "_configure_context": "pip._vendor.truststore._openssl",
    # Errors name only what the resolver itself has skipped.
    "_requires_python_skipped": "pip._internal.index.package_finder",
    # What is installed, which pip may not list again.
    "_installed_dists": "pip._internal.resolution.resolvelib.factory",
    # Whether the process ends with the command.
    "_cli": "pip._internal.cli.base_command",
    "_session": DOWNLOAD,
    # A download that goes on after it broke off, also in another run.
    "_FileDownload": DOWNLOAD,
    "_http_get": DOWNLOAD,
    "_process_response": DOWNLOAD,
    "_cache_resumed_download": DOWNLOAD,
    # Which bar the user wants.
    "_progress_bar": DOWNLOAD,
    # Which member of a wheel is installed.
    "_getinfo": INSTALLED,
    "_zip_file": INSTALLED,
    # What is removed, which .pth files are changed, and what was moved where.
    "_dist": UNINSTALL,
    "_paths": UNINSTALL,
    "_pth": UNINSTALL,
    "_moves": UNINSTALL,
    "_moved_paths": UNINSTALL,
    "_get_directory_stash": UNINSTALL,
    "_get_file_stash": UNINSTALL,
}
#: Of these, what subclasses of upstream's classes use or replace.
INHERITED = {"_cache_resumed_download", "_get_directory_stash", "_get_file_stash"}
INHERITED |= {"_moves"}
#: How long the table may be.
MOST = 20

#: Not names for Python's own use, such as ``__init__``.
IS_PRIVATE = re.compile(r"_(?!_)\w+|__\w+(?<!__)")


def private_names(tree: ast.Module) -> Iterator[str]:
    """Yield the private attributes and imports of a module, but those of ``self``.

    A private attribute of anything else is upstream's: ours stay where they are.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls" | "sys")):
                continue
            case ast.Attribute(attr=name):
                yield name
            case ast.ImportFrom(names=names):
                yield from (alias.name for alias in names)


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_private_names_of_upstream() -> None:
    files = Path(fast.__file__).parent.rglob("*.py")
    used = {name for path in files for name in private_names(parsed(path))}
    assert set(filter(IS_PRIVATE.fullmatch, used)) == set(PRIVATE) - INHERITED
    assert len(PRIVATE) <= MOST


@pytest.mark.parametrize("name", PRIVATE)
def test_upstream_defines_it(name: str) -> None:
    module = Path(pip.__file__).parent.parent.joinpath(*PRIVATE[name].split("."))
    path = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
    assert re.search(rf"(\b(def|class) |\bself\.|^){name}\b", path.read_text(), re.M)
