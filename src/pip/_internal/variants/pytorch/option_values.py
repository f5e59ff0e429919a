"""What the user may write as the value of an option for PyTorch's index.

Loaded when such an option is given: most runs of pip have none.
"""

from __future__ import annotations

import enum
from urllib.parse import urlsplit

from pip._internal.variants.errors import InvalidOption
from pip._internal.variants.pytorch.backends import (
    Backend,
    InvalidBackend,
    parse_list,
)
from pip._internal.variants.pytorch.options import DEFAULT_URL

__all__ = ["Channel", "backends", "channel", "url"]


class Channel(enum.Enum):
    """A stage of PyTorch's releases."""

    STABLE = "stable"
    TEST = "test"
    NIGHTLY = "nightly"


def backends(opt: str, value: str) -> tuple[Backend, ...]:
    """Read which backends are named, most preferred first; none for what suits.

    :param opt: as it was typed; where it was configured, its key.
    :raises InvalidOption: if *value* is invalid.
    """
    try:
        return parse_list(value)
    except InvalidBackend as error:
        raise InvalidOption(f"option {opt}: {error}") from None


def channel(opt: str, value: str) -> Channel:
    """Read the name of a channel.

    :raises InvalidOption: if there is no such channel.
    """
    try:
        return Channel(value.strip().lower())
    except ValueError:
        names = ", ".join(channel.value for channel in Channel)
        raise InvalidOption(
            f"option {opt}: invalid channel {value!r}, expected one of {names}"
        ) from None


def url(opt: str, value: str) -> str:
    """Read the URL of an index.

    :raises InvalidOption: if it is none.
    """
    read = value.strip()
    if urlsplit(read).scheme not in ("http", "https", "file"):
        raise InvalidOption(
            f"option {opt}: invalid URL {value!r}, expected something like "
            f"{DEFAULT_URL!r}"
        )
    return read
