"""Report a device of this machine that stays idle, and what else there is to install."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.wheel_variants.abi_dependency import requirements
from pip._vendor.wheel_variants.labels import (
    MANIFEST_SUFFIX,
    InvalidManifestFilename,
    parse_manifest_filename,
)
from pip._vendor.wheel_variants.ordering import Ranking, rank

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint, capital
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import label_of, source_of, version_of
from pip._internal.variants.index.sources import ManifestUnavailable, fetch_manifest
from pip._internal.variants.output.invocation import again, command
from pip._internal.variants.output.reasons import rejection, sentences, shortened
from pip._internal.variants.output.skipped_versions import absent_variants
from pip._internal.variants.selection.accelerators import (
    NAMESPACES,
    accelerators_of,
    present,
)
from pip._internal.variants.selection.ranking import Selection

if TYPE_CHECKING:
    import optparse

    from pip._vendor.wheel_variants.manifest import Manifest
    from pip._vendor.wheel_variants.ordering import Mismatch

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.providers.result import ProviderResult
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = [
    "UnusedAccelerator",
    "plain_wheels",
    "unused_accelerator",
]

logger = get_logger(__name__)

#: What a plain or CPU build leaves idle, by namespace.
_NAMES = {
    "nvidia": "an NVIDIA GPU",
    "amd": "an AMD GPU",
    "intel": "an Intel GPU",
    "tpu": "a TPU",
}


class UnusedAccelerator(NamedTuple):
    """A device of this machine that a build which was chosen does not use.

    :ivar release: of the build.
    :ivar said: what it is, what other variants lack, or why it does not count, and a
        command that helps.
    :ivar plain: a wheel of the release of which nothing says what it is for.
    """

    release: Release
    said: str
    plain: Link | None


def unused_accelerator(
    run: Run, finder: PackageFinder, release: Release, label: str | None
) -> UnusedAccelerator | None:
    """Return why a chosen build uses no device, although others of the release use one.

    Named are the nearest variant for a device of this machine, and variants that would
    run if there were a wheel of them to install.

    :param label: the label of what was chosen; None for a plain wheel or an sdist.
    :return: None if no device of this machine is left idle.
    """
    nearest: list[_Missed] = []
    answers: dict[str, ProviderResult] = {}
    absent: dict[str, str] = {}
    unmet: dict[str, str] = {}
    unusable: dict[str, str] = {}
    providers = run.target.detected.without_plugins()
    selections = itertools.chain(
        release.fetch_selections().values(), _unselected(run, release)
    )
    for each in selections:
        manifest = each.manifest
        if manifest is None:
            continue
        chosen = None if label is None else manifest.variants.get(label)
        if chosen is not None and accelerators_of(chosen):
            return None
        selection = _asked(each, manifest, providers, release.project)
        devices = present(selection.answers)
        answers.update(selection.answers)
        nearest += _missed(selection, manifest, devices)
        absent.update(_absent(selection, manifest, devices))
        if not run.attempt.kept:
            # What stays installed is reported apart.
            unmet.update(_unmet(selection, manifest, devices))
        unusable.update(_unusable(selection, manifest))
    others = (*absent.values(), *unmet.values(), *unusable)
    namespace = min(nearest)[1] if nearest else next(iter(others), None)
    if namespace is None:
        return None
    device, build = _device(namespace, answers), _build(release, label)
    said = [
        f"The target machine has {device}, but {build} was chosen",
        *(f"The nearest other variant: {why}" for _, _, why in sorted(nearest)[:1]),
        *_not_installable(finder, release, absent),
        *(*unmet, *map(capital, unusable.values())),
    ]
    masks = dict.fromkeys(filter(None, (answers[each].hidden_by for each in unusable)))
    alone = () if any((nearest, absent, unmet)) else masks
    hint = _hint(run.settings.options, release, said, alone)
    plain = None if label is None else _plain_wheel(release)
    return UnusedAccelerator(release, hint, plain)


def _not_installable(
    finder: PackageFinder, release: Release, labels: Iterable[str]
) -> Iterator[str]:
    """Yield which variants would run if there were a wheel to install, if any would."""
    labels = list(labels)
    if labels:
        why = absent_variants(finder, release).get(labels[0])
        yield (
            f"{shortened(labels)} would run, but cannot be installed: "
            f"{why or 'no wheel of it is listed'}"
        )


def _hint(
    options: optparse.Values, release: Release, said: list[str], masks: Iterable[str]
) -> Hint:
    """Add what to type to sentences.

    :param masks: the environment variables that alone keep a device idle.
    """
    if masks:
        words = ["env", *(word for mask in masks for word in ("-u", mask))]
        typed = f"{' '.join(words)} {again(options)}"
        return Hint(sentences(*said, "To install for these GPUs:"), typed)
    pinned = f"{release.project}=={release.version}"
    typed = command(options, "variants", "list", pinned)
    return Hint(sentences(*said, "To see all variants:"), typed)


def _unselected(run: Run, release: Release) -> Iterator[Selection]:
    """Yield manifests of variants that have no suitable wheel at all, one per source.

    Only sources that list such wheels are read: an index without variants is asked for
    nothing.
    """
    manifests: dict[str, Link] = {}
    sources: set[str] = set()
    found = release.project, release.version
    for link in itertools.chain(*run.catalogue.listed.get(release.project, ())):
        if link.filename.endswith(MANIFEST_SUFFIX):
            with suppress(InvalidManifestFilename):
                if parse_manifest_filename(link.filename) == found:
                    manifests.setdefault(source_of(link), link)
        elif label_of(link) and version_of(link, found[0]) == found[1]:
            sources.add(source_of(link))
    for source in (sources & manifests.keys()) - release.fetch_selections().keys():
        try:
            manifest = fetch_manifest(run.catalogue.session, manifests[source])
        except ManifestUnavailable as error:
            logger.debug("Cannot read which variants %s has: %s", release, error)
        else:
            yield Selection(source, manifest, Ranking((), {}, ()))


def _asked(
    selection: Selection, manifest: Manifest, providers: ProviderChain, project: str
) -> Selection:
    """Ask also about devices that only variants without a suitable wheel are for.

    What else these variants need is asked only if such a device is present.
    """
    missing = [
        variant
        for label, variant in manifest.variants.items()
        if label not in selection.labels and accelerators_of(variant)
    ]
    answers = dict(selection.answers)
    devices = {name for each in missing for name in accelerators_of(each)}
    answers |= providers.query(manifest, devices - answers.keys(), project)
    found = present(answers) & devices
    others = {
        name
        for each in missing
        if accelerators_of(each) <= found
        for name in each.features
    }
    answers |= providers.query(manifest, others - answers.keys(), project)
    return selection._replace(answers=answers)


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


def _device(namespace: str, answers: Mapping[str, ProviderResult]) -> str:
    """Name the device of a namespace; a driver alone is no GPU."""
    answer = answers.get(namespace)
    has_gpu = answer is None or answer.unusable or answer.values("sm_arch")
    if namespace == "nvidia" and not has_gpu:
        return "an NVIDIA driver"
    return _NAMES[namespace]


def _unusable(selection: Selection, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield the namespaces of devices that are there and do not count, and why."""
    used = {name for each in manifest.variants.values() for name in each.features}
    for namespace in NAMESPACES:
        answer = selection.answers.get(namespace)
        if namespace in used and answer is not None and answer.unusable is not None:
            yield namespace, answer.unusable


