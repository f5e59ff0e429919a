"""Install builds that were chosen among variants.

Each is installed as a whole or not at all, and the choice is recorded beside it.
Upstream allows no import once it has begun to install: this module is loaded when a
choice is remembered, and its functions import nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pip._internal.console.wrapped  # noqa: F401
from pip._internal.console.output import get_logger
from pip._internal.console.texts import with_label
from pip._internal.fast.space import DiskFull, is_full
from pip._internal.fast.upgrades.install_root import final_path
from pip._internal.variants.selection.installed import SELECTION_FILE, SELECTIONS

if TYPE_CHECKING:
    from pip._internal.variants.selection.installed_records import InstalledBuild

logger = get_logger(__name__)

# The labels of the variants that this run has installed, by their metadata folder.
_LABELS: dict[str, str] = {}


def remember(wheel_path: str, build: InstalledBuild) -> None:
    """Have a build recorded when its wheel is installed; until then it counts as such."""
    SELECTIONS[wheel_path] = build


def installing_wheel(
    fn: Callable[..., Generator[Any, None, None]],
    wheel: Any,
    *args: Any,
    **kwargs: Any,
) -> Generator[Any, None, None]:
    """Remove what was written of a variant if it cannot be installed as a whole.

    Upstream leaves it there, for instance when the disk is full.
    """
    # Upstream makes a context manager of this function, as of the one it replaces.
    with contextlib.contextmanager(fn)(wheel, *args, **kwargs) as written:
        try:
            yield written
        except BaseException as error:
            if wheel.filename in SELECTIONS:
                _remove(written.written_paths(), written.lib_dir)
                if is_full(error):
                    size = sum(info.file_size for info in wheel.infolist())
                    raise DiskFull(written.lib_dir, size) from error
            raise


def _remove(paths: Iterable[str], root: str) -> None:
    """Remove files, and the folders below *root* that this leaves empty."""
    folders = set()
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)
        folder = os.path.dirname(path)
        while folder.startswith(root + os.sep):
            folders.add(folder)
            folder = os.path.dirname(folder)
    for folder in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def record(wheel_path: str, info_dir: str) -> list[str]:
    """Record the choice of a build that is being installed, if there was one.

    :return: the files that were written.
    """
    chosen = SELECTIONS.get(wheel_path)
    if chosen is None:
        return []
    path = os.path.join(info_dir, SELECTION_FILE)
    with open(path, "wb") as file:
        file.write(_written(chosen))
    if chosen.label is not None:
        _LABELS[os.path.realpath(final_path(info_dir))] = chosen.label
    return [path]


def _written(build: InstalledBuild) -> bytes:
    content: dict[str, object] = {
        "label": build.label,
        "supported": [str(each) for each in build.supported],
        "labels": build.labels,
        "by-hand": build.by_hand,
        "manifest": build.manifest.document,
    }
    # Not indented: that is written in Python, and takes longer than C.
    return json.dumps(content).encode("utf-8")


def installed_summary(fn: Callable[[Any, Any], str], installed: Any, env: Any) -> str:
    """Name the labels of the variants that were installed."""
    return fn(installed, _Labelled(env) if _LABELS else env)


class _Labelled:
    """An environment whose distributions have versions with the labels of variants."""

    def __init__(self, env: Any) -> None:
        self._env = env

    def iter_all_distributions(self) -> Iterator[SimpleNamespace]:
        for dist in self._env.iter_all_distributions():
            folder = os.path.realpath(dist.info_location or "")
            yield SimpleNamespace(
                canonical_name=dist.canonical_name,
                version=with_label(str(dist.version), _LABELS.get(folder)),
            )
