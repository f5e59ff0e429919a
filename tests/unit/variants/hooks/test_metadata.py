"""The metadata of installed distributions."""

from __future__ import annotations

from email.message import Message
from unittest.mock import Mock

from pip._internal.variants.hooks.metadata import metadata


def test_missing_metadata_is_empty() -> None:
    found = Message()
    assert metadata(Mock(return_value=found), Mock()) is found
    # CPython 3.15 raises a subclass of this error.
    assert not metadata(Mock(side_effect=FileNotFoundError), Mock()).items()
