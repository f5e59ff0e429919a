"""Order the candidates of a release when the resolver takes the first of them.

Upstream orders the candidates of all versions at once, and that order stays. Within one
version, variants come first, best first; they are ranked as late as possible, so that no
manifest is fetched for a version that the resolver does not reach.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, cast

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.exceptions import HashMismatch
from pip._internal.fast.resolving import dependencies_known, reached
from pip._internal.variants.hooks.prepare import refuse_unsupported
from pip._internal.variants.index.links import label_of
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.releases import PeekableGroups, releases
from pip._internal.variants.selection.run import Purpose, Run, run_of
from pip._internal.variants.selection.settings import VARIANT_HOST

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version, _BaseVersion

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.base import Candidate, Requirement
    from pip._internal.resolution.resolvelib.candidates import BaseCandidate
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.found_candidates import (
        FoundCandidates,
        IndexCandidateInfo,
    )
    from pip._internal.resolution.resolvelib.provider import PipProvider
    from pip._internal.utils.hashes import Hashes
    from pip._internal.variants.selection.switching import InstalledCandidate


def found_candidates(
    fn: Callable[..., FoundCandidates | tuple[()]],
    factory: Factory,
    ireqs: Sequence[InstallRequirement],
    specifier: SpecifierSet,
    hashes: Hashes,
    *args: Any,
    **kwargs: Any,
) -> FoundCandidates | tuple[()]:
    """Return the resolver's candidates with the variants of each version in order."""
    run = run_of(factory._finder)
    if run is None or not ireqs:
        return fn(factory, ireqs, specifier, hashes, *args, **kwargs)
    assert ireqs[0].req is not None
    project = canonicalize_name(ireqs[0].req.name)
    if run.purpose is Purpose.PLUGIN:
        limits = run.plugins.plugin_limits
        assert limits is not None, "it is made for a plugin"
        limits.check_trusted(project)
    wanted, allowed = _limits(ireqs, specifier, hashes)
    if run.overrides.is_open(project):
        from pip._internal.variants.selection.contradictions import files_to_settle_by

        files = files_to_settle_by(
            run.overrides.choices, factory, project, wanted, allowed
        )
        if files is not None:
            run.overrides.settle(project, files)
    competing = _installed_candidate(run, factory, project, ireqs, wanted)
    with _hidden(factory, project) if competing is not None else nullcontext():
        found = fn(factory, ireqs, specifier, hashes, *args, **kwargs)
    assert not isinstance(found, tuple), "only without requirements there is nothing"
    run.request.dists = factory._installed_dists
    infos = functools.partial(reached, found._get_infos, factory._finder, project)
    pinned = False
    for mode in run.modes:
        infos = functools.partial(mode.infos, infos, project, wanted)
        pinned = pinned or mode.pins_build(wanted)
    kept = _fork_of(run, factory, project)
    if kept is not None:
        infos = functools.partial(_infos_of_fork, infos, run, factory, found, kept)
    if run.enabled:
        infos = functools.partial(
            _ordered_infos,
            infos,
            run,
            factory,
            project,
            allowed,
            competing,
            installed=None if found._installed is None else found._installed.version,
            pinned=pinned,
        )
    if kept is not None and found._installed is None:
        infos = functools.partial(
            _with_installed_fork, infos, run, factory, ireqs, wanted, kept
        )
    if competing is not None:
        first = found._prefers_installed
        infos = functools.partial(
            _with_installed_candidate, infos, competing, first=first
        )
    found._get_infos = infos
    return found


def _limits(
    ireqs: Sequence[InstallRequirement], specifier: SpecifierSet, hashes: Hashes
) -> tuple[SpecifierSet, Hashes]:
    """Return what requirements and constraints allow together."""
    for ireq in ireqs:
        assert ireq.req is not None
        specifier &= ireq.req.specifier
        hashes &= ireq.hashes(trust_internet=False)
    return specifier, hashes


def _installed_candidate(
    run: Run, factory: Factory, project: NormalizedName, *args: Any
) -> InstalledCandidate | None:
    # Most runs choose nothing by hand, and need no more imports.
    dist = factory._installed_dists.get(project)
    if dist is None:
        return None
    if not _may_switch(run):
        # The installed build may be for a version of what is upgraded.
        upgraded = run.enabled and run.settings.upgrade
        if not upgraded or installed_build(dist) is None:
            return None
    from pip._internal.variants.selection.switching import installed_candidate

    return installed_candidate(run, factory, project, *args)


def _may_switch(run: Run) -> bool:
    """Return whether the user asked for what may differ from an installed build."""
    return run.enabled and bool(
        run.overrides.choices
        or run.settings.upgrade_variants
        or run.settings.is_typed(VARIANT_HOST.name)
        or run.request.locked_labels
        or any(mode.may_switch for mode in run.modes)
    )


