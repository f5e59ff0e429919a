"""Say that a device of this machine stays idle, and what else there is to install."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.wheel_variants.ordering import rank

from pip._internal.console.texts import Hint, capital
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import label_of, source_of
from pip._internal.variants.output.invocation import again
from pip._internal.variants.output.reasons import rejection, sentences, shortened

if TYPE_CHECKING:
    import optparse

    from pip._vendor.wheel_variants.manifest import Manifest
    from pip._vendor.wheel_variants.ordering import Mismatch

    from pip._internal.models.link import Link
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release

__all__ = ["ACCELERATORS", "UnusedAccelerator", "plain_wheels", "unused_accelerator"]

#: Devices that a plain or CPU build leaves idle, by namespace.
ACCELERATORS = {
    "nvidia": "an NVIDIA GPU",
    "amd": "an AMD GPU",
    "intel": "an Intel GPU",
}


class UnusedAccelerator(NamedTuple):
    """A device of this machine that a build which was chosen does not use.

    :ivar release: of the build.
    :ivar said: what it is, and what other variants lack, or why it does not count.
    :ivar plain: a wheel of the release of which nothing says what it is for.
    """

    release: Release
    said: str
    plain: Link | None


def unused_accelerator(release: Release, label: str | None) -> UnusedAccelerator | None:
    """Tell whether what was chosen needs no device, although others of the release need one.

    Told of are the nearest variant for a device of this machine, and variants that would
    run if there were a wheel of them to install.

    :param label: the label of what was chosen; None for a plain wheel or an sdist.
    :return: None if no device of this machine is left idle.
    """
    nearest: list[_Missed] = []
    absent: dict[str, str] = {}
    unusable: dict[str, str] = {}
    for selection in release.selections.values():
        present = _present(selection)
        if selection.manifest is None:
            continue
        chosen = None if label is None else selection.manifest.variants.get(label)
        if chosen is not None and set(chosen.features) & set(ACCELERATORS):
            return None
        nearest += _missed(selection, selection.manifest, present)
        absent.update(_absent(selection, selection.manifest, present))
        unusable.update(_unusable(selection, selection.manifest))
    if not nearest and not absent and not unusable:
        return None
    namespace = next(iter([*absent.values(), *unusable]), "")
    if nearest:
        namespace = min(nearest)[1]
    device, build = ACCELERATORS[namespace], _build(release, label)
    said = [
        f"The target machine has {device}, but {build} was chosen",
        f"The nearest other variant: {min(nearest)[2]}" if nearest else "",
    ]
    if absent:
        labels = shortened(list(absent))
        said.append(f"{labels} would run, but there is no wheel of it to install here")
    said += map(capital, unusable.values())
    plain = None if label is None else _plain_wheel(release)
    return UnusedAccelerator(release, sentences(*said), plain)


def plain_wheels(
    idle: Iterable[UnusedAccelerator], options: optparse.Values
) -> str | None:
    """Name plain wheels that may use what is idle, and say how to take them.

    By their URLs they also take the place of what is installed, and nothing else changes.

    :param options: of the command that is running.
    """
    found = {str(each.release): each.plain for each in idle if each.plain is not None}
    if not found:
        return None
    pages = dict.fromkeys(
        redact_auth_from_url(source_of(each)) for each in found.values()
    )
    what, are, say, them = "A plain wheel of", "is", "it is", "it"
    if len(found) > 1:
        what, are, say, them = "Plain wheels of", "are", "they are", "them"
    return Hint(
        f"{what} {shortened(list(found))} {are} there too, on {shortened(list(pages))}, and "
        f"may have that support: nothing says what {say} for. To take {them}:",
        again(options, *(each.url_without_fragment for each in found.values())),
    )


def _present(selection: Selection) -> set[str]:
    """Return the namespaces of the devices that the target has."""
    answers = selection.answers
    return {each for each in ACCELERATORS if each in answers and answers[each].features}


def _unusable(selection: Selection, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield the namespaces of devices that are there and do not count, and why."""
    used = {name for each in manifest.variants.values() for name in each.features}
    for namespace in ACCELERATORS:
        answer = selection.answers.get(namespace)
        if namespace in used and answer is not None and answer.unusable is not None:
            yield namespace, answer.unusable


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


def _plain_wheel(release: Release) -> Link | None:
    """Return the best wheel of a release without a label, if there is one."""
    plain = (each for each in release.links if each.is_wheel and label_of(each) is None)
    return next(plain, None)


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
