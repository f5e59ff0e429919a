"""Say what the resolver chose, and what else the user may want."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger, write
from pip._internal.console.styled import Line, shown_width, write_styled
from pip._internal.utils._log import VERBOSE
from pip._internal.variants.index.links import label_of
from pip._internal.variants.output import sentences
from pip._internal.variants.output.unused_accelerators import (
    plain_wheels,
    unused_accelerator,
)
from pip._internal.variants.selection import reasons
from pip._internal.variants.selection.catalogue import decisions_of, modes

if TYPE_CHECKING:
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.output.unused_accelerators import UnusedAccelerator
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = ["announce", "tell_of_kept"]

logger = get_logger(__name__)


def announce(
    run: Run, finder: PackageFinder, chosen: Sequence[tuple[Release, Link]]
) -> None:
    """Say which builds were chosen."""
    for release, link in chosen:
        _announce_one(run, release, link)
    idle = [each for each in _idle(run, chosen) if each is not None]
    for each in idle:
        _advise(run, each.said)
    _advise(run, plain_wheels(idle, run.options))
    for mode in modes(run):
        for release, link in chosen:
            if not _is_agreed(run, release, label_of(link)):
                _advise(run, mode.advice(finder, release, link))


def _idle(
    run: Run, chosen: Iterable[tuple[Release, Link]]
) -> Iterator[UnusedAccelerator | None]:
    """Tell which builds leave a device idle, unless somebody chose that."""
    if not logger.isEnabledFor(logging.WARNING):
        return
    for release, link in chosen:
        label = label_of(link)
        if release.chosen_by is None and not _is_agreed(run, release, label):
            if any(
                mode.explains_unused_accelerator(release, link) for mode in modes(run)
            ):
                continue
            yield unused_accelerator(release, label)


def _announce_one(run: Run, release: Release, link: Link) -> None:
    label = label_of(link)
    _warn_of_refused_newer(run, release)
    if label is None:
        labels = reasons.shortened(release.labels)
        if any(each.manifest is not None for each in release.selections.values()):
            why = f"none of its variants ({labels}) is supported here"
        else:
            why = f"its variants ({labels}) are ignored"
        logger.info("Using a plain build of %s, since %s", release, why)
    else:
        _announce_variant(run, release, link, label)
    if logger.isEnabledFor(VERBOSE):
        for refused in sentences.rejections(release):
            logger.verbose("%s: %s", release, refused)


def _announce_variant(run: Run, release: Release, link: Link, label: str) -> None:
    selection = release.selection_of(link)
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
    if "nvidia" in selection.answers:
        tegra = run.detected.tegra()
        if tegra is not None:
            advice = sentences.doubt_on_tegra(
                tegra, release, selection, label, run.options
            )
            _advise(run, advice)
    if run.settings.dry_run or logger.isEnabledFor(VERBOSE):
        declared = selection.declared(label)
        name, version = release.project, release.version
        write(sentences.block(name, version, label, declared, shown_width()))


def _advise(run: Run, advice: str | None) -> None:
    if advice is not None:
        run.say_once(logging.WARNING, advice)


def _is_agreed(run: Run, release: Release, label: str | None) -> bool:
    """Tell whether a build was taken because it agrees with others."""
    if run.agreement is None:
        return False
    compatible = (each.ranking.compatible for each in release.selections.values())
    return label not in {labels[0] for labels in compatible if labels}


def _warn_of_refused_newer(run: Run, chosen: Release) -> None:
    for release in decisions_of(run).reached(chosen.project):
        if release.version > chosen.version and not release.ranked:
            why = sentences.lacks_label(release)
            if why is not None:
                why = f"which {why}"
            else:
                refused = "; ".join(sentences.rejections(release))
                why = f"of which no variant is supported here: {refused}"
            _advise(run, f"{chosen} was chosen instead of {release.version}, {why}")
            return


def tell_of_kept(
    run: Run,
    kept: Iterable[BaseDistribution],
    found: Iterable[Candidate],
    *,
    is_all: bool,
) -> None:
    """Say of builds that stay installed what would suit better, or that nothing was found.

    :param found: all candidates that the resolver chose.
    :param is_all: whether all builds of variants stay.
    """
    from pip._internal.variants.selection.switching import better_build, no_other_build

    if run.settings.upgrade_variants:
        level = logging.INFO
        hints = (no_other_build(run, dist) for dist in kept)
    else:
        # A new package may need what the installed build lacks.
        level = logging.INFO if is_all else logging.WARNING
        versions = {each.project_name: each.version for each in found}
        hints = (better_build(run, dist, versions) for dist in kept)
    for hint in filter(None, hints):
        logger.log(level, "%s", hint)
