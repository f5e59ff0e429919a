"""Find manifests and variants on indexes and in directories.

This module creates the run of a command and sees all links of a source, including those of
plain packages. So it imports code for variants only if there are variants.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from pip._vendor.packaging._variants import on_target
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.labels import MANIFEST_SUFFIX, parse_manifest_filename

from pip._internal.console.output import get_logger
from pip._internal.utils.urls import path_to_url
from pip._internal.variants.index.links import (
    is_local_of_server,
    label_of,
    renamed,
    source_of,
    uploaded_too_late,
)
from pip._internal.variants.output.reporter import Reporter
from pip._internal.variants.selection.overrides import refuse_contradictions
from pip._internal.variants.selection.run import Purpose, Run, noting_host, run_of
from pip._internal.variants.settings import (
    IN_BUILD,
    NO_VARIANTS,
    Settings,
    labels_in_line,
)
from pip._internal.variants.slots import COMMAND_LINE, RUN

if TYPE_CHECKING:
    from optparse import Values

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion

    from pip._internal.cli.parser import ConfigOptionParser
    from pip._internal.index.collector import LinkCollector
    from pip._internal.index.package_finder import LinkEvaluator, PackageFinder
    from pip._internal.index.sources import _FlatDirectoryToUrls
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.models.link import Link
    from pip._internal.network.session import PipSession
    from pip._internal.req.req_file import ParsedLine, ParsedRequirement
    from pip._internal.variants.selection.mode import Find

logger = get_logger(__name__)

#: The purposes of the commands that list versions, by name.
_PURPOSES = {"index": Purpose.LIST_ALL, "list": Purpose.LIST_NEWEST}


def collector_created(
    fn: Callable[..., LinkCollector],
    cls: type[LinkCollector],
    session: PipSession,
    options: Values,
    suppress_no_index: bool = False,
) -> LinkCollector:
    """Attach the run of a command to its new link collector.

    :param suppress_no_index: whether the command only looks for a newer pip, which needs
        no variants.
    :raises ContradictoryOptions: if typed options contradict each other.
    """
    collector = fn(cls, session, options, suppress_no_index)
    settings, is_own = Settings(options), suppress_no_index
    parser, _ = COMMAND_LINE.of(options, tuple) or (None, ())
    purpose = _PURPOSES.get(getattr(parser, "name", ""), Purpose.INSTALL)
    if is_own or os.environ.get(IN_BUILD):
        purpose = Purpose.SELF_CHECK if is_own else Purpose.BUILD
    if not is_own:
        refuse_contradictions(settings)
    run = Run(session, settings, Reporter, purpose, enabled=not is_own)
    if not is_own:
        _begin(run, options)
        if parser is not None and purpose is not Purpose.BUILD:
            _check_keys(run, parser)
    if run.enabled:
        # Raises an error for an invalid preference before any request.
        _ = run.overrides.preferences
    run.attach(collector)
    if purpose is Purpose.BUILD:
        from pip._internal.variants.hooks.build_env import restore_user_variables

        restore_user_variables()
    elif settings.trusted_providers:
        from pip._internal.variants.providers.plugin_limits import PluginLimits

        # Uses only the options: pip reads requirements files later.
        scope = collector.search_scope
        run.plugin_limits = PluginLimits(settings, session, scope)
    # The code that reads lock files has only the session.
    RUN.set(session, run)
    return collector


def _check_keys(run: Run, parser: ConfigOptionParser) -> None:
    """Warn of variant keys in the configuration that the command ignores."""
    unknown: dict[str, str] = {}
    for file, values in parser.config.items():
        for name in values:
            section, _, key = name.partition(".")
            # "vari" also finds mistyped keys, such as "varient".
            if "vari" in key and not parser.has_option(f"--{key}"):
                variable = f"PIP_{key.upper().replace('-', '_')}"
                unknown[key] = variable if section == ":env:" else file
    if unknown:
        from pip._internal.variants.output.refusals import report_unknown_keys

        report_unknown_keys(run, unknown)


def _begin(run: Run, options: Values) -> None:
    """Apply the machine of ``--variant-host`` to a command.

    :raises OtherMachine: if the command would install wheels for that machine in this
        environment.
    """
    # Report an invalid host before any request.
    settings = run.settings
    host = settings.variant_host
    if host is None:
        return
    is_off = settings.no_variants or settings.legacy_resolver
    if is_off and not settings.environments and settings.is_typed(NO_VARIANTS.name):
        from pip._internal.variants.output.hosts import warn_of_unused_host

        warn_of_unused_host(settings, host)
    with noting_host(settings):
        if run.target.described is None:
            return
        from pip._internal.variants.selection import target as targets

        if run.target.described.is_elsewhere and settings.installs_here:
            from pip._internal.variants.output.hosts import other_machine

            raise other_machine(run.target.described, options)
        targets.begin(run.target.described, options)


def scan_directory(
    fn: Callable[[_FlatDirectoryToUrls], None], directory: _FlatDirectoryToUrls
) -> None:
    """Find the manifests in a directory; stock pip ignores manifests."""
    fn(directory)
    with os.scandir(directory._path) as entries:
        for entry in entries:
            if entry.name.endswith(MANIFEST_SUFFIX):
                try:
                    project, _ = parse_manifest_filename(entry.name)
                except ValueError as error:
                    logger.debug("Skipping %s: %s", entry.path, error)
                    continue
                directory._project_name_to_urls[project].append(path_to_url(entry.path))


def evaluate_links(
    fn: Callable[..., list[InstallationCandidate]],
    finder: PackageFinder,
    link_evaluator: LinkEvaluator,
    links: Iterable[Link],
) -> list[InstallationCandidate]:
    """Separate manifests from the links of a page; drop variants if disabled."""
    run = run_of(finder)
    links = links if isinstance(links, list) else list(links)
    if run is None or not run.enabled:
        left = _without_variants(finder, links)
    else:
        left = _without_manifests(run, link_evaluator, links)
    found = fn(finder, link_evaluator, left)
    if run is not None and (
        not found
        or len(left) < len(links)
        or run.target.is_elsewhere
        or run.purpose is Purpose.LOOKUP
    ):
        # These links explain a failure if nothing can be installed.
        listed = run.catalog.listed
        listed.setdefault(link_evaluator._canonical_name, []).append(links)
    return found


def _without_manifests(
    run: Run, link_evaluator: LinkEvaluator, links: list[Link]
) -> list[Link]:
    # Few or none of a page's 10,000 links are manifests. A cheap test excludes all others; it
    # uses an attribute because properties take longer.
    rest = []
    for link in links:
        if MANIFEST_SUFFIX in link._url and link.filename.endswith(MANIFEST_SUFFIX):
            _register(run, link_evaluator, link)
        else:
            rest.append(link)
    # Labels have no meaning without a manifest.
    return links if len(rest) == len(links) else list(map(renamed, rest))


def _register(run: Run, link_evaluator: LinkEvaluator, link: Link) -> None:
    try:
        project, version = parse_manifest_filename(link.filename)
    except ValueError as error:
        logger.debug("Skipping link: %s: %s", error, link)
        return
    if is_local_of_server(link):
        logger.debug("Skipping link: a manifest on this machine: %s", link)
        return
    if project == link_evaluator._canonical_name:
        key = project, version, source_of(link)
        too_new = uploaded_too_late(link, link_evaluator._uploaded_prior_to)
        if too_new is None:
            run.catalog.manifests.setdefault(key, link)
        else:
            logger.debug("Skipping link: a manifest: %s: %s", too_new, link)
            run.catalog.skipped_manifests[key] = too_new


def _without_variants(finder: PackageFinder, links: Iterable[Link]) -> list[Link]:
    """Drop wheels with names that are invalid without variant support."""
    from pip._internal.index.package_finder import LinkType

    rest = []
    for link in map(renamed, links):
        if label_of(link) is None:
            rest.append(link)
        else:
            why = LinkType.format_invalid, "invalid wheel filename"
            finder._log_skipped_link(link, *why)
    return rest


def all_candidates(
    fn: Find, finder: PackageFinder, project_name: str
) -> list[InstallationCandidate]:
    """Drop versions from a listing if all of their files are unsuitable variants."""
    run = run_of(finder)
    if run is None:
        return fn(finder, project_name)
    run.finder = finder
    project = canonicalize_name(project_name)
    if project in finder._locked_links:
        finder._locked_links[project] = renamed(finder._locked_links[project])
    if run.purpose.is_listing and run.target.described is not None:
        finder._target_python = run.target.described.python
    for mode in run.modes:
        fn = functools.partial(mode.find_all_candidates, fn)
    candidates = fn(finder, project_name)
    if run.purpose is Purpose.SELF_CHECK:
        # Upstream keeps a result for a week; without a result, it looks again in each run.
        return _updates_of_pip(run, candidates) or candidates
    if not run.purpose.is_listing:
        return candidates
    return _listed(run, project_name, candidates)


def _listed(
    run: Run, project_name: str, candidates: list[InstallationCandidate]
) -> list[InstallationCandidate]:
    project = canonicalize_name(project_name)
    if project == "pip" and run.purpose is Purpose.LIST_NEWEST:
        candidates = _updates_of_pip(run, candidates)
    of_modes = (mode.listed(project, candidates) for mode in run.modes)
    left = next((each for each in of_modes if each is not None), None)
    if left is None:
        if not run.enabled:
            return candidates
        unsuitable = set(_unsuitable(run, project, candidates))
        left = [found for found in candidates if found.version not in unsuitable]
    if candidates and not left and run.purpose is Purpose.LIST_ALL:
        from pip._internal.variants.output.refusals import nothing_left

        raise nothing_left(run, f"'{project_name}'", run.decisions.reached(project))
    return left


def _updates_of_pip(
    run: Run, candidates: list[InstallationCandidate]
) -> list[InstallationCandidate]:
    """Drop stock pip's releases, which are not updates of the fork."""
    from pip._internal.metadata import get_environment
    from pip._internal.variants.selection.fork import is_fork

    # With --python or --path, the other environment may have stock pip.
    pip = get_environment(run.settings.path).get_distribution("pip")
    if pip is None or not is_fork(pip.version):
        return candidates
    return [found for found in candidates if is_fork(found.version)]


