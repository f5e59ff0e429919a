"""Announce the selected builds, and suggest alternatives."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.output import get_logger, write
from pip._internal.console.texts import Hint, shortened
from pip._internal.fast.optional_work import BestEffort
from pip._internal.utils._log import VERBOSE
from pip._internal.variants.index.links import label_of, public
from pip._internal.variants.output import reasons
from pip._internal.variants.output.accelerators import unused_accelerator
from pip._internal.variants.output.invocation import command, for_upgrade
from pip._internal.variants.output.skipped_versions import obstacles
from pip._internal.variants.providers.chain import warnings_of
from pip._internal.variants.selection import agreement
from pip._internal.variants.selection.candidates import better_label
from pip._internal.variants.selection.installed import installed_label

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.wheel_variants.properties import Property

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.selection.agreement import Agreed
    from pip._internal.variants.selection.release import Release, Taken
    from pip._internal.variants.selection.run import Run

logger = get_logger(__name__)


def announce(run: Run, chosen: Sequence[Taken]) -> None:
    """Log the selected builds."""
    for release, link in chosen:
        label = label_of(link)
        if label is None:
            kind = "plain wheel" if link.is_wheel else "source distribution"
            labels = shortened(release.labels)
            logger.info(
                "Using %s, %s, instead of its variants (%s)", release, kind, labels
            )
        else:
            _announce_variant(run, release, link, label)
        if logger.isEnabledFor(VERBOSE):
            for refused in reasons.rejections(release):
                logger.verbose("%s: %s", release, refused)
    report_unused_accelerators(run, chosen)
    for mode in run.modes:
        for release, link in chosen:
            if not _is_agreed(run, release, label_of(link)):
                run.reporter.warn(mode.advice(release, link))


def _announce_variant(run: Run, release: Release, link: Link, label: str) -> None:
    selection = release.fetch_selection_of(link)
    assert selection is not None, "a labeled link belongs to a selection"
    how, why = "", reasons.why_chosen(selection, label)
    # A URL may select another build than the option.
    if release.chosen_by is not None and release.chosen_label in (None, label):
        how = f", chosen with {release.chosen_by}"
        properties = selection.properties(label)
        why = reasons.describe_properties(properties) or "no properties"
    elif selection.is_changed_by_preferences:
        how = ", preferred with --prefer-variant"
    write([f"Using {release}, variant {label} ({why}{how})"])
    if release.chosen_label is None:
        missed = reasons.devices_left_out(release, selection, label)
        if missed is not None:
            run.reporter.accelerator(release.project, missed)
    tegra = run.target.detected.tegra() if "nvidia" in selection.answers else None
    if tegra is not None:
        from pip._internal.variants.output.hosts import doubt_on_tegra

        run.reporter.warn(doubt_on_tegra(tegra, selection, label))
    if run.settings.dry_run or logger.isEnabledFor(VERBOSE):
        write(_block(release, label, selection.declared(label)))


def _block(release: Release, label: str, properties: Iterable[Property]) -> list[str]:
    """Describe a variant in the format of the variant previews."""
    title = f" {release.project}=={release.version}; variant_label={label} "
    lines = [f"Variant-property: {property_}" for property_ in properties]
    return [title.center(80, "#"), *lines, "#" * 80]


def _is_agreed(run: Run, release: Release, label: str | None) -> bool:
    """Return whether pip selected a build to agree with other builds."""
    if run.attempt.agreement is None:
        return False
    selections = release.fetch_selections().values()
    compatible = (each.ranking.compatible for each in selections)
    return label not in {labels[0] for labels in compatible if labels}


def report_unused_accelerators(run: Run, chosen: Iterable[Taken]) -> None:
    """Report each build that leaves a device unused.

    Skip a build if the user selected it, if pip selected it to agree with other builds, or if
    a mode explains why the device is unused.

    :raises AcceleratorRequired: if a build must use an accelerator.
    """
    for release, link in chosen:
        label = label_of(link)
        if release.chosen_by is not None or _is_agreed(run, release, label):
            continue
        if any(mode.explains_unused_accelerator(release, link) for mode in run.modes):
            continue
        unused = unused_accelerator(run, release, label)
        if unused is not None:
            run.reporter.accelerator(release.project, unused)


def warn_of_older_releases(run: Run, refused: Mapping[NormalizedName, Release]) -> None:
    """Warn if pip skipped a newer release without a compatible variant.

    :param refused: the newest rejected release of each project.
    """
    for candidate in run.solution:
        newer = refused.get(candidate.project_name)
        if newer is None or candidate.version >= newer.version:
            continue
        link = candidate.source_link
        is_built = link is not None and not link.is_wheel
        source = " (to be built from source)" if is_built else ""
        verb = "keeps" if candidate.is_installed else "chose"
        causes = "; ".join(obstacles(run, newer))
        warning = Hint(
            f"pip {verb} {newer.project} {candidate.version}{source} instead of "
            f"{newer.version}: {causes}. To see all reasons:",
            command(run.settings.options, "variants", "explain", newer.project),
        )
        if newer.lacks_label:
            run.reporter.warn(warning)
        else:
            run.reporter.accelerator(newer.project, warning)


def report_better_variants(
    run: Run, kept: Iterable[BaseDistribution], *, is_all: bool
) -> set[NormalizedName]:
    """Log variants that are better than the installed builds that pip keeps.

    :param is_all: whether pip keeps all builds of releases with variants.
    :return: the projects with a logged message.
    """
    if run.settings.upgrade_variants:
        return set()
    # A new package may need a feature that the installed build lacks.
    level = logging.INFO if is_all else logging.WARNING
    versions = {each.project_name: each.version for each in run.solution}
    reported = set()
    for dist in kept:
        better = better_label(run, dist, versions)
        if better is None:
            continue
        best, selection = better
        run.reporter.report(warnings_of(selection.answers))
        named = dist.raw_name
        if any(mode.needs_pin(dist.canonical_name) for mode in run.modes):
            named = f"{named}=={public(dist.version)}"
        label = installed_label(dist)
        installed_as = "a plain wheel" if label is None else f"the variant '{label}'"
        properties = reasons.describe_properties(selection.properties(best))
        text = (
            f"{dist.raw_name} {dist.version} is installed as {installed_as}, but the "
            f"variant '{best}' is a better match "
            f"({properties or 'the installed variant does not run'}). To switch:"
        )
        hint = Hint(text, for_upgrade(run.settings.options, named))
        logger.log(level, "%s", hint)
        reported.add(dist.canonical_name)
    return reported


def report_agreement(agreed: Agreed) -> None:
    """Log the variants that pip selected for agreement."""
    labels = {build.name: build.label for build in agreed.before}
    changed = ", ".join(
        f"'{build.label}' of {build.name} instead of '{labels[build.name]}'"
        for build in agreed.after
        if labels.get(build.name, build.label) != build.label
    )
    if changed:
        runtime = next(build.runtime for build in agreed.after if not build.is_free)
        named = [f"{each.name} ({each.label})" for each in agreed.installed]
        others = f"the installed {' and '.join(named)}" if named else "the others"
        option = "--upgrade-variants" if named else "--no-variant-agreement"
        logger.info(
            "Choosing %s, to use %s like %s. To choose the best variant of each package "
            "instead, add %s",
            *(changed, runtime, others, option),
        )


def report_contradictions(run: Run, reported: Collection[NormalizedName]) -> None:
    """Warn of packages for different devices or versions.

    Does not compare kept packages with each other.

    :param reported: the projects with an announced better variant.
    """
    chosen = list(agreement.packages_to_install(run))
    if all(each.uses is None and each.build is None for each in chosen):
        return
    stay = [agreement.compared_package(e) for e in agreement.staying(run)]
    kept = () if agreement.are_mixed(agreement.builds_of(stay)) else stay
    builds = agreement.builds_of([*kept, *chosen])
    apart = [build for build in builds if build.runtime != agreement.CPU]
    if agreement.are_mixed(apart):
        run.reporter.warn(reasons.mixture(run.settings.options, apart))
    for using, other in agreement.contradictions([*chosen, *stay]):
        is_new = using in chosen or other in chosen
        if is_new and other.dist.canonical_name not in reported:
            hint = reasons.contradiction(run.settings.options, using, other)
            run.reporter.warn(hint)


def report_replaced(
    run: Run, chosen: Iterable[Taken], roots: Iterable[InstallRequirement]
) -> None:
    """Log replaced packages, and warn of better builds that would replace further packages.

    :param roots: the user's requirements and constraints.
    """
    versions = {each.project_name: each.version for each in run.solution}
    limits: dict[NormalizedName, SpecifierSet] = defaultdict(SpecifierSet)
    for root in roots:
        if root.constraint and root.req is not None:
            limits[canonicalize_name(root.req.name)] &= root.req.specifier
    replaced: dict[BaseDistribution, list[str]] = defaultdict(list)
    for release, link in chosen:
        label = label_of(link)
        for dist, wanted in release.replaced(link):
            build = reasons.build_name(release, label)
            replaced[dist].append(f"{build} requires {wanted}")
        with BestEffort("looking for what a better build requires"):
            run.reporter.warn(_better_pair(run, release, label, limits))
    for dist, required in replaced.items():
        logger.info(
            "Replacing %s %s with %s: %s",
            *(dist.raw_name, dist.version, versions[dist.canonical_name]),
            " and ".join(required),
        )


def _better_pair(
    run: Run,
    release: Release,
    label: str | None,
    limits: Mapping[NormalizedName, SpecifierSet],
) -> str | None:
    """Return a hint about a build that is better than the selected build, or None.

    The better build needs another version of a package that pip keeps.

    :param label: the selected label.
    :param limits: the specifiers of constraints.
    """
    better = release.fetch_skipped_file(label)
    if better is None:
        return None
    stays, others, wanted = [], [], []
    for dist, required in release.replaced(better):
        name = dist.canonical_name
        specifier = required.specifier & limits[name]
        other = run.finder.find_best_candidate(name, specifier)
        if other.best_candidate is None:
            return None
        stays.append(f"{dist.raw_name} {dist.version}")
        others.append(f"{dist.raw_name} {other.best_candidate.version}")
        wanted.append(str(required))
    return Hint(
        f"pip kept {' and '.join(stays)}, so it chose "
        f"{reasons.build_name(release, label)}. A better combination is "
        f"{reasons.build_name(release, label_of(better))} with {' and '.join(others)}. "
        "To install this combination:",
        for_upgrade(run.settings.options, release.project, *wanted),
    )
