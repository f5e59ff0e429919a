"""Assemble the fork's files from verified releases, the seams and the overlay."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fork.engine.census import Census, Sensitive, differences, take_census
from fork.engine.edits import apply, reverse
from fork.engine.errors import ForkError
from fork.engine.kinds import Seam, import_edits
from fork.engine.module import Module
from fork.engine.recorded import Recorded, load
from fork.engine.releases import Pin, Release, read_release
from fork.engine.vendoring import Library, vendored_package

__all__ = [
    "Assembly",
    "Project",
    "Sources",
    "assemble",
    "assemble_project",
    "overlay_clashes",
    "overlay_files",
    "record",
]

_REVIEW = (
    "To accept the change, read it first (python tools/rebase.py VERSION), adapt the "
    "fork, then type: python -m fork record"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """Describe a fork: what it is made from, and where it differs.

    :param upstream: the release that is forked.
    :param libraries: what the fork vendors besides.
    :param how_to_get: what errors say about getting those releases.
    :param core: the package of this repository that the fork vendors.
    :param core_needs: the libraries that it may import.
    :param overlay: the folder of the fork's own files.
    :param recorded: the file of what was reviewed.
    :param vendor: where libraries are in the archive, ending with a slash.
    :param licenses: where their licences are below ``licenses/``, likewise.
    :param seams: the edits of upstream's files.
    :param sensitive: the calls that the census counts.
    """

    upstream: Pin
    libraries: tuple[Library, ...]
    how_to_get: str
    core: Path
    core_needs: tuple[str, ...]
    overlay: Path
    recorded: Path
    vendor: str
    licenses: str
    seams: tuple[Seam, ...]
    sensitive: Sensitive

    def read(self, folder: Path | None = None) -> Sources:
        """Read the pinned releases and list the overlay.

        :param folder: where the releases are; the running environment if None.
        :raises ForkError: a release is absent, another version, or was changed.
        """
        upstream = read_release(self.upstream, self.how_to_get, folder)
        vendored = tuple(
            read_release(library.pin, self.how_to_get, folder)
            for library in self.libraries
        )
        return Sources(upstream, vendored, overlay_files(self.overlay))

    def core_files(self) -> dict[str, bytes]:
        """Return the files of the package of this repository, by archive path."""
        vendored = self.vendor.rstrip("/").replace("/", ".")
        files = vendored_package(self.core, self.core_needs, vendored)
        return {self.vendor + path: data for path, data in files.items()}

    def vendored_files(
        self, sources: Sources
    ) -> Iterator[tuple[str, dict[str, bytes]]]:
        """Yield the name of each library and its files by archive path."""
        yield self.core.name, self.core_files()
        for library, release in zip(self.libraries, sources.vendored, strict=True):
            files = library.vendored_files(release)
            yield (
                library.pin.name,
                {self.vendor + path: data for path, data in files.items()},
            )

    def all_licenses(self, sources: Sources) -> dict[str, bytes]:
        """Return the licences of all releases by path below ``licenses/``."""
        found = {
            path.removeprefix("licenses/"): data
            for path, data in sources.upstream.licenses.items()
        }
        for library, release in zip(self.libraries, sources.vendored, strict=True):
            for path, data in library.vendored_licenses(release).items():
                found[self.licenses + path] = data
        return found


@dataclass(frozen=True, slots=True)
class Sources:
    """Hold what the fork is made from.

    :param upstream: the release that is forked.
    :param vendored: the libraries that the fork vendors.
    :param overlay: the fork's own files by archive path.
    """

    upstream: Release
    vendored: tuple[Release, ...]
    overlay: dict[str, Path]

    @property
    def releases(self) -> tuple[Release, ...]:
        """Return upstream and the libraries."""
        return (self.upstream, *self.vendored)


@dataclass(frozen=True, slots=True)
class Assembly:
    """Hold the fork's files.

    :param files: contents by archive path: upstream's, edited where there is a seam,
        and the vendored libraries.
    :param overlay: the fork's own files by archive path.
    :param licenses: contents by path below ``licenses/``.
    """

    files: dict[str, bytes]
    overlay: dict[str, Path]
    licenses: dict[str, bytes]


def assemble_project(project: Project, folder: Path | None = None) -> Assembly:
    """Read a project's sources and assemble it.

    :param folder: where the pinned releases are; the running environment if None.
    :raises ForkError: a release, a seam or the overlay is not as recorded.
    """
    return assemble(project, project.read(folder), load(project.recorded))


def overlay_files(source: Path) -> dict[str, Path]:
    """Return the overlay's files by archive path; no bytecode, no hidden files."""
    found: dict[str, Path] = {}
    for file in sorted(source.rglob("*")):
        path = file.relative_to(source)
        hidden = any(part.startswith(".") for part in path.parts)
        if file.is_file() and not hidden and "__pycache__" not in path.parts:
            found[path.as_posix()] = file
    return found


