"""Why builds are refused, in words; nothing is printed here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import parse_wheel_filename

from pip._internal.variants.errors import UnsupportedVariant

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.variants.choice.selection import Selection
    from pip._internal.variants.core.ordering import Mismatch

__all__ = [
    "WITHOUT_MANIFEST",
    "any_build",
    "build_name",
    "needs",
    "refuse_unsupported",
    "rejection",
    "shortened",
]

#: What to do where a release's manifest is missing or broken.
WITHOUT_MANIFEST = (
    "An index with a manifest that can be used (--index-url URL), or the wheels in a "
    "folder (--find-links DIR), lets pip choose among them"
)
_BEST = "Without a label chosen by hand, pip takes the best variant that runs."
#: So many values of a feature are shown before the rest is counted.
_SHOWN_VALUES = 8


def build_name(release: object, label: str | None) -> str:
    """Name a build of a release, a plain one if there is no label."""
    what = "the plain build" if label is None else f"the variant {label}"
    return f"{what} of {release}"


def any_build(link: Link) -> list[str]:
    """Say what to type in place of the wheel at *link* for the best build there is."""
    project, version, *_ = parse_wheel_filename(link.filename)
    words = [f"{project}=={version}"]
    if link.is_file:
        words += ("--find-links", os.path.dirname(link.file_path))
    return words


def rejection(selection: Selection, label: str) -> str:
    """Say which property keeps the target from running a variant that it refuses."""
    if label in selection.ranking.unknown:
        if selection.problem is not None:
            return f"{label}: {selection.problem}"
        return f"{label}: the variants manifest does not describe it"
    return f"{label} needs {needs(selection, selection.ranking.rejected[label])}"


def refuse_unsupported(
    what: str, label: str, selections: Sequence[Selection], instead: str = _BEST
) -> None:
    """Refuse a label that the target cannot run, whichever source it is of.

    :param what: the build, for people.
    :param selections: the decisions about what there is to choose from.
    :param instead: what to do otherwise.
    :raises UnsupportedVariant: then.
    """
    if any(label in each.ranking.compatible for each in selections):
        return
    why = [rejection(each, label) for each in selections if label in each.labels]
    raise UnsupportedVariant(what, why, instead)


def needs(
    selection: Selection, mismatches: Iterable[Mismatch], *, machine: str = "the target"
) -> str:
    """Say what a variant needs and *machine* lacks."""
    return "; ".join(_mismatch(each, selection, machine) for each in mismatches)


def _mismatch(mismatch: Mismatch, selection: Selection, machine: str) -> str:
    wanted = shortened(mismatch.wanted, " or ")
    if mismatch.offered:
        # The best value says it all where the rest are what it includes.
        offered = f"{machine} has {shortened(mismatch.offered[:3])}"
        if len(mismatch.offered) > 3:
            offered += " …"
    else:
        offered = f"{machine} has none"
        answer = selection.answers.get(mismatch.feature.namespace)
        if answer is not None and answer.reason is not None:
            offered += f": {answer.reason}"
    return f"{mismatch.feature} :: {wanted} ({offered})"


def shortened(values: Sequence[str], separator: str = ", ") -> str:
    """Join *values*, and count those that are too many to read."""
    if len(values) <= _SHOWN_VALUES:
        return separator.join(values)
    shown = separator.join(values[: _SHOWN_VALUES - 1])
    return f"{shown}{separator}{len(values) - _SHOWN_VALUES + 1} more"