@contextmanager
def _hidden(factory: Factory, project: NormalizedName) -> Iterator[None]:
    """Hide an installed project from upstream."""
    dist = factory._installed_dists.pop(project)
    try:
        yield
    finally:
        factory._installed_dists[project] = dist


_Infos = Callable[[], "Iterator[IndexCandidateInfo]"]


def _fork_of(run: Run, factory: Factory, project: str) -> BaseDistribution | None:
    """Return the installed fork, if releases of *project* must not replace it."""
    if project != "pip":
        return None
    if project in run.request.named and not factory._installed_dists:
        # With --ignore-installed, the user asks for another pip than the installed one.
        return None
    return _fork_to_keep(run)


def _fork_to_keep(run: Run) -> BaseDistribution | None:
    from pip._internal.variants.selection.fork import fork_to_keep

    return fork_to_keep(run)


def _infos_of_fork(
    infos: _Infos,
    run: Run,
    factory: Factory,
    found: FoundCandidates,
    kept: BaseDistribution,
) -> Iterator[IndexCandidateInfo]:
    """Yield the releases of the fork; tell what else is newer than what is installed."""
    from pip._internal.variants.selection.fork import is_fork

    newest = None
    for info in infos():
        # There is no other kind.
        version = cast("Version", info[0])
        if not is_fork(version):
            run.catalogue.upstream_pips.add(version)
            continue
        if newest is None:
            # Newer ones of upstream's came before it.
            newest = version
            _tell_of_newer(run, factory, kept, newest)
        yield info
    if newest is None and found._installed is not None:
        # If what is installed does not do, an error says what to type.
        _tell_of_newer(run, factory, kept)


def _with_installed_fork(
    infos: _Infos,
    run: Run,
    factory: Factory,
    ireqs: Sequence[InstallRequirement],
    wanted: SpecifierSet,
    kept: BaseDistribution,
) -> Iterator[IndexCandidateInfo]:
    """Yield the installed fork first, where upstream disregards what is installed.

    Dependencies replace it neither with ``--ignore-installed`` nor ``--force-reinstall``.
    """
    releases_of_fork = list(infos())
    if "pip" not in run.request.named and wanted.contains(
        kept.version, prereleases=True
    ):
        if not releases_of_fork:
            _tell_of_newer(run, factory, kept)
        extras = frozenset(extra for ireq in ireqs for extra in ireq.extras)
        make = functools.partial(
            factory._make_candidate_from_dist, kept, extras, ireqs[0]
        )
        yield kept.version, make
    yield from releases_of_fork


def _tell_of_newer(
    run: Run, factory: Factory, kept: BaseDistribution, *newest: Version
) -> None:
    from pip._internal.variants.output.updates import tell_of_newer

    pips = (*newest, *run.catalogue.upstream_pips)
    tell_of_newer(run, factory._finder, kept.version, pips)


def _with_installed_candidate(
    infos: _Infos, competing: InstalledCandidate, *, first: bool
) -> Iterator[IndexCandidateInfo]:
    return competing.among(infos(), first=first)


def _ordered_infos(
    infos: _Infos,
    run: Run,
    factory: Factory,
    project: NormalizedName,
    hashes: Hashes,
    competing: InstalledCandidate | None,
    *,
    installed: Version | None,
    pinned: bool,
) -> Iterator[IndexCandidateInfo]:
    """Yield upstream's candidates, those of versions with variants in order.

    :param competing: the installed build, if it competes with them.
    :param installed: the version of the installed build, if upstream may keep it.
    :param pinned: whether a requirement names a local version.
    """
    makers: dict[Link, functools.partial[Candidate | None]] = {}
    # There is no preparer if pip only looks a project up.
    if getattr(factory.preparer, "require_hashes", False):
        checked_path = functools.partial(_checked_path, factory.preparer, makers)
        run.catalogue.checked_paths[project] = checked_path

    def links() -> Iterator[tuple[_BaseVersion, Link]]:
        for version, maker in infos():
            # Upstream makes each candidate with functools.partial; the fork's build
            # checks that.
            assert isinstance(maker, functools.partial)
            link: Link = maker.keywords["link"]
            makers[link] = maker
            yield version, link

    found = releases(run, factory._finder, project, links(), hashes, pinned=pinned)
    groups = PeekableGroups(found)
    for group in groups:
        own = competing if competing and competing.version == group.version else None
        if group.release is None:
            if own is not None and not own.must_go:
                yield group.version, own.keep
            for link in group.links:
                yield group.version, makers[link]
            continue
        # Not imported for plain packages.
        from pip._internal.variants.selection.candidates import VariantCandidates

        run.catalogue.reached(project)
        yield from VariantCandidates(
            group.release,
            makers,
            own,
            is_installed=installed == group.version,
            refused=functools.partial(_refused, run, groups),
        )


