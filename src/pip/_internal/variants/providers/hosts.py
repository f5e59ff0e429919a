"""Machines other than this one, described by a file or, if common, by a name."""

from __future__ import annotations

import os

from pip._internal.variants.errors import UnknownHost
from pip._internal.variants.providers.host_file import HostDescription, read_host_file

__all__ = ["read_host"]


def read_host(file_or_name: str) -> HostDescription:
    """Return the machine that a file describes or, if there is no such file, a name.

    :raises InvalidHostFile: if the file cannot be used, or if there is no such GPU.
    :raises UnknownHost: if there is neither such a file nor such a name.
    """
    # Loaded only when a name was typed.
    from pip._internal.variants.providers.host_names import named_host, nearest_name

    is_name = file_or_name == os.path.basename(file_or_name)
    host = named_host(file_or_name) if is_name else None
    if os.path.exists(file_or_name) and not (host and os.path.isdir(file_or_name)):
        return read_host_file(file_or_name)
    if host is not None:
        return host
    if is_name and not file_or_name.endswith(".json"):
        raise UnknownHost(file_or_name, nearest_name(file_or_name))
    return read_host_file(file_or_name)
