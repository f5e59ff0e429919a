"""Put the candidates of a release in order when the resolver takes the first of them.

Upstream orders the candidates of all versions at once. That order stays; within one
version the variants are put in front, best first, as late as possible: no manifest is
fetched for a version that the resolver does not reach.
"""

from __future__ import annotations

import functools
import itertools
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants import fork
from pip._internal.variants.context import Context, context_of
from pip._internal.variants.links import folder_url, label_of, source_of

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version, _BaseVersion

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.found_candidates import (
        FoundCandidates,
        IndexCandidateInfo,
    )
    from pip._internal.utils.hashes import Hashes
    from pip._internal.variants.release import Release
    from pip._internal.variants.switching import Rival

__all__ = [
    "all_candidates",
    "found_candidates",
    "index_finder",
    "list_finder",
]


def found_candidates(
    fn: Callable[..., FoundCandidates | tuple[()]],
    factory: Factory,
    ireqs: Sequence[InstallRequirement],
    specifier: SpecifierSet,
    hashes: Hashes,
    *args: Any,
    **kwargs: Any,
) -> FoundCandidates | tuple[()]:
    """Let the candidates that the resolver may take come with variants in order."""
    context = context_of(factory._finder)
    if context is None or not ireqs:
        return fn(factory, ireqs, specifier, hashes, *args, **kwargs)
    assert ireqs[0].req is not None
    project = canonicalize_name(ireqs[0].req.name)
    if context.allowed is not None and project not in context.allowed:
        from pip._internal.variants.providers.plugin_environment import (
            UntrustedProvider,
        )

        raise UntrustedProvider(project)
    wanted, allowed = specifier, hashes
    for ireq in ireqs:
        assert ireq.req is not None
        wanted &= ireq.req.specifier
        allowed &= ireq.hashes(trust_internet=False)
    contested = _rival(context, factory, project, ireqs, wanted)
    with _hidden(factory, project) if contested is not None else nullcontext():
        found = fn(factory, ireqs, specifier, hashes, *args, **kwargs)
    assert not isinstance(found, tuple), "only without requirements there is nothing"
    context.installed_dists = factory._installed_dists
    infos = found._get_infos
    if context.locking is not None:
        infos = functools.partial(context.locking.preferred, infos, project)
    if fork.keeps_to_fork(factory, project, wanted):
        infos = functools.partial(_infos_of_fork, infos, context)
    if context.enabled:
        infos = functools.partial(
            _ordered_infos,
            infos,
            context,
            factory._finder,
            project,
            allowed,
            contested,
            installed=None if found._installed is None else found._installed.version,
            first=found._prefers_installed,
        )
    found._get_infos = infos
    return found


def _rival(
    context: Context, factory: Factory, project: NormalizedName, *args: Any
) -> Rival | None:
    # In most runs nothing is chosen by hand, and nothing more need be imported.
    if project not in factory._installed_dists or not context.may_switch:
        return None
    from pip._internal.variants.switching import rival

    return rival(context, factory, project, *args)


@contextmanager
def _hidden(factory: Factory, project: NormalizedName) -> Iterator[None]:
    """Have upstream take what is installed for not installed."""
    dist = factory._installed_dists.pop(project)
    try:
        yield
    finally:
        factory._installed_dists[project] = dist


_Infos = Callable[[], "Iterator[IndexCandidateInfo]"]


def _infos_of_fork(infos: _Infos, context: Context) -> Iterator[IndexCandidateInfo]:
    left_out = []
    for info in infos():
        if fork.is_fork(info[0]):
            yield info
        else:
            left_out.append(info[0])
    message = fork.how_to_leave(left_out)
    if message is not None:
        context.say_once(logging.INFO, message)


def _ordered_infos(
    infos: _Infos,
    context: Context,
    finder: PackageFinder,
    project: NormalizedName,
    hashes: Hashes,
    contested: Rival | None,
    *,
    installed: Version | None,
    first: bool,
) -> Iterator[IndexCandidateInfo]:
    """Give upstream's candidates; where a version has variants, put it in order.

    :param contested: the installed build, if it competes with them.
    :param installed: the version of the installed build if upstream takes it as it is.
    :param first: whether that of *contested* comes before newer ones.
    """
    ordered = _ranked_infos(
        infos, context, finder, project, hashes, contested, installed
    )
    yield from ordered if contested is None else contested.among(ordered, first=first)


