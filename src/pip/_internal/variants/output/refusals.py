"""Explain why nothing could be selected, and suggest a remedy.

Names in the configuration and the environment may be for other runs. Users also write
labels as versions.
"""

from __future__ import annotations

import difflib
import logging
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.utils import canonicalize_name, canonicalize_version
from pip._vendor.packaging.version import Version
from pip._vendor.wheel_variants.abi_dependency import distance, wanted
from pip._vendor.wheel_variants.built_in import BUILT_IN_PLUGINS
from pip._vendor.wheel_variants.labels import NULL_LABEL

from pip._internal.commands import create_command
from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint, capital
from pip._internal.fast.optional_work import diverting_logs, emit
from pip._internal.variants.errors import (
    BuildConflict,
    DroppedVariants,
    NothingToInstall,
    UnknownPackage,
)
from pip._internal.variants.index.links import LocalVersionWheel, label_of, pinned
from pip._internal.variants.output.invocation import command
from pip._internal.variants.output.reasons import (
    FOR_ANOTHER_MACHINE,
    build_name,
    problems_of,
    shortened,
)
from pip._internal.variants.output.skipped_versions import absent_variants, obstacles
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.run import Purpose, Run, run_of
from pip._internal.variants.settings import ALL, OPTIONS, REQUIRE_ACCELERATOR

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.exceptions import InstallationError
    from pip._internal.metadata import BaseDistribution
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.variants.selection.release import Release

    #: Creates stock pip's error, and logs the same as stock pip.
    Usual = Callable[[], InstallationError]

logger = get_logger(__name__)

