"""Compare another release of upstream with the one that the seams were made for."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from fork.engine.assembler import Project, overlay_clashes, overlay_files
from fork.engine.census import differences, take_census
from fork.engine.errors import AnchorError
from fork.engine.kinds import Constant, Seam
from fork.engine.module import Module
from fork.engine.releases import Release
from fork.engine.uses import Use, lines_of, uses, what_became_of

__all__ = ["Drift", "SeamDrift", "UseDrift", "compare"]


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
class UseDrift:
    """Say what became of a name that the overlay imports.

    :param state: ``changed`` or ``missing``.
    :param users: the overlay's files that import it.
    :param detail: a unified diff of both definitions.
    """

    use: Use
    state: str
    users: tuple[str, ...]
    detail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """Hold the differences that matter to the fork.

    :param old: the release that the seams were made for.
    :param new: the other release.
    :param uses: of what the overlay imports, what is not the same.
    :param census: call sites added or removed, one line each.
    :param clashes: overlay files that the other release has too.
    """

    old: Release
    new: Release
    seams: tuple[SeamDrift, ...]
    uses: tuple[UseDrift, ...]
    census: tuple[str, ...]
    clashes: tuple[str, ...]

    @property
    def drifted(self) -> bool:
        """Whether anything must be reviewed."""
        changed = any(seam.state != "unchanged" for seam in self.seams)
        return changed or bool(self.uses or self.census or self.clashes)

    @property
    def files(self) -> list[tuple[str, str]]:
        """Return the files that are not the same, each after what became of it."""
        before = {**self.old.licenses, **self.old.files}
        after = {**self.new.licenses, **self.new.files}
        return [
            (_state(path in before, path in after), path)
            for path in sorted(before.keys() | after.keys())
            if before.get(path) != after.get(path)
        ]

    def lines(self) -> list[str]:
        """Return the report."""
        states = Counter(seam.state for seam in self.seams)
        counts = ", ".join(f"{n} {state}" for state, n in sorted(states.items()))
        name, old, new = self.old.pin.name, self.old.version, self.new.version
        lines = [f"{name} {old} -> {new}: seams: {counts}", ""]
        for each in self.seams:
            lines.append(f"{each.state:<10}{each.seam.name}")
            lines += [f"    {line}".rstrip() for line in each.detail]
        lines += ["", f"imports: {len(self.uses) or 'no'} differences"]
        for used in self.uses:
            lines.append(f"    {used.state:<10}{used.use}")
            lines += [f"        in {user}" for user in used.users]
            lines += [f"        {line}".rstrip() for line in used.detail]
        lines += [f"census: {len(self.census) or 'no'} differences"]
        lines += [f"    {line}" for line in self.census]
        lines += [f"overlay: {len(self.clashes) or 'no'} clashes"]
        lines += [f"    {line}" for line in self.clashes]
        lines += self._lines_of_files()
        return lines

    def _lines_of_files(self) -> list[str]:
        """List the files that differ; a mark shows those that the fork depends on."""
        touched = {each.seam.file for each in self.seams}
        used = {each.use.file(self.old.files) for each in self.uses}
        lines = [f"files: {len(self.files) or 'no'} differences"]
        for state, path in self.files:
            marks = [
                mark
                for mark, marked in (("seams", touched), ("imported", used))
                if path in marked
            ]
            suffix = f" ({', '.join(marks)})" if marks else ""
            lines.append(f"    {state:<10}{path}{suffix}")
        return lines


def compare(project: Project, old: Release, new: Release) -> Drift:
    """Compare two releases of upstream, seam by seam.

    Seams of vendored libraries are left out: those are pinned by themselves.
    """
    seams = [seam for seam in project.seams if seam.file in old.files]
    before, after = (take_census(each.files, project.sensitive) for each in (old, new))
    overlay = {
        path: file.read_bytes() for path, file in overlay_files(project.overlay).items()
    } | project.core_files()
    return Drift(
        old,
        new,
        seams=tuple(_compare(old, new, seam) for seam in seams),
        uses=tuple(_changed_uses(overlay, old, new, seams)),
        census=tuple(differences(before, after)),
        clashes=tuple(overlay_clashes(overlay, new.files)),
    )


def _changed_uses(
    overlay: dict[str, bytes], old: Release, new: Release, seams: list[Seam]
) -> Iterator[UseDrift]:
    # Their value is the fork's, whatever upstream's is.
    own = {(each.file, each.target) for each in seams if isinstance(each, Constant)}
    for use, users in uses(overlay, old.files).items():
        state = what_became_of(use, old.files, new.files)
        if state is not None and (use.file(old.files), use.name) not in own:
            diff = _diff(lines_of(use, old.files), lines_of(use, new.files), old, new)
            yield UseDrift(use, state, tuple(users), tuple(diff))


def _state(was: bool, is_there: bool) -> str:
    if not was:
        return "added"
    return "changed" if is_there else "removed"


def _compare(old: Release, new: Release, seam: Seam) -> SeamDrift:
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
    diff = _diff(was, is_now, old, new)
    try:
        seam.edits(after)
        same = seam.fingerprint(before) == seam.fingerprint(after)
    except AnchorError as error:
        return SeamDrift(seam, "missing", (error.problem, *diff))
    if same:
        return SeamDrift(seam, "unchanged")
    return SeamDrift(seam, "changed", tuple(diff))


def _diff(
    before: list[str], after: list[str], old: Release, new: Release
) -> Iterator[str]:
    return difflib.unified_diff(before, after, old.version, new.version, lineterm="")


def _elsewhere(seam: Seam, new: Release) -> list[str]:
    name = seam.target.rpartition(".")[2].encode()
    return [
        f"{seam.target} is in {path}"
        for path, data in sorted(new.files.items())
        if path.endswith(".py") and path != seam.file and name in data
        if Module(path, data).find(seam.target)
    ]
