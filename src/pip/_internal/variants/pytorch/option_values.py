"""What the user may write as the value of an option for PyTorch's index.

Loaded when such an option is given: most runs of pip have none.
"""

from __future__ import annotations

import enum

from pip._internal.variants.pytorch.backends import (
    Backend,
    InvalidBackend,
    parse_list,
)

__all__ = ["Channel", "invalid", "named_backends", "named_channel"]


class Channel(enum.Enum):
    """A stage of PyTorch's releases."""

    STABLE = "stable"
    TEST = "test"
    NIGHTLY = "nightly"


def named_backends(option: str, value: str) -> tuple[Backend, ...]:
    """Read what an option names.

    :param option: as it was typed; where it was configured, its key.
    :return: most preferred first; empty for what suits.
    :raises ValueError: if *value* is invalid; the message says what is valid.
    """
    try:
        return parse_list(value)
    except InvalidBackend as error:
        raise ValueError(invalid(f"option {option}", error)) from None


def invalid(what: str, error: InvalidBackend) -> str:
    """Say what is wrong with the backends that *what* names."""
    return f"{what}: invalid computation backend: {error}"


def named_channel(option: str, value: str) -> Channel:
    """Read the name of a channel.

    :raises ValueError: if there is no such channel; the message says which there are.
    """
    try:
        return Channel(value.strip().lower())
    except ValueError:
        names = ", ".join(channel.value for channel in Channel)
        raise ValueError(
            f"option {option}: invalid channel {value!r}, expected one of {names}"
        ) from None
