"""Look a project up as the resolver of ``pip install`` does, and install nothing.

Upstream's own code finds, filters and orders the versions, and the variants of a release
are chosen as for an installation; no wheel is fetched.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, cast

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.cli import cmdoptions
from pip._internal.cli.req_command import parse_constraint_files
from pip._internal.exceptions import DistributionNotFound, PipError
from pip._internal.index.collector import (
    CollectedSources,
    IndexContent,
    LinkCollector,
    parse_links,
)
from pip._internal.index.package_finder import PackageFinder
from pip._internal.index.sources import LinkSource
from pip._internal.models.link import Link
from pip._internal.models.selection_prefs import SelectionPreferences
from pip._internal.req.constructors import (
    install_req_from_line,
    install_req_from_req_string,
)
from pip._internal.resolution.resolvelib.base import Constraint
from pip._internal.resolution.resolvelib.factory import Factory
from pip._internal.resolution.resolvelib.found_candidates import FoundCandidates
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.index.archives import undamaged
from pip._internal.variants.index.wheel_manifests import metadata_of_wheel
from pip._internal.variants.output.no_match import true_reason
from pip._internal.variants.output.refusals import (
    missing_label,
    nothing_left,
    refuse_unknown_labels,
)
from pip._internal.variants.output.skipped_versions import (
    cause_of_file,
    evaluator_of,
    skipped_versions,
)
from pip._internal.variants.output.unknown_names import (
    label_in_version,
    report_unknown_names,
)
from pip._internal.variants.providers.target import is_this_machine
from pip._internal.variants.selection import target_options
from pip._internal.variants.selection.candidates import offer
from pip._internal.variants.selection.lookup_result import File, LookupResult, Offer
from pip._internal.variants.selection.release import Release
from pip._internal.variants.selection.run import Run, run_of
from pip._internal.variants.selection.switching import (
    InstalledCandidate,
    installed_candidate,
)
from pip._internal.variants.slots import RUN

if TYPE_CHECKING:
    import optparse

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.sources import CandidatesFromPage
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.network.session import PipSession
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.base import Requirement
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo

__all__ = ["look_up", "make_run"]


def look_up(
    session: PipSession, options: optparse.Values, requirement: str
) -> LookupResult:
    """Find out what ``pip install`` with the same options would install.

    Dependencies are not considered.

    :raises PipError: *requirement* is none, or not of a project on an index, or an
        index cannot be read.
    """
    cmdoptions.check_release_control_exclusive(options)
    collector = _PageKeeper.of(LinkCollector.create(session, options=options))
    finder = _finder(collector, options)
    constraints = parse_constraint_files(options.constraints, finder, options, session)
    wanted = _wanted(requirement, options)
    assert wanted.req is not None, "it was looked at"
    run = run_of(finder)
    assert run is not None, "the collector was made with options"
    factory = _factory(finder, run, options)
    project = canonicalize_name(wanted.req.name)
    for mode in run.modes:
        mode.note_roots([wanted, *constraints])
    run.request.named = {project}
    # Versions are listed as if the project were not installed.
    installed = factory._installed_dists.pop(project, None)
    with _for_target(run, factory):
        found, constraint, asked = _find(factory, wanted, constraints)
    offers = list(_offers(found._get_infos()))
    choose = functools.partial(
        _choose, run=run, finder=finder, requirement=requirement, project=project
    )
    chosen, problem = choose(offers)
    specifier = wanted.req.specifier & constraint.specifier
    stays = False
    if installed is not None and specifier.contains(
        installed.version, prereleases=True
    ):
        factory._installed_dists[project] = installed
        competing = installed_candidate(run, factory, project, [wanted], specifier)
        if competing is not None:
            same = [each for each in offers if each.version == competing.version]
            chosen, problem = choose([*same, *offers])
        stays = competing is None or _is_kept(competing, chosen, problem)
    if stays:
        problem = None
    elif chosen is None:
        mistaken = label_in_version(finder, project, specifier)
        problem = mistaken or true_reason(run, finder, asked) or problem
    if run.overrides.choices or run.settings.typed:
        report_unknown_names(
            *(run, {project}),
            are_all=False,
            are_all_manifests=False,
            is_lookup=problem is None,
        )
    files = _files(run, finder, collector, project)
    return LookupResult(
        requirement=requirement,
        project=project,
        offers=offers,
        chosen=chosen,
        skipped_versions=skipped_versions(
            finder,
            project,
            specifier,
            [file.link for file in files],
            offers,
            chosen,
        ),
        files=files,
        problem=problem,
        installed=installed,
        stays=stays,
        run=run,
        cause_of=functools.partial(cause_of_file, evaluator_of(finder, project)),
    )


def _wanted(requirement: str, options: optparse.Values) -> InstallRequirement:
    """Read a requirement.

    :raises PipError: if it is none, or not of a project on an index.
    """
    wanted = install_req_from_line(requirement, isolated=options.isolated_mode)
    wanted.user_supplied = True
    if wanted.link is not None or wanted.req is None:
        raise WrongUse(
            "expected a project on an index, such as 'torch' or 'torch==2.8.0', got "
            f"{str(wanted.link or wanted)!r}"
        )
    return wanted


def make_run(session: PipSession, options: optparse.Values) -> Run:
    """Make the run of a command that looks up nothing on an index."""
    cmdoptions.check_release_control_exclusive(options)
    collector = LinkCollector.create(session, options=options)
    run = run_of(_finder(collector, options))
    assert run is not None, "the collector was made with options"
    return run


def _finder(collector: LinkCollector, options: optparse.Values) -> PackageFinder:
    return PackageFinder.create(
        link_collector=collector,
        # As in the commands that install.
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


def _factory(finder: PackageFinder, run: Run, options: optparse.Values) -> Factory:
    return Factory(
        finder=finder,
        # Candidates are looked at, never made, so nothing is prepared.
        preparer=cast("RequirementPreparer", None),
        make_install_req=functools.partial(
            install_req_from_req_string, isolated=options.isolated_mode
        ),
        wheel_cache=None,
        use_user_site=False,
        force_reinstall=False,
        ignore_installed=run.target.is_elsewhere or not is_this_machine(run.settings),
        ignore_requires_python=options.ignore_requires_python,
        py_version_info=options.python_version,
    )


def _for_target(run: Run, factory: Factory) -> AbstractContextManager[None]:
    """Evaluate markers for the target, if it is described."""
    target = run.target.described
    return nullcontext() if target is None else target_options.during(target, factory)


def _find(
    factory: Factory,
    wanted: InstallRequirement,
    constraints: Sequence[InstallRequirement],
) -> tuple[FoundCandidates, Constraint, Requirement]:
    """Have upstream look for candidates of one requirement.

    :return: these, what constrains them, and the requirement as upstream has it.
    :raises WrongUse: the requirement is for other environments, or a constraint has
        a URL for it.
    """
    roots = factory.collect_root_requirements([*constraints, wanted])
    requirement: Requirement | None = next(iter(roots.requirements), None)
    if requirement is None:
        raise WrongUse(
            f"{wanted} is for another environment: {wanted.markers} does not hold"
        )
    constraint = roots.constraints.get(requirement.project_name, Constraint.empty())
    if constraint.links:
        link = next(iter(constraint.links))
        raise WrongUse(
            f"a constraint has {requirement.project_name} installed from {link}, "
            "whatever an index offers"
        )
    found = factory.find_candidates(
        requirement.name,
        {requirement.name: [requirement]},
        {},
        constraint,
        prefers_installed=False,
        is_satisfied_by=lambda *_: True,
    )
    assert isinstance(found, FoundCandidates), "nothing but links is explicit"
    return found, constraint, requirement


def _offers(infos: Iterable[IndexCandidateInfo]) -> Iterator[Offer]:
    """Yield the versions of the resolver's candidates, in their order."""
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


