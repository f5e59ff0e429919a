"""The user's preferences among compatible variants (PEP 825, "Variant ordering").

Preferences reorder the compatible variants and have no other effect. Pure: no I/O.
"""

from __future__ import annotations

from typing import NamedTuple

from wheel_variants.properties import Property, parse_parts

__all__ = ["Preference"]


class Preference(NamedTuple):
    """A preferred property, or all properties of a preferred feature or namespace.

    :ivar feature: the feature; None for the whole namespace.
    :ivar value: the value; None for the whole feature.
    """

    namespace: str
    feature: str | None = None
    value: str | None = None

    @classmethod
    def parse(cls, text: str) -> Preference:
        """Parse ``namespace[ :: feature[ :: value]]``; whitespace is optional.

        :raises InvalidProperty: if *text* has another form.
        """
        return cls(*parse_parts(text, least=1))

    def __str__(self) -> str:
        return " :: ".join(part for part in self if part is not None)

    def covers(self, property_: Property) -> bool:
        """Return whether this preference applies to *property_*."""
        return (
            property_.namespace == self.namespace
            and self.feature in (None, property_.feature)
            and self.value in (None, property_.value)
        )
