"""Select builds that use the same accelerator.

Libraries for two CUDA major versions conflict in one process. A GPU build that depends on a
CPU build of another package fails, too. Variant properties do not describe the other
packages in an environment, so pip compares the properties of variants, and the local
versions and requirements of plain packages.

If the best variants conflict, pip selects variants that agree, if the same versions have
such variants. The comparison includes packages that stay installed, and CPU variants that
the user chose, but not CPU variants that pip chose. PEP 825 does not define this step: the
PEP orders the variants of each release separately. ``--no-variant-agreement`` skips the
step. :func:`agreed` tries other kinds of agreement in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.output import get_logger
from pip._internal.console.texts import with_label
from pip._internal.exceptions import InstallationError
from pip._internal.variants.index.links import LocalVersionWheel, label_of
from pip._internal.variants.selection import accelerators
from pip._internal.variants.selection.installed import installed_build, installed_label
from pip._internal.variants.selection.ranking import judge_installed

if TYPE_CHECKING:
    from pip._vendor.packaging.requirements import Requirement
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.wheel_variants.manifest import Manifest

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_set import RequirementSet
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.selection.mode import ResolveOnce
    from pip._internal.variants.selection.ranking import Agreement, Selection
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

logger = get_logger(__name__)

_Found = TypeVar("_Found")

#: Parts of local versions for accelerators, such as ``cu126``.
_LOCAL_CUDA = re.compile(r"cu([0-9]{2})[0-9]")
_LOCAL_ROCM = re.compile(r"rocm[0-9].*")
#: CUDA libraries with the major version in the name, and without.
_WITH_MAJOR = re.compile(r"nvidia-[a-z0-9-]+-cu([0-9]{2})")
_WITHOUT_MAJOR = frozenset(("cuda-toolkit", "nvidia-cuda-runtime", "nvidia-cublas"))


class Runtime(NamedTuple):
    """The accelerator that a build uses, for comparison with the builds of other packages.

    :ivar namespace: the namespace of the accelerator; None for the CPU.
    :ivar major: the CUDA major version; None for other accelerators and the CPU.
    """

    namespace: str | None
    major: int | None = None

    def __str__(self) -> str:
        if self.namespace is None:
            return "only the CPU"
        return "ROCm" if self.major is None else f"CUDA {self.major}"

    def order(self, selection: Selection) -> tuple[str, ...]:
        """Return compatible labels, with labels for this runtime first.

        Labels for the CPU keep their places, unless this runtime is the CPU.
        """
        labels, manifest = selection.ranking.compatible, selection.manifest
        runtimes = {label: _runtime_of(manifest, label) for label in labels}
        if self == CPU:
            return tuple(sorted(labels, key=lambda label: runtimes[label] != CPU))
        fixed = (None, CPU)
        competing = [label for label in labels if runtimes[label] not in fixed]
        ordered = iter(sorted(competing, key=lambda label: runtimes[label] != self))
        return tuple(
            label if runtimes[label] in fixed else next(ordered) for label in labels
        )


CPU = Runtime(None)


class ComparedBuild(NamedTuple):
    """A build, for comparison with its neighbors.

    :ivar name: the package and its version, for messages.
    :ivar label: the label of a variant, or the evidence for the runtime of a plain package.
    :ivar is_free: whether this is a CPU build that pip chose, so neighbors may differ from it.
    """

    name: str
    label: str
    runtime: Runtime
    is_free: bool = False


class ComparedPackage(NamedTuple):
    """A package that is or will be installed with others.

    :ivar title: the package, version and label, for messages.
    :ivar build: the build to compare; None if neighbors need not agree with the package.
    :ivar uses: whether the package uses an accelerator; None if its project has no
        accelerator builds.
    :ivar needs: the projects that the package requires.
    """

    dist: BaseDistribution
    title: str
    build: ComparedBuild | None
    uses: bool | None
    needs: Collection[NormalizedName]


def chosen_build(release: Release, link: Link) -> ComparedBuild | None:
    """Return the selected variant at *link*, or None if neighbors need not agree with it."""
    label, selection = label_of(link), release.fetch_selection_of(link)
    if label is None or selection is None:
        return None
    runtime = _runtime_of(selection.manifest, label)
    if runtime is None:
        return None
    is_free = runtime == CPU and release.chosen_by is None
    return ComparedBuild(str(release), label, runtime, is_free)


def compared_package(dist: BaseDistribution) -> ComparedPackage:
    """Describe an installed package, or a plain package to install."""
    build, label = installed_build(dist), installed_label(dist)
    title, needed = str(dist), requirements_of(dist)
    if build is not None and label is not None:
        runtime, source = _runtime_of(build.manifest, label), label
        uses = _uses(build.manifest, label)
    else:
        runtime, source, uses = _runtime_from_metadata(dist, needed)
    compared = None
    if runtime is not None:
        is_free = runtime == CPU and not (build is not None and build.user_chosen)
        compared = ComparedBuild(title, source, runtime, is_free)
    names = {canonicalize_name(each.name) for each in needed}
    return ComparedPackage(dist, with_label(title, label), compared, uses, names)


def staying(run: Run) -> list[BaseDistribution]:
    """Return the installed packages that are kept."""
    gone = {each.project_name for each in run.solution if not each.is_installed}
    return [dist for name, dist in run.request.dists.items() if name not in gone]


def packages_to_install(run: Run) -> Iterator[ComparedPackage]:
    """Describe the packages to install."""
    for candidate in run.solution:
        dist: BaseDistribution | None = vars(candidate).get("dist")
        if candidate.is_installed or dist is None:
            # A candidate with extras accompanies the same candidate without extras.
            continue
        link, neighbor = candidate.source_link, compared_package(dist)
        label = None if link is None else label_of(link)
        release = run.decisions.release_of(link)
        if link is not None and label is not None and release is not None:
            selection = run.decisions.fetch_selection_of(link)
            # The mode that identifies builds by their versions compares them itself.
            is_plain = isinstance(link, LocalVersionWheel)
            manifest = None if selection is None or is_plain else selection.manifest
            neighbor = neighbor._replace(
                title=with_label(f"{dist.raw_name} {dist.raw_version}", label),
                build=chosen_build(release, link),
                uses=None if manifest is None else _uses(manifest, label),
            )
        yield neighbor


def contradictions(
    neighbors: Iterable[ComparedPackage],
) -> Iterator[tuple[ComparedPackage, ComparedPackage]]:
    """Yield pairs of a package that uses an accelerator and a package that does not.

    In each pair, either package requires the other, and both projects publish accelerator
    builds.
    """
    by_name = {e.dist.canonical_name: e for e in neighbors if e.uses is not None}
    for each in by_name.values():
        for name in sorted(by_name.keys() & each.needs):
            other = by_name[name]
            if other.uses != each.uses:
                yield (each, other) if each.uses else (other, each)


def labels_that_agree(
    apart: Sequence[ComparedPackage], providers: ProviderChain
) -> list[tuple[BaseDistribution, str]]:
    """Return replacements for installed packages, so that all packages agree.

    :param apart: packages that should agree but do not.
    :return: the packages to replace, each with the label of another variant of the same
        version; empty if no such labels agree.
    """
    for runtime in _proposals(each.build for each in apart if each.build is not None):
        found = {
            each.dist: _label_for(runtime, each.dist, providers)
            for each in apart
            if each.build is not None and each.build.runtime != runtime
        }
        labels = [(dist, label) for dist, label in found.items() if label is not None]
        if len(labels) == len(found):
            return labels
    return []


def _label_for(
    runtime: Runtime, dist: BaseDistribution, providers: ProviderChain
) -> str | None:
    """Return the label of the installed version's best variant for a runtime, or None."""
    build = installed_build(dist)
    if build is None:
        return None
    selection = judge_installed(dist.raw_name, build, build.labels, providers)
    labels = selection.ranking.compatible
    fitting = (each for each in labels if _runtime_of(build.manifest, each) == runtime)
    return next(fitting, None)