def _files(
    run: Run, finder: PackageFinder, collector: _PageKeeper, project: NormalizedName
) -> list[File]:
    """Return all files of a project, as the modes see them."""
    files = list(collector.files(project, run.catalogue.own_pages.get(project)))
    for mode in run.modes:
        sizes = {file.link: file.size for file in files}
        links = mode.files(finder, project, sizes)
        files = [File(link, sizes.get(link)) for link in links]
    return files


def _is_kept(
    competing: InstalledCandidate, chosen: Offer | None, problem: PipError | None
) -> bool:
    """Return whether an installed build stays, although it competes with *chosen*."""
    if problem is not None or chosen is None or chosen.release is None:
        return False
    return competing.stays(chosen.release, chosen.ranked[0])


def _choose(
    offers: Iterable[Offer],
    run: Run,
    finder: PackageFinder,
    requirement: str,
    project: NormalizedName,
) -> tuple[Offer | None, PipError | None]:
    """Return the version at which the resolver stops, and its error if there is one."""
    for each in offers:
        try:
            if each.ranked:
                found = [] if each.release is None else [each.release]
                refuse_unknown_labels(run, finder, found)
                return each, None
        except PipError as error:
            return each, error
    missing = missing_label(run, finder, [project])
    if missing is not None:
        return None, missing
    reached = run.decisions.reached(project)
    if reached:
        return None, nothing_left(requirement, reached, finder=finder)
    return None, DistributionNotFound(
        f"No matching distribution found for {requirement}"
    )


