"""Select the vendored files of a library, and their licenses."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fork.engine.errors import ForkError
from fork.engine.releases import Pin, Sources

__all__ = ["Library", "vendored_package"]


@dataclass(frozen=True, slots=True)
class Library:
    """The vendored parts of one library.

    :ivar pin: the pin of the library's release.
    :ivar files: the files that are needed at run time, by RECORD path.
    :ivar packages: the empty files that turn folders into packages.
    :ivar licenses: the license files, by RECORD path.
    :ivar header: a file that starts with its license as a comment, and the path for that
        license.
    """

    pin: Pin
    files: tuple[str, ...]
    packages: tuple[str, ...] = ()
    licenses: tuple[str, ...] = ()
    header: tuple[str, str] | None = None

    def vendored_files(self, release: Sources) -> dict[str, bytes]:
        """Return the vendored files of a release, by RECORD path.

        :raises ForkError: if a file is missing.
        """
        files = {path: _take(release, path) for path in self.files}
        return files | dict.fromkeys(self.packages, b"")

    def vendored_licenses(self, release: Sources) -> dict[str, bytes]:
        """Return the vendored licenses of a release, by path.

        :raises ForkError: if a license is missing.
        """
        name = self.pin.name
        licenses = {f"{name}/{path}": data for path, data in release.licenses.items()}
        licenses |= {path: _take(release, path) for path in self.licenses}
        if self.header:
            path, place = self.header
            licenses[place] = _license_in(_take(release, path), name, path)
        return licenses


def _take(release: Sources, path: str) -> bytes:
    try:
        return release.files[path]
    except KeyError:
        raise ForkError(
            f"{release.pin.name}: a file that the fork uses is gone; correct the list in "
            f"fork/pins.py. File: {path!r}"
        ) from None


def _license_in(source: bytes, name: str, path: str) -> bytes:
    """Return the license in the first comment block of a module."""
    lines: list[str] = []
    for line in source.decode().splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.strip("#").removeprefix(" ").rstrip())
    text = "\n".join(lines).strip() + "\n"
    if "Copyright" not in text or "Redistribution" not in text:
        raise ForkError(
            f"{name}: the license is no longer in the first comment of the module; "
            f"correct fork/pins.py. File: {path!r}"
        )
    return text.encode()


def vendored_package(
    folder: Path, needs: Iterable[str], vendored: str
) -> dict[str, bytes]:
    """Return the modules of a local package, with rewritten imports.

    Modules in subfolders and ``__main__`` are left out.

    :param folder: the folder of the package; its name is the import name.
    :param needs: the libraries that the package may import besides the standard library.
    :param vendored: the package that contains these libraries, and will contain this
        package.
    :return: contents by path relative to the parent of *folder*.
    :raises ForkError: if a module imports anything else.
    """
    available = {folder.name, *needs}
    return {
        f"{folder.name}/{path.name}": _rewritten(path, available, vendored)
        for path in sorted(folder.glob("*.py"))
        if path.name != "__main__.py"
    }


def _rewritten(path: Path, available: set[str], vendored: str) -> bytes:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for node in ast.walk(ast.parse("".join(lines), str(path))):
        if isinstance(node, ast.Import):
            modules = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = ["." * node.level + (node.module or "")]
        else:
            continue
        for module in modules:
            root = module.partition(".")[0]
            if root in sys.stdlib_module_names:
                continue
            if root not in available or not isinstance(node, ast.ImportFrom):
                raise ForkError(
                    "a vendored module may only write `from X import`, with X from "
                    f"{sorted(available)}. Module: {str(path)!r}, import: {module!r}"
                )
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = line.replace(
                f"from {module} ", f"from {vendored}.{module} ", 1
            )
    return "".join(lines).encode()
