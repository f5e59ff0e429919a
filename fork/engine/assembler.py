"""Assemble the fork's files from verified releases, the seams and the overlay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from fork.engine.census import Sensitive
from fork.engine.edits import apply
from fork.engine.errors import ForkError
from fork.engine.kinds import Seam, import_edits
from fork.engine.module import Module
from fork.engine.releases import Pin, read_release
from fork.engine.vendoring import Library, vendored_package

__all__ = [
    "Assembly",
    "ForkProject",
    "assemble_project",
    "overlay_clashes",
    "overlay_files",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkProject:
    """The description of a fork: its sources and its changes.

    :ivar upstream: the pin of the forked release.
    :ivar libraries: the additional libraries that the fork vendors.
    :ivar how_to_get: instructions for installing the pinned releases, for error messages.
    :ivar core: the package of this repository that the fork vendors.
    :ivar core_needs: the libraries that the package *core* may import.
    :ivar overlay: the folder of the fork's own files.
    :ivar vendor: the archive path of the libraries, ending with a slash.
    :ivar licenses: the path of the libraries' licenses below ``licenses/``, ending with a
        slash.
    :ivar seams: the edits of upstream's files, one file after another.
    :ivar sensitive: the calls that the census counts.
    """

    upstream: Pin
    libraries: tuple[Library, ...]
    how_to_get: str
    core: Path
    core_needs: tuple[str, ...]
    overlay: Path
    vendor: str
    licenses: str
    seams: tuple[Seam, ...]
    sensitive: Sensitive

    def core_files(self) -> dict[str, bytes]:
        """Return the files of this repository's package, by archive path."""
        vendored = self.vendor.rstrip("/").replace("/", ".")
        files = vendored_package(self.core, self.core_needs, vendored)
        return {self.vendor + path: data for path, data in files.items()}


@dataclass(frozen=True, slots=True)
class Assembly:
    """The files of the fork.

    :ivar files: contents by archive path: upstream's files, edited by the seams, and the
        vendored libraries.
    :ivar overlay: the fork's own files by archive path.
    :ivar licenses: license texts by path below ``licenses/``.
    """

    files: dict[str, bytes]
    overlay: dict[str, Path]
    licenses: dict[str, bytes]


def overlay_files(source: Path) -> dict[str, Path]:
    """Return the overlay's files by archive path, without bytecode."""
    found: dict[str, Path] = {}
    for file in sorted(source.rglob("*")):
        path = file.relative_to(source)
        hidden = any(part.startswith(".") for part in path.parts)
        if file.is_file() and not hidden and "__pycache__" not in path.parts:
            found[path.as_posix()] = file
    return found


def assemble_project(project: ForkProject, folder: Path | None = None) -> Assembly:
    """Return the fork's files.

    :param folder: the folder of the pinned releases; None for the running environment.
    :raises ForkError: if a release is missing, has another version, or was changed; or if a
        seam does not fit. For seams, the message names each file and function.
    """
    upstream = read_release(project.upstream, project.how_to_get, folder)
    files = dict(upstream.files)
    licenses = {
        path.removeprefix("licenses/"): data for path, data in upstream.licenses.items()
    }
    vendored = {project.core.name: project.core_files()}
    for library in project.libraries:
        release = read_release(library.pin, project.how_to_get, folder)
        vendored[library.pin.name] = {
            project.vendor + path: data
            for path, data in library.vendored_files(release).items()
        }
        for path, data in library.vendored_licenses(release).items():
            licenses[project.licenses + path] = data
    for name, added in vendored.items():
        _refuse_clash(added, files, f"vendored {name}")
        files |= added
    overlay = overlay_files(project.overlay)
    _refuse_clash(overlay, files, "src/")
    problems: list[str] = []
    for path, group in groupby(project.seams, key=lambda seam: seam.file):
        try:
            files[path] = _edit(path, list(group), files)
        except ForkError as error:
            problems.append(str(error))
    if problems:
        raise ForkError("\n".join(problems))
    return Assembly(files, overlay, licenses)


def overlay_clashes(added: Iterable[str], files: Iterable[str]) -> list[str]:
    """Return a line for each added file that replaces or shadows another file."""
    files = set(files)
    folders = {parent.as_posix() for path in files for parent in Path(path).parents}
    lines: list[str] = []
    for path in added:
        module = path.removesuffix("/__init__.py").removesuffix(".py")
        taken = {path, f"{module}/__init__.py", f"{module}.py"} & files
        folder, _, name = path.rpartition("/")
        if name == "__init__.py" and folder in folders:
            taken.add(f"{folder}/")
        lines += [f"{path}: would replace or shadow {each}" for each in sorted(taken)]
    return lines


def _refuse_clash(added: Iterable[str], files: Iterable[str], source: str) -> None:
    lines = overlay_clashes(added, files)
    if lines:
        raise ForkError(
            f"overlay clash: files of {source} are upstream's too; rename them, or make "
            "the change a seam in fork/seams.py\n"
            + "\n".join(f"  {line}" for line in lines)
        )


def _edit(path: str, seams: list[Seam], files: dict[str, bytes]) -> bytes:
    if path not in files:
        raise ForkError(
            f"upstream no longer has a file that a seam edits; correct fork/seams.py. "
            f"File: {path!r}"
        )
    module = Module(path, files[path])
    edits = import_edits(module, seams)
    for seam in seams:
        edits += seam.edits(module)
    edited = apply(module.data, edits, path)
    Module(path, edited)  # This fails if the edited file is not Python.
    return edited