class _PageKeeper(LinkCollector):
    """Keeps the pages of indexes: upstream forgets which files do not suit."""

    def __init__(self, session: PipSession, collector: LinkCollector) -> None:
        super().__init__(session, collector.search_scope)
        self._pages: list[IndexContent] = []

    @classmethod
    def of(cls, collector: LinkCollector) -> _PageKeeper:
        """Make one that takes the place of a collector."""
        keeper = cls(collector.session, collector)
        run = RUN.of(collector, Run)
        assert run is not None, "it was made with options"
        run.plugins.attach(keeper)
        return keeper

    def fetch_response(
        self, location: Link, package_name: str | None = None
    ) -> IndexContent | None:
        """Fetch a page, and keep it."""
        page = super().fetch_response(location, package_name)
        if page is not None:
            self._pages.append(page)
        return page

    def collect_sources(
        self, project_name: str, candidates_from_page: CandidatesFromPage
    ) -> CollectedSources:
        """Find the sources of a project; the wheels of folders tell their Pythons."""
        found = super().collect_sources(project_name, candidates_from_page)
        sources = (
            [None if each is None else _Folder(each, self.session) for each in part]
            for part in found
        )
        return CollectedSources(*sources)

    def files(self, project: str, own: IndexContent | None) -> Iterator[File]:
        """Yield every file that was listed where *project* was looked up.

        :param own: its page on the index that is for it alone.
        """
        for page in self._pages if own is None else (*self._pages, own):
            sizes = _sizes(page)
            for link in parse_links(page):
                yield File(link, sizes.get(link.url))
        sources = self.collect_sources(project, candidates_from_page=lambda _: ())
        for source in itertools.chain(*sources):
            for link in () if source is None else source.file_links():
                yield File(link, _size_of_file(link))


class _Folder(LinkSource):
    """A source whose files tell which Pythons they are for, as those of a page do.

    The resolver learns it from the metadata of each candidate that it makes.
    """

    def __init__(self, source: LinkSource, session: PipSession) -> None:
        self._source, self._session = source, session

    @property
    def link(self) -> Link | None:
        """Return that of the source."""
        return self._source.link

    def page_candidates(self) -> Iterable[InstallationCandidate]:
        """Return those of the source."""
        return self._source.page_candidates()

    def file_links(self) -> Iterator[Link]:
        """Yield the links of the source."""
        for link in self._source.file_links():
            if link.is_wheel and link.is_file and link.requires_python is None:
                # What cannot be read is told when it is judged.
                with suppress(PipError, OSError), undamaged(link.filename):
                    dist = metadata_of_wheel(self._session, link)
                    link.requires_python = dist.metadata.get("Requires-Python")
            yield link


def _sizes(page: IndexContent) -> dict[str, int]:
    """Return the sizes that a JSON page states (PEP 700), by URL."""
    if "json" not in page.content_type.lower():
        return {}
    sizes = {}
    for entry in json.loads(page.content).get("files", ()):
        size = entry.get("size")
        link = Link.from_json(entry, page.url)
        if link is not None and isinstance(size, int):
            sizes[link.url] = size
    return sizes


def _size_of_file(link: Link) -> int | None:
    try:
        return os.path.getsize(link.file_path) if link.is_file else None
    except OSError:
        return None
