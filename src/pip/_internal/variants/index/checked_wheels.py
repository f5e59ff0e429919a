"""Wheels whose required hash was checked before anything in them is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pip._internal.exceptions import HashError
from pip._internal.operations.prepare import get_file_url, get_http_url

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.network.download import Downloader
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.utils.hashes import Hashes

__all__ = ["checked_path"]


def checked_path(
    download: Downloader, link: Link, hashes: Hashes, requirement: InstallRequirement
) -> str:
    """Return the path of the wheel at *link*; download the whole wheel if it is remote.

    :param hashes: those that are allowed.
    :param requirement: the one to name in an error.
    :raises HashError: if the wheel has none of *hashes*.
    """
    try:
        if link.is_file:
            return get_file_url(link, hashes=hashes).path
        return get_http_url(link, download, hashes=hashes).path
    except HashError as error:
        error.req = requirement
        raise
