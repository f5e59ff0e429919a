"""Check wheels that may be variants: cached, named directly, or prepared.

Plain wheels also pass through here, so the module imports code for variants only if needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.labels import split_label

from pip._internal.console.output import get_logger
from pip._internal.exceptions import PipError
from pip._internal.metadata import FilesystemWheel, get_wheel_distribution
from pip._internal.models.link import Link
from pip._internal.utils.urls import path_to_url
from pip._internal.variants.index.links import RenamedWheel, label_of
from pip._internal.variants.selection.installed import bind
from pip._internal.variants.selection.run import Purpose, Run, run_of
from pip._internal.variants.slots import RUN, SELECTION

if TYPE_CHECKING:
    from pip._internal.cache import Cache
    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.operations.build.build_tracker import BuildTracker
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
    """Skip cached variants that the target cannot run, or all variants if they are off."""
    run = RUN.of(cache, Run)
    return [entry for entry in fn(cache, *args) if _is_usable(run, *entry)]


def _is_usable(run: Run | None, name: str, folder: str) -> bool:
    """Return whether pip may reuse a cached wheel.

    :param run: the run of the command; None if variants are off.
    """
    label = split_label(name)[1]
    if label is None or run is None:
        return label is None
    path = os.path.join(folder, name)
    link = Link(path_to_url(path))
    try:
        _, selection = _judge_file(run, link, path, name.partition("-")[0], label)
    except (PipError, OSError) as error:
        logger.debug("Ignoring the cached wheel %s: %s", path, error)
        return False
    return label in selection.ranking.compatible


def _judge_file(
    run: Run, link: Link, path: str, project: str, label: str
) -> tuple[BaseDistribution, Selection]:
    """Return the metadata of a built wheel, and the decision about the wheel.

    :raises PipError: if the wheel is damaged, or disagrees with its name or manifest.
    """
    from pip._internal.variants.index.archives import undamaged
    from pip._internal.variants.selection.verification import check_prepared

    with undamaged(link.filename):
        wheel = FilesystemWheel(path)
        dist = get_wheel_distribution(wheel, canonicalize_name(project))
        return dist, check_prepared(run, dist, link, label)


def refuse_unsupported(factory: Factory, run: Run, link: Link) -> None:
    """Raise an error for files and URLs that do not suit the target."""
    if run.purpose is Purpose.PLUGIN:
        from pip._internal.variants.providers.plugin_query import PluginFailed

        raise PluginFailed(f"it needs {link}, but plugins come only from indexes")
    # To lock a source distribution, static metadata is enough.
    if run.target.described is not None and not run.settings.several_builds:
        from pip._internal.variants.selection.target import refuse_source

        refuse_source(run.target.described, link)
    if label_of(link) is not None:
        # Later, pip checks the wheel's own variant.json.
        _enabled_run(factory._finder, link)


def prepared(
    fn: Callable[..., BaseDistribution],
    preparer: RequirementPreparer,
    req: InstallRequirement,
    parallel_builds: bool,
) -> BaseDistribution:
    """Check a downloaded wheel against the manifest that selected it.

    pip records the selection when it installs the wheel.
    """
    assert req.link is not None, "upstream takes it for granted"
    label, run = label_of(req.link), run_of(preparer.finder)
    whole: AbstractContextManager[None] = nullcontext()
    if label is not None:
        from pip._internal.variants.index.archives import undamaged

        # Before the download: if variants are off, pip refuses the wheel.
        run = _enabled_run(preparer.finder, req.link)
        whole = undamaged(req.link.filename)
    with whole:
        dist = fn(preparer, req, parallel_builds)
    if run is None or not req.link.is_wheel:
        return dist
    # A cached wheel was built from a file of the release.
    release = run.decisions.release_of(req.source_link)
    by_option = release is not None and release.chosen_by is not None
    user_chosen = req.is_direct or by_option
    if label is not None:
        _remember(req, _checked(run, req, dist, label), label, user_chosen=user_chosen)
    elif release is not None and release.reached:
        for selection in release.fetch_selections().values():
            if selection.problem is None:
                _remember(req, selection, None, user_chosen=user_chosen)
                break
    return dist


def _checked(
    run: Run, req: InstallRequirement, dist: BaseDistribution, label: str
) -> Selection:
    """Check a wheel against its manifest, and bind its metadata to the variant.

    :raises PipError: if the wheel disagrees with its name or manifest.
    :raises UnsupportedVariant: if the target cannot run the variant.
    """
    from pip._internal.variants.selection.verification import check_prepared

    assert req.link is not None, "that of the wheel"
    selection = check_prepared(run, dist, req.link, label)
    _accept(req, dist, label, selection)
    return selection


def _accept(
    req: InstallRequirement, dist: BaseDistribution, label: str, selection: Selection
) -> None:
    """Bind metadata to a variant that the target can run."""
    if label not in selection.ranking.compatible:
        from pip._internal.variants.output.reasons import unsupported_wheel

        assert req.link is not None, "that of the wheel"
        is_built = req.source_link is not None and not req.source_link.is_wheel
        raise unsupported_wheel(req.link, label, selection, is_built=is_built)
    _bind(req, dist, label, selection)


def _bind(
    req: InstallRequirement, dist: BaseDistribution, label: str, selection: Selection
) -> None:
    SELECTION.set(req, selection)
    bind(dist, label, selection.properties(label), selection.manifest)


def source_prepared(
    fn: Callable[..., BaseDistribution],
    req: InstallRequirement,
    tracker: BuildTracker,
    installer: Any,
    *args: Any,
) -> BaseDistribution:
    """Read the static metadata of a source if the target is another kind of machine.

    :raises BuiltForThisMachine: if the dependencies are not static.
    """
    if not req.is_wheel:
        from pip._internal.variants.hooks.build_env import finder_of

        run = run_of(finder_of(installer))
        if run is not None and run.target.is_elsewhere:
            from pip._internal.variants.selection.target import read_source

            assert run.target.described is not None, "it is elsewhere"
            req.metadata_directory = read_source(run.target.described, req)
            return req.get_dist()
    return fn(req, tracker, installer, *args)


def to_install(
    fn: Callable[[Resolver, RequirementSet], list[InstallRequirement]],
    resolver: Resolver,
    requirements: RequirementSet,
) -> list[InstallRequirement]:
    """Check variants that backends have built, and lock the environment.

    :raises EnvironmentChanged: if another installer has changed the environment.
    :raises UnsupportedVariant: if the target cannot run a variant.
    :raises InvalidVariantWheel: if a wheel does not match its name.
    :raises VariantsDisabled: if variants are off.
    """
    for req in requirements.requirements_to_install:
        path = req.local_file_path or ""
        label = split_label(os.path.basename(path))[1]
        if label is not None and SELECTION.of(req, object) is None:
            assert req.link is not None, "upstream has set that of the wheel"
            enabled_run = _enabled_run(resolver.factory._finder, req.link)
            given = req.link, path, req.name or "", label
            dist, selection = _judge_file(enabled_run, *given)
            _accept(req, dist, label, selection)
            _remember(req, selection, label, user_chosen=False)
    order = fn(resolver, requirements)
    run = run_of(resolver.factory._finder)
    if run is None or run.purpose is not Purpose.BUILD:
        from pip._internal.fast.install_command import before_installing

        before_installing(order)
    return order


def _remember(
    req: InstallRequirement,
    selection: Selection,
    label: str | None,
    *,
    user_chosen: bool,
) -> None:
    # Upstream allows no import once installation begins.
    from pip._internal.variants.hooks.installing import SELECTIONS
    from pip._internal.variants.selection.installed_records import InstalledBuild

    path, manifest = req.local_file_path, selection.manifest
    if path is not None:
        properties = () if label is None else selection.properties(label)
        labels = (*selection.ranking.compatible, *selection.ranking.rejected)
        build = InstalledBuild(label, properties, manifest, labels, user_chosen)
        SELECTIONS[path] = build


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
    """Bind separately fetched metadata to the variant of the wheel."""
    dist = fn(preparer, req)
    link = req.link
    if link is None or not link.is_wheel:
        return dist
    run, label = run_of(preparer.finder), label_of(link)
    release = None if run is None else run.decisions.release_of(link)
    is_locked = release is not None and release.is_for_any
    # pip lock reads all builds and installs none. For a wheel on another site, no index has
    # the metadata, and such wheels are large.
    if dist is None and (is_locked or isinstance(link, RenamedWheel)):
        dist = _without_its_wheel(preparer, link)
    if dist is None or label is None or run is None:
        return dist
    if link.metadata_link() is None:
        # The metadata and the manifest come from the wheel.
        _checked(run, req, dist, label)
    else:
        selection = run.decisions.fetch_selection_of(link)
        if selection is not None:
            _bind(req, dist, label, selection)
    return dist


def _without_its_wheel(
    preparer: RequirementPreparer, link: Link
) -> BaseDistribution | None:
    """Read the metadata of a remote wheel without downloading the wheel.

    :return: the metadata; None if pip must download the whole wheel.
    """
    if link.is_file or preparer.require_hashes:
        return None
    from pip._internal.variants.index.remote_wheels import WheelUnreadable, remote_wheel

    try:
        return remote_wheel(preparer._session, link)
    except WheelUnreadable as error:
        logger.info("Downloading %s to read its dependencies: %s", link.filename, error)
        return None
