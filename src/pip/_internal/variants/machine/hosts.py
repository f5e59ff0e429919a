"""Machines other than this one, described by a file or, if common, by a name."""

from __future__ import annotations

import os
from contextlib import suppress

from pip._internal.variants.errors import InvalidHostFile, UnknownHost
from pip._internal.variants.machine.host_file import Host, read_host_file

__all__ = ["read_host"]


def read_host(file_or_name: str) -> Host:
    """Return the machine that a file describes or, if there is no such file, a name.

    :raises InvalidHostFile: if the file cannot be used, or if there is no such GPU.
    :raises UnknownHost: if there is neither such a file nor such a name.
    """
    name = os.path.basename(file_or_name)
    if os.path.exists(file_or_name):
        return read_host_file(file_or_name)
    # Loaded only when a name was typed.
    from pip._internal.variants.machine.host_names import named_host

    host = named_host(name)
    if host is None and name == file_or_name and not name.endswith(".json"):
        from pip._internal.variants.machine.nearest_host import nearest_name

        nearest = nearest_name(name)
        with suppress(InvalidHostFile):
            if nearest is not None and named_host(nearest) is not None:
                raise UnknownHost(name, nearest)
        raise UnknownHost(name, None)
    return host or read_host_file(file_or_name)
