"""Report unused accelerators, and replaced accelerator variants."""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from pip._vendor.wheel_variants.abi_dependency import requirements
from pip._vendor.wheel_variants.ordering import Ranking, rank

from pip._internal.console.texts import Hint, capital, shortened, with_label
from pip._internal.variants.errors import AcceleratorRequired, DroppedVariants
from pip._internal.variants.index.links import label_of, source_of, version_of
from pip._internal.variants.index.sources import ManifestUnavailable, fetch_manifest
from pip._internal.variants.output.invocation import again, command
from pip._internal.variants.output.reasons import rejection, rejections, the_variants
from pip._internal.variants.output.skipped_versions import absent_variants, listed_files
from pip._internal.variants.providers import amd
from pip._internal.variants.selection import accelerators
from pip._internal.variants.selection.accelerators import Unaccelerated, UnusedCause
from pip._internal.variants.selection.ranking import Selection

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.wheel_variants.ordering import Mismatch

    from pip._internal.metadata import BaseDistribution
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

#: Options that may select a package without an accelerator.
_CHOOSING = (
    *("--variant", "--no-variants", "--variant-host"),
    *("--cpuonly", "--pytorch-computation-backend"),
)


def why_not(found: Unaccelerated) -> str:
    """Return why a package does not use an accelerator."""
    name = f"'{found.project}'"
    if found.version is not None:
        name = f"{found.project} {with_label(found.version, found.label)}"
    return f"{name} {found.cause.value}."


def require_accelerators(run: Run) -> None:
    """Raise an error for packages that violate ``--require-accelerator``.

    :raises AcceleratorRequired: if a required package is not known to use an
        accelerator.
    """
    lacking = list(accelerators.unaccelerated(run))
    lines = [*map(why_not, lacking)]
    projects = {each.project: each.version for each in lacking}
    for release in itertools.chain(*map(run.decisions.reached, projects)):
        lines += rejections(release)
    # A lock file is for all hardware.
    is_for_target = projects and not run.settings.several_builds
    if is_for_target and not accelerators.present(run.target.providers.query_all()):
        lines.append("pip found no accelerator.")
    for candidate in run.solution:
        is_required = candidate.project_name in run.settings.required_accelerators
        if is_required and (extras := _missing_extras(run, run.solution, candidate)):
            projects[candidate.project_name] = str(candidate.version)
            lines.append(
                f"{candidate.name}[{extras[0]}] contains the GPU code, but no "
                "requirement requests this extra."
            )
    if projects:
        words = "variants", "explain", "{}=={}".format(*next(iter(projects.items())))
        hint = f"To see the reasons: {command(run.settings.options, *words)}"
        raise AcceleratorRequired(shortened([*projects]), lines, hint)


def report_lost(run: Run, dists: accelerators.Dists) -> None:
    """Warn of accelerator variants that the solution would replace.

    :param dists: the installed packages.
    :raises VariantLost: in strict mode, unless the user hid the devices, or typed an option
        that selects a build.
    """
    for dist, label, other in accelerators.lost_accelerators(run, dists):
        is_named = other.project in run.request.named
        if other.cause is UnusedCause.OLDER and is_named:
            # The user requested this version.
            continue
        what = f"{dist.raw_name} {with_label(str(dist.version), label)}"
        reason = why_not(other)
        warning = f"pip replaces {what}, an accelerator variant. {reason}"
        hints = []
        if is_named and run.settings.keeps_installed:
            # An unnamed package may be a dependency that needs the new version.
            words = "install", f"{dist.raw_name}=={dist.version}"
            typed = command(run.settings.options, *words, without=_CHOOSING)
            hints = [Hint(f"To keep {dist.raw_name} {dist.version}:", typed)]
            warning = Hint(f"{warning} {hints[0].sentence}", typed)
        if other.cause is UnusedCause.OLDER or _is_chosen(run):
            run.reporter.warn(warning)
        else:
            lost = f"the installed variant '{label}' of {dist.raw_name} {dist.version}"
            loss = DroppedVariants(lost, reason, warning, "replaces the wheel", hints)
            run.reporter.report([loss])


