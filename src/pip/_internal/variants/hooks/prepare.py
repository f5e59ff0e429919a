"""Check wheels that may be variants: cached, named directly, or prepared.

Plain wheels pass here too, so what only variants need is imported for variants alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.labels import split_label

from pip._internal.console.output import get_logger
from pip._internal.variants.index.links import RenamedWheel, label_of
from pip._internal.variants.selection.installed import bind
from pip._internal.variants.selection.run import Purpose, Run, run_of
from pip._internal.variants.slots import SELECTION

if TYPE_CHECKING:
    from pip._internal.cache import Cache
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.resolver import Resolver
    from pip._internal.variants.selection.ranking import Selection

logger = get_logger(__name__)


def cached_wheels(
    fn: Callable[[Cache, Link, str], list[Any]], cache: Cache, *args: Any
) -> list[Any]:
    """Leave out cached wheels with a label: nobody has judged those variants."""
    return [entry for entry in fn(cache, *args) if split_label(entry[0])[1] is None]


def refuse_unsupported(factory: Factory, run: Run, link: Link) -> None:
    """Refuse what does not suit the target, of what a file or URL names."""
    if run.purpose is Purpose.PLUGIN:
        from pip._internal.variants.providers.plugin_query import PluginFailed

        raise PluginFailed(f"it needs {link}, which is not on an index")
    if run.target.described is not None:
        from pip._internal.variants.selection.target_options import refuse_source

        refuse_source(run.target.described, link)
    label = label_of(link)
    if label is not None:
        run = _enabled_run(factory._finder, link)
        if _may_be_read(factory.preparer, link):
            from pip._internal.variants.selection.verification import check_direct

            check_direct(run, link, label)


def _may_be_read(preparer: RequirementPreparer, link: Link) -> bool:
    """Whether to read the metadata of a wheel before pip downloads and checks the wheel.

    If hashes are required, pip reads nothing before it has checked the hash.
    """
    if preparer.require_hashes or link.is_file:
        return not preparer.require_hashes
    if link.scheme not in ("http", "https"):
        return False
    folder = preparer.download_dir
    return folder is None or not os.path.exists(os.path.join(folder, link.filename))


def prepared(
    fn: Callable[..., BaseDistribution],
    preparer: RequirementPreparer,
    req: InstallRequirement,
    parallel_builds: bool,
) -> BaseDistribution:
    """Check a downloaded wheel against the manifest that chose it, or on its own.

    The choice will be recorded when it is installed.
    """
    assert req.link is not None, "upstream takes it for granted"
    label, run = label_of(req.link), None
    whole: AbstractContextManager[None] = nullcontext()
    if label is not None:
        from pip._internal.variants.index.archives import undamaged

        # Before the download: if variants are off, the wheel is refused.
        run = _enabled_run(preparer.finder, req.link)
        whole = undamaged(req.link.filename)
    with whole:
        dist = fn(preparer, req, parallel_builds)
    link, given = req.link, run_of(preparer.finder)
    if not link.is_wheel:
        return dist
    # A cached wheel was built from a file of the release.
    release = None if given is None else given.decisions.release_of(req.source_link)
    by_hand = req.is_direct or (release is not None and release.chosen_by is not None)
    if label is not None and run is not None:
        from pip._internal.variants.selection.verification import check_prepared

        selection = check_prepared(run, dist, link, label)
        SELECTION.set(req, selection)
        assert selection.manifest is not None, "of its release, or its own"
        bind(dist, label, selection.properties(label), selection.manifest)
        _remember(req, selection, label, by_hand=by_hand)
    elif release is not None and release.reached:
        for selection in release.fetch_selections().values():
            if selection.manifest is not None:
                _remember(req, selection, None, by_hand=by_hand)
                break
    return dist


def to_install(
    fn: Callable[[Resolver, RequirementSet], list[InstallRequirement]],
    resolver: Resolver,
    requirements: RequirementSet,
) -> list[InstallRequirement]:
    """Judge the variants that backends have built, and lock the environment.

    :raises EnvironmentChanged: if another installer has changed the environment.
    :raises UnsupportedVariant: if the target cannot run one.
    :raises InvalidVariantWheel: if one is not the wheel that its name says.
    :raises VariantsDisabled: if variants are off.
    """
    for req in requirements.requirements_to_install:
        path = req.local_file_path or ""
        label = split_label(os.path.basename(path))[1]
        if label is not None and SELECTION.of(req, object) is None:
            _judge_built(resolver.factory._finder, req, path, label)
    order = fn(resolver, requirements)
    run = run_of(resolver.factory._finder)
    if run is None or run.purpose is not Purpose.BUILD:
        from pip._internal.fast.install_command import before_installing

        before_installing(order)
    return order


def _judge_built(
    finder: PackageFinder, req: InstallRequirement, path: str, label: str
) -> None:
    from pip._internal.metadata import FilesystemWheel, get_wheel_distribution
    from pip._internal.variants.index.archives import undamaged
    from pip._internal.variants.selection.verification import check_prepared

    link = req.link
    assert link is not None, "upstream has set that of the wheel"
    run = _enabled_run(finder, link)
    with undamaged(link.filename):
        dist = get_wheel_distribution(
            FilesystemWheel(path), canonicalize_name(req.name or "")
        )
    selection = check_prepared(run, dist, link, label)
    SELECTION.set(req, selection)
    _remember(req, selection, label, by_hand=False)


def _remember(
    req: InstallRequirement,
    selection: Selection,
    label: str | None,
    *,
    by_hand: bool,
) -> None:
    from pip._internal.variants.hooks.installing import remember
    from pip._internal.variants.selection.installed_records import InstalledBuild

    path, manifest = req.local_file_path, selection.manifest
    if path is not None and manifest is not None:
        properties = () if label is None else selection.properties(label)
        labels = (*selection.ranking.compatible, *selection.ranking.rejected)
        build = InstalledBuild(label, properties, manifest, labels, by_hand)
        remember(path, build)


def _enabled_run(finder: PackageFinder, link: Link) -> Run:
    run = run_of(finder)
    if run is None or not run.enabled:
        from pip._internal.variants.errors import VariantsDisabled

        raise VariantsDisabled(link.filename)
    return run


def metadata_fetched(
    fn: Callable[..., BaseDistribution | None],
    preparer: RequirementPreparer,
    req: InstallRequirement,
) -> BaseDistribution | None:
    """Bind metadata that was fetched without its wheel to the wheel's variant."""
    dist = fn(preparer, req)
    link = req.link
    if link is None or not link.is_wheel:
        return dist
    run, label = run_of(preparer.finder), label_of(link)
    # Called in any case, since it notes what would be replaced.
    may_be_in_vain = run is not None and _may_be_in_vain(run, req, link)
    # No index has the metadata of a wheel of another site; such wheels are large.
    if (may_be_in_vain or isinstance(link, RenamedWheel)) and dist is None:
        dist = _without_its_wheel(preparer, link)
    if dist is None:
        return None
    if label is not None:
        selection = None if run is None else run.decisions.fetch_selection_of(link)
        if run is not None and link.metadata_link() is None:
            from pip._internal.variants.selection.verification import check_prepared

            # It was read from the wheel, and so was the wheel's own manifest.
            selection = check_prepared(run, dist, link, label)
        if selection is not None and selection.manifest is not None:
            SELECTION.set(req, selection)
            bind(dist, label, selection.properties(label), selection.manifest)
    return dist


def _may_be_in_vain(run: Run, req: InstallRequirement, link: Link) -> bool:
    """Tell whether a wheel may be looked at, and another build installed.

    That is so for a build that would replace something installed, and for that project
    itself: it may yet stay.
    """
    release = run.decisions.release_of(link)
    if release is not None and release.labels:
        would_go = {dist.canonical_name for dist, _ in release.replaced(link)}
        run.attempt.competing |= would_go
        if would_go or release.builds_in_turn:
            return True
    # A wheel that the user named by its URL is installed.
    if not run.attempt.competing or link.comes_from is None or req.req is None:
        return False
    return canonicalize_name(req.req.name) in run.attempt.competing


def _without_its_wheel(
    preparer: RequirementPreparer, link: Link
) -> BaseDistribution | None:
    """Read the metadata of a remote wheel, and as little else of it as possible.

    :return: None if the whole wheel has to be downloaded.
    """
    if link.is_file or preparer.require_hashes:
        return None
    from pip._internal.variants.index.remote_wheels import (
        WheelUnreadable,
        remote_wheel,
    )

    try:
        return remote_wheel(preparer._session, link)
    except WheelUnreadable as error:
        logger.info("Downloading %s to see what it needs: %s", link.filename, error)
        return None
