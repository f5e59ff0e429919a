"""Compare another release of pip with the one that the seams were made for."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fork.assembler import overlay_clashes
from fork.census import differences, take_census
from fork.distributions import Release
from fork.errors import AnchorError
from fork.kinds import Seam
from fork.module import Module

__all__ = ["Drift", "SeamDrift", "compare"]


@dataclass(frozen=True, slots=True)
class SeamDrift:
    """Say what became of one seam.

    :param state: ``unchanged``, ``changed`` or ``missing``.
    :param detail: a unified diff of both bodies, or why the anchor is missing.
    """

    seam: Seam
    state: str
    detail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """Hold the differences that matter to the fork.

    :param old: the release that the seams were made for.
    :param new: the other release.
    :param census: call sites added or removed, one line each.
    :param clashes: overlay files that the other release has too.
    """

    old: Release
    new: Release
    seams: tuple[SeamDrift, ...]
    census: tuple[str, ...]
    clashes: tuple[str, ...]

    @property
    def drifted(self) -> bool:
        """Whether anything must be reviewed."""
        changed = any(seam.state != "unchanged" for seam in self.seams)
        return changed or bool(self.census) or bool(self.clashes)

    def lines(self) -> list[str]:
        """Return the report."""
        states = Counter(seam.state for seam in self.seams)
        counts = ", ".join(f"{n} {state}" for state, n in sorted(states.items()))
        lines = [f"pip {self.old.version} -> {self.new.version}: seams: {counts}", ""]
        for each in self.seams:
            lines.append(f"{each.state:<10}{each.seam.name}")
            lines += [f"    {line}".rstrip() for line in each.detail]
        lines += ["", f"census: {len(self.census) or 'no'} differences"]
        lines += [f"    {line}" for line in self.census]
        lines += [f"overlay: {len(self.clashes) or 'no'} clashes"]
        lines += [f"    {line}" for line in self.clashes]
        return lines


def compare(
    old: Release, new: Release, seams: Iterable[Seam], overlay: Iterable[str]
) -> Drift:
    """Compare two releases of pip, seam by seam.

    Seams of vendored libraries are left out: those are pinned by themselves.
    """
    return Drift(
        old,
        new,
        tuple(_compare(old, new, seam) for seam in seams if seam.file in old.files),
        tuple(differences(take_census(old.files), take_census(new.files))),
        tuple(overlay_clashes(overlay, new.files)),
    )


def _compare(old: Release, new: Release, seam: Seam) -> SeamDrift:
    before = Module(seam.file, old.files[seam.file])
    if seam.file not in new.files:
        return SeamDrift(seam, "missing", ("no such file", *_elsewhere(seam, new)))
    after = Module(seam.file, new.files[seam.file])
    try:
        node = seam.anchor(after)
    except AnchorError as error:
        return SeamDrift(seam, "missing", (error.problem, *_elsewhere(seam, new)))
    diff = difflib.unified_diff(
        before.text(seam.anchor(before)).splitlines(),
        after.text(node).splitlines(),
        old.version,
        new.version,
        lineterm="",
    )
    try:
        seam.edits(after)
        same = seam.fingerprint(before) == seam.fingerprint(after)
    except AnchorError as error:
        return SeamDrift(seam, "missing", (error.problem, *diff))
    if same:
        return SeamDrift(seam, "unchanged")
    return SeamDrift(seam, "changed", tuple(diff))


def _elsewhere(seam: Seam, new: Release) -> list[str]:
    name = seam.target.rpartition(".")[2].encode()
    return [
        f"{seam.target} is in {path}"
        for path, data in sorted(new.files.items())
        if path.endswith(".py") and path != seam.file and name in data
        if Module(path, data).find(seam.target)
    ]
