"""Why builds are refused, and what is lost although nobody chose that, in words.

What costs a variant becomes a :class:`DroppedVariants`, for :meth:`.Reporter.report`: a
warning, or an error if the user is strict. What a manifest or a wheel says is no loss, nor
what the user chose: variants that the target cannot run, that the manifest does not
describe, that are disabled or turned off.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import parse_wheel_filename

from pip._internal.variants.errors import DroppedVariants, UnsupportedVariant
from pip._internal.variants.index.links import label_of
from pip._internal.variants.index.sources import (
    AGAIN,
    ManifestMissing,
    ManifestUnavailable,
)

if TYPE_CHECKING:
    from pip._vendor.wheel_variants.ordering import Mismatch

    from pip._internal.models.link import Link
    from pip._internal.variants.selection.neighbors import ComparedBuild, Neighbor
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release

__all__ = [
    "WITHOUT_MANIFEST",
    "any_build",
    "build_name",
    "dropped_for_problem",
    "dropped_for_wheel",
    "mixture",
    "needs",
    "problems_of",
    "rejection",
    "shortened",
    "unanswered",
    "unsupported",
    "unsupported_wheel",
]

#: What to do where a release's manifest is missing or broken.
WITHOUT_MANIFEST = (
    "An index with a manifest that can be used (--index-url URL), or the wheels in a "
    "folder (--find-links DIR), lets pip choose among them"
)
_BEST = "Without a label chosen by hand, pip takes the best variant that runs."
#: How many values of a feature are shown before the rest is counted.
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
    """Return which property keeps the target from running a variant that it refuses."""
    if label in selection.ranking.unknown:
        if selection.problem is not None:
            return f"{label}: {selection.problem}"
        return f"{label}: the variants manifest does not describe it"
    return f"{label} needs {needs(selection, selection.ranking.rejected[label])}"


def unsupported(
    what: str, label: str, selections: Sequence[Selection], instead: str = _BEST
) -> UnsupportedVariant:
    """Return the error for a label that the target can run from no source.

    :param what: the build, for people.
    :param selections: the decisions about what there is to choose from.
    :param instead: what to do otherwise.
    """
    why = [rejection(each, label) for each in selections if label in each.labels]
    return UnsupportedVariant(what, why, instead)


def unsupported_wheel(
    link: Link, label: str, selection: Selection
) -> UnsupportedVariant:
    """Return the error for one wheel that the target cannot run."""
    instead = (
        f"In place of this one file, {shlex.join(any_build(link))} takes the best "
        "build that runs."
    )
    return unsupported(link.filename, label, [selection], instead)


def needs(
    selection: Selection, mismatches: Iterable[Mismatch], *, machine: str = "the target"
) -> str:
    """Return what a variant needs and *machine* lacks."""
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


def mixture(builds: Iterable[ComparedBuild]) -> str:
    """Say which packages are for different CUDA major versions, or for CUDA and ROCm."""
    ordered = sorted(builds, key=lambda each: (-(each.runtime.major or 0), each.name))
    listed = ", ".join(
        f"{each.name} ({each.label}) is for {each.runtime}" for each in ordered
    )
    what = (
        "accelerators"
        if any(b.runtime.major is None for b in ordered)
        else "CUDA versions"
    )
    return f"Packages for different {what} come together: {listed}"


def contradiction(using: Neighbor, other: Neighbor) -> str:
    """Return which packages do not go together, as one is for the CPU alone."""
    first, second = (using, other) if other.project in using.needs else (other, using)
    return (
        f"{using.title} uses an accelerator, and {other.title} does not, but "
        f"{first.dist.raw_name} requires {second.dist.raw_name}. To choose another build "
        f"of {other.dist.raw_name}:"
    )


def sentences(*said: str) -> str:
    """Join sentences, which lack the final period and may be empty, to a line."""
    return ". ".join(filter(None, said))


def the_variants(labels: Sequence[str], of: object) -> str:
    """Name variants of something."""
    return f"the variant{'s' * (len(labels) > 1)} {shortened(labels)} of {of}"


def problems_of(release: Release) -> list[DroppedVariants | str]:
    """Return why variants of a release are dropped although nobody chose that.

    Warnings about answers that cost nothing are among them.
    """
    # What is ignored is known once the variants are judged.
    selections, follows = [*release.fetch_selections().values()], _what_follows(release)
    found: list[DroppedVariants | str] = [
        dropped_for_problem(
            f"the variant {label} of {release}"
            if label is not None
            else f"the variant wheels of {release}",
            *(problem, follows),
        )
        for label, problem in release.ignored
    ]
    for selection in selections:
        found += unanswered(release, selection)
    return found


def _what_follows(release: Release) -> str:
    """Return what pip does if variants of a release are dropped.

    Something else may come of it in the end, if dependencies conflict.
    """
    if any(each.ranking.compatible for each in release.fetch_selections().values()):
        return "chooses among the others"
    if release.chosen_label is not None:
        return ""
    left = next((link for link in release.links if label_of(link) is None), None)
    if left is None:
        return "goes on with another version, if there is one"
    if left.is_wheel:
        return "goes on with a plain build, maybe one without GPU support"
    return "goes on with the source distribution, which has to be built"


def dropped_for_problem(
    lost: str, problem: ManifestUnavailable | str, follows: str
) -> DroppedVariants:
    """Return the loss of variants that cannot be judged by what was read of them.

    :param lost: which they are.
    :param problem: of the manifest of all, or of the wheel that speaks for itself.
    :param follows: what pip does then; may be empty.
    """
    said = [f"Ignoring {lost}: {problem}", f"So pip {follows}" if follows else ""]
    if isinstance(problem, str):
        hints = [WITHOUT_MANIFEST]
        return DroppedVariants(lost, str(problem), sentences(*said), follows, hints)
    hints = [problem.hint] if problem.hint else []
    if problem.hint != AGAIN:
        hints.append(WITHOUT_MANIFEST)
    if isinstance(problem, ManifestMissing):
        follows = "reads the wheels instead"
    return DroppedVariants(lost, str(problem), sentences(*said, *hints), follows, hints)


def dropped_for_wheel(
    of: object, project: str, label: str, reason: str
) -> DroppedVariants:
    """Return the loss of a wheel that is not what it should be; upstream itself warns of it.

    :param of: the release that it is a variant of.
    """
    return DroppedVariants(
        lost=the_variants([label], of),
        reason=" ".join(reason.split()),
        follows="looks for another candidate",
        hints=[
            "Whoever publishes it has to mend it",
            (
                f"Until then, choose another build with --variant {project}=LABEL, "
                "or none with --no-variants"
            ),
        ],
    )


def dropped_for_result(
    namespace: str, selection: Selection, of: object
) -> DroppedVariants | None:
    """Return which variants cannot be judged since a namespace has no answer.

    :param namespace: one whose answer is lacking.
    :param of: what they are variants of.
    :return: None if that costs nothing.
    """
    labels = _unjudged(selection, namespace)
    if not labels:
        return None
    answer = selection.answers[namespace]
    lost = the_variants(labels, of)
    otherwise = f"To do without: --disable-variant-provider {namespace}"
    if answer.untrusted:
        known = "only code that pip may not run knows whether they are supported here"
        hints = [_to_trust(answer.untrusted)]
        said = f"Variants of {of} were left out ({shortened(labels)}), since"
        told = sentences(f"{said} {known}", *hints)
        about = f"trust {namespace}"
        return DroppedVariants(lost, known, told, "", hints, otherwise, about)
    reason = sentences(*answer.warnings)
    warning: str | None = None
    if answer.remedies:
        left_out = f"So {lost} {'are' if len(labels) > 1 else 'is'} left out"
        warning = sentences(reason, left_out, *answer.remedies, otherwise)
    return DroppedVariants(
        lost, reason, warning, "", answer.remedies, otherwise, reason
    )


def unanswered(of: object, selection: Selection) -> Iterator[DroppedVariants | str]:
    """Yield which variants a decision leaves out since nobody knows what is supported.

    Warnings about answers that cost nothing are among them.

    :param of: what it decides about the variants of.
    """
    for namespace, answer in selection.answers.items():
        if not answer.is_lacking:
            continue
        dropped = dropped_for_result(namespace, selection, of)
        if dropped is not None:
            yield dropped
        if dropped is None or dropped.warning is None:
            yield from answer.warnings


def _to_trust(untrusted: Sequence[str]) -> str:
    options = " ".join(f"--trust-variant-provider {name}" for name in untrusted)
    return f"If you trust it to run with your rights: {options}"


def _unjudged(selection: Selection, namespace: str) -> list[str]:
    """Return what is refused since a namespace has no answer, and for no other reason."""
    return [
        label
        for label, mismatches in selection.ranking.rejected.items()
        if any(each.feature.namespace == namespace for each in mismatches)
        and all(
            selection.answers[each.feature.namespace].is_lacking and not each.offered
            for each in mismatches
        )
    ]
