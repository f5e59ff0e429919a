"""Look up a project or manifest like ``pip install``, without installing.

The resolver decides, as in an installation with variants; pip fetches no wheel.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, cast

from pip._vendor.packaging._variants import on_target
from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename
from pip._vendor.wheel_variants import manifest_parser
from pip._vendor.wheel_variants.labels import parse_manifest_filename
from pip._vendor.wheel_variants.manifest import InvalidManifest, Manifest

from pip._internal.cli import cmdoptions
from pip._internal.cli.req_command import parse_constraint_files
from pip._internal.console.output import quietly
from pip._internal.exceptions import PipError
from pip._internal.index.collector import LinkCollector
from pip._internal.index.package_finder import PackageFinder
from pip._internal.metadata import get_metadata_distribution
from pip._internal.models.link import Link
from pip._internal.models.selection_prefs import SelectionPreferences
from pip._internal.req import constructors
from pip._internal.resolution.resolvelib.base import Constraint
from pip._internal.resolution.resolvelib.factory import logger as upstream
from pip._internal.resolution.resolvelib.found_candidates import FoundCandidates
from pip._internal.resolution.resolvelib.resolver import Resolver
from pip._internal.variants.errors import UnknownPackage, UnusableManifest, WrongUse
from pip._internal.variants.index.archives import undamaged
from pip._internal.variants.index.links import LocalVersionWheel, label_of
from pip._internal.variants.index.wheel_manifests import metadata_of_wheel
from pip._internal.variants.output.reasons import unanswered, unsupported
from pip._internal.variants.output.skipped_versions import (
    LookupResult,
    Offer,
    listed_files,
    skipped_versions,
)
from pip._internal.variants.providers.target import is_this_machine
from pip._internal.variants.selection import ranking
from pip._internal.variants.selection.candidates import offer
from pip._internal.variants.selection.installed import bind
from pip._internal.variants.selection.release import Release
from pip._internal.variants.selection.run import Purpose, Run, run_of

if TYPE_CHECKING:
    from optparse import Values

    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import LinkEvaluator
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.network.session import PipSession
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo


def look_up(session: PipSession, options: Values, requirement: str) -> LookupResult:
    """Return the result of ``pip install --dry-run`` with the same options.

    Considers the requirements of variants on other packages, and no other dependencies.

    :raises PipError: if *requirement* is invalid or not for a project on an index, or if an
        index is unreadable.
    """
    run = make_run(session, options)
    run.purpose = Purpose.LOOKUP
    with on_target(run.target.environment):
        return _look_up(session, run, requirement)


def _look_up(session: PipSession, run: Run, requirement: str) -> LookupResult:
    options, finder = run.settings.options, run.finder
    constraints = parse_constraint_files(options.constraints, finder, options, session)
    wanted = _wanted(requirement, constraints)
    assert wanted.req is not None, "it was looked at"
    project = canonicalize_name(wanted.req.name)
    resolver = _resolver(run, options)
    problem, link, stays = None, None, False
    try:
        with quietly():
            # Its errors are in the result.
            upstream.disabled = True
            resolver.resolve([wanted, *constraints], check_supported_wheels=True)
    except UnknownPackage:
        raise
    except PipError as error:
        problem = error
    else:
        assert resolver._result is not None, "it has resolved"
        taken = resolver._result.mapping[project]
        link, stays = taken.source_link, taken.is_installed
    finally:
        upstream.disabled = False
    installed = resolver.factory._installed_dists.pop(project, None)
    run.target.prepare(resolver.factory)
    found, specifier = _find(resolver.factory, [wanted, *constraints])
    offers = list(_offers(found._get_infos()))
    if problem is not None:
        chosen = _refused(offers)
    elif stays:
        # The selection in a new environment
        chosen = next((each for each in offers if each.fetch_ranked()), None)
        link = None if chosen is None else chosen.fetch_ranked()[0]
    else:
        chosen = next((each for each in offers if link in each.links), None)
    files = _files(run, project)
    skipped = skipped_versions(run, project, specifier, files, offers, chosen)
    return LookupResult(
        requirement=requirement,
        project=project,
        offers=offers,
        chosen=chosen,
        link=link,
        skipped_versions=skipped,
        files=files,
        problem=problem,
        installed=installed,
        stays=stays,
        run=run,
    )


def _wanted(
    requirement: str, constraints: Iterable[InstallRequirement]
) -> InstallRequirement:
    """Parse a requirement, and drop its extras.

    :raises PipError: if the requirement is invalid, is for another environment, or is not for
        a project on an index, or if a constraint has a URL for the project.
    """
    wanted = constructors.install_req_from_line(requirement)
    if wanted.link is not None or wanted.req is None:
        raise WrongUse(
            "expected a project on an index, such as 'torch' or 'torch==2.8.0', got "
            f"{str(wanted.link or wanted)!r}"
        )
    if not wanted.match_markers():
        raise WrongUse(
            f"'{wanted}' is for another environment: the marker ({wanted.markers}) is "
            "false here"
        )
    for each in constraints:
        name = canonicalize_name(each.name or "")
        if each.link is not None and name == canonicalize_name(wanted.req.name):
            raise WrongUse(f"a constraint requires '{wanted.name}' from {each.link}")
    wanted = constructors.install_req_drop_extras(wanted)
    wanted.user_supplied = True
    return wanted


def make_run(session: PipSession, options: Values) -> Run:
    """Create the run of a command, with a finder like that of ``pip install``."""
    cmdoptions.check_release_control_exclusive(options)
    collector = LinkCollector.create(session, options=options)
    finder = _Finder.create(
        link_collector=collector,
        # Like the commands that install
        selection_prefs=SelectionPreferences(
            allow_yanked=True,
            format_control=options.format_control,
            release_control=options.release_control,
            prefer_binary=options.prefer_binary,
            ignore_requires_python=options.ignore_requires_python,
        ),
        target_python=cmdoptions.make_target_python(options),
        uploaded_prior_to=options.uploaded_prior_to,
    )
    run = run_of(finder)
    assert run is not None, "the collector was made with options"
    run.finder = finder
    return run


def _resolver(run: Run, options: Values) -> Resolver:
    return Resolver(
        preparer=cast("RequirementPreparer", _Preparer(run)),
        finder=run.finder,
        wheel_cache=None,
        make_install_req=constructors.install_req_from_req_string,
        use_user_site=False,
        ignore_dependencies=False,
        only_dependencies=False,
        ignore_installed=run.target.is_elsewhere or not is_this_machine(run.settings),
        ignore_requires_python=options.ignore_requires_python,
        force_reinstall=False,
        upgrade_strategy="to-satisfy-only",
        py_version_info=options.python_version,
    )


def _find(
    factory: Factory, roots: list[InstallRequirement]
) -> tuple[FoundCandidates, SpecifierSet]:
    """Return all candidates of the single requirement, and the specifier that limits them."""
    collected = factory.collect_root_requirements(roots)
    (requirement,) = collected.requirements
    name = requirement.project_name
    constraint = collected.constraints.get(name, Constraint.empty())
    found = factory.find_candidates(
        requirement.name,
        {requirement.name: [requirement]},
        {},
        constraint,
        prefers_installed=False,
        is_satisfied_by=lambda *_: True,
    )
    assert isinstance(found, FoundCandidates), "nothing but links is explicit"
    ireq = requirement.get_candidate_lookup()[1]
    assert ireq is not None, "it is a requirement by name"
    return found, ireq.specifier & constraint.specifier


def _offers(infos: Iterable[IndexCandidateInfo]) -> Iterator[Offer]:
    """Yield the versions of the candidates, in the resolver's order."""
    releases: set[Release] = set()
    for version, grouped in itertools.groupby(infos, lambda info: info[0]):
        files = []
        for each in map(offer, grouped):
            if isinstance(each, Link):
                files.append(each)
            elif each not in releases:
                releases.add(each)
                yield Offer(cast("Version", each.version), each.links, each)
        if files:
            yield Offer(cast("Version", version), files)


