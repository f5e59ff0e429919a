"""Attributes that the fork adds to stock pip's objects.

Upstream passes few values between its layers, so the fork stores its values on upstream's
objects. Each value has a slot.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Owner = TypeVar("_Owner")
_Value = TypeVar("_Value")


class Slot:
    """An attribute of the fork on stock pip's objects.

    Callers pass the class of the value, which this module does not know.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def of(self, owner: object, kind: type[_Value]) -> _Value | None:
        """Return the value of *owner*, or None."""
        value = vars(owner).get(self._name)
        return value if isinstance(value, kind) else None

    def set(self, owner: object, value: object) -> None:
        """Set the value of *owner*."""
        vars(owner)[self._name] = value

    def once(self, owner: _Owner, make: Callable[[_Owner], _Value]) -> _Value:
        """Return the value of *owner*, created on first use."""
        values = vars(owner)
        if self._name not in values:
            values[self._name] = make(owner)
        value: _Value = values[self._name]
        return value


#: On a ``PipSession``: its ``SessionRequests``. Set by ``fast.session_requests``; also read
#: by ``index.time_limit``.
SESSION_REQUESTS = Slot("_variants_requests")
#: On a ``PackageFinder``: the ``Resolving`` of the current resolver. Set and read by
#: ``fast.resolving``.
RESOLVING = Slot("_variants_resolving")
#: On a ``Response``: whether a server has answered, not only the cache. Set and read by
#: ``fast.sending``.
SENT = Slot("_variants_sent")
