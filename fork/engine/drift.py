"""Compare another release of upstream with the fork's base."""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass

from fork.engine.assembler import ForkProject, overlay_clashes, overlay_files
from fork.engine.census import differences, take_census
from fork.engine.errors import AnchorError
from fork.engine.kinds import Constant, Seam
from fork.engine.module import Module
from fork.engine.releases import Sources

__all__ = ["Drift", "SeamDrift", "compare"]


@dataclass(frozen=True, slots=True)
class SeamDrift:
    """The drift of one seam.

    :ivar state: ``unchanged``, ``changed`` or ``missing``.
    :ivar detail: a unified diff of both bodies, or the reason why the anchor is missing.
    """

    seam: Seam
    state: str
    detail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """The differences that matter to the fork.

    :ivar old: the release that the seams were made for.
    :ivar new: the other release.
    :ivar census: the added and removed call sites, one line each.
    :ivar clashes: the overlay files that the other release also contains.
    """

    old: Sources
    new: Sources
    seams: tuple[SeamDrift, ...]
    census: tuple[str, ...]
    clashes: tuple[str, ...]

    @property
    def drifted(self) -> bool:
        """Whether a review is necessary."""
        changed = any(seam.state != "unchanged" for seam in self.seams)
        return changed or bool(self.census or self.clashes)

    @property
    def files(self) -> list[tuple[str, str]]:
        """The files that differ, with the kind of difference."""
        before = {**self.old.licenses, **self.old.files}
        after = {**self.new.licenses, **self.new.files}
        states = dict.fromkeys(before, "removed") | dict.fromkeys(after, "added")
        states |= dict.fromkeys(before.keys() & after.keys(), "changed")
        return [
            (states[path], path)
            for path in sorted(states)
            if before.get(path) != after.get(path)
        ]

    def lines(self) -> list[str]:
        """Return the lines of the report."""
        states = Counter(seam.state for seam in self.seams)
        counts = ", ".join(f"{n} {state}" for state, n in sorted(states.items()))
        name, old, new = self.old.pin.name, self.old.version, self.new.version
        lines = [f"{name} {old} -> {new}: seams: {counts}", ""]
        for each in self.seams:
            lines.append(f"{each.state:<10}{each.seam.name}")
            lines += [f"    {line}".rstrip() for line in each.detail]
        lines += ["", f"census: {len(self.census) or 'no'} differences"]
        lines += [f"    {line}" for line in self.census]
        lines += [f"overlay: {len(self.clashes) or 'no'} clashes"]
        lines += [f"    {line}" for line in self.clashes]
        touched = {each.seam.file for each in self.seams}
        lines.append(f"files: {len(self.files) or 'no'} differences")
        for state, path in self.files:
            mark = " (seams)" if path in touched else ""
            lines.append(f"    {state:<10}{path}{mark}")
        return lines


def compare(project: ForkProject, old: Sources, new: Sources) -> Drift:
    """Compare two releases of upstream, seam by seam.

    Seams of vendored libraries are left out: those libraries have their own pins.
    """
    seams = [seam for seam in project.seams if seam.file in old.files]
    before, after = (take_census(each.files, project.sensitive) for each in (old, new))
    overlay = [*overlay_files(project.overlay), *project.core_files()]
    return Drift(
        old,
        new,
        seams=tuple(_compare(old, new, seam) for seam in seams),
        census=tuple(differences(before, after)),
        clashes=tuple(overlay_clashes(overlay, new.files)),
    )


def _compare(old: Sources, new: Sources, seam: Seam) -> SeamDrift:
    before = Module(seam.file, old.files[seam.file])
    if seam.file not in new.files:
        return SeamDrift(seam, "missing", ("no such file", *_elsewhere(seam, new)))
    after = Module(seam.file, new.files[seam.file])
    try:
        node = seam.anchor(after)
    except AnchorError as error:
        return SeamDrift(seam, "missing", (error.problem, *_elsewhere(seam, new)))
    was, is_now = (
        module.text(found).splitlines()
        for module, found in ((before, seam.anchor(before)), (after, node))
    )
    versions = old.version, new.version
    diff = tuple(difflib.unified_diff(was, is_now, *versions, lineterm=""))
    try:
        seam.edits(after)
    except AnchorError as error:
        return SeamDrift(seam, "missing", (error.problem, *diff))
    # The fork replaces the value of a constant, so upstream's value does not matter.
    if was == is_now or isinstance(seam, Constant):
        return SeamDrift(seam, "unchanged")
    return SeamDrift(seam, "changed", diff)


def _elsewhere(seam: Seam, new: Sources) -> list[str]:
    name = seam.target.rpartition(".")[2].encode()
    return [
        f"{seam.target} is in {path}"
        for path, data in sorted(new.files.items())
        if path.endswith(".py") and path != seam.file and name in data
        if Module(path, data).find(seam.target)
    ]
