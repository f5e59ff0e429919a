"""Write down what is about to be replaced, so that another run can finish it.

A run that replaces packages works in a folder of its own below :data:`FOLDER`, among the
packages of the environment, and removes it in the end. The folder is locked while the run
lives, however it ends. It contains:

- ``new-0``, ``new-1``, …: the new packages, as if the folder were the root;
- ``old-…``: what was taken away and is not needed any more;
- ``journal``: the plan, from before the first file is taken away until all is in place;
- ``finished``: the same plan, while all this is deleted.

No installed package can pass for such a folder: it has the sticky bit, which pip sets on
no folder of a wheel.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pip._internal.parallel.downloads import trees
from pip._internal.parallel.downloads.trees import Identity, identity

with suppress(ImportError):  # Windows has none.
    import fcntl

__all__ = ["FOLDER", "Moved", "Plan", "Workplace", "abandoned"]

#: Below where packages are installed.
FOLDER = ".pip-replacing"
_SCHEMA = 1
_JOURNAL, _FINISHED = "journal", "finished"


class Plan(NamedTuple):
    """One package that is replaced, or installed for the first time.

    :ivar name: normalised.
    :ivar version: the new one.
    :ivar tree: where the new package lies below the run's folder, as if that were the root.
    :ivar info: the new metadata folder.
    :ivar old: what is taken away: paths of files and of whole folders.
    :ivar inside: the files in these folders; anything else there came later.
    """

    name: str
    version: str
    tree: str
    info: Identity
    old: Sequence[tuple[str, Identity]]
    inside: Sequence[tuple[str, Identity]]


class Moved(Exception):
    """The environment is not where the run worked: it was moved or copied.

    :ivar plans: of that run.
    """

    def __init__(self, plans: Sequence[Plan]) -> None:
        super().__init__(plans)
        self.plans = plans


class Workplace:
    """The folder of one run, locked.

    :ivar path: of the folder.
    """

    _lock: int

    def __init__(self, path: str) -> None:
        """Lock a folder.

        :raises BlockingIOError: if the run that made it is still alive.
        :raises OSError: if it cannot be locked, has gone, or belongs to another user.
        """
        self.path = path
        if sys.platform == "win32":
            raise OSError(errno.ENOTSUP, "Nothing can be locked", path)
        self._lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            status = os.fstat(self._lock)
            if identity(path) != Identity(status.st_dev, status.st_ino):
                raise FileNotFoundError(path)
            # Its plan is carried out with this user's rights.
            if status.st_uid != os.geteuid():
                raise PermissionError(f"somebody else has made {path}")
            if not status.st_mode & stat.S_ISVTX:
                raise PermissionError(f"no run of pip has made {path}")
        except OSError:
            os.close(self._lock)
            raise

    @classmethod
    def make(cls, lib: str) -> Workplace:
        """Make a folder for this run.

        :param lib: where packages are installed.
        :raises OSError: if that cannot be written to, or nothing there can be locked.
        """
        parent = os.path.join(lib, FOLDER)
        with suppress(FileExistsError):
            os.mkdir(parent)
        # With the rights of the folders beside it: parts of it will be among them.
        path = os.path.join(parent, f"{os.getpid()}-{os.urandom(4).hex()}")
        os.mkdir(path, 0o777 | stat.S_ISVTX)
        try:
            return cls(path)
        except OSError:
            _remove_empty(path)
            raise

    def write(self, plans: Sequence[Plan]) -> None:
        """Write the journal; from here on another run may finish the work.

        :raises OSError: if that is not possible.
        """
        content = {
            "schema": _SCHEMA,
            "path": self.path,
            "device": os.fstat(self._lock).st_dev,
            "plans": [plan._asdict() for plan in plans],
        }
        partial = os.path.join(self.path, f"{_JOURNAL}.partial")
        with open(partial, "w", encoding="ascii") as file:
            json.dump(content, file)
        os.rename(partial, os.path.join(self.path, _JOURNAL))

    def take(self, path: str) -> None:
        """Move a file or folder here, to be deleted with the rest.

        :raises OSError: if that is not possible.
        """
        os.rename(path, os.path.join(self.path, f"old-{os.urandom(4).hex()}"))

    def finish(self) -> None:
        """Note that only the folder is left to be removed.

        :raises OSError: if that is not possible.
        """
        os.rename(os.path.join(self.path, _JOURNAL), os.path.join(self.path, _FINISHED))

    def read(self) -> tuple[Sequence[Plan], bool]:
        """Read the journal of a run that was killed.

        :return: its plans, none if it had not begun to replace anything, and whether all
            is in place.
        :raises Moved: if its paths lead elsewhere now.
        :raises OSError: if it cannot be read.
        """
        for name, is_finished in (_FINISHED, True), (_JOURNAL, False):
            with suppress(FileNotFoundError):
                with open(os.path.join(self.path, name), "rb") as file:
                    path, plans = _loaded(file.read(), os.fstat(self._lock).st_dev)
                if identity(path) != identity(self.path):
                    raise Moved([] if is_finished else plans)
                return plans, is_finished
        return (), False

    def keep(self) -> None:
        """Unlock the folder as it is."""
        os.close(self._lock)

    def close(self) -> None:
        """Remove the folder; unlock it whether or not that succeeds.

        :raises OSError: if it cannot be removed.
        """
        try:
            # The journal last: without it, nothing here would count as planned.
            for entry in sorted(os.scandir(self.path), key=lambda e: not e.is_dir()):
                trees.remove(entry.path)
            _remove_empty(self.path)
        finally:
            self.keep()


def _remove_empty(path: str) -> None:
    os.rmdir(path)
    with suppress(OSError):  # Another run may be at work beside it.
        os.rmdir(os.path.dirname(path))


def _loaded(text: bytes, device: int) -> tuple[str, list[Plan]]:
    """Return the folder in which a run worked, and its plans.

    :param device: the number that the disk has now; it may have been mounted again.
    :raises OSError: if the text is no journal.
    """
    try:
        content = json.loads(text)
        if content["schema"] != _SCHEMA:
            raise OSError(f"a newer pip wrote {_JOURNAL}: {content['schema']!r}")
        before = int(content["device"])

        def which(was: int, number: int) -> Identity:
            return Identity(device if was == before else was, number)

        def known(plan: dict[str, Any], kind: str) -> list[tuple[str, Identity]]:
            return [(path, which(*each)) for path, each in plan[kind]]

        plans = [
            Plan(
                *(plan["name"], plan["version"], plan["tree"]),
                *(which(*plan["info"]), known(plan, "old"), known(plan, "inside")),
            )
            for plan in content["plans"]
        ]
        return os.fspath(content["path"]), plans
    except (KeyError, TypeError, ValueError) as error:
        raise OSError(f"its journal is damaged: {error!r}") from None


def abandoned(lib: str) -> Iterator[Workplace]:
    """Yield the folders of runs that were killed, to be closed or kept.

    :param lib: where packages are installed.
    """
    parent = os.path.join(lib, FOLDER)
    try:
        names = sorted(os.listdir(parent))
    except OSError:
        return
    for name in names:
        try:
            workplace = Workplace(os.path.join(parent, name))
        except OSError:
            continue
        yield workplace
