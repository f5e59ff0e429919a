"""Find the pip of a Python, and check whether it is complete."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pip_variants.targets import TargetInterpreter

__all__ = ["Installed", "find_pip", "hidden_by", "is_fork", "trouble"]

_METADATA = re.compile(r"pip-(?P<version>\d[^-]*)\.(dist-info|egg-info)")
#: A file that virtualenv adds next to pip.
_MARKER = re.compile(r"pip-\d[^-]*\.virtualenv")
_ANSWER = re.compile(r"pip (?P<version>\S+) from (?P<path>.+) \(python")


@dataclass(frozen=True)
class Installed:
    """The pip that is installed where the new pip will be installed.

    :ivar version: the version in the metadata; empty if there is no metadata.
    :ivar paths: the existing folders of the package and metadata.
    :ivar trouble: the reason why the pip is incomplete; empty if it is complete.
    """

    version: str
    paths: tuple[Path, ...]
    trouble: str

    @property
    def info(self) -> Path:
        """The folder of the metadata, which must exist."""
        return next(path for path in self.paths if path.suffix == ".dist-info")

    @property
    def is_movable(self) -> bool:
        """Whether this pip must be moved away, because no pip can uninstall it.

        virtualenv can link to a shared copy; uninstalling would change the copy.
        """
        return bool(self.trouble) or any(path.is_symlink() for path in self.paths)

    def __str__(self) -> str:
        if self.trouble:
            return f"{self.version} (incomplete: {self.trouble})".strip()
        return self.version


def is_fork(version: str) -> bool:
    """Return whether *version* is a version of the fork."""
    return "+variants." in version


def find_pip(target: TargetInterpreter) -> Installed | None:
    """Return the installed pip, complete or not, or ``None``.

    :raises OSError: if the folder cannot be read.
    """
    try:
        names = sorted(path.name for path in target.purelib.iterdir())
    except FileNotFoundError:
        return None
    matches = [match for name in names if (match := _METADATA.fullmatch(name))]
    paths = [target.purelib / match[0] for match in matches]
    if "pip" in names:
        paths.append(target.purelib / "pip")
    if not paths:
        return None
    paths += [target.purelib / name for name in names if _MARKER.fullmatch(name)]
    version = matches[0]["version"] if len(matches) == 1 else ""
    if version and (paths[0] / "RECORD").is_file():
        why = trouble(target, version) or ""
    else:
        why = _incomplete(len(matches))
    return Installed(version, tuple(paths), why)


def _incomplete(releases: int) -> str:
    """Return why a pip with the metadata of *releases* releases is incomplete."""
    if releases == 1:
        return "RECORD is missing"
    if releases:
        return f"metadata of {releases} releases"
    return "metadata is missing"


def trouble(target: TargetInterpreter, version: str) -> str | None:
    """Return why ``python -m pip`` is not *version*, or ``None``."""
    done = target.run("-E", "-m", "pip", "--version")
    answer = _ANSWER.match(done.stdout)
    if done.returncode or answer is None:
        lines = (done.stderr or done.stdout).strip().splitlines()
        problem = "pip does not start"
        return f"{problem}: {lines[-1].strip()}" if lines else problem
    if answer["version"] != version:
        return f"pip {answer['version']} from {answer['path']} starts instead"
    return None


def hidden_by(target: TargetInterpreter) -> Path | None:
    """Return a pip that would take precedence over the new pip, or ``None``."""
    for entry in target.path:
        folder = Path(entry)
        if folder == target.purelib:
            return None
        if entry and (folder / "pip" / "__init__.py").is_file():
            return folder / "pip"
    return None
