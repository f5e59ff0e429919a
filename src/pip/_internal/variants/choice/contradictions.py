"""Options that contradict each other on one command line, refused before any request.

What stands in the configuration or the environment gives way to what is typed, as ever.
The one exception is ``no-variants``, which leaves nothing that could be typed in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

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
    OptionRow,
)
from pip._internal.variants.choice.typed import Typed, typed_options
from pip._internal.variants.errors import ContradictoryOptions

if TYPE_CHECKING:
    from pip._internal.variants.choice.settings import Settings

__all__ = ["refuse_contradictions", "refuse_without_variants"]


class _Pair(NamedTuple):
    """Two options that contradict each other where they are about the same namespace.

    :ivar why: with a place for the namespace.
    """

    first: OptionRow
    second: OptionRow
    why: str


_PAIRS = (
    _Pair(
        ENABLE_PROVIDER,
        DISABLE_PROVIDER,
        "The provider of {} cannot be asked and not be asked.",
    ),
    _Pair(
        DISABLE_PROVIDER,
        PREFER_VARIANT,
        "Nothing of {} that is disabled can be preferred.",
    ),
    _Pair(
        DISABLE_PROVIDER,
        PROVIDER_KIND,
        "The provider of {} is not asked, whichever it is.",
    ),
    _Pair(
        PROVIDER_KIND,
        PROVIDER_KIND,
        "Only one provider of {} is asked.",
    ),
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
    for pair in _PAIRS:
        for first in typed:
            for second in typed:
                if (first.row, second.row) != (pair.first, pair.second):
                    continue
                namespace = _namespace(first)
                is_same = first.row is second.row and first.value == second.value
                if namespace == _namespace(second) and not is_same:
                    yield first, second, pair.why.format(namespace)


def _namespace(typed: Typed) -> str:
    if typed.row is PREFER_VARIANT:
        namespace: str = typed.value.namespace
    elif typed.row is PROVIDER_KIND:
        namespace, _ = typed.value
    else:
        namespace = typed.value
    return namespace
