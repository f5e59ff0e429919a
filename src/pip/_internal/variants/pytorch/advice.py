"""What to say about where projects come from, and which builds there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.console.texts import Hint
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.pytorch.backends import CPU, Backend
from pip._internal.variants.pytorch.listing import releases
from pip._internal.variants.pytorch.release import BridgedRelease
from pip._internal.variants.pytorch.settings import ANY_BACKEND
from pip._internal.variants.wheels.links import label_of, public

if TYPE_CHECKING:
    import optparse

    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.release import Release
    from pip._internal.variants.pytorch.bridge import Bridge

__all__ = ["different_backends", "newest_with_gpu_build", "origins"]


def newest_with_gpu_build(
    context: Context, finder: PackageFinder, chosen: Release, link: Link
) -> str | None:
    """Say which older version has a build for the target's GPU if a CPU build is taken.

    :param link: of the build of *chosen* that is taken.
    """
    if not isinstance(chosen, BridgedRelease) or label_of(link) != CPU.label:
        return None
    backends = chosen.bridge.settings.backends
    if chosen.chosen_label is not None or chosen.pinned:
        return None
    if backends and not set(backends) - {CPU}:
        return None
    found = _newest(context, finder, chosen)
    if found is None:
        return None
    older, label = found
    requirement = f"{older.project}=={older.version}"
    from pip._internal.variants.choice.invocation import command

    return Hint(
        f"The CPU build of {chosen} was chosen, since it has no other that suits the "
        f"target. The newest version with a build for the target's GPU is "
        f"{older.version} ({label}). To take that:",
        command(context.options, "install", requirement),
    )


def _newest(
    context: Context, finder: PackageFinder, chosen: BridgedRelease
) -> tuple[Release, str] | None:
    candidates = chosen.bridge.found.get(chosen.project, [])
    finals_only = not public(chosen.version).is_prerelease
    for release, _ in releases(context, finder, chosen.project, candidates):
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
    from pip._internal.variants.choice.invocation import for_upgrade

    builds = {
        dist.canonical_name: (dist, backend)
        for dist in dists
        if (backend := Backend.find(dist.version.local)) is not None
    }
    for dist, backend in builds.values():
        if backend == CPU:
            continue
        for needed in dist.iter_dependencies():
            other, its_backend = builds.get(
                canonicalize_name(needed.name), (dist, backend)
            )
            if its_backend != backend:
                names = dist.raw_name, other.raw_name
                yield Hint(
                    f"{dist.raw_name} {dist.version} needs {other.raw_name} for "
                    f"{backend}, and {other.raw_name} {other.version} is installed. To "
                    "take builds that go together:",
                    for_upgrade(options, *names, further=ANY_BACKEND),
                )


def origins(bridge: Bridge, projects: Iterable[NormalizedName]) -> Iterator[str]:
    """Say of projects that something is wrong with where they come from."""
    url = redact_auth_from_url(bridge.index.base_url)
    for project in projects:
        if project in bridge.left_alone:
            yield (
                f"{project} is looked up on your own index, since you pinned it; "
                f"without that, on PyTorch's index ({url})"
            )
        elif project in bridge.shared:
            yield (
                f"{project} is looked up on PyTorch's index alone ({url}), since that "
                f"has it; from your own index you get it with {project}==VERSION"
            )
        elif project in bridge.looked_up:
            yield f"{project} is looked up on PyTorch's index alone ({url})"
