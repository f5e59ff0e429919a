"""What metadata says that was fetched early.

Upstream writes metadata into a folder, and reads and parses it for each question. That of
a prospect is asked so often that it is kept in memory, parsed.
"""

from __future__ import annotations

import functools
import importlib.metadata
from os import PathLike
from typing import TYPE_CHECKING

from pip._internal.metadata import get_metadata_distribution, select_backend

if TYPE_CHECKING:
    from pathlib import Path

    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.metadata import BaseDistribution

__all__ = ["distribution"]


class _Told(importlib.metadata.Distribution):
    """A distribution of which only the metadata is there."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read_text(self, filename: str) -> str | None:
        """Return the text of a file; None if there is no such file."""
        return self._text if filename == "METADATA" else None

    def locate_file(self, path: str | PathLike[str]) -> Path:
        """Raise an error: there are no files."""
        raise NotImplementedError(path)

    @functools.cached_property
    def metadata(self) -> importlib.metadata.PackageMetadata:
        """Return the metadata, parsed once."""
        return super().metadata


def distribution(
    body: bytes, filename: str, project: NormalizedName
) -> BaseDistribution:
    """Return the distribution whose metadata file this is.

    :raises ValueError: if it is not UTF-8
    """
    text = body.decode()
    if select_backend().NAME != "importlib":
        return get_metadata_distribution(body, filename, project)
    from pip._internal.metadata.importlib import Distribution

    return Distribution(_Told(text), None, None)
