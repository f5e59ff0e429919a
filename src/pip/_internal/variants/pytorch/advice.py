"""What to say about where projects come from, and which builds there are."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.texts import Hint
from pip._internal.metadata import get_default_environment
from pip._internal.models.candidate import InstallationCandidate
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import LocalVersionWheel, label_of, public
from pip._internal.variants.providers.tegra import Tegra, cuda_of, problem, runs_sbsa
from pip._internal.variants.pytorch.backends import CPU, Backend, BackendKind
from pip._internal.variants.pytorch.description import shipped
from pip._internal.variants.pytorch.drivers import FIRST_ROCM_WITH_EXTRAS
from pip._internal.variants.pytorch.options import BACKENDS, OPTIONS
from pip._internal.variants.pytorch.release import LocalVersionRelease
from pip._internal.variants.pytorch.settings import ANY_BACKEND
from pip._internal.variants.pytorch.synthetic import backend_of
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.releases import release_of
from pip._internal.variants.selection.run import Purpose

if TYPE_CHECKING:
    import optparse

    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.pytorch.local_version_index import LocalVersionIndex
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = [
    "best_builds",
    "different_backends",
    "for_tegra",
    "for_unknown_gpu",
    "newest_with_gpu_build",
    "origins",
]

#: Where NVIDIA's builds for Tegra are, and those for JetPack 6 (as of November 2026).
_FOR_JETPACK = "https://pypi.jetson-ai-lab.io"
_FOR_JETPACK_6 = f"{_FOR_JETPACK}/jp6/cu126"


def for_tegra(run: Run, chosen: Release, link: Link) -> str | None:
    """Say what a build means on a Tegra: those for CUDA on ARM are made for servers.

    :param link: of the build of *chosen* that is taken.
    """
    backend = Backend.find(label_of(link))
    if not isinstance(chosen, LocalVersionRelease) or backend is None:
        return None
    tegra = run.target.detected.tegra()
    if tegra is None:
        return None
    cuda = cuda_of(chosen.version_index.nvidia())
    if backend.kind is BackendKind.CUDA:
        if not runs_sbsa(tegra, cuda):
            taken = f"{backend} of {chosen}, which was asked for, does not run"
            return _to_jetpack(run, chosen, tegra, cuda, taken)
        said = f"{backend} is built for ARM servers, and runs on {tegra} too"
        run.reporter.say_once(logging.INFO, said)
    elif chosen.chosen_by is None and not runs_sbsa(tegra, cuda):
        kinds = {each.kind for each in map(Backend.find, chosen.labels) if each}
        if BackendKind.CUDA in kinds:
            taken = f"the CPU build of {chosen} was chosen"
            return _to_jetpack(run, chosen, tegra, cuda, taken)
    return None


def _to_jetpack(
    run: Run, chosen: Release, tegra: Tegra, cuda: str | None, taken: str
) -> str:
    """Say why no build of PyTorch's is for a Tegra, and where NVIDIA's are.

    :param cuda: the version of the driver, if that is known.
    :param taken: what follows from that.
    """
    said = f"{problem(tegra, cuda)}, and PyTorch has no others: {taken}. "
    if not _is_jetpack_6(tegra, cuda):
        if tegra.release is None:
            return f"{said}NVIDIA's own builds: {_FOR_JETPACK}"
        return (
            f"{said}No index of NVIDIA's own builds for that release is known here; "
            f"{_FOR_JETPACK} may have some"
        )
    from pip._internal.variants.output.invocation import command

    words = "install", chosen.project, "--index-url", _FOR_JETPACK_6
    places = ("--index-url", "--extra-index-url", "--find-links", "--no-index")
    without = {*places, *(row.name for row in OPTIONS)}
    said += "NVIDIA's own builds:"
    return Hint(said, command(run.settings.options, *words, without=without))


def _is_jetpack_6(tegra: Tegra, cuda: str | None) -> bool:
    """Tell whether a Tegra has JetPack 6; the driver decides if the release is unknown."""
    if tegra.release is not None:
        return tegra.release.startswith("36.")
    return cuda is not None and cuda.startswith("12.")


def for_unknown_gpu(run: Run, chosen: Release, link: Link) -> str | None:
    """Say how to take a build with extras for GPUs where the GPU is not known to have one.

    :param link: of the build of *chosen* that is taken.
    """
    if not isinstance(chosen, LocalVersionRelease) or label_of(link) != CPU.label:
        return None
    if chosen.chosen_by is not None or chosen.version_index.settings.backends:
        return None
    gpus = next(
        filter(None, (_amd_gpus(each) for each in chosen.selections.values())), ()
    )
    rocm = [
        each
        for each in map(Backend.find, chosen.labels)
        if each
        and each.kind is BackendKind.ROCM
        and each.version >= FIRST_ROCM_WITH_EXTRAS
    ]
    if not gpus or not rocm:
        return None
    from pip._internal.variants.output.invocation import again

    newest = max(rocm, key=lambda each: each.version)
    which = ", ".join(gpus)
    return Hint(
        f"{newest} brings its code for each GPU in an extra. Whether there is one for "
        f"{which} is not known here. To take it if there is:",
        again(run.settings.options, BACKENDS.name, str(newest)),
    )


def _amd_gpus(selection: Selection) -> Sequence[str]:
    answer = selection.answers.get("amd")
    return () if answer is None else answer.values("gfx_arch")


def newest_with_gpu_build(
    run: Run, finder: PackageFinder, chosen: Release, link: Link
) -> str | None:
    """Say which older version has a build for the target's GPU if a CPU build is taken.

    :param link: of the build of *chosen* that is taken.
    """
    if not isinstance(chosen, LocalVersionRelease) or label_of(link) != CPU.label:
        return None
    backends = chosen.version_index.settings.backends
    if chosen.chosen_label is not None or chosen.pinned:
        return None
    if backends.kinds == {CPU.kind}:
        return None
    found = _newest(run, finder, chosen)
    if found is None:
        return None
    older, label = found
    requirement = f"{older.project}=={older.version}"
    gpu = "a GPU" if backends else "the target's GPU"
    from pip._internal.variants.output.invocation import command

    return Hint(
        f"The CPU build of {chosen} was chosen, since it has no other that suits the "
        f"target. The newest version with a build for {gpu} is "
        f"{older.version} ({label}). To take that:",
        command(run.settings.options, "install", requirement),
    )


def _newest(
    run: Run, finder: PackageFinder, chosen: LocalVersionRelease
) -> tuple[Release, str] | None:
    # Without variants that have manifests: advice must not fetch anything.
    candidates = [
        each
        for each in chosen.version_index.found.get(chosen.project, [])
        if isinstance(each.link, LocalVersionWheel)
    ]
    finals_only = not public(chosen.version).is_prerelease
    for release, _ in releases(run, finder, chosen.project, candidates):
        if release.version >= chosen.version:
            continue
        if finals_only and public(release.version).is_prerelease:
            continue
        label = label_of(release.ranked[0]) if release.ranked else None
        if label is not None and label != CPU.label:
            return release, label
    return None


def different_backends(
    dists: Iterable[BaseDistribution], options: optparse.Values
) -> Iterator[str]:
    """Say which installed builds need another build of what they depend on."""
    from pip._internal.variants.output.invocation import for_upgrade

    builds = {
        dist.canonical_name: (dist, backend)
        for dist in dists
        if (backend := backend_of(dist.version, installed_build(dist))) is not None
    }
    for dist, backend in builds.values():
        if backend == CPU:
            continue
        for needed in dist.iter_dependencies():
            other, its_backend = builds.get(
                canonicalize_name(needed.name), (dist, backend)
            )
            if its_backend != backend:
                names = [_requirement(each) for each in (dist, other)]
                yield Hint(
                    f"{dist.raw_name} {dist.version} needs {other.raw_name} for "
                    f"{backend}, and {other.raw_name} {other.version} is installed. To "
                    "take builds that go together:",
                    for_upgrade(options, *names, further=ANY_BACKEND),
                )


def _requirement(dist: BaseDistribution) -> str:
    """Return how a build of an installed version is found again."""
    project = dist.canonical_name
    if any(each.is_by_version and each.may_have(project) for each in shipped()):
        return f"{dist.raw_name}=={public(dist.version)}"
    return dist.raw_name


def origins(
    version_index: LocalVersionIndex, projects: Iterable[NormalizedName]
) -> Iterator[str]:
    """Say where projects come from, for which no solution was found."""
    for project in projects:
        index = version_index.left_alone.get(project) or version_index.looked_up.get(
            project
        )
        if index is None:
            continue
        name, url = index.description, redact_auth_from_url(index.base_url)
        if project in version_index.left_alone:
            yield (
                f"{project} is looked up on your own index, since you pinned it; "
                f"without that, on {name} ({url})"
            )
        elif project in version_index.shared:
            yield (
                f"{project} is looked up on {name} alone ({url}), since that "
                f"has it; from your own index you get it with {project}==VERSION"
            )
        else:
            yield f"{project} is looked up on {name} alone ({url})"


def releases(
    run: Run,
    finder: PackageFinder,
    project: NormalizedName,
    candidates: Sequence[InstallationCandidate],
) -> Iterator[tuple[Release, list[InstallationCandidate]]]:
    """Yield the releases that have builds for backends, newest first, with their files."""
    # As for the resolver: by platform tag and build tag, the best first.
    evaluator = finder.make_candidate_evaluator(project)
    ordered = sorted(candidates, key=evaluator._sort_key, reverse=True)
    ordered.sort(key=lambda each: public(each.version), reverse=True)
    for version, grouped in itertools.groupby(ordered, lambda c: public(c.version)):
        group = list(grouped)
        links = [each.link for each in group]
        if any(isinstance(link, LocalVersionWheel) for link in links):
            yield release_of(run, finder, project, version, links), group


def best_builds(
    run: Run,
    finder: PackageFinder,
    project: NormalizedName,
    candidates: Sequence[InstallationCandidate],
) -> list[InstallationCandidate]:
    """Return of each version the build that would be installed.

    :raises InstallationError: if that leaves nothing, where all versions are listed.
    """
    left: list[InstallationCandidate] = []
    known = set()
    for release, group in releases(run, finder, project, candidates):
        known.update(group)
        if not release.ranked:
            continue
        label = label_of(release.ranked[0])
        best = [each for each in group if label_of(each.link) == label]
        if run.purpose is Purpose.LIST_NEWEST:
            left += [_as_installed(project, each) for each in best]
            if not group[0].version.is_prerelease:
                break
        else:
            left += best
    left += [each for each in candidates if each not in known]
    if candidates and not left and run.purpose is Purpose.LIST_ALL:
        from pip._internal.variants.output.refusals import nothing_left

        raise nothing_left(project, run.decisions.reached(project))
    return left


def _as_installed(
    project: NormalizedName, candidate: InstallationCandidate
) -> InstallationCandidate:
    """Return a candidate with the version that is installed if only the build differs.

    A build for something else is no newer version.
    """
    dist = get_default_environment().get_distribution(project)
    if dist is None or public(dist.version) != public(candidate.version):
        return candidate
    return InstallationCandidate(
        candidate.name, str(dist.version), candidate.link, candidate.locked
    )