def _is_chosen(run: Run) -> bool:
    """Return whether the user selected a build or hid the devices."""
    hidden = (each.hidden_by for each in run.target.providers.query_all().values())
    return any(map(run.settings.is_typed, _CHOOSING)) or any(hidden)


def unused_accelerator(run: Run, release: Release, label: str | None) -> Hint | None:
    """Return why a selected build leaves the target's devices unused.

    :param label: the selected label; None for a plain wheel or an sdist.
    :return: the reason; None if no device is unused.
    """
    providers = run.target.detected.without_plugins()
    refused: list[_Refused] = []
    absent: list[str] = []
    unmet: dict[str, list[str]] = {}
    unusable: dict[str, str | None] = {}
    selections = itertools.chain(
        release.fetch_selections().values(), _unselected(run, release)
    )
    for each in selections:
        if label is not None and accelerators.uses_accelerator(each.manifest, label):
            return None
        selection = _with_all_answers(each, providers, release.project)
        refused += _refused(selection)
        absent += _absent(selection)
        if release.fetch_skipped_file(label) is None:
            # Other messages report packages that stay installed.
            _add_unmet(unmet, selection)
        for answer in selection.answers.values():
            if answer.unusable is not None:
                unusable[capital(answer.unusable)] = answer.hidden_by
    nearest = sorted(refused)[: not unmet]
    facts = [f"The nearest other variant: {each[-1]}" for each in nearest]
    if absent:
        why = absent_variants(run, release).get(absent[0], "no wheel is listed")
        unmet[f"cannot be installed: {why}"] = absent
    for why, labels in unmet.items():
        facts.append(f"{capital(the_variants(labels))} would run, but {why}")
    masks = dict.fromkeys(filter(None, unusable.values()))
    if masks and not facts:
        then = f"To install for these GPUs, unset {' and '.join(masks)}, and run:"
        typed = again(run.settings.options)
    else:
        pinned = f"{release.project}=={release.version}"
        then = "To see all variants:"
        typed = command(run.settings.options, "variants", "list", pinned)
    facts += unusable
    if not facts:
        return None
    cause = UnusedCause.UNKNOWN if label is None else UnusedCause.UNUSED
    what = why_not(Unaccelerated(release.project, cause, str(release.version), label))
    return Hint(f"{what} {'. '.join(facts)}. {then}", typed)


def _unselected(run: Run, release: Release) -> Iterator[Selection]:
    """Yield selections with the manifests of variants that have no suitable wheel.

    Reads only sources that list such variants: an index without variants gets no request.
    """
    sources = {
        source_of(link)
        for link in listed_files(run, release.project)
        if label_of(link) and version_of(link, release.project) == release.version
    }
    for source in sorted(sources - release.fetch_selections().keys()):
        link = run.catalog.manifests.get((release.project, release.version, source))
        if link is not None:
            # These variants could not be installed anyway.
            with suppress(ManifestUnavailable):
                manifest = fetch_manifest(run.catalog.session, link)
                yield Selection(source, manifest, Ranking((), {}, ()))


def _with_all_answers(
    selection: Selection, providers: ProviderChain, project: str
) -> Selection:
    """Add the namespaces of variants that have no suitable wheel to a decision's answers."""
    names = {
        name
        for label, variant in selection.manifest.variants.items()
        if label not in selection.labels and accelerators.accelerators_of(variant)
        for name in variant.features
    }
    unknown = names - selection.answers.keys()
    answers = providers.query(selection.manifest, unknown, project)
    return selection._replace(answers={**selection.answers, **answers})


def _uses(selection: Selection, label: str) -> bool:
    """Return whether a variant uses a device of the target."""
    used = accelerators.accelerators_of(selection.manifest.variant(label))
    return bool(used & accelerators.present(selection.answers))


#: The number of missing properties, their distances from the target's values, the label, and
#: the reason.
_Refused = tuple[int, list[tuple[int, ...]], str, str]