def _runtime_of(manifest: Manifest, label: str) -> Runtime | None:
    """Return the runtime of a variant; None if neighbors need not agree with the variant."""
    variant = manifest.variant(label)
    using = accelerators.accelerators_of(variant)
    if len(using) > 1:
        return None
    if "amd" in using:
        return Runtime("amd")
    if "nvidia" in using:
        bounds = variant.features["nvidia"].get("cuda_version_lower_bound", ())
        majors = {value.partition(".")[0] for value in bounds}
        digits = majors.pop() if len(majors) == 1 else ""
        is_major = digits.isdecimal() and len(digits) < 5
        return Runtime("nvidia", int(digits)) if is_major else None
    return CPU if _uses(manifest, label) is False else None


def _uses(manifest: Manifest, label: str) -> bool | None:
    """Return whether a variant uses an accelerator; None if no variant in its manifest does."""
    if not any(
        accelerators.uses_accelerator(manifest, each) for each in manifest.variants
    ):
        return None
    return accelerators.uses_accelerator(manifest, label)


def _runtime_from_metadata(
    dist: BaseDistribution, needed: Iterable[Requirement]
) -> tuple[Runtime | None, str, bool | None]:
    """Return the runtime of a plain package, the evidence, and the use of an accelerator.

    :return: the runtime, or None if neighbors need not agree with the package; the evidence
        for the runtime; whether the package uses an accelerator, or None if unknown.
    """
    for part in str(dist.raw_version).partition("+")[2].split("."):
        cuda = _LOCAL_CUDA.fullmatch(part)
        if cuda is not None:
            return Runtime("nvidia", int(cuda[1])), part, True
        if _LOCAL_ROCM.fullmatch(part):
            return Runtime("amd"), part, True
        if part in ("cpu", "xpu"):
            return None, part, part == "xpu"
    for each in needed:
        major = _major_of(each)
        if major is not None:
            return Runtime("nvidia", major), f"requires {each.name}", None
    return None, "", None


