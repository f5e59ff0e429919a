"""Group the files of a project by release, as upstream orders them."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from pip._internal.variants.index.links import folder_url, label_of, source_of

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.utils.hashes import Hashes
    from pip._internal.variants.selection.mode import Mode
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = ["PeekableGroups", "modes", "release_of", "releases"]

#: How many older releases are looked at together once a newer one is refused, and at most
#: once several are.
_FEW, _MOST = 8, 16


def modes(run: Run) -> Sequence[Mode]:
    """Return the modes that a run is in, each with all that it has a say in."""
    return cast("Sequence[Mode]", run.modes)


# No dataclass or named tuple: making one takes longer than the rest of this module, which
# plain packages need too.
class ReleaseGroup:
    """Files of one version that upstream ranks next to each other.

    :ivar release: how to choose among them; None if there are no variants.
    """

    __slots__ = ("links", "release", "version")

    def __init__(
        self, version: _BaseVersion, links: tuple[Link, ...], release: Release | None
    ) -> None:
        self.version = version
        self.links = links
        self.release = release


def releases(
    run: Run,
    finder: PackageFinder,
    project: NormalizedName,
    links: Iterable[tuple[_BaseVersion, Link]],
    hashes: Hashes,
    *,
    pinned: bool = False,
) -> Iterator[ReleaseGroup]:
    """Group links with their versions, in upstream's order.

    :param pinned: whether a requirement names a local version.
    """
    must_have_label = run.overrides.label_for(project) is not None

    def key(item: tuple[_BaseVersion, Link]) -> tuple[_BaseVersion, bool, bool]:
        # Upstream ranks what is yanked or has another hash below everything else.
        version, link = item
        return version, link.is_yanked, link.is_hash_allowed(hashes)

    for (version, _, _), grouped in itertools.groupby(links, key):
        group = tuple(link for _, link in grouped)
        has_variants = any(label_of(link) is not None for link in group)
        release = None
        if must_have_label or has_variants:
            release = release_of(run, finder, project, version, group, pinned=pinned)
        yield ReleaseGroup(version, group, release)


class PeekableGroups:
    """The groups of a project one after the other, and a look at those that follow."""

    def __init__(self, groups: Iterator[ReleaseGroup]) -> None:
        self._groups = groups
        self._seen: deque[ReleaseGroup] = deque()
        self._refused = 0

    def __iter__(self) -> Iterator[ReleaseGroup]:
        """Yield group after group."""
        while self.peek(1):
            yield self._seen.popleft()

    def refused(self) -> list[ReleaseGroup]:
        """Return the older groups that are worth a look now that one more does not suit."""
        self._refused += 1
        return self.peek(min(_FEW * self._refused, _MOST))

    def peek(self, count: int) -> list[ReleaseGroup]:
        """Return up to *count* groups that come next."""
        while len(self._seen) < count:
            group = next(self._groups, None)
            if group is None:
                break
            self._seen.append(group)
        return list(itertools.islice(self._seen, count))


def release_of(
    run: Run,
    finder: PackageFinder,
    project: NormalizedName,
    version: _BaseVersion,
    links: Sequence[Link],
    *,
    pinned: bool = False,
) -> Release:
    """Return the release with these files; the same one for the same files.

    :param pinned: whether a requirement names their local version.
    """
    key = project, version, tuple(links)

    def make() -> Release:
        sources = list(dict.fromkeys(source_of(link) for link in links))
        if len(sources) > 1:
            order = [*_sources_in_order(finder, project), *sources]
            sources.sort(key=order.index)
        for mode in modes(run):
            own = mode.release_type(links, pinned=pinned)
            if own is not None:
                return own(run, project, version, links, sources)
        from pip._internal.variants.selection.release import Release

        return Release(run, project, version, links, sources)

    # Where lock files are read, the same key stands for what was chosen.
    return run.decisions.release((*key, pinned) if pinned else key, make)


def _sources_in_order(finder: PackageFinder, project: NormalizedName) -> Iterable[str]:
    """Return the sources of a project as the user listed them, folders first.

    Of equals upstream takes the last, and it sorts folders by name.
    """
    folders = map(folder_url, finder.find_links)
    found = (
        source_of(candidate.link)
        for candidate in finder._all_candidates.get(project, ())
    )
    return dict.fromkeys(itertools.chain(folders, found))
