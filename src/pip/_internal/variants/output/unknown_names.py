"""Names that the user typed and that this run does not have, likely typing errors.

Names in the configuration and the environment may be for other runs. Users also type
labels as versions or extras.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from logging import WARNING
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.packaging.version import InvalidVersion, Version
from pip._vendor.wheel_variants.labels import NULL_LABEL

from pip._internal.commands import create_command
from pip._internal.variants.errors import (
    DroppedVariants,
    LabelInVersion,
    UnknownPackage,
)
from pip._internal.variants.index.links import LocalVersionWheel, label_of
from pip._internal.variants.index.pins import pinned
from pip._internal.variants.providers.chain import BUILTIN_NAMESPACES
from pip._internal.variants.selection.contradictions import typed_options, written
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.option_values import OptionSource
from pip._internal.variants.selection.settings import OPTIONS

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.selection.run import Run

__all__ = [
    "label_in_version",
    "labels_as_extras",
    "nearest",
    "nearest_label",
    "report_unknown_keys",
    "report_unknown_names",
]

#: From this similarity on, one name may be a typing error for another one.
_SIMILARITY = 0.75


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar to *name*; None if none is similar."""
    found = difflib.get_close_matches(name, sorted(known), 1, _SIMILARITY)
    return found[0] if found else None


def nearest_label(label: str, known: Collection[str]) -> str | None:
    """Return the known label that a user may mean with *label*; None if there is none.

    Labels with other digits are for other versions: cu118 does not mean cu128.
    """
    if label == "cpu" and NULL_LABEL in known:
        return NULL_LABEL
    return nearest(label, (each for each in known if _digits(each) == _digits(label)))


def _digits(label: str) -> list[str]:
    return [each for each in label if each.isdigit()]


def report_unknown_names(
    run: Run,
    projects: Collection[NormalizedName],
    kept: Iterable[BaseDistribution] = (),
    *,
    are_all: bool,
    are_all_manifests: bool,
    is_lookup: bool = False,
) -> None:
    """Report projects and namespaces that the user typed and that this run does not have.

    :param projects: that pip looked up.
    :param kept: what stays installed and was chosen among variants.
    :param are_all: whether pip looks up no other projects: then a project that pip does
        not have is an error. Otherwise pip warns of names that are similar to a known one.
    :param are_all_manifests: the same for manifests. A build may need projects that have
        others.
    :param is_lookup: whether pip looks up one project without its dependencies: then a
        likely typing error is an error too.
    :raises UnknownPackage: if a label was chosen for a project that this run lacks.
    """
    for choice in run.overrides.choices:
        if choice.place is OptionSource.CONFIGURATION or choice.project is None:
            continue
        if choice.project in projects:
            continue
        typed, similar = written(choice), nearest(choice.project, projects)
        if are_all or (is_lookup and _is_misspelled(choice.project, similar)):
            meant = None
            if similar is not None:
                meant = f"Did you mean '{similar}'? --variant {similar}={choice.label}"
            raise UnknownPackage(typed, choice.project, meant)
        problem = f"this run has no package {choice.project}"
        _warn(run, typed, similar, problem, is_certain=False)
    known = _namespaces(run, kept)
    for option in typed_options(run.settings):
        namespace = option.namespace
        if namespace is not None and namespace not in known:
            problem = f"nothing in this run has a namespace {namespace}"
            similar = nearest(namespace, known)
            _warn(run, str(option), similar, problem, is_certain=are_all_manifests)


def _is_misspelled(project: str, similar: str | None) -> bool:
    """Return whether a project is hardly a dependency, as numpy is one of numpyro."""
    return similar is not None and not (
        project.startswith(similar) or similar.startswith(project)
    )


def _warn(
    run: Run, typed: str, similar: str | None, problem: str, *, is_certain: bool
) -> None:
    """Warn of a name and suggest a similar one.

    :param is_certain: whether to warn even if no known name is similar.
    :raises VariantLost: if the user is strict and the run has not failed already.
    """
    if similar is None and not is_certain:
        return
    meant = [] if similar is None else [f"Did you mean {similar}?"]
    warning = ". ".join([f"{typed}: {problem}", *meant])
    dropped = DroppedVariants(f"what {typed} asks for", problem, warning, hints=meant)
    run.reporter.report([dropped])


def report_unknown_keys(run: Run, keys: Mapping[str, str]) -> None:
    """Warn of configuration keys about variants that no command of pip has.

    :param keys: those that the running command does not have, each with its place.
    """
    install = create_command("install", isolated=True).parser
    names = {row.name for row in OPTIONS}
    names |= {each.get_opt_string() for each in install.option_list_all}
    for key, place in keys.items():
        if f"--{key}" in names:
            continue
        known = {name.removeprefix("--") for name in names if "variant" in name}
        similar = nearest(key, known)
        warning = f"No command of pip has an option '{key}', which is set in {place}"
        if similar is not None:
            warning += f". Did you mean '{similar}'?"
        run.reporter.say_once(WARNING, warning)


def _namespaces(run: Run, kept: Iterable[BaseDistribution]) -> set[str]:
    """Return the built-in namespaces and those of the manifests that pip has read."""
    manifests = [each.manifest for each in run.decisions.decided()]
    builds = filter(None, map(installed_build, kept))
    found = {*BUILTIN_NAMESPACES}
    for manifest in filter(None, (*manifests, *(each.manifest for each in builds))):
        found |= {*manifest.namespaces}
        found = found.union(*(each.features for each in manifest.variants.values()))
    return found


def label_in_version(
    finder: PackageFinder, project: NormalizedName, specifier: SpecifierSet
) -> LabelInVersion | None:
    """Return the error for a local version that is the label of a variant, if one is.

    :param specifier: of which the project has no version.
    """
    for version in pinned(specifier):
        public, _, local = version.partition("+")
        if not local:
            continue
        for candidate in finder.find_all_candidates(project):
            label = label_of(candidate.link)
            if label is None or isinstance(candidate.link, LocalVersionWheel):
                continue
            if _is_version(f"{candidate.version}+{label}", version):
                return LabelInVersion(project, public, local, label)
    return None


def _is_version(one: str, other: str) -> bool:
    try:
        return Version(one) == Version(other)
    except InvalidVersion:
        return False


def labels_as_extras(run: Run, candidates: Iterable[Candidate]) -> Iterator[str]:
    """Yield which of the extras asked for are labels of variants.

    :param candidates: that were chosen.
    """
    for candidate in candidates:
        parts = vars(candidate)
        base, extras = parts.get("base"), parts.get("extras")
        if base is None or not extras:
            continue
        labels = {canonicalize_name(label): label for label in _labels(run, base)}
        provided = {
            canonicalize_name(each) for each in base.dist.iter_provided_extras()
        }
        for extra in sorted(extras):
            name = canonicalize_name(extra)
            if name in labels and name not in provided:
                label, project = labels[name], candidate.project_name
                yield (
                    f"{label} is a variant of {project} {candidate.version}, not an "
                    f"extra: --variant {project}={label}"
                )


def _labels(run: Run, base: Candidate) -> Iterable[str]:
    release = run.decisions.release_of(base.source_link)
    if release is not None:
        return release.labels
    build = installed_build(vars(base)["dist"]) if base.is_installed else None
    return () if build is None else build.labels
