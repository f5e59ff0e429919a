"""Look a project up as the resolver of ``pip install`` does, and install nothing.

Upstream's own code finds, filters and orders the versions, and the variants of a release
are chosen as for an installation; no wheel is fetched.
"""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, cast

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.resolvelib.structs import RequirementInformation

from pip._internal.cli import cmdoptions
from pip._internal.cli.req_command import parse_constraint_files
from pip._internal.exceptions import DistributionNotFound, PipError
from pip._internal.fast.pages import all_links
from pip._internal.fast.sizes import listed_size
from pip._internal.index.collector import LinkCollector
from pip._internal.index.package_finder import PackageFinder
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
from pip._internal.variants.index.links import LocalVersionWheel
from pip._internal.variants.index.wheel_manifests import metadata_of_wheel
from pip._internal.variants.output.refusals import refusal, refuse_unknown_labels
from pip._internal.variants.output.skipped_versions import skipped_versions
from pip._internal.variants.output.unknown_names import report_unknown_names
from pip._internal.variants.providers.target import is_this_machine
from pip._internal.variants.selection import target_options
from pip._internal.variants.selection.agreement import agree_with_installed
from pip._internal.variants.selection.candidates import offer
from pip._internal.variants.selection.lookup_result import File, LookupResult, Offer
from pip._internal.variants.selection.release import Release
from pip._internal.variants.selection.run import Run, run_of
from pip._internal.variants.selection.switching import (
    InstalledCandidate,
    installed_candidate,
)
from pip._internal.variants.slots import READS_FAST

if TYPE_CHECKING:
    import optparse

    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import LinkEvaluator
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.network.session import PipSession
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.base import Requirement
    from pip._internal.resolution.resolvelib.found_candidates import IndexCandidateInfo
    from pip._internal.variants.selection.neighbors import ComparedBuild

__all__ = ["look_up", "make_run"]


def look_up(
    session: PipSession, options: optparse.Values, requirement: str
) -> LookupResult:
    """Find out what ``pip install`` with the same options would install.

    Dependencies are not considered.

    :raises PipError: *requirement* is none, or not of a project on an index, or an
        index cannot be read.
    """
    finder = _finder(session, options)
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
    target = run.target.described
    with nullcontext() if target is None else target_options.during(target, factory):
        found, constraint, asked = _find(factory, wanted, constraints)
    offers = list(_offers(found._get_infos()))
    chosen, problem = _choose(offers, run, finder)
    bound_by = _bound_by(run, chosen, problem)
    specifier = wanted.req.specifier & constraint.specifier
    stays = False
    if installed is not None and specifier.contains(
        installed.version, prereleases=True
    ):
        factory._installed_dists[project] = installed
        competing = installed_candidate(run, factory, project, [wanted], specifier)
        if competing is not None:
            same = [each for each in offers if each.version == competing.version]
            chosen, problem = _choose([*same, *offers], run, finder)
        stays = competing is None or _is_kept(competing, chosen, problem)
    if stays:
        problem = None
    elif chosen is None:
        usual = DistributionNotFound(
            f"No matching distribution found for {requirement}"
        )
        causes = [RequirementInformation(asked, None)]
        problem = refusal(lambda: usual, factory, causes, {project: constraint})
    if run.overrides.choices or run.settings.typed:
        report_unknown_names(
            *(run, {project}),
            are_all=False,
            are_all_manifests=False,
            is_lookup=problem is None,
        )
    files = _files(run, finder, project)
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
        bound_by=bound_by,
        run=run,
        finder=finder,
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
    run = run_of(_finder(session, options))
    assert run is not None, "the collector was made with options"
    return run


def _finder(session: PipSession, options: optparse.Values) -> _Finder:
    cmdoptions.check_release_control_exclusive(options)
    found = _Finder.create(
        link_collector=LinkCollector.create(session, options=options),
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
    assert isinstance(found, _Finder)
    return found


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


def _files(run: Run, finder: _Finder, project: NormalizedName) -> list[File]:
    """Return all files of a project, as the modes see them."""
    links: Iterable[Link] = (
        link for link in finder.files if not isinstance(link, LocalVersionWheel)
    )
    for mode in run.modes:
        links = mode.files(finder, project, links)
    return [File(link, _size(link)) for link in dict.fromkeys(links)]


def _choose(
    offers: Iterable[Offer], run: Run, finder: PackageFinder
) -> tuple[Offer | None, PipError | None]:
    """Return the version at which the resolver stops, and its error if there is one."""
    for each in offers:
        try:
            if each.fetch_ranked():
                found = [] if each.release is None else [each.release]
                refuse_unknown_labels(run, finder, found)
                return each, None
        except PipError as error:
            return each, error
    return None, None


def _bound_by(
    run: Run, chosen: Offer | None, problem: PipError | None
) -> Sequence[ComparedBuild]:
    """Let the chosen version agree with what is installed, and return what that is."""
    if problem is not None or chosen is None or chosen.release is None:
        return ()
    return agree_with_installed(run, chosen.release)


def _is_kept(
    competing: InstalledCandidate, chosen: Offer | None, problem: PipError | None
) -> bool:
    """Return whether an installed build stays, although it competes with *chosen*."""
    if problem is not None or chosen is None or chosen.release is None:
        return False
    return competing.stays(chosen.release, chosen.fetch_ranked()[0])


class _Finder(PackageFinder):
    """Keeps all files that are listed: upstream forgets which ones do not suit.

    :ivar files: these.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.files: list[Link] = []
        # That notes the sizes of files.
        READS_FAST.set(self._link_collector, True)

    def evaluate_links(
        self, link_evaluator: LinkEvaluator, links: Iterable[Link]
    ) -> list[InstallationCandidate]:
        """Make candidates of links; the wheels of folders tell their Pythons.

        The resolver learns it from the metadata of each candidate that it makes.
        """
        links = links if isinstance(links, list) else list(links)
        self.files += all_links(links)
        for link in links:
            if link.is_wheel and link.is_file and link.requires_python is None:
                # What cannot be read is told when it is judged.
                with suppress(PipError, OSError), undamaged(link.filename):
                    dist = metadata_of_wheel(self._link_collector.session, link)
                    link.requires_python = dist.metadata.get("Requires-Python")
        return super().evaluate_links(link_evaluator, links)


def _size(link: Link) -> int | None:
    try:
        return os.path.getsize(link.file_path) if link.is_file else listed_size(link)
    except OSError:
        return None
