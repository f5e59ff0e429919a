"""What pip's variants keep on objects of upstream's and in modules, with who needs it.

Upstream hands few things from where they are known to where they matter. So values of
ours travel on its objects: each by a slot, of which this is the whole list.
"""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


class Slot:
    """A value of ours on objects of upstream's.

    :param name: of the attribute.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def of(self, owner: object, kind: type[T]) -> T | None:
        """Give the value that an object has, None without one of that kind."""
        # Those of upstream's tests have any attribute that they are asked for.
        found = vars(owner).get(self._name)
        return found if isinstance(found, kind) else None

    def set(self, owner: object, value: object) -> None:
        """Give an object a value."""
        setattr(owner, self._name, value)


#: On an ``InstallRequirement``: the ``Selection`` by which its variant was taken. Set by
#: ``hooks.prepare``, read by ``hooks.commands`` for the installation report.
SELECTION = Slot("_variant_selection")