def _build(release: Release, label: str | None) -> str:
    """Return what was chosen, and what is known of it."""
    if label is None:
        return f"a plain build of {release}, of which nothing says what it is for,"
    return f"the variant {label} of {release} without support for it"


#: How far a refused variant is from running here, its device, and why it is refused.
_Missed = tuple[tuple[int, list[tuple[int, ...]], str], str, str]


def _missed(
    selection: Selection, manifest: Manifest, devices: set[str]
) -> Iterator[_Missed]:
    """Yield the refused variants for the *devices* that the target has."""
    for label, mismatches in selection.ranking.rejected.items():
        used = devices & accelerators_of(manifest.variants[label])
        lacking = {each.feature.namespace for each in mismatches}
        is_unjudged = any(selection.answers[each].is_lacking for each in lacking)
        if used and not is_unjudged and not (lacking & set(NAMESPACES)) - devices:
            distance = (
                len(mismatches),
                [_distance(each) for each in mismatches],
                label,
            )
            yield distance, min(used), rejection(selection, label)


def _absent(
    selection: Selection, manifest: Manifest, devices: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield variants that would run and of which no wheel suits, and their devices."""
    labels = [
        label
        for label, variant in manifest.variants.items()
        if label not in selection.labels
        and selection.answers.keys() >= variant.features.keys()
    ]
    for label in rank(manifest, selection.supported, labels).compatible:
        used = devices & accelerators_of(manifest.variants[label])
        if used:
            yield label, min(used)


def _unmet(
    selection: Selection, manifest: Manifest, devices: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield which variants would run with other versions of packages, and their devices.

    The resolver has found out that it cannot have these versions.
    """
    for label in () if selection.is_swayed else selection.ranking.compatible:
        variant, needed = manifest.variant(label), requirements(manifest, label)
        used = set() if variant is None else devices & accelerators_of(variant)
        if used and needed:
            versions = " and ".join(needed)
            said = f"{label} would run with {versions}, which pip cannot install here"
            yield said, min(used)


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