#: The number of releases of a project in an error, newest first.
_SHOWN_RELEASES = 10


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to *name*, or None."""
    found = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.75)
    return found[0] if found else None


def nearest_label(label: str, known: Collection[str]) -> str | None:
    """Return the known label that is most similar to *label*, or None.

    Labels with other digits are for other versions: cu118 does not mean cu128.
    """
    if label == "cpu" and NULL_LABEL in known:
        return NULL_LABEL
    return nearest(label, (each for each in known if _digits(each) == _digits(label)))


def _digits(label: str) -> list[str]:
    return [each for each in label if each.isdigit()]


def report_unknown_names(run: Run, named: Iterable[str], *, has_failed: bool) -> None:
    """Report unknown projects and namespaces in the user's options.

    An unknown project is an error if pip looks up no other projects; otherwise pip warns of names
    that are similar to a known name.

    :param named: the projects of the user's requirements.
    :param has_failed: whether the resolver has failed.
    :raises UnknownPackage: if the user selected a label for a project that this run lacks, or
        requires an accelerator for a project that this run and the environment lack.
    """
    found = [] if run.resolver._result is None else run.solution
    names = *named, *run.finder._all_candidates, *(each.project_name for each in found)
    projects = set(map(canonicalize_name, names))
    # A lookup does not resolve dependencies.
    is_all = not has_failed and run.purpose is not Purpose.LOOKUP
    for typed, project in _named(run):
        if project in projects:
            continue
        similar = nearest(project, projects)
        problem = f"this command does not install a package named '{project}'"
        is_misspelled = similar is not None and not (
            project.startswith(similar) or similar.startswith(project)
        )
        if is_all or (is_misspelled and run.purpose is Purpose.LOOKUP):
            meant = f"Did you mean '{similar}'?" if similar else ""
            raise UnknownPackage(f"{typed}: {problem}.", hint=meant)
        if similar is not None:
            _warn(run, typed, similar, problem)
    if run.enabled:
        _report_unknown_namespaces(run, found, is_all=is_all)


def _named(run: Run) -> Iterator[tuple[str, str]]:
    """Yield the options that are for one project, as written, and the project.

    Skips configured values, which may be for other runs.
    """
    for choice in run.overrides.choices:
        if choice.project is not None and not choice.is_configured:
            yield choice.written, choice.project
    required = run.settings.required_accelerators - {ALL, *run.request.dists}
    for option in run.settings.typed:
        if option.row is REQUIRE_ACCELERATOR:
            for name in sorted(required.intersection(option.value)):
                yield f"{option.name} {name}", name


def _report_unknown_namespaces(
    run: Run, found: Iterable[Candidate], *, is_all: bool
) -> None:
    # A build may need further projects with manifests.
    links = filter(None, (each.source_link for each in found))
    is_all = is_all and all(link.is_wheel for link in links)
    manifests = [each.manifest for each in run.decisions.decided()]
    builds = filter(None, map(installed_build, run.request.dists.values()))
    known = {*BUILT_IN_PLUGINS}
    for manifest in filter(None, (*manifests, *(each.manifest for each in builds))):
        known |= {*manifest.namespaces}
    for option in run.settings.typed:
        name = option.namespace
        if name is not None and name not in known:
            similar = nearest(name, known)
            if similar is not None or is_all:
                problem = f"none of the packages uses namespace '{name}'"
                _warn(run, str(option), similar, problem)


def _warn(run: Run, typed: str, similar: str | None, problem: str) -> None:
    """Warn of an unknown name, and suggest a similar one.

    :raises VariantLost: in strict mode, unless the run has already failed.
    """
    meant = [] if similar is None else [f"Did you mean '{similar}'?"]
    warning = ". ".join([f"{typed}: {problem}", *meant])
    dropped = DroppedVariants(f"the option {typed}", problem, warning, hints=meant)
    run.reporter.report([dropped])


def report_unknown_keys(run: Run, keys: Mapping[str, str]) -> None:
    """Warn of unknown variant keys in the configuration.

    :param keys: the keys that the running command ignores, each with its source.
    """
    install = create_command("install", isolated=True).parser
    names = {row.name for row in OPTIONS}
    names |= {each.get_opt_string() for each in install.option_list_all}
    for key, place in keys.items():
        if f"--{key}" in names:
            continue
        warning = f"No command of pip has the option '{key}', set in {place}"
        similar = nearest(key, (name.removeprefix("--") for name in names))
        if similar is not None:
            warning += f". Did you mean '{similar}'?"
        run.reporter.warn(warning)


def refuse_unknown_labels(
    run: Run, releases: Sequence[Release], kept: Sequence[BaseDistribution] = ()
) -> None:
    """Raise an error if a label was typed for all projects, but no project has the label.

    A configured label may be for other runs, so pip warns instead.

    :param releases: the selected releases.
    :param kept: the installed builds that pip keeps, of releases with variants.
    :raises NothingToInstall: if no project has a typed label.
    """
    chosen: dict[str, Collection[str]] = {
        str(each): each.labels for each in releases if each.labels
    }
    for dist in kept:
        build = installed_build(dist)
        if build is not None:
            chosen[f"{dist.canonical_name} {dist.version}"] = build.labels
    available = {**_offered(run), **chosen}
    known = {label_of(link) for link in run.decisions.direct}
    known = known.union(*available.values())
    typed = {each.label for each in run.overrides.choices if not each.is_configured}
    for label in run.overrides.labels_for_all():
        if label in known:
            continue
        if label in typed:
            named = run.request.named
            raise _absent(run, label, releases) or _label_not_found(
                label, available, named
            )
        if chosen:
            # Without selected variants, the label does not matter.
            logger.log(
                logging.WARNING if releases else logging.INFO,
                "The configuration or PIP_VARIANT sets the label '%s', but no package "
                "has a variant with this label: %s",
                *(label, "; ".join(_lines(chosen))),
            )


def _offered(run: Run) -> dict[str, Collection[str]]:
    """Return the labels of the newest releases of the user's projects."""
    return {
        f"{project} {version}": labels
        for project, offered in run.overrides.offered.items()
        for version, labels in list(offered.items())[:_SHOWN_RELEASES]
    }


def _lines(available: Mapping[str, Iterable[str]]) -> list[str]:
    return [f"{what} has {', '.join(labels)}" for what, labels in available.items()]


def _label_not_found(
    label: str,
    available: Mapping[str, Iterable[str]],
    named: Collection[NormalizedName],
    package: str = "",
) -> InstallationError:
    """Create the error for a label that no release has.

    :param available: the labels of releases.
    :param named: the projects that the user named.
    :param package: the text before the label in the option.
    """
    meant = nearest_label(label, {each for of in available.values() for each in of})
    if meant is not None:
        hint = f"Did you mean '{meant}'? --variant {package}{meant}"
    else:
        hint = (
            f"Choose another label with --variant {package or 'PACKAGE='}LABEL, or "
            f"remove the option. {FOR_ANOTHER_MACHINE}"
        )
    without = (
        f"'{project}' has no variant wheels for this platform and Python"
        for project in sorted(named)
    )
    message = f"No variant has the label '{label}'."
    return NothingToInstall(message, _lines(available) or without, hint)


