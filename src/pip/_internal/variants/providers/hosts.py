"""Machines other than this one, described by a file or, if common, by a name."""

from __future__ import annotations

import os
from contextlib import suppress

from pip._internal.variants.errors import InvalidHostFile, UnknownHost
from pip._internal.variants.providers.host_file import HostDescription, read_host_file

__all__ = ["read_host"]


def read_host(file_or_name: str) -> HostDescription:
    """Return the machine that a file describes or, if there is no such file, a name.

    :raises InvalidHostFile: if the file cannot be used, or if there is no such GPU.
    :raises UnknownHost: if there is neither such a file nor such a name.
    """
    # Loaded only when a name was typed.
    from pip._internal.variants.providers.host_names import named_host

    is_name = file_or_name == os.path.basename(file_or_name)
    host = named_host(file_or_name) if is_name else None
    if os.path.exists(file_or_name) and not (host and os.path.isdir(file_or_name)):
        return read_host_file(file_or_name)
    if host is not None:
        return host
    if is_name and not file_or_name.endswith(".json"):
        raise UnknownHost(file_or_name, _meant(file_or_name))
    return read_host_file(file_or_name)


def _meant(name: str) -> str | None:
    """Return the name of a machine that another one may stand for."""
    from pip._internal.variants.providers.host_names import named_host
    from pip._internal.variants.providers.nearest_host import nearest_name

    nearest = nearest_name(name)
    with suppress(InvalidHostFile):
        if nearest is not None and named_host(nearest) is not None:
            return nearest
    return None
