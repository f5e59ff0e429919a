"""Where to unpack wheels so that their files need only be moved to be installed."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from optparse import Values
from typing import TYPE_CHECKING

from pip._internal.fast.downloads.staging import Staging
from pip._internal.fast.downloads.trees import is_faithful, remove_old
from pip._internal.fast.space import device_of
from pip._internal.fast.target import installed_to

if TYPE_CHECKING:
    from pip._internal.models.scheme import Scheme

__all__ = ["make_staging"]

#: Below the cache.
_NAME = "staging"
#: Seconds after which a folder there must be from a run that was killed.
_OLD = 24 * 60 * 60


def make_staging(options: Values) -> Staging | None:
    """Make the folder in which a command unpacks what it will install.

    :return: None if it installs nothing, if no process can be started to unpack, or if
        moved files would differ from new ones
    """
    # Some programs that contain Python do not know of one to start. With a prefix for
    # bytecode, its path depends on the folder of its module.
    is_usual = sys.executable and sys.pycache_prefix is None and is_faithful()
    if getattr(options, "dry_run", True) or not is_usual:
        return None
    scheme = installed_to(options)
    for parent in _parents(options.cache_dir):
        if scheme is None or _is_beside(parent or tempfile.gettempdir(), scheme):
            return Staging(parent, _libs(options, scheme))
    return None


def _parents(cache: str | None) -> Iterator[str | None]:
    """Yield the folders to try; None stands for the one of temporary files."""
    yield None
    if cache:
        parent = os.path.join(cache, _NAME)
        remove_old(parent, _OLD)
        yield parent


def _is_beside(folder: str, scheme: Scheme) -> bool:
    """Tell whether a folder is on the disk that packages are installed on."""
    device = device_of(folder)
    return device == device_of(scheme.purelib) == device_of(scheme.platlib)


def _libs(options: Values, scheme: Scheme | None) -> dict[str, str]:
    """Return where modules will be, if they are to be compiled as usual."""
    if scheme is None or not options.compile or sys.flags.optimize:
        return {}
    return {"purelib": scheme.purelib, "platlib": scheme.platlib}