def _no_release_with_label(
    run: Run, releases: Sequence[Release]
) -> InstallationError | None:
    """Return the error for a label that all releases lack, or None."""
    label = releases[0].chosen_label if releases else None
    if label is None or not all(release.lacks_label for release in releases):
        return None
    labeled = [release for release in releases if release.labels][:_SHOWN_RELEASES]
    available = {str(each): each.labels for each in labeled}
    project = releases[0].project
    not_found = _label_not_found(label, available, [project], f"{project}=")
    return _absent(run, label, releases) or not_found


def _absent(
    run: Run, label: str, releases: Iterable[Release]
) -> InstallationError | None:
    """Return the error for a label without an installable file, or None."""
    for release in releases:
        reason = absent_variants(run, release).get(label)
        if reason is not None:
            others = _lines({str(release): release.labels}) if release.labels else []
            lines = [f"{capital(reason)}.", *others]
            return NothingToInstall(
                f"The variant '{label}' of {release} cannot be installed.",
                lines,
                "Choose another variant or another version, or remove --variant.",
            )
    return None


def refusal(
    usual: Usual,
    factory: Factory,
    causes: Sequence[Any],
    constraints: Mapping[str, Any],
) -> InstallationError:
    """Return the error about rejected variants or labels, or else the usual error.

    :param causes: the requirements that cannot be met, each with its parent.
    """
    run = run_of(factory._finder)
    if run is None:
        return usual()
    if run.attempt.may_fail:
        # pip tries further builds, so log nothing.
        lines = dict.fromkeys(
            f"{cause.parent or 'the user'} requires "
            f"{cause.requirement.format_for_error()}"
            for cause in causes
        )
        return BuildConflict(shortened(list(lines), "; "))
    from pip._internal.variants.output.no_match import true_reason

    reason = _label_in_version(run, causes, constraints)
    if reason is None and len({str(each.requirement) for each in causes}) == 1:
        reason = true_reason(run, causes[0].requirement, causes[0].parent)
    reason = reason or _missing_label(run, causes)
    if reason is not None:
        return reason
    if not run.enabled:
        return usual()
    for parent in sorted({each.parent.project_name for each in causes if each.parent}):
        _log_closest(run, parent, causes, constraints)
    return _refused(usual, run, causes)


def _refused(usual: Usual, run: Run, causes: Sequence[Any]) -> InstallationError:
    """Return the error about rejected variants, or the usual error if there are other causes."""
    projects = dict.fromkeys(cause.requirement.project_name for cause in causes)
    reached = {project: run.decisions.reached(project) for project in projects}
    refused = {
        project: [each for each in releases if not each.fetch_ranked()]
        for project, releases in reached.items()
    }
    if len(projects) == 1 and any(refused.values()) and refused == reached:
        _log_without_not_found(usual)
        cause = causes[-1]
        by = "" if cause.parent is None else f" (from {cause.parent.name})"
        wanted = f"'{cause.requirement.format_for_error()}'{by}"
        (releases,) = refused.values()
        return nothing_left(run, wanted, releases)
    for mode in run.modes:
        for line in mode.origins(sorted(projects)):
            logger.critical("%s", line)
    # Variants are one cause of several: upstream's error names the other causes.
    for releases in refused.values():
        for line in _refusals(run, releases):
            logger.critical("%s", line)
    return usual()


def _log_without_not_found(usual: Callable[[], object]) -> None:
    """Log the context of stock pip's error, such as yanked versions."""
    records: deque[logging.LogRecord] = deque()
    with diverting_logs(records.append):
        usual()
    start = "Could not find a "
    emit(deque(each for each in records if not each.getMessage().startswith(start)))


