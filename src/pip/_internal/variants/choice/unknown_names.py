"""Names that were typed, and that nothing of the run has: most likely typing errors.

What the configuration and the environment name is for other runs too. A host file
describes a machine to whatever is installed for it, so its names are worth a warning only
if they are nearly those of something else. Labels may also stand where a version or an extra
belongs.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.packaging.version import InvalidVersion, Version

from pip._internal.variants.choice import settings
from pip._internal.variants.choice.by_hand import Typed, typed_options, written
from pip._internal.variants.choice.installed import installed_build
from pip._internal.variants.choice.option_values import Place
from pip._internal.variants.choice.reasons import shortened
from pip._internal.variants.choice.releases import weighed
from pip._internal.variants.core.answer import Step
from pip._internal.variants.core.pins import pinned
from pip._internal.variants.errors import LabelInVersion, Loss
from pip._internal.variants.machine.chain import BUILTIN_NAMESPACES
from pip._internal.variants.wheels.links import BuildLink, label_of

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.core.manifest import Manifest

__all__ = ["label_in_version", "labels_as_extras", "warn_of_unknown_names"]

#: How alike two names are if one is taken for the other, mistyped.
_ALIKE = 0.75


class _Known(NamedTuple):
    """The names that a run has come across.

    :ivar features: by namespace.
    :ivar plugins: the packages that manifests name.
    :ivar some_plugin_answered: if one did, other names may be those of its dependencies.
    """

    features: Mapping[str, Collection[str]]
    plugins: Collection[str]
    some_plugin_answered: bool


def warn_of_unknown_names(
    context: Context,
    projects: Collection[NormalizedName],
    kept: Iterable[BaseDistribution] = (),
    *,
    are_all: bool,
    are_all_manifests: bool,
) -> None:
    """Warn of names that were typed and that nothing of the run has.

    :param projects: that were looked at.
    :param kept: what stays installed and was chosen among variants.
    :param are_all: whether the run looks at no others. If it may, it warns only of names
        that are nearly one of these.
    :param are_all_manifests: whether likewise no other manifests are read. What is built
        may need projects that have some.
    """
    known = _known(context, kept)
    for choice in context.choices:
        if choice.place is Place.CONFIGURATION or choice.project is None:
            continue
        if choice.project not in projects:
            problem = f"{written(choice)}: this run has no package {choice.project}"
            _tell(context, problem, choice.project, projects, is_certain=are_all)
    for typed in typed_options(context.settings):
        if typed.row is settings.VARIANT_HOST:
            _check_host(context, typed, known)
            continue
        unknown = _unknown(typed, known)
        if unknown is not None:
            problem, name, names = unknown
            problem = f"{typed}: {problem}"
            _tell(context, problem, name, names, is_certain=are_all_manifests)


def _tell(
    context: Context, problem: str, name: str, names: Iterable[str], *, is_certain: bool
) -> None:
    """Warn of a name, with the nearest one of others.

    :param is_certain: whether to warn even if none is near.
    :raises VariantLost: if the user is strict, and the run has not failed anyway.
    """
    nearest = difflib.get_close_matches(name, sorted(names), 1, _ALIKE)
    if not nearest and not is_certain:
        return
    meant = [f"Did you mean {each}?" for each in nearest]
    typed, _, reason = problem.partition(": ")
    warning = ". ".join([problem, *meant])
    context.cost(Loss(f"what {typed} asks for", reason, warning, hints=meant))


def _unknown(typed: Typed, known: _Known) -> tuple[str, str, Collection[str]] | None:
    """Tell what is unknown in an option, if anything is.

    :return: the problem, the name, and those that are known.
    """
    if typed.row is settings.TRUST_PROVIDER:
        if typed.value in known.plugins or known.some_plugin_answered:
            return None
        problem = "no manifest in this run requires that package"
        return problem, typed.value, known.plugins
    namespace = typed.namespace
    if namespace is None:
        return None
    if namespace not in known.features:
        problem = f"nothing in this run has a namespace {namespace}"
        return problem, namespace, known.features.keys()
    features = known.features[namespace]
    is_preference = typed.row is settings.PREFER_VARIANT
    feature: str | None = typed.value.feature if is_preference else None
    if feature is None or feature in features:
        return None
    has = f"; it has {shortened(sorted(features))}" if features else ""
    problem = f"{namespace} has no feature {feature} in this run{has}"
    return problem, feature, features


def _check_host(context: Context, typed: Typed, known: _Known) -> None:
    host = context.detected.host
    if host is None:
        return
    for namespace in host.supported:
        if namespace not in known.features:
            problem = f"{typed}: nothing in this run has a namespace {namespace}"
            others = set(known.features) - set(host.supported)
            _tell(context, problem, namespace, others, is_certain=False)
            continue
        own = {feature.name for feature in host.supported.features(namespace)}
        for feature in sorted(own.difference(known.features[namespace])):
            problem = f"{typed}: {namespace} has no feature {feature} in this run"
            others = set(known.features[namespace]) - own
            _tell(context, problem, feature, others, is_certain=False)


def _known(context: Context, kept: Iterable[BaseDistribution]) -> _Known:
    """Collect names from what was decided; nothing is asked for now."""
    from pip._internal.variants.machine.known_providers import KNOWN_PROVIDERS

    features = {
        namespace: set(KNOWN_PROVIDERS[namespace].features)
        for namespace in BUILTIN_NAMESPACES
    }
    plugins: set[str] = set()
    answered = False
    for selection in weighed(context).decided():
        if selection.manifest is not None:
            _add(selection.manifest, features, plugins)
        for namespace, answer in selection.answers.items():
            names = (feature.name for feature in answer.features)
            if answer.step is not Step.HOST:
                features.setdefault(namespace, set()).update(names)
            answered |= answer.step is Step.PLUGIN
    for dist in kept:
        build = installed_build(dist)
        if build is not None:
            _add(build.manifest, features, plugins)
    return _Known(features, plugins, answered)


def _add(manifest: Manifest, features: dict[str, set[str]], plugins: set[str]) -> None:
    for namespace in manifest.namespaces:
        features.setdefault(namespace, set())
        for text in manifest.provider(namespace).requires:
            try:
                plugins.add(canonicalize_name(Requirement(text).name))
            except InvalidRequirement:
                continue
        static = manifest.provider(namespace).static
        features[namespace].update(feature.name for feature in static)
    for variant in manifest.variants.values():
        for namespace, stated in variant.features.items():
            features.setdefault(namespace, set()).update(stated)


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
            if label is None or isinstance(candidate.link, BuildLink):
                continue
            if _is_version(f"{candidate.version}+{label}", version):
                return LabelInVersion(project, public, local, label)
    return None


def _is_version(one: str, other: str) -> bool:
    try:
        return Version(one) == Version(other)
    except InvalidVersion:
        return False


def labels_as_extras(
    context: Context, candidates: Iterable[Candidate]
) -> Iterator[str]:
    """Say which of the extras asked for are labels of variants.

    :param candidates: that were chosen.
    """
    for candidate in candidates:
        parts = vars(candidate)
        base, extras = parts.get("base"), parts.get("extras")
        if base is None or not extras:
            continue
        labels = {canonicalize_name(label): label for label in _labels(context, base)}
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


def _labels(context: Context, base: Candidate) -> Iterable[str]:
    release = weighed(context).release_of(base.source_link)
    if release is not None:
        return release.labels
    build = installed_build(vars(base)["dist"]) if base.is_installed else None
    return () if build is None else build.labels
