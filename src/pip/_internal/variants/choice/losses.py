"""What costs a variant although nobody chose that: a warning, or an error if the user is strict.

Each such cause becomes a :class:`Loss`, which goes through :meth:`.Context.cost`. Only
texts are made here; nothing is printed.

What a manifest or a wheel says is no loss, nor what the user chose: variants that the
target cannot run, that the manifest does not describe, that are disabled or turned off.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pip._internal.variants.choice import reasons
from pip._internal.variants.errors import Loss
from pip._internal.variants.wheels.sources import (
    AGAIN,
    ManifestMissing,
    ManifestUnavailable,
)

if TYPE_CHECKING:
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.selection import Selection

__all__ = [
    "loss_of_answer",
    "loss_of_problem",
    "loss_of_wheel",
    "losses_of_answers",
    "sentences",
    "tell_unanswered",
    "the_variants",
]


def sentences(*said: str) -> str:
    """Join sentences without a final period, of which some may be empty, to a line."""
    return ". ".join(filter(None, said))


def the_variants(labels: Sequence[str], of: object) -> str:
    """Name variants of something."""
    return f"the variant{'s' * (len(labels) > 1)} {reasons.shortened(labels)} of {of}"


def loss_of_problem(
    lost: str, problem: ManifestUnavailable | str, follows: str
) -> Loss:
    """Tell of variants that cannot be judged for what was, or was not, read of them.

    :param lost: which they are.
    :param problem: of the manifest of all, or of the wheel that speaks for itself.
    :param follows: what pip does then; may be empty.
    """
    said = [f"Ignoring {lost}: {problem}", f"So pip {follows}" if follows else ""]
    if isinstance(problem, str):
        hints = [reasons.WITHOUT_MANIFEST]
        return Loss(lost, str(problem), sentences(*said), follows, hints)
    hints = [problem.hint] if problem.hint else []
    if problem.hint != AGAIN:
        hints.append(reasons.WITHOUT_MANIFEST)
    if isinstance(problem, ManifestMissing):
        follows = "reads the wheels instead"
    return Loss(lost, str(problem), sentences(*said, *hints), follows, hints)


def loss_of_wheel(of: object, project: str, label: str, reason: str) -> Loss:
    """Tell of a wheel that is not what it should be, of which upstream warns itself.

    :param of: the release that it is a variant of.
    """
    return Loss(
        lost=the_variants([label], of),
        reason=" ".join(reason.split()),
        follows="looks for another candidate",
        hints=[
            "Whoever publishes it has to mend it",
            (
                f"Until then, choose another build with --variant {project}=LABEL, "
                "or none with --no-variants"
            ),
        ],
    )


def loss_of_answer(namespace: str, selection: Selection, of: object) -> Loss | None:
    """Tell which variants cannot be judged since a namespace has no answer.

    :param namespace: one whose answer is lacking.
    :param of: what they are variants of.
    :return: None if that costs nothing.
    """
    labels = _unjudged(selection, namespace)
    if not labels:
        return None
    answer = selection.answers[namespace]
    lost = the_variants(labels, of)
    otherwise = f"To do without: --disable-variant-provider {namespace}"
    if answer.untrusted:
        known = "only code that pip may not run knows whether they are supported here"
        hints = [_to_trust(answer.untrusted)]
        said = f"Variants of {of} were left out ({reasons.shortened(labels)}), since"
        told = sentences(f"{said} {known}", *hints)
        about = f"trust {namespace}"
        return Loss(lost, known, told, "", hints, otherwise, about)
    reason = sentences(*answer.warnings)
    warning: str | None = None
    if answer.remedies:
        left_out = f"So {lost} {'are' if len(labels) > 1 else 'is'} left out"
        warning = sentences(reason, left_out, *answer.remedies, otherwise)
    return Loss(lost, reason, warning, "", answer.remedies, otherwise, reason)


def losses_of_answers(of: object, selections: Iterable[Selection]) -> Iterator[Loss]:
    """Tell which variants cannot be judged since nobody answered.

    :param of: what they are variants of.
    :param selections: about them, one for each source.
    """
    for selection in selections:
        for namespace in selection.answers:
            loss = loss_of_answer(namespace, selection, of)
            if loss is not None:
                yield loss


def tell_unanswered(context: Context, of: object, selection: Selection) -> None:
    """Tell what a decision suffers from: nobody could say what is supported.

    :param of: what it decides about the variants of.
    :raises VariantLost: if that costs a variant, and the user is strict.
    """
    for namespace, answer in selection.answers.items():
        if not answer.is_lacking:
            continue
        loss = loss_of_answer(namespace, selection, of)
        if loss is not None:
            context.cost(loss)
        if loss is None or loss.warning is None:
            for warning in answer.warnings:
                context.say_once(logging.WARNING, warning)


def _to_trust(untrusted: Sequence[str]) -> str:
    options = " ".join(f"--trust-variant-provider {name}" for name in untrusted)
    return f"If you trust it to run with your rights: {options}"


def _unjudged(selection: Selection, namespace: str) -> list[str]:
    """Give what is refused since a namespace has no answer, and for no other reason."""
    return [
        label
        for label, mismatches in selection.ranking.rejected.items()
        if any(each.feature.namespace == namespace for each in mismatches)
        and all(
            selection.answers[each.feature.namespace].is_lacking and not each.offered
            for each in mismatches
        )
    ]