def _log_closest(
    run: Run, project: NormalizedName, causes: Iterable[Any], limits: Mapping[str, Any]
) -> None:
    """Log the variant of *project* that comes closest to what others require.

    :param limits: the constraints, by project.
    """
    required = {name: each.specifier for name, each in limits.items()}
    for cause in causes:
        if getattr(cause.parent, "project_name", None) != project:
            required[cause.requirement.project_name] = _specifier(cause)
    versions = {
        canonicalize_name(name): Version(each.version.removesuffix(".*"))
        for name, specifier in required.items()
        for each in specifier
        if each.operator not in ("!=", "===")
    }
    names = {cause.requirement.project_name for cause in causes}
    builds = [
        (distance(selection.manifest, label, versions), selection, label, release)
        for release in run.decisions.reached(project)
        for selection in release.fetch_selections().values()
        for label in selection.ranking.compatible
        if any(canonicalize_name(e.name) in names for e in selection.required(label))
    ]
    if builds:
        _, selection, label, release = min(builds, key=lambda each: each[0])
        build = build_name(release, label)
        needed = " and ".join(wanted(selection.manifest, label))
        text = f"The closest is {build}, which requires {needed}. To see all:"
        pinned_release = f"{project}=={release.version}"
        typed = command(run.settings.options, "variants", "explain", pinned_release)
        logger.critical("%s", Hint(text, typed))


def _specifier(cause: Any) -> SpecifierSet:
    ireq = cause.requirement.get_candidate_lookup()[1]
    return SpecifierSet() if ireq is None or ireq.req is None else ireq.req.specifier


def _missing_label(run: Run, causes: Iterable[Any]) -> InstallationError | None:
    """Return the error for a project of which no release has the user's label, or None."""
    reached = (run.decisions.reached(e.requirement.project_name) for e in causes)
    errors = (_no_release_with_label(run, each) for each in reached)
    return next(filter(None, errors), None)


def _label_in_version(
    run: Run, causes: Sequence[Any], constraints: Mapping[str, Any]
) -> InstallationError | None:
    """Return the error for a local version that is a label, or None."""
    for cause in causes if run.enabled else ():
        project = cause.requirement.project_name
        specifier = _specifier(cause) if cause.parent is None else SpecifierSet()
        if project in constraints:
            specifier &= constraints[project].specifier
        pins = set(map(canonicalize_version, pinned(specifier)))
        if "+" not in "".join(pins):
            continue
        for candidate in run.finder.find_all_candidates(project):
            public, label = candidate.version, label_of(candidate.link)
            is_label = not isinstance(candidate.link, LocalVersionWheel)
            is_pinned = canonicalize_version(f"{public}+{label}") in pins
            if label and is_label and is_pinned:
                return NothingToInstall(
                    f"'{project}' has no version {public}+{label}.",
                    f"'{label}' is a variant of {project} {public}, not part of the "
                    "version.",
                    f"Write {project}=={public} --variant {project}={label}.",
                )
    return None


def _refusals(run: Run, releases: list[Release]) -> list[str]:
    lines = []
    for release in releases[:_SHOWN_RELEASES]:
        lines.append(f"{release}:")
        lines.extend(f"  {reason}" for reason in obstacles(run, release))
    if len(releases) > _SHOWN_RELEASES:
        lines.append(f"and {len(releases) - _SHOWN_RELEASES} older releases")
    return lines


def _lacking(run: Run, releases: Sequence[Release]) -> str:
    """Return the predicate that is true of no variant, such as ``runs on this machine``."""
    if all(each.refusal or each.chosen_label for each in releases):
        return f"matches {releases[0].chosen_by}"
    return f"runs on {run.settings.machine}"


def nothing_left(
    run: Run, requirement: str, releases: list[Release]
) -> InstallationError:
    """Create the error that explains why none of *releases* is installable.

    :param releases: the considered releases, newest first.
    """
    missing = _no_release_with_label(run, releases)
    if missing is not None:
        return missing
    selections = (each.fetch_selections().values() for each in releases)
    problems = (each for release in releases for each in problems_of(release))
    hints = [hint for each in problems for hint in getattr(each, "hints", ())]
    judged = any(e.problem is None for several in selections for e in several)
    choices = [each.hint for each in releases if each.hint is not None]
    if choices:
        hints.append(choices[0])
    elif judged:
        options, project = run.settings.options, releases[0].project
        explain = command(options, "variants", "explain", project)
        hints += (
            Hint("To see what is supported:", command(options, "variants", "host")),
            Hint("To see why no variant runs:", explain),
            FOR_ANOTHER_MACHINE,
        )
    problem = _lacking(run, releases) if judged else "can be checked"
    return NothingToInstall(
        f"No variant of {requirement} {problem}.",
        _refusals(run, releases),
        dict.fromkeys(hints),
    )
