"""The hooks that usually do nothing."""

from __future__ import annotations

from email.message import Message
from unittest.mock import Mock

from pip._internal.variants.seams import found_metadata


def test_missing_metadata_is_empty() -> None:
    found = Message()
    assert found_metadata(lambda _: found)(Mock()) is found
    # CPython 3.15 raises a subclass of this error.
    missing = Mock(side_effect=FileNotFoundError)
    assert not found_metadata(missing)(Mock()).items()
