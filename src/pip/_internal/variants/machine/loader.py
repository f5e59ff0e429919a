"""Tell, without loading anything, where a shared library cannot be.

To import ctypes takes most of the time that there is for a machine without a GPU. So a
driver's library is looked for where the dynamic loader would find it, and ctypes is
left alone if it is in none of those places. In doubt the loader itself is to be asked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping

__all__ = ["may_find"]

# With any of these the loader looks elsewhere, or has loaded the library already.
_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT")

# What it knows by heart, for libraries that came later than its cache: containers get
# their drivers so.
_FOLDERS = ("lib64", "usr/lib64", "lib", "usr/lib")


def may_find(
    soname: str, environ: Mapping[str, str] = os.environ, *, root: str = "/"
) -> bool:
    """Tell whether the dynamic loader might find a library.

    :param soname: its file name, as the loader is asked for it.
    :param environ: the variables that the process was started with.
    :param root: the folder that holds ``etc`` and ``lib``.
    :return: False only where it is certain that it would not.
    """
    if not sys.platform.startswith("linux") or any(map(environ.get, _VARIABLES)):
        return True
    try:
        with open(os.path.join(root, "etc/ld.so.cache"), "rb") as file:
            cache = file.read()
    except OSError:
        # Another loader than glibc's, or a system that does without: who knows where.
        return True
    # The name may be the end of a path in there, which ends the search just as well.
    return soname.encode() in cache or any(
        os.path.exists(os.path.join(folder, soname)) for folder in _folders(root)
    )


def _folders(root: str) -> Iterable[str]:
    # Debian's loader has folders by architecture, which its Pythons name.
    multiarch = getattr(sys.implementation, "_multiarch", "")
    for folder in _FOLDERS:
        yield os.path.join(root, folder)
        if multiarch:
            yield os.path.join(root, folder, multiarch)
    # Interpreters that bring their libraries along look beside themselves.
    yield os.path.join(sys.prefix, "lib")
    yield os.path.join(sys.base_prefix, "lib")
