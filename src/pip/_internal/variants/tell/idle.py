"""Say that a device of this machine stays idle, and what else there is to install."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pip._internal.console.texts import Hint
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.choice.invocation import again
from pip._internal.variants.choice.reasons import rejection, sentences, shortened
from pip._internal.variants.core.ordering import rank
from pip._internal.variants.wheels.links import label_of, source_of

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.variants.choice.release import Release
    from pip._internal.variants.choice.selection import Selection
    from pip._internal.variants.core.manifest import Manifest
    from pip._internal.variants.core.ordering import Mismatch

__all__ = ["ACCELERATORS", "idle_device"]

#: Devices that a plain or CPU build leaves idle, by namespace.
ACCELERATORS = {
    "nvidia": "an NVIDIA GPU",
    "amd": "an AMD GPU",
    "intel": "an Intel GPU",
}


def idle_device(
    release: Release, label: str | None, elsewhere: Iterable[Link]
) -> str | None:
    """Say that what was chosen needs no device, although others of the release need one.

    Named are the nearest variant for a device of this machine, variants that would run
    if there were a wheel of them to install, and a plain wheel, of which nothing says
    what it is for.

    :param label: the label of what was chosen; None for a plain wheel or an sdist.
    :param elsewhere: plain wheels of it where it is not taken from, looked up if needed.
    :return: None if no device of this machine is left idle.
    """
    nearest: list[_Missed] = []
    absent: dict[str, str] = {}
    for selection in release.selections.values():
        present = _present(selection)
        if selection.manifest is None or not present:
            continue
        chosen = None if label is None else selection.manifest.variants.get(label)
        if chosen is not None and set(chosen.features) & set(ACCELERATORS):
            return None
        nearest += _missed(selection, selection.manifest, present)
        absent.update(_absent(selection, selection.manifest, present))
    if not nearest and not absent:
        return None
    namespace = min(nearest)[1] if nearest else next(iter(absent.values()))
    device, build = ACCELERATORS[namespace], _build(release, label)
    said = [
        f"This machine has {device}, but {build} was chosen",
        f"The nearest other variant: {min(nearest)[2]}" if nearest else "",
    ]
    if absent:
        labels = shortened(list(absent))
        said.append(f"{labels} would run, but there is no wheel of it to install here")
    plain = None if label is None else _plain_wheel(release, elsewhere)
    if plain is None:
        return sentences(*said)
    said.append(
        f"A plain wheel of {release} is there too, on "
        f"{redact_auth_from_url(source_of(plain))}, and may have that support: nothing "
        "says what it is for. To take it:"
    )
    # By its URL it also takes the place of what is installed, and nothing else changes.
    return Hint(sentences(*said), again(release.options, plain.url_without_fragment))


def _present(selection: Selection) -> set[str]:
    """Return the namespaces of the devices that the target has."""
    answers = selection.answers
    return {each for each in ACCELERATORS if each in answers and answers[each].features}


def _build(release: Release, label: str | None) -> str:
    """Say what was chosen, and what is known of it."""
    if label is None:
        return f"a plain build of {release}, of which nothing says what it is for,"
    return f"the variant {label} of {release} without support for it"


#: How far a refused variant is from running here, its device, and why it is refused.
_Missed = tuple[tuple[int, list[tuple[int, ...]], str], str, str]


def _missed(
    selection: Selection, manifest: Manifest, present: set[str]
) -> Iterator[_Missed]:
    """Yield the refused variants for devices that are *present*."""
    for label, mismatches in selection.ranking.rejected.items():
        used = present & set(manifest.variants[label].features)
        if used and not {each.feature.namespace for each in mismatches} - present:
            distance = (
                len(mismatches),
                [_distance(each) for each in mismatches],
                label,
            )
            yield distance, min(used), rejection(selection, label)


def _absent(
    selection: Selection, manifest: Manifest, present: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield variants that would run and of which no wheel suits, and their devices.

    Only what namespaces that were asked anyway can tell.
    """
    labels = [
        label
        for label, variant in manifest.variants.items()
        if label not in selection.labels
        and selection.answers.keys() >= variant.features.keys()
    ]
    for label in rank(manifest, selection.supported, labels).compatible:
        used = present & set(manifest.variants[label].features)
        if used:
            yield label, min(used)


def _plain_wheel(release: Release, elsewhere: Iterable[Link]) -> Link | None:
    """Return the best wheel of a release without a label, if there is one."""
    plain = (each for each in release.links if each.is_wheel and label_of(each) is None)
    return next(plain, None) or next(iter(elsewhere), None)


def _distance(mismatch: Mismatch) -> tuple[int, ...]:
    """Return how far the nearest accepted value is from what the target has.

    Values such as versions and compute capabilities are compared by their numbers;
    the best value of the target stands for the target.
    """
    if not mismatch.offered:
        return (1_000_000,)
    offered = _numbers(mismatch.offered[0])
    return min(
        tuple(abs(a - b) for a, b in zip(_numbers(wanted), offered, strict=False))
        for wanted in mismatch.wanted
    )


def _numbers(value: str) -> list[int]:
    # No real value has longer numbers; int() of a long hostile one would be slow.
    return [int(digits) for digits in re.findall(r"[0-9]{1,9}", value)]
