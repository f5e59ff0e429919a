"""Which pip a Python has, and whether it is whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pip_variants.errors import CarrierError
from pip_variants.targets import Target

__all__ = ["Installed", "hidden_by", "is_fork", "look", "trouble"]

_METADATA = re.compile(r"pip-(?P<version>\d[^-]*)\.(dist-info|egg-info)")
#: What virtualenv puts beside it.
_MARKER = re.compile(r"pip-\d[^-]*\.virtualenv")
_ANSWER = re.compile(r"pip (?P<version>\S+) from (?P<path>.+) \(python")


@dataclass(frozen=True)
class Installed:
    """The pip that is installed where a new one would be.

    :ivar version: as its metadata says, empty if there is none
    :ivar paths: its package and metadata, as far as they are there
    :ivar trouble: why it is not whole, empty if it is
    """

    version: str
    paths: tuple[Path, ...]
    trouble: str

    @property
    def info(self) -> Path:
        """Return the folder of its metadata; there is one if it is whole."""
        return next(path for path in self.paths if path.suffix == ".dist-info")

    @property
    def is_movable(self) -> bool:
        """Tell whether a pip could not take it away, so that it must be moved.

        virtualenv can link to what it has unpacked for all environments; a pip would
        write there.
        """
        return bool(self.trouble) or any(path.is_symlink() for path in self.paths)

    def __str__(self) -> str:
        if self.trouble:
            return f"{self.version} (not whole: {self.trouble})".strip()
        return self.version


def is_fork(version: str) -> bool:
    """Tell whether a version of pip is one with variants."""
    return "+variants." in version


def look(target: Target) -> Installed | None:
    """Return the pip that is installed, or what is left of one; ``None``: nothing.

    :raises CarrierError: the folder cannot be read
    """
    try:
        names = sorted(path.name for path in target.purelib.iterdir())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CarrierError(
            f"{target.purelib} cannot be read: {error.strerror}.",
            "Run this as the user who owns it.",
        ) from None
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
    """Say what is missing of a pip that has the metadata of some releases."""
    if releases == 1:
        return "it has no RECORD"
    if releases:
        return f"it has the metadata of {releases} releases"
    return "it has no metadata"


def trouble(target: Target, version: str) -> str | None:
    """Return why ``python -m pip`` is not this version, ``None`` if it is."""
    done = target.run("-E", "-m", "pip", "--version")
    answer = _ANSWER.match(done.stdout)
    if done.returncode or answer is None:
        said = (done.stderr or done.stdout).strip().splitlines()
        return f"it does not start: {said[-1].strip()}" if said else "it does not start"
    if answer["version"] != version:
        return f"pip {answer['version']} from {answer['path']} starts in its place"
    return None


def hidden_by(target: Target) -> Path | None:
    """Return a pip that is found before the one to be installed, if there is any."""
    for entry in target.path:
        folder = Path(entry)
        if folder == target.purelib:
            return None
        if entry and (folder / "pip" / "__init__.py").is_file():
            return folder / "pip"
    return None