def _files(run: Run, project: NormalizedName) -> list[Link]:
    """Return all files of a project, from all modes."""
    listed = listed_files(run, project)
    links: Iterable[Link] = (e for e in listed if not isinstance(e, LocalVersionWheel))
    for mode in run.modes:
        links = mode.files(project, links)
    return list(dict.fromkeys(links))


def _refused(offers: Iterable[Offer]) -> Offer | None:
    """Return the version that made the resolver fail, or None."""
    reached = [each for each in offers if each.release and each.release.reached]
    if not reached or reached[-1].release is None:
        return None
    decision = reached[-1].release.fetch_decision()
    return reached[-1] if decision.unsupported or decision.ranked else None


class _Preparer:
    """A preparer that downloads nothing, because the resolver needs only names and manifests.

    The resolver uses this class as a ``RequirementPreparer``.
    """

    require_hashes = False

    def __init__(self, run: Run) -> None:
        self.finder = run.finder
        self._run = run

    def prepare_linked_requirement(
        self, req: InstallRequirement, **_: object
    ) -> BaseDistribution:
        """Return metadata from the file name and the manifest."""
        assert req.link is not None, "the resolver looks at files"
        assert req.name is not None, "nothing but projects is looked up"
        name = canonicalize_name(req.name)
        # Sdists may have other endings than the current names, such as .tgz.
        version = req.link.splitext()[0].rpartition("-")[2]
        if req.link.is_wheel:
            version = str(parse_wheel_filename(req.link.filename)[1])
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        dist = get_metadata_distribution(metadata.encode(), req.link.filename, name)
        label = label_of(req.link)
        selection = self._run.decisions.fetch_selection_of(req.link)
        if label is not None and selection is not None:
            bind(dist, label, selection.properties(label), selection.manifest)
        return dist

    def prepare_installed_requirement(self, *_: object) -> None:
        """Log nothing."""

    def prepare_linked_requirements_more(self, *_: object) -> None:
        """Download nothing."""


