"""What else a user may want to know of builds that were chosen, or are installed."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.texts import Hint
from pip._internal.variants.index.links import LocalVersionWheel, label_of, public
from pip._internal.variants.providers.tegra import Tegra, cuda_of, problem, runs_sbsa
from pip._internal.variants.pytorch.backends import CPU, Backend, BackendKind
from pip._internal.variants.pytorch.description import shipped
from pip._internal.variants.pytorch.options import OPTIONS
from pip._internal.variants.pytorch.release import LocalVersionRelease, releases
from pip._internal.variants.pytorch.settings import ANY_BACKEND
from pip._internal.variants.pytorch.synthetic import backend_of
from pip._internal.variants.selection.installed import installed_build

if TYPE_CHECKING:
    import optparse

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

__all__ = ["different_backends", "for_tegra", "newest_with_gpu_build"]

#: Where NVIDIA's builds for Tegra are, and those for a release of Jetson Linux (as of
#: November 2026): 36 is that of JetPack 6.
_FOR_JETPACKS = "https://pypi.jetson-ai-lab.io"
_FOR_JETPACK = {"36": f"{_FOR_JETPACKS}/jp6/cu126"}
#: The release that a driver for a major version of CUDA is of, if nothing else tells.
_RELEASE_BY_CUDA = {"12": "36"}


def for_tegra(run: Run, chosen: Release, link: Link) -> str | None:
    """Say what a build means on a Tegra: those for CUDA on ARM are made for servers.

    :param link: of the build of *chosen* that is taken.
    """
    backend, tegra = Backend.find(label_of(link)), run.target.detected.tegra()
    if not isinstance(chosen, LocalVersionRelease) or backend is None or tegra is None:
        return None
    cuda = cuda_of(chosen.wanted.nvidia())
    if runs_sbsa(tegra, cuda):
        if backend.kind is BackendKind.CUDA:
            said = f"{backend} is built for ARM servers, and runs on {tegra} too"
            run.reporter.say_once(logging.INFO, said)
        return None
    if backend.kind is BackendKind.CUDA:
        taken = f"{backend} of {chosen}, which was asked for, does not run"
    elif chosen.chosen_by is None and any(
        each is not None and each.kind is BackendKind.CUDA
        for each in map(Backend.find, chosen.labels)
    ):
        taken = f"the CPU build of {chosen} was chosen"
    else:
        return None
    said, url = _jetpack(tegra, cuda, taken)
    if url is None:
        return said
    from pip._internal.variants.output.invocation import command

    words = "install", chosen.project, "--index-url", url
    places = ("--index-url", "--extra-index-url", "--find-links", "--no-index")
    without = {*places, *(row.name for row in OPTIONS)}
    return Hint(said, command(run.settings.options, *words, without=without))


def _jetpack(tegra: Tegra, cuda: str | None, taken: str) -> tuple[str, str | None]:
    """Return why no build of PyTorch's is for a Tegra, and the index of NVIDIA's, if known.

    :param cuda: the version of the driver, if that is known.
    :param taken: what follows from that.
    """
    said = f"{problem(tegra, cuda)}, and PyTorch has no others: {taken}. "
    driver = "" if cuda is None else cuda.partition(".")[0]
    release = tegra.release or _RELEASE_BY_CUDA.get(driver, "")
    url = _FOR_JETPACK.get(release.partition(".")[0])
    if url is not None:
        return f"{said}NVIDIA's own builds:", url
    if tegra.release is None:
        return f"{said}NVIDIA's own builds: {_FOR_JETPACKS}", None
    return (
        f"{said}No index of NVIDIA's own builds for that release is known here; "
        f"{_FOR_JETPACKS} may have some"
    ), None


def newest_with_gpu_build(
    run: Run,
    finder: PackageFinder,
    chosen: Release,
    link: Link,
    found: Iterable[InstallationCandidate],
) -> str | None:
    """Say which older version has a build for the target's GPU if a CPU build is taken.

    :param link: of the build of *chosen* that is taken.
    :param found: all candidates of the project.
    """
    if not isinstance(chosen, LocalVersionRelease) or label_of(link) != CPU.label:
        return None
    backends = chosen.wanted.choice
    is_chosen = chosen.chosen_label is not None or chosen.pinned
    if is_chosen or backends.kinds == {CPU.kind}:
        return None
    newest = _newest(run, finder, chosen, found)
    if newest is None:
        return None
    older, label = newest
    gpu = "a GPU" if backends else "the target's GPU"
    from pip._internal.variants.output.invocation import command

    return Hint(
        f"The CPU build of {chosen} was chosen, since it has no other that suits the "
        f"target. The newest version with a build for {gpu} is "
        f"{older.version} ({label}). To take that:",
        command(run.settings.options, "install", f"{older.project}=={older.version}"),
    )


def _newest(
    run: Run,
    finder: PackageFinder,
    chosen: Release,
    found: Iterable[InstallationCandidate],
) -> tuple[Release, str] | None:
    is_pre = public(chosen.version).is_prerelease
    # Without variants that have manifests: advice must not fetch anything.
    builds = [
        each
        for each in found
        if isinstance(each.link, LocalVersionWheel)
        and public(each.version) < public(chosen.version)
        and (is_pre or not public(each.version).is_prerelease)
    ]
    for older, _ in releases(run, finder, chosen.project, builds):
        label = label_of(older.fetch_ranked()[0]) if older.fetch_ranked() else None
        if label is not None and label != CPU.label:
            return older, label
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
