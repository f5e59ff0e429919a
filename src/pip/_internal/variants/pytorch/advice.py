"""Advice about selected builds."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pip._internal.console.texts import Hint
from pip._internal.variants.index.links import LocalVersionWheel, label_of, public
from pip._internal.variants.output.invocation import command
from pip._internal.variants.providers.tegra import cuda_of, problem, runs_sbsa
from pip._internal.variants.pytorch.backends import CPU, Backend, BackendKind
from pip._internal.variants.pytorch.options import OPTIONS
from pip._internal.variants.pytorch.release import LocalVersionRelease, releases

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.release import Release
    from pip._internal.variants.selection.run import Run

#: NVIDIA's index of builds for Tegra (as of November 2026).
_FOR_JETSONS = "https://pypi.jetson-ai-lab.io"


def _is_for_cuda(label: str | None) -> bool:
    backend = Backend.find(label)
    return backend is not None and backend.kind is BackendKind.CUDA


def for_tegra(run: Run, chosen: Release, link: Link) -> str | None:
    """Return a warning for a CUDA build on a Tegra, or None.

    :param link: the selected file of *chosen*.
    """
    tegra, label = run.target.detected.tegra(), label_of(link)
    if tegra is None or not isinstance(chosen, LocalVersionRelease):
        return None
    cuda = cuda_of(chosen.wanted.nvidia())
    if runs_sbsa(tegra, cuda):
        if _is_for_cuda(label):
            text = f"The variant '{label}' is built for ARM servers and also runs on {tegra}"
            run.reporter.log_once(logging.INFO, text)
        return None
    if _is_for_cuda(label):
        taken = f"the requested variant '{label}' of {chosen} does not run"
    elif chosen.chosen_by is None and any(map(_is_for_cuda, chosen.labels)):
        taken = f"pip chose the CPU wheel of {chosen}"
    else:
        return None
    text = (
        f"{problem(tegra, cuda)}. PyTorch publishes no other wheels for "
        f"{run.settings.machine}, so {taken}. "
    )
    # Jetson Linux 36 is part of JetPack 6, which has CUDA 12.
    jetpack_6 = tegra.release or ("36." if (cuda or "").startswith("12.") else "")
    if not jetpack_6.startswith("36."):
        return f"{text}NVIDIA's wheels: {_FOR_JETSONS}"
    places = ("--index-url", "--extra-index-url", "--find-links", "--no-index")
    without = {*places, *(row.name for row in OPTIONS)}
    words = ("install", chosen.project, "--index-url", f"{_FOR_JETSONS}/jp6/cu126")
    typed = command(run.settings.options, *words, without=without)
    return Hint(f"{text}To install NVIDIA's wheels:", typed)


def newest_with_gpu_build(run: Run, chosen: Release, link: Link) -> str | None:
    """Return a hint about an older version with a build for the target's GPU, or None.

    :param link: the selected file of *chosen*.
    """
    if not isinstance(chosen, LocalVersionRelease) or label_of(link) != CPU.label:
        return None
    if chosen.is_explicit or chosen.wanted.choice.kinds == {CPU.kind}:
        return None
    newest = public(chosen.version)
    # Skip variants with manifests: advice must not fetch anything.
    builds = [
        each
        for each in run.finder._all_candidates.get(chosen.project, ())
        if isinstance(each.link, LocalVersionWheel)
        and public(each.version) < newest
        and (newest.is_prerelease or not public(each.version).is_prerelease)
    ]
    for older, _ in releases(run, chosen.project, builds):
        label = label_of(older.fetch_ranked()[0]) if older.fetch_ranked() else None
        if label not in (None, CPU.label):
            pin = f"{older.project}=={older.version}"
            return Hint(
                f"pip chose the CPU wheel of {chosen}, because no GPU wheel of this "
                "version is supported. The newest version with a supported GPU wheel is "
                f"{older.version} ({label}). To install that version:",
                command(run.settings.options, "install", pin),
            )
    return None
