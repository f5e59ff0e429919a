"""What the resolver chose, and what else the user may want."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger, write
from pip._internal.console.styled import Line, shown_width, write_styled
from pip._internal.console.texts import Hint
from pip._internal.utils._log import VERBOSE
from pip._internal.variants.index.links import label_of, public, searched
from pip._internal.variants.output import reasons, sentences
from pip._internal.variants.output.invocation import (
    again,
    command,
    for_another_build,
    for_upgrade,
)
from pip._internal.variants.output.skipped_versions import absent_variants
from pip._internal.variants.output.unused_accelerators import (
    plain_wheels,
    unused_accelerator,
)
from pip._internal.variants.providers.chain import warnings_of
from pip._internal.variants.selection.agreement import are_mixed
from pip._internal.variants.selection.installed import installed_build, installed_label
from pip._internal.variants.selection.neighbors import (
    CPU,
    chosen_neighbors,
    contradictions,
    neighbor_of,
    staying,
)
from pip._internal.variants.selection.settings import (
    UPGRADE_VARIANTS,
    VARIANT,
    VARIANT_HOST,
)
from pip._internal.variants.selection.switching import are_variants_found, better_label

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.selection.agreement import Agreed
    from pip._internal.variants.selection.installed_first import Kept
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = [
    "announce",
    "report_agreement",
    "report_idle",
    "report_kept",
    "report_replaced",
    "tell_of_kept",
    "warn_of_older_releases",
]

logger = get_logger(__name__)


def announce(
    run: Run, finder: PackageFinder, chosen: Sequence[tuple[Release, Link]]
) -> None:
    """Log which builds were chosen."""
    for release, link in chosen:
        _announce_one(run, release, link)
    report_idle(run, finder, chosen)
    for mode in run.modes:
        for release, link in chosen:
            if not _is_agreed(run, release, label_of(link)):
                _advise(run, mode.advice(finder, release, link))


def report_idle(
    run: Run, finder: PackageFinder, chosen: Iterable[tuple[Release, Link]]
) -> None:
    """Report builds that leave a device idle, unless somebody chose that.

    :raises AcceleratorRequired: if the user requires that one uses it.
    """
    if not (run.settings.required_accelerators or logger.isEnabledFor(logging.WARNING)):
        return
    idle = []
    for release, link in chosen:
        label = label_of(link)
        if (
            release.chosen_by is not None
            or _is_agreed(run, release, label)
            or any(
                mode.explains_unused_accelerator(release, link) for mode in run.modes
            )
        ):
            continue
        unused = unused_accelerator(run, finder, release, label)
        if unused is not None:
            run.reporter.accelerator(release.project, unused.said)
            idle.append(unused)
    _advise(run, plain_wheels(idle, run.settings.options))


def _announce_one(run: Run, release: Release, link: Link) -> None:
    label = label_of(link)
    if label is None:
        labels = reasons.shortened(release.labels)
        if any(
            each.manifest is not None for each in release.fetch_selections().values()
        ):
            why = f"none of its variants ({labels}) is supported here"
        else:
            why = f"its variants ({labels}) are ignored"
        logger.info("Using a plain build of %s, since %s", release, why)
    else:
        _announce_variant(run, release, link, label)
    _announce_replaced(run, release, label)
    if logger.isEnabledFor(VERBOSE):
        for refused in sentences.rejections(release):
            logger.verbose("%s: %s", release, refused)


#: Options that may ask for another build than an installed one of the same version.
_REPLACING = frozenset(
    (VARIANT.name, UPGRADE_VARIANTS.name, VARIANT_HOST.name)
    + ("--cpuonly", "--pytorch-computation-backend")
)


def _announce_replaced(run: Run, release: Release, label: str | None) -> None:
    """Say which installed build of the same version gives way, and what asks for that."""
    dist = run.request.dists.get(release.project)
    if dist is None or str(public(dist.version)) != str(release.version):
        return
    options = dict.fromkeys(
        option for row, option, _ in run.settings.typed if row.name in _REPLACING
    )
    if options and installed_label(dist) != label:
        logger.info(
            "Replacing %s %s, installed as %s: %s asks for another build",
            *(dist.raw_name, dist.version, _installed_as(dist), " or ".join(options)),
        )


def _announce_variant(run: Run, release: Release, link: Link, label: str) -> None:
    selection = release.fetch_selection_of(link)
    assert selection is not None, "a labelled link belongs to a selection"
    option = None
    if release.chosen_by is not None:
        option = f"chosen with {release.chosen_by}"
    elif selection.is_swayed:
        option = "preferred with --prefer-variant"
    said = sentences.chosen_line(release, selection, label, option)
    chosen = {r"(?<=^Using the variant )\S+": "bold green"}
    write_styled([Line(said, highlights=chosen)])
    _advise(run, sentences.several_sources(release, selection, label))
    if release.chosen_label is None:
        missed = sentences.devices_left_out(release, selection, label)
        if missed is not None:
            run.reporter.accelerator(release.project, missed)
    if "nvidia" in selection.answers:
        tegra = run.target.detected.tegra()
        if tegra is not None:
            advice = sentences.doubt_on_tegra(
                tegra, release, selection, label, run.settings.options
            )
            _advise(run, advice)
    if run.settings.dry_run or logger.isEnabledFor(VERBOSE):
        declared = selection.declared(label)
        name, version = release.project, release.version
        write(sentences.block(name, version, label, declared, shown_width()))


def _advise(run: Run, advice: str | None) -> None:
    if advice is not None:
        run.reporter.say_once(logging.WARNING, advice)


def _is_agreed(run: Run, release: Release, label: str | None) -> bool:
    """Return whether a build was taken because it agrees with others."""
    if run.attempt.agreement is None:
        return False
    compatible = (
        each.ranking.compatible for each in release.fetch_selections().values()
    )
    return label not in {labels[0] for labels in compatible if labels}


def warn_of_older_releases(
    run: Run,
    finder: PackageFinder,
    found: Iterable[Candidate],
    refused: Mapping[NormalizedName, Release],
) -> None:
    """Warn of releases that are older than one of which no variant can be taken.

    :param found: all candidates that the resolver chose.
    :param refused: the newest refused release of each project.
    """
    chosen = {each.project_name: each for each in found}
    for project, release in refused.items():
        candidate = chosen.get(project)
        if candidate is not None and candidate.version < release.version:
            warning = _older_release(run, finder, candidate, release)
            if release.lacks_label:
                _advise(run, warning)
            else:
                run.reporter.accelerator(project, warning)


def _older_release(
    run: Run, finder: PackageFinder, candidate: Candidate, newer: Release
) -> str:
    """Return which newer release was not taken, why, and what helps."""
    what = f"{newer.project} {candidate.version}"
    link, label = candidate.source_link, newer.chosen_label
    if link is not None and not link.is_wheel:
        what += ", which pip has to build from source,"
    verb = "stays installed" if candidate.is_installed else "was chosen"
    said = f"{what} {verb} instead of {newer.version}"
    lacking, absent = sentences.lacks_label(newer), absent_variants(finder, newer)
    if lacking is not None:
        if label not in absent:
            return f"{said}, which {lacking}"
        return f"{said}, whose variant {label} cannot be installed: {absent[label]}"
    others = (f"{each}: {why}" for each, why in absent.items())
    refused = "; ".join([*sentences.rejections(newer), *others])
    explain = command(run.settings.options, "variants", "explain", newer.project)
    at_least = shlex.quote(f"{newer.project}>={newer.version}")
    said += f", of which no variant is supported here: {refused}. Require {at_least} "
    return Hint(said + "to make that an error, or see why:", explain)


def tell_of_kept(
    run: Run,
    finder: PackageFinder,
    kept: Iterable[BaseDistribution],
    found: Iterable[Candidate],
    *,
    is_all: bool,
) -> set[NormalizedName]:
    """Say of builds that stay installed what would suit better, or that nothing was found.

    :param found: all candidates that the resolver chose.
    :param is_all: whether all builds of variants stay.
    :return: the projects that something was said of.
    """
    if run.settings.upgrade_variants:
        level = logging.INFO
        hints = {dist: _no_other_build(run, finder, dist) for dist in kept}
    else:
        # A new package may need what the installed build lacks.
        level = logging.INFO if is_all else logging.WARNING
        versions = {each.project_name: each.version for each in found}
        hints = {dist: _better_build(run, dist, versions) for dist in kept}
    told = set()
    for dist, hint in hints.items():
        if hint is not None:
            logger.log(level, "%s", hint)
            told.add(dist.canonical_name)
    return told


def _better_build(
    run: Run, dist: BaseDistribution, found: Mapping[NormalizedName, Version]
) -> str | None:
    """Return which variant would suit better than the build that is kept, if one would.

    :param found: the versions that this run comes to.
    """
    better = better_label(run, dist, found)
    if better is None:
        return None
    best, selection = better
    for warning in warnings_of(selection.answers):
        run.reporter.say_once(logging.WARNING, warning)
    named = dist.raw_name
    if any(mode.needs_pin(dist.canonical_name) for mode in run.modes):
        named = f"{named}=={public(dist.version)}"
    properties = reasons.shortened([str(each) for each in selection.properties(best)])
    machine = "this" if run.target.providers.host is None else "the target"
    return Hint(
        f"{dist.raw_name} {dist.version} is installed as {_installed_as(dist)}, but the "
        f"variant {best} suits {machine} machine better "
        f"({properties or 'it runs, and the installed one does not'}). To switch:",
        for_upgrade(run.settings.options, named),
    )


def _no_other_build(
    run: Run, finder: PackageFinder, dist: BaseDistribution
) -> str | None:
    """Return that no variant was found where one might have replaced what is kept."""
    if are_variants_found(run, dist):
        return None
    version, where = dist.version, searched(finder._link_collector)
    build = installed_build(dist)
    if build is not None and any(each.options_for(build) for each in run.mode_modules):
        version = public(version)
    words = ("install", "--upgrade-variants", dist.raw_name, "--index-url", "URL")
    return Hint(
        f"No variant of {dist.raw_name} {version} was found{where}: it stays "
        f"installed as {_installed_as(dist)}. To look elsewhere:",
        command(run.settings.options, *words, without=("--no-index",)),
    )


def _installed_as(dist: BaseDistribution) -> str:
    label = installed_label(dist)
    return "a plain build" if label is None else f"the variant {label}"


def report_agreement(run: Run, agreed: Agreed) -> None:
    """Log which variants were taken so that all builds agree; warn of those that do not."""
    options, after = run.settings.options, agreed.after
    apart = [build for build in after if build.runtime != CPU]
    if are_mixed(apart):
        if run.settings.no_variant_agreement:
            retry = again(options, without=("--no-variant-agreement",))
            how = "To take builds that agree, if any do:"
        else:
            names = sorted({build.name.partition(" ")[0] for build in apart})
            retry = command(options, "variants", "list", *names)
            how = "No other variants of these versions agree. To list them:"
        logger.warning("%s", Hint(f"{reasons.mixture(apart)}. {how}", retry))
        return
    labels = {build.name: build.label for build in agreed.before}
    changed = ", ".join(
        f"{build.label} of {build.name} instead of {labels[build.name]}"
        for build in after
        if labels.get(build.name, build.label) != build.label
    )
    if changed:
        runtime = next(build.runtime for build in after if not build.is_free)
        named = [f"{each.name} ({each.label})" for each in agreed.installed]
        if named:
            why = f"for {runtime} like the installed {' and '.join(named)}"
            option = "--upgrade-variants"
        else:
            why = f"so that all variants are for {runtime}"
            option = "--no-variant-agreement"
        logger.info(
            "Taking %s, %s (%s takes the best of each)", *(changed, why, option)
        )


def report_contradictions(
    run: Run, found: Sequence[Candidate], told: Collection[NormalizedName]
) -> None:
    """Warn of packages for the CPU alone beside others that use an accelerator.

    What was installed before is not compared with itself.

    :param found: all candidates that the resolver chose.
    :param told: the projects of which a better variant was named.
    """
    chosen = list(chosen_neighbors(run, found))
    if all(each.uses is None for each in chosen):
        return
    neighbors = [*chosen, *map(neighbor_of, staying(run, found))]
    for using, other in contradictions(neighbors):
        is_new = using in chosen or other in chosen
        if is_new and other.project not in told:
            said = reasons.contradiction(using, other)
            choose = for_another_build(run.settings.options, other.dist)
            run.reporter.say_once(logging.WARNING, Hint(said, choose))


def report_kept(kept: Kept, found: RequirementSet, run: Run) -> None:
    """Warn of better builds that were not taken, so that something installed stays.

    :param found: what is installed in the end.
    """
    taken, better = [], []
    for build in kept.builds:
        chosen = found.requirements.get(build.release.project)
        link = None if chosen is None else chosen.source_link
        if link is not None:
            taken.append(reasons.build_name(build.release, label_of(link)))
        better.append(reasons.build_name(build.release, build.label))
    runs = f"{' and '.join(taken)} runs with it" if taken else "nothing changes"
    projects = dict.fromkeys(build.release.project for build in kept.builds)
    wanted = dict.fromkeys(str(build.wanted) for build in kept.builds)
    hint = Hint(
        f"{kept} stays installed, and {runs}. The better pair is "
        f"{' and '.join(better)} with {kept.dist.raw_name} {kept.other_version}:",
        for_upgrade(run.settings.options, *projects, *wanted),
    )
    logger.warning("%s", hint)


def report_replaced(replaced: Kept) -> None:
    """Log what replaces something installed, and which builds require that."""
    required_by = dict.fromkeys(
        f"{reasons.build_name(build.release, build.label)} requires {build.wanted}"
        for build in replaced.builds
    )
    logger.info(
        "Replacing %s with %s: %s",
        *(replaced, replaced.other_version, " and ".join(required_by)),
    )
