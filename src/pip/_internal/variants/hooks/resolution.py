"""Rank the candidates of a release when the resolver needs the first candidate.

Upstream orders the candidates of all versions at once, and that order stays. Within one
version, variants come first, best first. pip ranks them as late as possible, so that it
fetches no manifest for a version that the resolver does not reach.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, cast

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.exceptions import HashError, HashMismatch
from pip._internal.fast.resolving import dependencies_known, reached, start_prefetching
from pip._internal.variants.hooks.prepare import refuse_unsupported
from pip._internal.variants.index.links import label_of, names_local_version
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.releases import files_offered, releases
from pip._internal.variants.selection.run import Purpose, Run, run_of
from pip._internal.variants.settings import VARIANT_HOST

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
    from pip._internal.variants.selection.candidates import InstalledCandidate, Makers
    from pip._internal.variants.selection.mode import Infos


def found_candidates(
    fn: Callable[..., FoundCandidates | tuple[()]],
    factory: Factory,
    ireqs: Sequence[InstallRequirement],
    specifier: SpecifierSet,
    hashes: Hashes,
    *args: Any,
    **kwargs: Any,
) -> FoundCandidates | tuple[()]:
    """Return the resolver's candidates with ranked variants."""
    run = run_of(factory._finder)
    if run is None or not ireqs:
        return fn(factory, ireqs, specifier, hashes, *args, **kwargs)
    assert ireqs[0].req is not None
    project = canonicalize_name(ireqs[0].req.name)
    if run.purpose is Purpose.PLUGIN:
        limits = run.plugin_limits
        assert limits is not None, "it is made for a plugin"
        limits.check(project)
    # The versions and hashes that requirements and constraints allow together.
    wanted, allowed = specifier, hashes
    for ireq in ireqs:
        assert ireq.req is not None
        wanted &= ireq.req.specifier
        allowed &= ireq.hashes(trust_internet=False)
    if run.overrides.may_need_label(project):
        files = files_offered(factory._finder, project, wanted, allowed)
        run.overrides.settle_labels(project, files)
    competing = None
    if project in factory._installed_dists and run.enabled:
        competing = _installed_candidate(run, factory, project, ireqs, wanted)
    dists = factory._installed_dists
    # Upstream must not keep a competing build itself.
    hidden = {} if competing is None else {project: dists.pop(project)}
    try:
        found = fn(factory, ireqs, specifier, hashes, *args, **kwargs)
    finally:
        dists.update(hidden)
    assert not isinstance(found, tuple), "only without requirements there is nothing"
    run.request.dists = dists
    infos = functools.partial(reached, found._get_infos, factory._finder, project)
    for mode in run.modes:
        infos = functools.partial(mode.infos, infos, project, wanted)
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
            pinned=names_local_version(wanted),
        )
    kept = _fork_of(run, project)
    if kept is not None:
        has_installed = found._installed is not None
        infos = functools.partial(
            _infos_of_fork, infos, run, factory, ireqs, wanted, kept, has_installed
        )
    if competing is not None:
        first = found._prefers_installed
        infos = functools.partial(competing.merged_with, infos, first=first)
    found._get_infos = infos
    return found


def _installed_candidate(
    run: Run, factory: Factory, project: NormalizedName, *args: Any
) -> InstalledCandidate | None:
    # Most runs have no label, so they need no more imports.
    dist = factory._installed_dists[project]
    may_switch = (
        run.overrides.choices
        or run.settings.upgrade_variants
        or run.settings.is_typed(VARIANT_HOST.name)
        or run.request.locked_labels
        or run.request.may_switch
        # The installed build may require the old version of an upgraded package.
        or (run.settings.upgrade and installed_build(dist) is not None)
    )
    if not may_switch:
        return None
    from pip._vendor.packaging.version import InvalidVersion

    from pip._internal.variants.selection.candidates import installed_candidate

    try:
        return installed_candidate(run, factory, dist, *args)
    except InvalidVersion:
        return None  # Upstream reports the installed version.


def _fork_of(run: Run, project: str) -> BaseDistribution | None:
    """Return the installed fork if *project* must not replace it, or None."""
    if project != "pip":
        return None
    from pip._internal.variants.selection.fork import fork_to_keep

    return fork_to_keep(run)


def _infos_of_fork(
    infos: Infos,
    run: Run,
    factory: Factory,
    ireqs: Sequence[InstallRequirement],
    wanted: SpecifierSet,
    kept: BaseDistribution,
    has_installed: bool,
) -> Iterator[IndexCandidateInfo]:
    """Yield the releases of the fork; report a newer stock pip.

    With ``--ignore-installed`` or ``--force-reinstall``, dependencies do not replace the
    installed fork, which then comes first.
    """
    from pip._internal.variants.hooks.updates import report_newer_upstream
    from pip._internal.variants.selection.fork import is_fork

    # pip has only such versions.
    found = cast("list[tuple[Version, Any]]", list(infos()))
    of_fork = [info for info in found if is_fork(info[0])]
    upstream = (version for version, _ in found if not is_fork(version))
    run.catalog.upstream_pips.update(upstream)
    is_named = "pip" in run.request.named
    if not (has_installed or is_named) and wanted.contains(kept.version, True):
        extras = frozenset(extra for ireq in ireqs for extra in ireq.extras)
        make = functools.partial(
            factory._make_candidate_from_dist, kept, extras, ireqs[0]
        )
        of_fork.insert(0, (kept.version, make))
    # If nothing is left, an error tells the user what to type.
    if of_fork or has_installed:
        report_newer_upstream(run, [kept.version, *(version for version, _ in of_fork)])
    yield from of_fork