def _ranked_infos(
    infos: _Infos,
    context: Context,
    finder: PackageFinder,
    project: NormalizedName,
    hashes: Hashes,
    contested: Rival | None,
    installed: Version | None,
) -> Iterator[IndexCandidateInfo]:
    must_have_label = context.label_for(project) is not None

    def group_key(info: IndexCandidateInfo) -> tuple[_BaseVersion, bool, bool]:
        # Upstream ranks what is yanked or has another hash below everything else.
        link = _link(info)
        return info[0], link.is_yanked, link.is_hash_allowed(hashes)

    for (version, _, _), grouped in itertools.groupby(infos(), group_key):
        group = list(grouped)
        links = [_link(info) for info in group]
        own = contested if contested and contested.version == version else None
        if not must_have_label and all(label_of(link) is None for link in links):
            if own is not None and not own.must_go:
                yield version, own.keep
            yield from group
            continue
        release = context.release(
            (project, version, tuple(links)),
            functools.partial(_release, context, project, version, links, finder),
        )
        makers = {_link(info): info[1] for info in group}
        # Plain packages do without.
        from pip._internal.variants.builds import Builds

        yield from Builds(release, makers, own, is_installed=installed == version)


def _link(info: IndexCandidateInfo) -> Link:
    maker = info[1]
    # Upstream makes each candidate with functools.partial; the build of the fork
    # checks that this is still so.
    assert isinstance(maker, functools.partial)
    link: Link = maker.keywords["link"]
    return link


def _release(
    context: Context,
    project: NormalizedName,
    version: _BaseVersion,
    links: Sequence[Link],
    finder: PackageFinder,
) -> Release:
    sources = list(dict.fromkeys(source_of(link) for link in links))
    if len(sources) > 1:
        order = [*_sources_in_order(finder, project), *sources]
        sources.sort(key=order.index)
    if context.locking is not None:
        from pip._internal.variants.locks.locking import LockingRelease

        return LockingRelease(context, project, version, links, sources)
    from pip._internal.variants.release import Release

    return Release(context, project, version, links, sources)


def _sources_in_order(finder: PackageFinder, project: NormalizedName) -> Iterable[str]:
    """Give the sources of a project as the user listed them, folders first.

    Of equals upstream takes the last, and it sorts folders by name.
    """
    folders = map(folder_url, finder.find_links)
    found = (
        source_of(candidate.link)
        for candidate in finder._all_candidates.get(project, ())
    )
    return dict.fromkeys(itertools.chain(folders, found))


def index_finder(
    fn: Callable[..., PackageFinder], *args: Any, **kwargs: Any
) -> PackageFinder:
    """Give ``pip index versions`` a finder without versions that nothing suits."""
    return _listing_finder(fn(*args, **kwargs), "all")


def list_finder(
    fn: Callable[..., PackageFinder], *args: Any, **kwargs: Any
) -> PackageFinder:
    """Give ``pip list`` a finder that judges the newest versions only."""
    return _listing_finder(fn(*args, **kwargs), "newest")


def _listing_finder(finder: PackageFinder, listing: str) -> PackageFinder:
    context = context_of(finder)
    if context is not None:
        context.listing = listing
    return finder


def all_candidates(
    fn: Callable[[PackageFinder, str], list[InstallationCandidate]],
    finder: PackageFinder,
    project_name: str,
) -> list[InstallationCandidate]:
    """Leave out of a listing the versions whose files are all unsuitable variants."""
    candidates = fn(finder, project_name)
    context = context_of(finder)
    if context is None or context.listing is None:
        return candidates
    project = canonicalize_name(project_name)
    if project == "pip" and context.listing == "newest":
        # Upstream's releases are no updates of the fork.
        return [found for found in candidates if fork.is_fork(found.version)]
    if not context.enabled:
        return candidates
    newest_first = sorted(candidates, key=lambda found: found.version, reverse=True)
    unsuitable = set()
    for version, grouped in itertools.groupby(newest_first, lambda c: c.version):
        links = [candidate.link for candidate in grouped]
        if all(label_of(link) is not None for link in links):
            release = context.release(
                (project, version, tuple(links)),
                functools.partial(_release, context, project, version, links, finder),
            )
            if not release.ranked:
                unsuitable.add(version)
                continue
        if context.listing == "newest" and not version.is_prerelease:
            break
    left = [found for found in candidates if found.version not in unsuitable]
    if candidates and not left and context.listing == "all":
        from pip._internal.variants.outcome import nothing_left

        reached = context.reached_releases(project)
        raise nothing_left(project_name, None, reached)
    return left
