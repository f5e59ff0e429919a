"""What the user's options changed in the choice among the variants of a release.

Each is judged alone: what would come first without it, all else being the same.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pip._internal.variants.choice.selection import Selection, select
from pip._internal.variants.choice.settings import DISABLE_PROVIDER, ENABLE_PROVIDER
from pip._internal.variants.core.answer import Step
from pip._internal.variants.core.ordering import Ranking, rank
from pip._internal.variants.core.properties import SupportedProperties
from pip._internal.variants.machine.chain import supported

if TYPE_CHECKING:
    from pip._internal.variants.choice.context import Context

__all__ = ["Effect", "effects"]


@dataclass(frozen=True, slots=True)
class Effect:
    """What an option did.

    :ivar option: as one would type it.
    :ivar label: of the variant that is first; None if none runs.
    :ivar without: of the one that would be first without the option.
    """

    option: str
    label: str | None
    without: str | None


def effects(
    context: Context, selections: Sequence[Selection], chosen_label: str | None
) -> Iterator[Effect]:
    """Tell what each option that bears on *selections* did.

    :param selections: about one release, one for each of its sources.
    :param chosen_label: the label that was chosen by hand and is taken.
    """
    first = _first(selections, lambda each: each.ranking)
    if chosen_label is not None:
        yield Effect(f"--variant {chosen_label}", chosen_label, first)
        first = chosen_label
    for option, ranking in _options(context, selections):
        without = chosen_label or _first(selections, ranking)
        yield Effect(option, first, without)


_Rank = Callable[[Selection], Ranking]


def _first(selections: Sequence[Selection], ranking: _Rank) -> str | None:
    labels = (label for each in selections for label in ranking(each).compatible)
    return next(labels, None)


def _options(
    context: Context, selections: Sequence[Selection]
) -> Iterator[tuple[str, _Rank]]:
    """Yield the options in use, and how variants are ranked without each."""
    if context.preferences:
        typed = " ".join(
            f"--prefer-variant {shlex.quote(str(each))}" for each in context.preferences
        )
        yield typed, lambda each: each.unswayed
    host = context.providers.host
    if host is not None:
        yield f"--variant-host {host.path}", _asking(context, variant_host=None)
    answers = {
        namespace: answer
        for selection in selections
        for namespace, answer in selection.answers.items()
    }
    for row in (ENABLE_PROVIDER, DISABLE_PROVIDER):
        named: Sequence[str] = context.settings.value(row) or ()
        for namespace in named:
            if namespace in answers:
                left = [each for each in named if each != namespace]
                yield f"{row.name} {namespace}", _asking(context, **{row.dest: left})
    if any(answer.step is Step.PLUGIN for answer in answers.values()):
        typed = " ".join(
            f"--trust-variant-provider {name}" for name in sorted(context.trusted)
        )
        yield typed, _without_plugins


def _asking(context: Context, **changes: object) -> _Rank:
    """Rank with the answers that there would be with other options."""

    def ranking(selection: Selection) -> Ranking:
        if selection.manifest is None:
            return selection.ranking
        return select(
            selection.source,
            selection.manifest,
            selection.labels,
            context.providers_with(**changes),
            selection.preferences,
        ).ranking

    return ranking


def _without_plugins(selection: Selection) -> Ranking:
    if selection.manifest is None:
        return selection.ranking
    answers = {
        namespace: answer
        for namespace, answer in selection.answers.items()
        if answer.step is not Step.PLUGIN
    }
    left: SupportedProperties = supported(answers)
    return rank(selection.manifest, left, selection.labels, selection.preferences)
