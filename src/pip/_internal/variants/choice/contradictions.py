"""What was typed of the options about variants, and what contradicts itself in it.

What is typed is meant for this very command: a mistake in it is worth an error, before any
request, or a warning. The configuration and the environment are for many commands, most of
which have nothing to do with what stands there; it gives way to what is typed, as ever. The
one exception is ``no-variants``, which leaves nothing that could be typed in its place.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pip._internal.variants.choice.by_hand import (
    WITHOUT_VARIANTS,
    refuse_two_labels,
    written,
)
from pip._internal.variants.choice.option_values import LabelChoice, Place
from pip._internal.variants.choice.settings import (
    DISABLE_PROVIDER,
    ENABLE_PROVIDER,
    NO_VARIANTS,
    PREFER_VARIANT,
    PROVIDER_KIND,
    VARIANT,
)
from pip._internal.variants.errors import ContradictoryOptions

if TYPE_CHECKING:
    from pip._internal.variants.choice.settings import OptionRow, Settings

__all__ = [
    "Typed",
    "refuse_contradictions",
    "refuse_without_variants",
    "typed_options",
]


class Typed(NamedTuple):
    """An option as it stands on a command line.

    :ivar option: as it is called, ``--variant``.
    :ivar value: checked and converted; None for a flag.
    """

    row: OptionRow
    option: str
    value: Any = None

    def __str__(self) -> str:
        if self.value is None:
            return self.option
        if self.row is PROVIDER_KIND:
            return f"{self.option} {'='.join(self.value)}"
        return f"{self.option} {shlex.quote(str(self.value))}"

    @property
    def namespace(self) -> str | None:
        """Return the namespace that it is about, None if it is about none."""
        named: str | None = None
        if self.row in (ENABLE_PROVIDER, DISABLE_PROVIDER):
            named = self.value
        elif self.row is PROVIDER_KIND:
            named, _ = self.value
        elif self.row is PREFER_VARIANT:
            named = self.value.namespace
        return named


def typed_options(settings: Settings) -> list[Typed]:
    """Return the options about variants that were typed, in their order."""
    return [Typed(*each) for each in settings.typed]


#: Two options that contradict each other where they are about the same namespace, and
#: why, with a place for that.
_PAIRS = (
    (
        *(ENABLE_PROVIDER, DISABLE_PROVIDER),
        "The provider of {} cannot be asked and not be asked.",
    ),
    (
        *(DISABLE_PROVIDER, PREFER_VARIANT),
        "Nothing of {} that is disabled can be preferred.",
    ),
    (
        *(DISABLE_PROVIDER, PROVIDER_KIND),
        "The provider of {} is not asked, whichever it is.",
    ),
    (*(PROVIDER_KIND, PROVIDER_KIND), "Only one provider of {} is asked."),
)


def refuse_contradictions(settings: Settings) -> None:
    """Refuse what was typed if parts of it contradict each other.

    :raises ContradictoryOptions: then.
    """
    typed = typed_options(settings)
    if not settings.several_builds:
        refuse_two_labels(each.value for each in typed if each.row is VARIANT)
    off = None
    if any(each.row is NO_VARIANTS for each in typed):
        off = NO_VARIANTS.name
    elif settings.no_variants:
        off = f"no-variants in the configuration or {NO_VARIANTS.variable}"
    elif settings.legacy_resolver:
        off = "--use-deprecated=legacy-resolver"
    if off is not None:
        refuse_without_variants(settings, (), off)
    for first, second, why in _contradicting(typed):
        raise ContradictoryOptions(str(first), str(second), why)


def refuse_without_variants(
    settings: Settings, choices: Iterable[LabelChoice], off: str
) -> None:
    """Refuse options that were typed if they need variants.

    :param choices: those that may be of requirements files.
    :param off: what turns variants off.
    :raises ContradictoryOptions: then.
    """
    typed = [str(e) for e in typed_options(settings) if e.row.needs_variants]
    typed += [written(each) for each in choices if each.place is Place.FILE]
    for each in typed:
        raise ContradictoryOptions(off, each, WITHOUT_VARIANTS)


def _contradicting(typed: Sequence[Typed]) -> Iterator[tuple[Typed, Typed, str]]:
    for one, other, why in _PAIRS:
        for first in typed:
            for second in typed:
                is_pair = (first.row, second.row) == (one, other)
                is_same = one is other and first.value == second.value
                if is_pair and first.namespace == second.namespace and not is_same:
                    yield first, second, why.format(first.namespace)