def _checked_path(
    preparer: RequirementPreparer,
    makers: Mapping[Link, functools.partial[Candidate | None]],
    link: Link,
) -> str:
    """Return the path of a wheel after pip has checked its required hash.

    pip downloads the wheel once, also if the wheel is installed then.

    :raises HashError: as if the wheel were installed.
    :raises WheelUnreadable: if the index does not state a hash, and the wheel may be one
        that the user does not allow.
    """
    from pip._internal.resolution.resolvelib.candidates import (
        make_install_req_from_link,
    )
    from pip._internal.variants.index.checked_wheels import checked_path
    from pip._internal.variants.index.remote_wheels import WheelUnreadable

    template, version = (
        makers[link].keywords[each] for each in ("template", "version")
    )
    ireq = make_install_req_from_link(link, template, version, source_link=link)
    hashes = preparer._get_linked_req_hashes(ireq)
    if link.url not in preparer._downloaded:
        try:
            path = checked_path(preparer._download, link, hashes, ireq)
        except HashMismatch:
            if link.has_hash:
                raise
            raise WheelUnreadable("its hash is not among the required ones") from None
        preparer._downloaded[link.url] = path
    return preparer._downloaded[link.url]


def _refused(run: Run, groups: PeekableGroups) -> None:
    if run.catalogue.lookahead is not None:
        older = (group.release for group in groups.refused())
        run.catalogue.lookahead.refused([each for each in older if each is not None])


def dependencies_met(
    fn: Callable[..., Iterable[Requirement]],
    provider: PipProvider,
    candidate: Candidate,
) -> Iterable[Requirement]:
    """Return what a candidate needs, with what its variant adds.

    While a plugin is installed, dependencies that are not trusted are left out.
    """
    # Upstream makes each requirement when its turn comes: a conflict stops it early.
    requirements = fn(provider, candidate)
    if not provider._ignore_dependencies:
        dependencies_known(provider._factory._finder, candidate)
    run = run_of(provider._factory._finder)
    if run is not None and run.purpose is Purpose.PLUGIN:
        from pip._internal.variants.providers.plugin_environment import trusted_alone

        return trusted_alone(run.plugins, candidate, requirements)
    if run is not None and provider._ignore_dependencies:
        return _without_dependencies(run, provider, candidate, requirements)
    return requirements


def link_candidate(
    fn: Callable[..., BaseCandidate | None],
    factory: Factory,
    link: Link,
    template: InstallRequirement,
    name: NormalizedName | None,
    version: Version | None,
) -> BaseCandidate | None:
    """Make the candidate of a link, unless it does not suit or a mode refuses it.

    All links pass here: those that the finder found, and those that requirements and
    constraints name, of the user, of metadata or of a build. The URL of a dependency on
    pip stands for the fork if that is installed.

    :raises PipError: if the link is refused.
    """
    run = run_of(factory._finder)
    if template.link is None or run is None:
        # The finder looks only where it may.
        return fn(factory, link, template, name, version)
    refuse_unsupported(factory, run, link)
    if name == "pip" and not template.user_supplied:
        kept = _fork_to_keep(run)
        if kept is not None:
            from pip._internal.variants.output.updates import tell_of_url

            tell_of_url(run, kept, link)
            installed = factory._make_candidate_from_dist(kept, frozenset(), template)
            return cast("BaseCandidate", installed)
    needed_by = template.comes_from
    if not isinstance(needed_by, str | None) and (
        (needed_by.link, needed_by.name) == (link, template.name)
    ):
        # Upstream splits a requirement with extras into two.
        needed_by = needed_by.comes_from
    needed_by = None if isinstance(needed_by, str) else needed_by
    for mode in run.modes:
        mode.refuse_link(link, name, needed_by)
    candidate = fn(factory, link, template, name, version)
    if name is None and candidate is not None:
        for mode in run.modes:
            mode.refuse_link(link, candidate.project_name, needed_by)
    return candidate


def _without_dependencies(
    run: Run,
    provider: PipProvider,
    candidate: Candidate,
    requirements: Iterable[Requirement],
) -> Iterator[Requirement]:
    """Let a build that needs certain versions of another package constrain that one.

    Only packages that the user named are constrained: the others stay as they are.
    """
    yield from requirements
    link = candidate.source_link
    if link is None or label_of(link) is None:
        return
    from pip._internal.variants.selection.abi_requirements import requirements_of

    for each in requirements_of(run.decisions.fetch_selection_of(link), link):
        if canonicalize_name(each.name) in run.request.named:
            ireq = candidate.get_install_requirement()
            yield from provider._factory.make_requirements_from_spec(str(each), ireq)