class _Finder(PackageFinder):
    """A finder that reads Requires-Python from wheels in folders."""

    def evaluate_links(
        self, link_evaluator: LinkEvaluator, links: Iterable[Link]
    ) -> list[InstallationCandidate]:
        """Create the candidates for links."""
        links = links if isinstance(links, list) else list(links)
        for link in links:
            if link.is_wheel and link.is_file and link.requires_python is None:
                # A later check reports unreadable wheels.
                with suppress(PipError, OSError), undamaged(link.filename):
                    dist = metadata_of_wheel(self._link_collector.session, link)
                    link.requires_python = dist.metadata.get("Requires-Python")
        return super().evaluate_links(link_evaluator, links)


def read_manifest(path: str) -> Manifest:
    """Read the manifest in a file, or from standard input if the path is ``-``.

    :raises UnusableManifest: if the file is unreadable or not a manifest.
    """
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as file:
            data = file.read(manifest_parser.MAX_MANIFEST_SIZE + 1)
    except OSError as error:
        problem = f"cannot read the file: {error.strerror}"
        raise UnusableManifest(path, problem) from None
    try:
        return manifest_parser.parse_manifest(data)
    except InvalidManifest as error:
        raise UnusableManifest(path, str(error)) from None


def judge_manifest(run: Run, path: str) -> tuple[ranking.Selection, str | None]:
    """Decide about all variants in a manifest, with or without wheels.

    :return: the decision, and the user's label if the manifest has that label.
    :raises UnusableManifest: if there is no manifest at *path*.
    :raises UnsupportedVariant: if the target cannot run the variant with the user's label.
    :raises VariantLost: if pip cannot check a variant, in strict mode.
    """
    manifest, project = read_manifest(path), None
    with suppress(ValueError):
        project, _ = parse_manifest_filename(os.path.basename(path))
    selection = ranking.select(
        path,
        manifest,
        manifest.variants,
        run.target.providers,
        run.overrides.preferences,
        project=project,
        origin=ranking.Origin(ranking.OriginKind.FILE, path),
    )
    run.reporter.report(unanswered(path, selection))
    chosen = next(iter(run.overrides.applying_labels(project, manifest.variants)), None)
    if chosen is not None and chosen not in selection.ranking.compatible:
        raise unsupported(f"The variant '{chosen}' in {path}", chosen, [selection])
    return selection, chosen
