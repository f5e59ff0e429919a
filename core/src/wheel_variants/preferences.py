"""What the user prefers among variants that run (PEP 825, "Variant ordering").

An installer may let users reorder what is compatible; preferences change nothing else.
Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from wheel_variants.properties import Property, parse_parts

__all__ = ["Preference", "parse_blank_separated"]


class Preference(NamedTuple):
    """Properties that come first: one, or all of a feature or namespace.

    :ivar feature: None for the whole namespace.
    :ivar value: None for the whole feature.
    """

    namespace: str
    feature: str | None = None
    value: str | None = None

    @classmethod
    def parse(cls, text: str) -> Preference:
        """Parse ``namespace[ :: feature[ :: value]]``; white space is free.

        :raises InvalidProperty: if *text* has another form.
        """
        return cls(*parse_parts(text, least=1))

    def __str__(self) -> str:
        return " :: ".join(part for part in self if part is not None)

    def covers(self, property_: Property) -> bool:
        """Tell whether it puts *property_* first."""
        return (
            property_.namespace == self.namespace
            and self.feature in (None, property_.feature)
            and self.value in (None, property_.value)
        )


def parse_blank_separated(words: Iterable[str]) -> Sequence[Preference]:
    """Parse preferences that were split at blanks, even around ``::``.

    :raises InvalidProperty: if one has another form.
    """
    texts: list[str] = []
    for word in words:
        if texts and (texts[-1].endswith("::") or word.startswith("::")):
            texts[-1] += word
        else:
            texts.append(word)
    return [Preference.parse(text) for text in texts]