def _refused(selection: Selection) -> Iterator[_Refused]:
    """Yield rejected variants for the target's devices, with their distance from the target."""
    others = set(accelerators.NAMESPACES) - accelerators.present(selection.answers)
    for label, mismatches in selection.ranking.rejected.items():
        lacking = {each.feature.namespace for each in mismatches}
        is_unjudged = any(selection.answers[each].is_lacking for each in lacking)
        if _uses(selection, label) and not is_unjudged and not lacking & others:
            distances = [_distance(each) for each in mismatches]
            yield len(mismatches), distances, label, rejection(selection, label)


def _distance(mismatch: Mismatch) -> tuple[int, ...]:
    """Return the distance between the accepted values and the target's best value.

    Values such as versions and compute capabilities are compared by their numbers.
    """
    if not mismatch.offered:
        return (1_000_000,)
    offered = _numbers(mismatch.offered[0])
    return min(
        tuple(abs(a - b) for a, b in zip(_numbers(wanted), offered, strict=False))
        for wanted in mismatch.wanted
    )


def _numbers(value: str) -> list[int]:
    # No real value has longer numbers; int() would be slow for hostile longer ones.
    return [int(digits) for digits in re.findall(r"[0-9]{1,9}", value)]


def _absent(selection: Selection) -> Iterator[str]:
    """Yield those variants for the target's devices that have no suitable wheel."""
    manifest = selection.manifest
    labels = [
        label
        for label, variant in manifest.variants.items()
        if label not in selection.labels
        and selection.answers.keys() >= variant.features.keys()
    ]
    for label in rank(manifest, selection.supported, labels).compatible:
        if _uses(selection, label):
            yield label


#: The reason if the resolver or an earlier message excluded a variant.
_EXCLUDED = "another requirement, index or error excludes it"


def _add_unmet(unmet: dict[str, list[str]], selection: Selection) -> None:
    """Add the labels of variants that run, but were not selected, by the reason.

    The resolver could not install what they require, or another index had precedence.
    """
    for label in (
        () if selection.is_changed_by_preferences else selection.ranking.compatible
    ):
        if _uses(selection, label):
            needed = " and ".join(requirements(selection.manifest, label))
            why = f"pip cannot install {needed} here" if needed else _EXCLUDED
            unmet.setdefault(why, []).append(label)


def warn_of_device_extras(
    run: Run, found: Sequence[Candidate], requested: Container[str]
) -> None:
    """Warn once about unrequested extras with code for the target's GPUs.

    pip adds no extras itself.

    :param found: candidates whose wheels may be used.
    :param requested: the normalized names of projects for which the user requested
        ``device-*`` extras.
    """
    missing = {
        each.project_name: extras
        for each in found
        if each.project_name not in requested
        and not (each.is_installed and each.project_name not in run.request.named)
        and (extras := _missing_extras(run, found, each))
    }
    if not missing:
        return
    words = [f"{name}[{','.join(missing[name])}]" for name in sorted(missing)]
    text = (
        "These extras contain GPU code, but nothing requests them: "
        f"{', '.join(words)}. Without these extras, computations on the GPU will fail. To "
        "add the extras:"
    )
    if not missing.keys().isdisjoint(run.finder._locked_links):
        typed = command(run.settings.options, "lock", *words)
    else:
        typed = again(run.settings.options, *words)
    run.reporter.warn(Hint(text, typed))


def _missing_extras(
    run: Run, found: Iterable[Candidate], candidate: Candidate
) -> list[str]:
    """Return the missing extras of a candidate for the target's GPUs."""
    dist: BaseDistribution | None = vars(candidate).get("dist")
    if dist is None or not any(map(amd.is_device_extra, dist.iter_provided_extras())):
        return []
    coming = {each.project_name: str(each.version) for each in found}

    def version_of(name: NormalizedName) -> str | None:
        installed = run.request.dists.get(name)
        return coming.get(name) or (
            None if installed is None else installed.raw_version
        )

    gpus = amd.gpus_of(run.target.detected.query_all())
    return amd.missing_extras(dist, gpus, version_of)