def _unsuitable(
    run: Run, project: NormalizedName, candidates: Iterable[InstallationCandidate]
) -> Iterator[_BaseVersion]:
    """Yield the versions with nothing but unsuitable variants, or without the user's label.

    If only the newest version matters, older versions are not checked.
    """
    from pip._internal.variants.selection.releases import release_of

    newest_first = sorted(candidates, key=lambda found: found.version, reverse=True)
    for version, grouped in itertools.groupby(newest_first, lambda c: c.version):
        links = [candidate.link for candidate in grouped]
        labels = [label_of(link) or "" for link in links]
        if all(labels) or run.overrides.applying_labels(project, labels):
            release = release_of(run, project, version, links)
            if not release.fetch_ranked():
                yield version
                continue
        if run.purpose is Purpose.LIST_NEWEST and not version.is_prerelease:
            return


def requirements_line(
    fn: Callable[..., ParsedRequirement | None],
    line: ParsedLine,
    options: Values | None = None,
    finder: PackageFinder | None = None,
    session: PipSession | None = None,
) -> ParsedRequirement | None:
    """Apply the variant options on one line of a requirements file.

    On a line with a requirement, ``--variant LABEL`` applies only to that package.
    """
    parsed = fn(line, options, finder, session)
    if finder is None or (run := run_of(finder)) is None:
        return parsed
    limits = run.plugin_limits
    if limits is not None and parsed is not None and parsed.constraint:
        limits.note(parsed)
    choices, is_off = labels_in_line(line.opts)
    if parsed is not None:
        with on_target(run.target.environment):
            found = [choice.for_requirement(parsed.requirement) for choice in choices]
        choices = [choice for choice in found if choice is not None]
    if run.purpose is not Purpose.BUILD:
        run.overrides.add(choices)
    if parsed is None:
        run.settings.note_sources(line.opts, finder.find_links)
        if is_off:
            run.overrides.disable(line.filename)
    return parsed
