"""Warn about files that two wheels install with different contents."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from zipfile import BadZipFile, ZipFile

from pip._internal.console.output import get_logger
from pip._internal.console.texts import counted

if TYPE_CHECKING:
    from pip._internal.req.req_install import InstallRequirement

logger = get_logger(__name__)

#: The scheme folders in a wheel. Files of purelib and platlib are installed next to files
#: from the root of the wheel.
_LIBRARIES = re.compile(r"[^/]+\.data/(?:purelib|platlib)/")
_SCHEMES = re.compile(r"[^/]+(\.data/(?:scripts|data)/)")


def warn_of_shared_files(requirements: Iterable[InstallRequirement]) -> None:
    """Warn once per pair of packages if one package overwrites files of the other.

    Sizes and checksums come from the directories of the archives.
    """
    owners: dict[str, tuple[str, tuple[int, int]]] = {}
    shared: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for requirement in requirements:
        name = requirement.name or ""
        for path, content in _files(requirement):
            owner, before = owners.get(path, (name, content))
            if before != content and owner != name:
                shared[owner, name].append(path)
            owners[path] = name, content
    for (first, second), paths in shared.items():
        more = f" and {counted(len(paths) - 1, 'more file')}" if len(paths) > 1 else ""
        logger.warning(
            "%s and %s both install '%s'%s with different contents. The files of %s "
            "replace the others. Install only one of the two packages.",
            first,
            second,
            paths[0],
            more,
            second,
        )


def _files(requirement: InstallRequirement) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the target, size and checksum of each file in a wheel."""
    if requirement.local_file_path is None or not requirement.is_wheel:
        return
    try:
        with ZipFile(requirement.local_file_path) as wheel:
            for entry in wheel.infolist():
                if not entry.is_dir():
                    path = _SCHEMES.sub(r"\1", _LIBRARIES.sub("", entry.filename, 1), 1)
                    yield path, (entry.file_size, entry.CRC)
    except (BadZipFile, OSError, ValueError) as error:
        # pip reports the error when it installs the wheel.
        logger.debug("Cannot list the files of %s: %s", requirement.name, error)