def assemble(project: Project, sources: Sources, recorded: Recorded) -> Assembly:
    """Verify the sources and return the fork's files.

    :raises ForkError: the sources are not as recorded; the message names each file
        and function.
    """
    for release in sources.releases:
        _check_digest(release, recorded)
    files = dict(sources.upstream.files)
    for name, added in project.vendored_files(sources):
        _refuse_clash(added, files, f"vendored {name}")
        files |= added
    _refuse_clash(sources.overlay, files, "src/")
    census = take_census(sources.upstream.files, project.sensitive)
    _check_census(census, recorded, project.sensitive.risk)
    problems: list[str] = []
    for path, group in _by_file(project.seams).items():
        try:
            files[path] = _edit(path, group, files, recorded)
        except ForkError as error:
            problems.append(str(error))
    if problems:
        raise ForkError("\n".join(problems))
    for path, file in sources.overlay.items():
        _compile(path, file.read_bytes())
    _check_hooks(sources.overlay, project.seams)
    return Assembly(files, sources.overlay, project.all_licenses(sources))


def record(project: Project, sources: Sources) -> Recorded:
    """Return the values that the sources have now."""
    files = dict(sources.upstream.files)
    for _, added in project.vendored_files(sources):
        files |= added
    fingerprints: dict[str, dict[str, str]] = {}
    for path, group in _by_file(project.seams).items():
        module = _module(path, files)
        fingerprints[path] = {seam.target: seam.fingerprint(module) for seam in group}
    return Recorded(
        digests={release.pin.name: release.digest for release in sources.releases},
        fingerprints=fingerprints,
        census=take_census(sources.upstream.files, project.sensitive),
    )


def _check_digest(release: Release, recorded: Recorded) -> None:
    pin = release.pin
    expected = recorded.digests.get(pin.name)
    if release.digest != expected:
        raise ForkError(
            f"{pin.name} {pin.version} is not the release that was reviewed: its digest "
            f"is {release.digest}, recorded is {expected}. Get it from the Python "
            f"Package Index. {_REVIEW}"
        )


def _check_census(found: Census, recorded: Recorded, risk: str) -> None:
    lines = differences(recorded.census, found)
    if lines:
        raise ForkError(
            f"the census of sensitive call sites differs; {risk}. {_REVIEW}\n"
            + "\n".join(f"  {line}" for line in lines)
        )


def overlay_clashes(added: Iterable[str], files: Iterable[str]) -> list[str]:
    """Return one line for each added file that would replace or shadow one of files."""
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


def _by_file(seams: Iterable[Seam]) -> dict[str, list[Seam]]:
    groups: dict[str, list[Seam]] = {}
    for seam in seams:
        groups.setdefault(seam.file, []).append(seam)
    return groups


def _module(path: str, files: dict[str, bytes]) -> Module:
    try:
        return Module(path, files[path])
    except KeyError:
        raise ForkError(
            f"upstream no longer has a file that a seam edits; correct fork/seams.py. "
            f"File: {path!r}"
        ) from None


def _edit(
    path: str, seams: list[Seam], files: dict[str, bytes], recorded: Recorded
) -> bytes:
    module = _module(path, files)
    edits = import_edits(module, seams)
    for seam in seams:
        edits += seam.edits(module)
        expected = recorded.fingerprints.get(path, {}).get(seam.target)
        if expected is None:
            raise ForkError(
                f"seam {seam.name}: the seam is new and nothing is recorded for it. "
                "Type: python -m fork record"
            )
        if seam.fingerprint(module) != expected:
            raise ForkError(
                f"seam {seam.name}: upstream's code is not the one that was reviewed. "
                f"{_REVIEW}"
            )
    edited = apply(module.data, edits, path)
    if reverse(edited, edits, path) != module.data:
        raise ForkError(
            "reverse check: without the seams the file is not upstream's, byte for byte; "
            f"correct its seams in fork/seams.py. File: {path!r}"
        )
    _compile(path, edited)
    return edited


def _check_hooks(overlay: dict[str, Path], seams: Iterable[Seam]) -> None:
    modules: dict[str, Module] = {}
    problems: list[str] = []
    for seam in seams:
        pattern, name = seam.implementation
        for path in fnmatch.filter(overlay, pattern):
            if path not in modules:
                modules[path] = Module(path, overlay[path].read_bytes())
            if modules[path].find(name):
                break
        else:
            if seam.hook:
                problems.append(
                    f"seam {seam.name}: the hook {name!r} is not defined in "
                    f"{f'src/{pattern}'!r}. Define it there, or correct fork/seams.py"
                )
    if problems:
        raise ForkError("\n".join(problems))


def _compile(path: str, data: bytes) -> None:
    if not path.endswith(".py"):
        return
    try:
        compile(data, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise ForkError(
            f"the assembled file does not compile: {error} (line {line}). Correct the "
            f"file in src/ or its seams in fork/seams.py. File: {path!r}"
        ) from error
