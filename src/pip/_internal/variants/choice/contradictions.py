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
from pip._internal.variants.choice.options import SEVERAL_BUILDS
from pip._internal.variants.choice.typed import Typed, typed_options
from pip._internal.variants.errors import ContradictoryOptions

if TYPE_CHECKING:
    import optparse

__all__ = ["refuse_contradictions", "refuse_without_variants"]

#: The options that ask for something that only variants can give. Others limit what is
#: done with them, which is as true without.
_ABOUT_VARIANTS = frozenset(
    (
        *("variants", "preferences", "upgrade_variants", "variant_host"),
        *("enabled_providers", "trusted_providers", "provider_kinds"),
    )
)


class _Pair(NamedTuple):
    """Two options that contradict each other where they are about the same namespace.

    :ivar why: with a place for the namespace.
    """

    first: str
    second: str
    why: str


_PAIRS = (
    _Pair(
        "enabled_providers",
        "disabled_providers",
        "The provider of {} cannot be asked and not be asked.",
    ),
    _Pair(
        "disabled_providers",
        "preferences",
        "Nothing of {} that is disabled can be preferred.",
    ),
    _Pair(
        "disabled_providers",
        "provider_kinds",
        "The provider of {} is not asked, whichever it is.",
    ),
    _Pair(
        "provider_kinds",
        "provider_kinds",
        "Only one provider of {} is asked.",
    ),
)


def refuse_contradictions(options: optparse.Values) -> None:
    """Refuse what was typed if parts of it contradict each other.

    :raises ContradictoryOptions: then.
    """
    typed = typed_options(options)
    given = vars(options).get
    if not given(SEVERAL_BUILDS):
        refuse_two_labels(each.value for each in typed if each.dest == "variants")
    off = None
    if any(each.dest == "no_variants" for each in typed):
        off = "--no-variants"
    elif given("no_variants"):
        off = "no-variants in the configuration or PIP_NO_VARIANTS"
    elif "legacy-resolver" in (given("deprecated_features_enabled") or ()):
        off = "--use-deprecated=legacy-resolver"
    if off is not None:
        refuse_without_variants(options, (), off)
    for first, second, why in _contradicting(typed):
        raise ContradictoryOptions(str(first), str(second), why)


def refuse_without_variants(
    options: optparse.Values, choices: Iterable[LabelChoice], off: str
) -> None:
    """Refuse options that were typed if they need variants.

    :param choices: those that may be of requirements files.
    :param off: what turns variants off.
    :raises ContradictoryOptions: then.
    """
    typed = [str(e) for e in typed_options(options) if e.dest in _ABOUT_VARIANTS]
    typed += [written(each) for each in choices if each.place is Place.FILE]
    for each in typed:
        raise ContradictoryOptions(off, each, WITHOUT_VARIANTS)


def _contradicting(typed: Sequence[Typed]) -> Iterator[tuple[Typed, Typed, str]]:
    for pair in _PAIRS:
        for first in typed:
            for second in typed:
                if (first.dest, second.dest) != (pair.first, pair.second):
                    continue
                namespace = _namespace(first)
                is_same = first.dest == second.dest and first.value == second.value
                if namespace == _namespace(second) and not is_same:
                    yield first, second, pair.why.format(namespace)


def _namespace(typed: Typed) -> str:
    match typed.dest:
        case "preferences":
            namespace: str = typed.value.namespace
        case "provider_kinds":
            namespace, _ = typed.value
        case _:
            namespace = typed.value
    return namespace
