"""Group the files of a project by release, in stock pip's order."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pip._internal.variants.index.links import (
    LocalVersionWheel,
    folder_url,
    label_of,
    public,
    source_of,
)

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version, _BaseVersion

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.utils.hashes import Hashes
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run


def releases(
    run: Run,
    project: NormalizedName,
    links: Iterable[tuple[_BaseVersion, Link]],
    hashes: Hashes,
    *,
    pinned: bool = False,
) -> Iterator[tuple[_BaseVersion, Sequence[Link], Release | None]]:
    """Group links by version, in stock pip's order.

    Yields a version, the files of that version that upstream ranks next to each other, and the
    release that selects among these files (None without variants).

    :param pinned: whether a requirement names a local version.
    """
    must_have_label = run.overrides.label_for(project) is not None

    def key(item: tuple[_BaseVersion, Link]) -> tuple[_BaseVersion, bool, bool]:
        # Upstream ranks yanked files and files with other hashes below all others.
        version, link = item
        return version, link.is_yanked, link.is_hash_allowed(hashes)

    for (version, _, _), grouped in itertools.groupby(links, key):
        group = tuple(link for _, link in grouped)
        has_variants = any(label_of(link) is not None for link in group)
        release = None
        if must_have_label or has_variants:
            release = release_of(run, project, version, group, pinned=pinned)
        yield version, group, release


def release_of(
    run: Run,
    project: NormalizedName,
    version: _BaseVersion,
    links: Sequence[Link],
    *,
    pinned: bool = False,
) -> Release:
    """Return the release with these files, from the cache if possible.

    :param pinned: whether a requirement pins the local version of the files.
    """
    key = project, version, tuple(links)

    def make() -> Release:
        sources = list(dict.fromkeys(source_of(link) for link in links))
        if len(sources) > 1:
            order = [*_sources_in_order(run.finder, project), *sources]
            sources.sort(key=order.index)
        for mode in run.modes:
            own = mode.release_type(links, pinned=pinned)
            if own is not None:
                return own(run, project, version, links, sources)
        from pip._internal.variants.selection.release import Release

        return Release(run, project, version, links, sources)

    # For lock files, the same key identifies what was selected.
    return run.decisions.release((*key, pinned) if pinned else key, make)


def files_offered(
    finder: PackageFinder,
    project: NormalizedName,
    specifier: SpecifierSet,
    hashes: Hashes,
) -> Iterator[tuple[Version, str | None]]:
    """Yield the versions and labels of candidate files, newest first.

    :param specifier: the specifier of requirements and constraints.
    """
    found = finder.find_best_candidate(project, specifier, hashes)
    for each in reversed(found.applicable_candidates):
        if not each.link.is_yanked:
            # Builds of a release may have separate local versions.
            is_build = isinstance(each.link, LocalVersionWheel)
            version = public(each.version) if is_build else each.version
            yield version, label_of(each.link)


def _sources_in_order(finder: PackageFinder, project: NormalizedName) -> Iterable[str]:
    """Return the sources of a project in the user's order, folders first.

    If several sources have the same file, upstream takes the file of the last source. Upstream
    sorts folders by name.
    """
    folders = map(folder_url, finder.find_links)
    found = (
        source_of(candidate.link)
        for candidate in finder._all_candidates.get(project, ())
    )
    return dict.fromkeys(itertools.chain(folders, found))
