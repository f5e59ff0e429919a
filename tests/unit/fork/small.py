"""A small project, of some ten files, in which tests plant differences."""

from __future__ import annotations

import dataclasses
import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fork.engine.assembler import Assembly, ForkProject, assemble_project
from fork.engine.census import Sensitive
from fork.engine.kinds import Append, Constant, Decorate, Door, InsertLine, Seam
from fork.engine.releases import Pin, Sources, read_release
from fork.engine.vendoring import Library

HEADER = """\
# Copyright (c) Somebody.
#
#   * Redistribution is permitted.
#
"""
RELEASES: Mapping[str, Mapping[str, str]] = {
    "tool-1.0": {
        "tool/__init__.py": '"""A tool."""\n\n__version__ = "1.0"\n',
        "tool/cache.py": "def wheels(names):\n"
        "    return [Wheel(name) for name in names]\n\n\n"
        "class Cache:\n"
        "    def candidates(self, names):\n"
        "        return wheels(names)\n\n"
        "    def clear(self):\n"
        "        print('cleared')\n",
        "tool/commands/__init__.py": "",
        "tool/commands/show.py": "def show(options) -> None:\n"
        "    limit = 10\n"
        "    print(limit)\n",
        "tool/options.py": "OPTIONS = []\n",
        "tool-1.0.dist-info/licenses/LICENSE.txt": "A license.\n",
    },
    "one_file-2": {"one_file.py": f"{HEADER}\nONE = 1\n"},
    "library-3": {
        "library/__init__.py": "",
        "library/parts/data.json": "{}\n",
        "library/parts/NOTICE": "A notice.\n",
        "library/unused.py": "",
        "library-3.dist-info/LICENSE": "A license.\n",
    },
}
OVERLAY = {
    "tool/fork/__init__.py": "",
    "tool/fork/door.py": "def options(given): ...\ndef shown(): ...\n",
    "tool/fork/hooks/__init__.py": "",
    "tool/fork/hooks/cache.py": "def candidates(fn): ...\n",
    "tool/commands/_ours.py": "",
}
DOOR = Door(
    path="tool/fork/door.py",
    name="_fork",
    statement="from tool.fork import door as _fork",
)
SEAMS = (
    Constant("__version__", value="1.0+ours", file="tool/__init__.py"),
    Decorate("Cache.candidates", "fork.hooks.cache:candidates", file="tool/cache.py"),
    InsertLine(
        "show",
        "shown",
        before="limit = 10",
        statement="{hook}()",
        file="tool/commands/show.py",
    ),
    Append(
        "OPTIONS",
        "options",
        statement="OPTIONS = {hook}(OPTIONS)",
        file="tool/options.py",
    ),
)
TOOL = Pin("tool", "1.0", "", ("tool/",), ("licenses/",))
LIBRARIES = (
    Library(
        Pin("one-file", "2", "", ("one_file.py",)),
        ("one_file.py",),
        header=("one_file.py", "one_file/LICENSE"),
    ),
    Library(
        Pin("library", "3", "", ("library/",), ("LICENSE",)),
        ("library/__init__.py", "library/parts/data.json"),
        packages=("library/parts/__init__.py",),
        licenses=("library/parts/NOTICE",),
    ),
)


@dataclass(frozen=True, slots=True)
class Tree:
    """Keep the releases of the small project and its overlay.

    :param folder: the releases, as installed.
    :param released: planted differences pass for releases of their own: files are
        recorded as they are and digests are taken as reviewed, so that the checks
        behind these are reached.
    """

    folder: Path
    project: ForkProject
    released: bool = False

    @property
    def overlay(self) -> Path:
        """Return the folder of the overlay."""
        return self.project.overlay

    def dist_info(self, project: str = "tool") -> Path:
        """Return the metadata folder of a release."""
        (found,) = self.folder.glob(f"{project}-*.dist-info")
        return found

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace a text, which is there, in a file of a release."""
        text = (self.folder / path).read_text(encoding="utf-8")
        assert text.count(old) == 1, (path, old, text.count(old))
        self.write(path, text.replace(old, new))

    def append(self, path: str, text: str) -> None:
        """Append a text to a file of a release."""
        self.write(path, (self.folder / path).read_text(encoding="utf-8") + text)

    def write(self, path: str, text: str) -> None:
        """Write a file of a release, and its RECORD row if that is wanted."""
        (self.folder / path).write_text(text, encoding="utf-8")
        if self.released:
            for file in self.folder.glob("*.dist-info/RECORD"):
                rows = file.read_text(encoding="utf-8").splitlines(keepends=True)
                rows = [
                    _row(path, text) if row.startswith(f"{path},") else row
                    for row in rows
                ]
                file.write_text("".join(rows), encoding="utf-8")

    def add(self, path: str, text: str) -> None:
        """Add a file to the release of the tool."""
        _write({path: text}, self.folder)
        with (self.dist_info() / "RECORD").open("a", encoding="utf-8") as file:
            file.write(_row(path, text))

    def upstream(self) -> Sources:
        """Read the release of the tool, whatever its version."""
        return read_release(TOOL, "", self.folder, exact=False)

    def assemble(self, seams: Sequence[Seam] | None = None) -> Assembly:
        """Assemble the fork.

        :param seams: instead of those of the project.
        """
        project = self.project
        if seams is not None:
            seams = tuple(dataclasses.replace(each, door=DOOR) for each in seams)
            project = dataclasses.replace(project, seams=seams)
        if self.released:
            project = _reviewed(project, self.folder)
        return assemble_project(project, self.folder)


def _reviewed(project: ForkProject, folder: Path) -> ForkProject:
    """Return the project with the digests of the releases in a folder."""

    def pinned(pin: Pin) -> Pin:
        release = read_release(pin, "", folder, exact=False)
        return dataclasses.replace(pin, digest=release.digest)

    libraries = tuple(
        dataclasses.replace(each, pin=pinned(each.pin)) for each in project.libraries
    )
    upstream = pinned(project.upstream)
    return dataclasses.replace(project, upstream=upstream, libraries=libraries)


def plant(folder: Path) -> Tree:
    """Write the small project into a folder."""
    installed, overlay = folder / "installed", folder / "src"
    for release, files in RELEASES.items():
        name, _, version = release.partition("-")
        metadata = f"{release}.dist-info/METADATA"
        rows = "".join(_row(path, text) for path, text in files.items())
        _write(files, installed)
        _write(
            {
                metadata: f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
                f"{release}.dist-info/RECORD": rows,
            },
            installed,
        )
    _write(OVERLAY, overlay)
    project = ForkProject(
        upstream=TOOL,
        libraries=LIBRARIES,
        how_to_get="Run: get 'tool===1.0'.",
        core=folder / "core" / "model",
        core_needs=(),
        overlay=overlay,
        vendor="tool/vendor/",
        licenses="src/tool/vendor/",
        seams=tuple(dataclasses.replace(each, door=DOOR) for each in SEAMS),
        sensitive=Sensitive(
            folders=("tool/",),
            names=frozenset({"Wheel", "LinkCollector", "evaluate", "supported"}),
        ),
    )
    return Tree(installed, _reviewed(project, installed))


def _write(files: Mapping[str, str], folder: Path) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def _row(path: str, text: str) -> str:
    data = text.encode()
    digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}\n"
