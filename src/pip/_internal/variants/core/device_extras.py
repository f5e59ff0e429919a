"""Extras that bring what a build needs for one kind of GPU.

From ROCm 10 on a build of torch has no code for any GPU. That is in packages of its own,
one a kind of GPU, which its extras name: ``device-gfx1151``. There is ``device-all`` too,
and whatever else its publisher thinks of. Only the one literal form is ever taken unasked.
Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = [
    "PROPERTY",
    "chosen",
    "device_of",
    "devices_in",
    "extra_for",
    "kinds",
    "literal",
]

#: The namespace and the feature whose values are the kinds of GPUs.
PROPERTY = ("amd", "gfx_arch")

_PREFIX = "device-"
# An explicit ASCII class, and nothing after it: no "gfx1250-strict", no "gfx11-generic".
_DEVICE = re.compile(r"gfx[0-9a-f]+")


def device_of(extra: str) -> str | None:
    """Return the kind of GPU that an extra is for; None if it has not the literal form.

    :param extra: its normalised name.
    """
    device = extra.removeprefix(_PREFIX)
    return device if device != extra and kinds([device]) else None


def kinds(values: Iterable[str]) -> tuple[str, ...]:
    """Return those values of the feature that an extra may be called after."""
    return tuple(each for each in values if _DEVICE.fullmatch(each))


def extra_for(namespace: str, feature: str, value: str) -> str | None:
    """Return the extra for the kind of GPU that a property states; None if for none."""
    return (
        _PREFIX + value if (namespace, feature) == PROPERTY and kinds([value]) else None
    )


def literal(extras: Iterable[str]) -> tuple[str, ...]:
    """Return those extras that have the literal form, sorted.

    :param extras: their normalised names.
    """
    return tuple(sorted({each for each in extras if device_of(each) is not None}))


def devices_in(extras: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds of GPUs that a build has extras for, sorted."""
    return tuple(sorted({device for each in extras if (device := device_of(each))}))


def chosen(provided: Iterable[str], devices: Iterable[str]) -> tuple[str, ...]:
    """Return the extras to take a build with, sorted.

    :param provided: the normalised names of all its extras.
    :param devices: the kinds of GPUs that the target has, such as ``gfx1151``.
    """
    wanted = frozenset(devices)
    return tuple(sorted({each for each in provided if device_of(each) in wanted}))