def _ordered_infos(
    infos: Infos,
    run: Run,
    factory: Factory,
    project: NormalizedName,
    hashes: Hashes,
    competing: InstalledCandidate | None,
    *,
    installed: Version | None,
    pinned: bool,
) -> Iterator[IndexCandidateInfo]:
    """Yield stock pip's candidates, with variants in ranked order.

    :param competing: the installed build, if it competes with the candidates.
    :param installed: the version of the installed build, if upstream may keep the build.
    :param pinned: whether a requirement pins a local version.
    """
    makers: dict[Link, functools.partial[Candidate | None]] = {}
    if factory.preparer.require_hashes:
        checked_path = functools.partial(_checked_path, factory.preparer, makers)
        run.catalog.checked_paths[project] = checked_path

    def links() -> Iterator[tuple[_BaseVersion, Link]]:
        for version, maker in infos():
            # The fork's build checks that upstream creates candidates this way.
            assert isinstance(maker, functools.partial)
            link: Link = maker.keywords["link"]
            makers[link] = maker
            yield version, link

    others: list[Iterator[IndexCandidateInfo]] = []
    found, older = itertools.tee(releases(run, project, links(), hashes, pinned=pinned))
    for version, files, release in found:
        next(older)
        own = competing if competing and competing.version == version else None
        if release is None:
            if own is not None and not own.must_go:
                yield version, own.keep
            for link in files:
                yield version, makers[link]
            continue
        # Plain packages do not need this import.
        from pip._internal.variants.selection.candidates import VariantCandidates

        # The manifests may be the first responses of their host.
        prefetch = start_prefetching(factory._finder)
        builds = VariantCandidates(release, makers, own, installed=installed == version)
        yield from builds
        others.append(builds.others())
        if prefetch and release.reached and not release.fetch_decision().ranked:
            from pip._internal.variants.selection.lookahead import prefetch_older

            prefetch_older(prefetch, (each for _, _, each in copy(older)))
    # Stock pip may find a solution with a plain wheel. Another attempt may find a better one.
    if not (run.attempt.may_fail or run.attempt.agreement):
        yield from itertools.chain(*others)


def _checked_path(preparer: RequirementPreparer, makers: Makers, link: Link) -> str:
    """Return the path of a wheel after checking its required hash.

    pip downloads the wheel only once, even if it installs the wheel later.

    :raises HashError: if the hash is wrong, as on installation.
    :raises WheelUnreadable: if the hash is wrong but the index does not state a hash, so
        that the wheel may be one that the user does not allow.
    """
    from pip._internal.operations.prepare import get_file_url, get_http_url
    from pip._internal.resolution.resolvelib import candidates
    from pip._internal.variants.index.remote_wheels import WheelUnreadable

    if link.url in preparer._downloaded:
        return preparer._downloaded[link.url]
    given = makers[link].keywords
    ireq = candidates.make_install_req_from_link(
        link, given["template"], given["version"], source_link=link
    )
    hashes = preparer._get_linked_req_hashes(ireq)
    try:
        file = (
            get_file_url(link, hashes=hashes)
            if link.is_file
            else get_http_url(link, preparer._download, hashes=hashes)
        )
    except HashError as error:
        if isinstance(error, HashMismatch) and not link.has_hash:
            why = "its hash is not one of the required hashes"
            raise WheelUnreadable(why) from None
        error.req = ireq
        raise
    preparer._downloaded[link.url] = file.path
    return file.path


def dependencies_met(
    fn: Callable[..., Iterable[Requirement]],
    provider: PipProvider,
    candidate: Candidate,
) -> Iterable[Requirement]:
    """Return the dependencies of a candidate, including those of its variant."""
    # Upstream creates each requirement on demand, so that a conflict stops it early.
    requirements = fn(provider, candidate)
    if not provider._ignore_dependencies:
        dependencies_known(provider._factory._finder, candidate)
    run = run_of(provider._factory._finder)
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
    """Create the candidate for a link, unless it is unsuitable or refused.

    Called for all links: those that the finder found, and those in the requirements and
    constraints of the user, of metadata, or of a build. If the fork is installed, the URL of a
    dependency on pip stands for the fork.

    :raises PipError: if pip must not use the link.
    """
    run = run_of(factory._finder)
    if template.link is None or run is None:
        # The finder searches only allowed sources.
        return fn(factory, link, template, name, version)
    refuse_unsupported(factory, run, link)
    if name == "pip" and not template.user_supplied:
        from pip._internal.variants.selection.fork import fork_to_keep

        if (kept := fork_to_keep(run)) is not None:
            from pip._internal.variants.hooks.updates import warn_of_pip_url

            warn_of_pip_url(run, kept, link)
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
    """Turn a dependency on another package's version into a constraint.

    Only packages that the user named are constrained; pip keeps the other packages.
    """
    yield from requirements
    link = candidate.source_link
    if link is None or label_of(link) is None:
        return
    selection = run.decisions.fetch_selection_of(link)
    for each in [] if selection is None else selection.required(label_of(link)):
        if canonicalize_name(each.name) in run.request.named:
            ireq = candidate.get_install_requirement()
            yield from provider._factory.make_requirements_from_spec(str(each), ireq)
