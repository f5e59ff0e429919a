"""Judge what an upgrade has left of an environment."""

from __future__ import annotations

import enum
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tools.kills.trees import Packages, Tree

__all__ = ["Outcome", "Verdict", "judge"]

#: So many paths are told of what is wrong with a package.
_SHOWN = 3


class Outcome(enum.Enum):
    """What an environment is, or a package in it; a package is never mixed.

    Mixed is an environment of whole packages of which some are old and some new.
    """

    OLD = "old"
    NEW = "new"
    MIXED = "mixed"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found.

    :ivar packages: those whose releases differ, and what else is broken.
    :ivar faults: by broken package, what is wrong beside the release that it is nearest.
    :ivar litter: files and folders that no release has; of a folder, not what is in it.
    """

    outcome: Outcome
    packages: Mapping[str, Outcome]
    faults: Mapping[str, str]
    litter: tuple[str, ...]

    @property
    def is_damaged(self) -> bool:
        """Tell whether it is neither what was before nor what was to come."""
        return self.outcome in (Outcome.MIXED, Outcome.BROKEN)


def judge(
    found: Tree,
    old: Packages,
    new: Packages,
    standing: frozenset[str] = frozenset(),
) -> Verdict:
    """Judge an environment by what it was before an upgrade and what it was to become.

    A package is old or new if it has all files of that release, unchanged, no file that
    only the other one has, and no bytecode that says something else.

    :param old: the packages before; those that stay as they are belong to both
    :param standing: folders that are there whatever is installed
    """
    ends = {Outcome.OLD: old, Outcome.NEW: new}
    fitting: dict[str, set[Outcome]] = {}
    faults: dict[str, str] = {}
    for name in sorted({*old, *new}):
        wrong = {
            end: list(_faults(found, packages.get(name, {}), _files(name, old, new)))
            for end, packages in ends.items()
        }
        fitting[name] = {end for end, each in wrong.items() if not each}
        if not fitting[name]:
            nearest = min(wrong, key=lambda end: len(wrong[end]))
            faults[name] = _told(nearest, wrong[nearest])
    allowed = standing.union(_allowed_folders(fitting, ends))
    return Verdict(
        _together(fitting),
        {name: _one(each) for name, each in fitting.items() if len(each) < len(ends)},
        faults,
        tuple(_litter(found, {*_all_files(old), *_all_files(new)}, allowed)),
    )


def _files(name: str, *ends: Packages) -> set[str]:
    return {path for packages in ends for path in packages.get(name, {})}


def _all_files(packages: Packages) -> Iterator[str]:
    for files in packages.values():
        yield from files


def _faults(found: Tree, wanted: Mapping[str, str], known: set[str]) -> Iterator[str]:
    """Yield how a broken package differs from a release.

    :param known: all that either release has
    """
    for path, digest in wanted.items():
        if path not in found.files:
            yield f"lacks {path}"
        elif found.files[path] != digest:
            yield f"changed {path}"
        elif path in found.lying:
            yield f"wrong bytecode of {path}"
    for path in sorted(known.difference(wanted)):
        if path in found.files:
            yield f"has {path}"


def _told(end: Outcome, faults: list[str]) -> str:
    rest = f" and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return f"as {end.value}: {', '.join(faults[:_SHOWN])}{rest}"


def _one(fitting: set[Outcome]) -> Outcome:
    return next(iter(fitting), Outcome.BROKEN)


def _together(fitting: Mapping[str, set[Outcome]]) -> Outcome:
    if not all(fitting.values()):
        return Outcome.BROKEN
    for end in (Outcome.OLD, Outcome.NEW):
        if all(end in each for each in fitting.values()):
            return end
    return Outcome.MIXED


def _allowed_folders(
    fitting: Mapping[str, set[Outcome]], ends: Mapping[Outcome, Packages]
) -> Iterator[str]:
    """Yield the folders of what is there; of a broken package, those of both releases."""
    for name, chosen in fitting.items():
        for end in chosen or ends:
            for path in ends[end].get(name, {}):
                while path := posixpath.dirname(path):
                    yield path


def _litter(found: Tree, known: set[str], allowed: frozenset[str]) -> Iterator[str]:
    foreign = found.folders - allowed
    strange = sorted({*found.files} - known)
    for path in sorted(foreign):
        if posixpath.dirname(path) not in foreign:
            yield path
    for path in strange:
        if posixpath.dirname(path) not in foreign:
            yield path