def requirements_of(dist: BaseDistribution) -> list[Requirement]:
    """Return the requirements of a package; empty if its metadata is invalid."""
    try:
        return list(dist.iter_dependencies())
    except (OSError, ValueError):
        # ``pip check`` reports invalid metadata.
        return []


def _major_of(required: Requirement) -> int | None:
    """Return the CUDA major version of a required library, or None."""
    name = canonicalize_name(required.name)
    found = _WITH_MAJOR.fullmatch(name)
    if found is not None:
        return int(found[1])
    if name in _WITHOUT_MAJOR:
        for each in required.specifier:
            digits = each.version.partition(".")[0]
            if each.operator in ("==", "~=") and digits.isdecimal() and len(digits) < 4:
                return int(digits)
    return None


class Agreed(NamedTuple):
    """The compared builds before and after pip sought an agreement.

    :ivar before: the builds before pip replaced any for agreement.
    :ivar after: the builds of the final solution.
    :ivar installed: the builds that stay installed.
    """

    before: Sequence[ComparedBuild] = ()
    after: Sequence[ComparedBuild] = ()
    installed: Sequence[ComparedBuild] = ()


def are_mixed(builds: Iterable[ComparedBuild]) -> bool:
    """Return whether builds use different accelerators."""
    return len({build.runtime for build in builds if not build.is_free}) > 1


def agreed(
    run: Run,
    resolve_once: Callable[[], _Found],
    agreements: Iterable[Agreement],
    accepted: Callable[[_Found], bool],
) -> _Found | None:
    """Resolve with each agreement until a solution is accepted.

    :param resolve_once: a function that resolves once, with the candidates known so far.
    :param accepted: a function that returns whether to accept a solution.
    :return: the first accepted solution; None if there is none, after restoring the previous
        agreement.
    """
    before = run.attempt.agreement
    for agreement in agreements:
        run.attempt.agreement = agreement
        try:
            found = resolve_once()
        except InstallationError as error:
            logger.debug("No solution for %s: %s", agreement, error)
            continue
        if accepted(found):
            return found
    run.attempt.agreement = before
    return None


def agreed_on_runtime(
    run: Run,
    resolve_once: Callable[[], _Found],
    builds_of: Callable[[_Found], Sequence[ComparedBuild]],
    first: _Found,
    is_as_good: Callable[[_Found], bool] = lambda _: True,
) -> _Found | None:
    """Resolve with builds for the same runtime, if possible.

    :param resolve_once: a function that resolves once.
    :param first: the solution that mixes runtimes, found without an agreement.
    :param is_as_good: a function that returns whether a solution is as good as *first* in
        every respect other than its builds.
    :return: the solution; None if no solution is accepted, or if ``--no-variant-agreement``
        is set.
    """
    if run.settings.no_variant_agreement:
        return None
    before = [build for build in builds_of(first) if not build.is_free]

    def accepted(found: _Found) -> bool:
        after = {each.name: each.runtime for each in builds_of(found)}
        runtimes = {after.get(each.name) for each in before}
        return len(runtimes) == 1 and None not in runtimes and is_as_good(found)

    return agreed(run, resolve_once, _proposals(before), accepted)


def _proposals(builds: Iterable[ComparedBuild]) -> list[Runtime]:
    """Return the possible runtimes, newest CUDA version first."""
    runtimes = {each.runtime for each in builds}
    return sorted(runtimes, key=lambda each: each.major or 0, reverse=True)


def agreeing(
    resolve_once: ResolveOnce, run: Run, first: RequirementSet
) -> tuple[RequirementSet, Agreed]:
    """Return a solution with one runtime and the versions of *first*, or else *first* itself.

    :param resolve_once: a function that resolves once.
    :return: the solution, and the builds that were compared.
    """
    installed: list[ComparedBuild] = []

    def compared(_: RequirementSet) -> list[ComparedBuild]:
        return [*installed, *builds_of(packages_to_install(run))]

    def has_same_versions(_: RequirementSet) -> bool:
        return all(
            versions.get(each.project_name, each.version) == each.version
            for each in run.solution
        )

    result = run.resolver._result
    versions = {each.project_name: each.version for each in run.solution}
    if all(build.is_free for build in compared(first)):
        return first, Agreed()
    stay = builds_of(map(compared_package, staying(run)))
    if not (are_mixed(stay) or run.settings.upgrade_variants):
        installed = stay
    before = compared(first)
    if are_mixed(before):
        second = agreed_on_runtime(
            run, resolve_once, compared, first, has_same_versions
        )
        if second is not None:
            return second, Agreed(before, compared(second), stay)
        run.resolver._result = result
    return first, Agreed()


def builds_of(neighbors: Iterable[ComparedPackage]) -> list[ComparedBuild]:
    """Return the builds to compare."""
    return [each.build for each in neighbors if each.build is not None]
