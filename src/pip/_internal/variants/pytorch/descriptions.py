"""The descriptions of indexes that come with pip, and those in files of users."""

from __future__ import annotations

import os
import pkgutil
from typing import NamedTuple

from pip._internal.utils.compat import tomllib
from pip._internal.utils.urls import path_to_url, url_to_path
from pip._internal.variants.pytorch.description import (
    Description,
    InvalidDescription,
    parse_description,
)

__all__ = ["Added", "read", "shipped"]

#: The first one is the index that the bridge is named after; the others are beside it.
_SHIPPED = ("pytorch", "vllm")
#: Bytes; that of PyTorch's has a few thousand.
_MAX_SIZE = 1024 * 1024


class Added(NamedTuple):
    """A description that a user added.

    :ivar path: of its file, absolute.
    """

    path: str
    description: Description

    @property
    def url(self) -> str:
        """Return the file as a URL, which has no blanks."""
        return path_to_url(self.path)


def shipped() -> list[Description]:
    """Return the descriptions that come with pip, that of PyTorch's index first."""
    return [parse_description(tomllib.loads(_text(name))) for name in _SHIPPED]


def _text(name: str) -> str:
    data = pkgutil.get_data(__package__, f"indexes/{name}.toml")
    assert data is not None, "pip is complete"
    return data.decode()


def _path(place: str) -> str:
    if not place.startswith("file:"):
        return os.path.abspath(os.path.expanduser(place))
    try:
        path = os.path.abspath(url_to_path(place))
    except ValueError as error:
        raise InvalidDescription(f"it is no path: {error}") from None
    if "\0" in path:
        raise InvalidDescription("it is no path")
    return path


def read(place: str) -> Added:
    """Read the description in a file.

    :param place: its path or its ``file:`` URL.
    :raises InvalidDescription: if it cannot be read, or is none.
    """
    path = _path(place)
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise InvalidDescription("it cannot be read: it is no regular file")
        with open(path, "rb") as file:
            data = file.read(_MAX_SIZE + 1)
        if len(data) > _MAX_SIZE:
            raise InvalidDescription(f"it is larger than {_MAX_SIZE >> 20} MiB")
        return Added(path, parse_description(tomllib.loads(data.decode())))
    except OSError as error:
        raise InvalidDescription(
            f"it cannot be read: {error.strerror or error}"
        ) from None
    except RecursionError:
        raise InvalidDescription("it is nested too deeply") from None
    except InvalidDescription:
        raise
    # Of no TOML, of bytes that are no text, of numbers that are too long.
    except ValueError as error:
        raise InvalidDescription(f"it is not TOML: {error}") from None
