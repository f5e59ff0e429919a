"""Describe builds and properties, and the reasons for decisions.

A reason to drop variants is a :class:`DroppedVariants`, for :meth:`.Reporter.report`: a
warning, or an error in strict mode. Variants that the target cannot run, that the manifest
does not describe, or that the user disabled are not dropped in this sense.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import parse_wheel_filename
from pip._vendor.wheel_variants.comparison import Comparison, compare

from pip._internal.console.texts import Hint, shortened
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.errors import DroppedVariants, UnsupportedVariant
from pip._internal.variants.index import sources
from pip._internal.variants.output.invocation import command, for_another_build, place
from pip._internal.variants.providers.result import Source
from pip._internal.variants.selection import accelerators

if TYPE_CHECKING:
    from optparse import Values

    from pip._vendor.wheel_variants.ordering import Mismatch
    from pip._vendor.wheel_variants.properties import Property

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.selection import agreement
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release

#: The hint for a release with a missing or broken manifest.
WITHOUT_MANIFEST = (
    "To let pip choose, use an index with a valid manifest (--index-url URL), or a "
    "folder of wheels (--find-links DIR)"
)
#: How to choose for a machine that is not the target.
FOR_ANOTHER_MACHINE = "To install for another machine, add --variant-host FILE."
_BEST = "Without --variant or PIP_VARIANT, pip installs the best variant that runs."

_CUDA, _LEVEL = "nvidia :: cuda_version_lower_bound", "x86_64 :: level"
#: The format of values for users, by feature.
_WORDS = {
    _CUDA: "CUDA {}",
    "nvidia :: cuda_version_upper_bound": "CUDA before {}",
    "amd :: rocm_version": "ROCm {}",
    "amd :: gfx_arch": "{}",
    _LEVEL: "x86-64-{}",
    "priority :: order": "publisher's order {}",
}


def describe_values(feature: str, values: Sequence[str], separator: str = ", ") -> str:
    """Describe the values of a feature for users."""
    if feature == "nvidia :: sm_arch":
        words = [
            f"compute_{value.removesuffix('_virtual')}"
            if value.endswith("_virtual")
            else f"sm_{value.removesuffix('_real')}"
            for value in values
        ]
    elif feature in _WORDS:
        words = [_WORDS[feature].format(value) for value in values]
    else:
        return f"{feature} :: {shortened(values, separator)}"
    return shortened(words, separator)


def describe_properties(properties: Iterable[Property]) -> str:
    """Describe properties for users."""
    return shortened(
        [
            describe_values(f"{each.namespace} :: {each.feature}", [each.value])
            for each in properties
        ]
    )


def why_chosen(selection: Selection, label: str) -> str:
    """Return why a variant was selected, for the announcement."""
    properties = describe_properties(selection.properties(label))
    if not any(
        accelerators.uses_accelerator(selection.manifest, each)
        for each in (label, *selection.ranking.compatible)
    ):
        reasons = dict.fromkeys(
            (selection.answers[each.feature.namespace].reason or "").partition(";")[0]
            for mismatches in selection.ranking.rejected.values()
            for each in mismatches
            if each.feature.namespace in accelerators.NAMESPACES and not each.offered
        )
        named = ", ".join(filter(None, reasons))
        if named:
            return "; ".join(filter(None, [properties, f"CPU build: {named}"]))
    return properties or "no properties"


def needs(selection: Selection, mismatches: Sequence[Mismatch]) -> str:
    """Describe the properties that a variant needs and the target lacks."""
    parts = []
    missing: dict[str, list[str]] = {}
    for each in mismatches:
        feature = str(each.feature)
        wanted = describe_values(feature, each.wanted, " or ")
        if each.offered:
            # The best value of these features includes all other values.
            most = 1 if feature in (_CUDA, _LEVEL) else 3
            offered = describe_values(feature, each.offered[:most])
            offered = offered.removeprefix(f"{feature} :: ")
            more = " ..." if len(each.offered) > most > 1 else ""
            parts.append(f"{wanted} (available: {offered}{more})")
        else:
            missing.setdefault(each.feature.namespace, []).append(wanted)
    for namespace, wanted_there in missing.items():
        answer = selection.answers.get(namespace)
        reason = None if answer is None else answer.reason
        parts.append(f"{' and '.join(wanted_there)} ({reason or 'not available'})")
    return "; ".join(parts)


def build_name(release: object, label: str | None) -> str:
    """Return the name of a build for messages; a build without a label is a plain wheel."""
    what = "the plain wheel" if label is None else f"the variant '{label}'"
    return f"{what} of {release}"


def rejection(selection: Selection, label: str) -> str:
    """Return a label with the reason why the variant is rejected."""
    if label in selection.ranking.unknown:
        if selection.problem is not None:
            return f"{label}: {selection.problem}"
        return f"{label}: the variants manifest does not describe this variant"
    return f"{label} needs {needs(selection, selection.ranking.rejected[label])}"


def unsupported(
    what: str, label: str, selections: Sequence[Selection], instead: str = _BEST
) -> UnsupportedVariant:
    """Create the error for a label that the target cannot run.

    :param what: the build, for messages.
    :param selections: the decisions about the available variants.
    :param instead: a sentence about an alternative.
    """
    why = [rejection(each, label) for each in selections if label in each.labels]
    return UnsupportedVariant(what, why, hint=f"{FOR_ANOTHER_MACHINE} {instead}")


def unsupported_wheel(
    link: Link, label: str, selection: Selection, *, is_built: bool
) -> UnsupportedVariant:
    """Create the error for a wheel that the target cannot run.

    :param is_built: whether pip has built the wheel from source.
    """
    project, version, *_ = parse_wheel_filename(link.filename)
    words = [f"{project}=={version}"]
    if is_built:
        instead = f"To build another variant, see the build options of {project}."
        return unsupported(link.filename, label, [selection], instead)
    if link.is_file:
        words += ("--find-links", os.path.dirname(link.file_path))
    instead = f"To install the best variant that runs, use {shlex.join(words)}."
    return unsupported(link.filename, label, [selection], instead)


def mixture(
    options: Values,
    builds: Iterable[agreement.ComparedBuild],
    matching: Sequence[tuple[BaseDistribution, str]] = (),
) -> Hint:
    """Describe packages for different CUDA major versions, or for CUDA and for ROCm.

    :param matching: the packages to replace, so that all match, each with the label.
    """
    ordered = sorted(builds, key=lambda each: (-(each.runtime.major or 0), each.name))
    listed = ", ".join(
        f"{each.name} ({each.label}) needs {each.runtime}" for each in ordered
    )
    package = ordered[-1].name.partition(" ")[0]
    then, words = f"list the wheels of '{package}'", ["variants", "list", package]
    if matching:
        then, words = "install matching variants", ["install"]
        words += place(options, matching[0][0])
    for dist, label in matching:
        words += ["--variant", f"{dist.raw_name}={label}"]
    words += [f"{dist.raw_name}=={dist.raw_version}" for dist, _ in matching]
    text = f"These packages need different CUDA or ROCm versions: {listed}. To {then}:"
    return Hint(text, command(options, *words))


def contradiction(
    options: Values, using: agreement.ComparedPackage, other: agreement.ComparedPackage
) -> Hint:
    """Describe the conflict of a package that uses an accelerator with a CPU-only package."""
    first, second = (
        (using, other) if other.dist.canonical_name in using.needs else (other, using)
    )
    then, name = "choose another wheel", other.dist.raw_name
    typed = for_another_build(options, other.dist)
    if other.build is None:
        # The package has no variants, so pip knows no other wheel.
        then, typed = "list the wheels", command(options, "variants", "list", name)
    text = (
        f"'{first.dist.raw_name}' requires '{second.dist.raw_name}', but {using.title} "
        f"uses an accelerator and {other.title} does not. To {then} of '{name}':"
    )
    return Hint(text, typed)


def _joined(*sentences: str) -> str:
    """Join nonempty sentences into one line, with periods."""
    return ". ".join(filter(None, sentences))


def the_variants(labels: Sequence[str]) -> str:
    """Name variants in a sentence."""
    quoted = [f"'{label}'" for label in labels]
    return f"the variant{'s' * (len(labels) > 1)} {shortened(quoted)}"


def problems_of(release: Release) -> list[DroppedVariants | str]:
    """Return the problems that make pip drop variants of a release.

    Includes warnings about results that drop no variant.
    """
    # fetch_selections() must run first: it sets release.ignored.
    selections = [*release.fetch_selections().values()]
    found: list[DroppedVariants | str] = [
        _dropped_for_problem(
            f"the variant '{label}' of {release}"
            if label is not None
            else f"the variant wheels of {release}",
            problem,
        )
        for label, problem in release.ignored
    ]
    for selection in selections:
        found += unanswered(release, selection)
    return found


def _dropped_for_problem(
    lost: str, problem: sources.ManifestUnavailable | str
) -> DroppedVariants:
    """Describe variants that are dropped because of a problem.

    :param lost: the dropped variants.
    :param problem: the problem of the manifest, or of a wheel.
    """
    hint = None if isinstance(problem, str) else problem.hint
    hints = [hint] if hint else []
    if hint not in (sources.AGAIN, sources.LOCK_AGAIN):
        hints.append(WITHOUT_MANIFEST)
    is_missing = isinstance(problem, sources.ManifestMissing)
    follows = "reads the wheels instead" if is_missing else "chooses among other wheels"
    warning = _joined(f"Ignoring {lost}: {problem}", *hints)
    return DroppedVariants(lost, str(problem), warning, follows, hints)


def dropped_for_wheel(release: Release, label: str, reason: str) -> DroppedVariants:
    """Describe a dropped wheel; stock pip prints the warning."""
    hint = (
        f"Choose another wheel with --variant {release.project}=LABEL or --no-variants"
    )
    lost, why = build_name(release, label), " ".join(reason.split())
    return DroppedVariants(lost, why, None, "looks for another candidate", [hint])


def unanswered(of: object, selection: Selection) -> Iterator[DroppedVariants | str]:
    """Yield variants that are dropped because a provider did not answer.

    Includes warnings about results that drop no variant.

    :param of: the release or manifest with the variants.
    """
    for namespace, answer in selection.answers.items():
        if not answer.is_lacking:
            continue
        labels = _unjudged(selection, namespace)
        if not labels:
            yield from answer.warnings
            continue
        lost = f"{the_variants(labels)} of {of}"
        reason, hints = _joined(*answer.warnings), []
        if answer.untrusted:
            names = " and ".join(answer.untrusted)
            reason = f"the check requires {names}, which you have not trusted"
            options = (f"--trust-variant-provider {each}" for each in answer.untrusted)
            hints = [f"To run {names} with your permissions: {' '.join(options)}"]
        otherwise = f"To ignore '{namespace}': --disable-variant-provider {namespace}"
        warning = None
        if hints or answer.source is Source.PLUGIN:
            warning = _joined(f"Ignoring {lost}: {reason}", *hints, otherwise)
        about = f"trust {namespace}" if answer.untrusted else reason
        yield DroppedVariants(lost, reason, warning, "", hints, otherwise, about)
        if warning is None:
            yield from answer.warnings


def _unjudged(selection: Selection, namespace: str) -> list[str]:
    """Return labels rejected only because a namespace has no answer."""
    return [
        label
        for label, mismatches in selection.ranking.rejected.items()
        if any(each.feature.namespace == namespace for each in mismatches)
        and all(
            selection.answers[each.feature.namespace].is_lacking and not each.offered
            for each in mismatches
        )
    ]


def first_two(selection: Selection) -> tuple[str, str, Comparison] | None:
    """Return the two best variants and their comparison, or None."""
    if len(selection.ranking.compatible) < 2:
        return None
    first, second, *_ = selection.ranking.compatible
    order = selection.manifest, selection.supported
    return first, second, compare(*order, first, second, selection.preferences)


def devices_left_out(release: Release, selection: Selection, label: str) -> str | None:
    """Describe the target's GPUs that a variant does not support."""
    missed = selection.devices_left_out(label)
    if not missed:
        return None
    names = ", ".join(each.name for each in missed)
    text = (
        f"The variant '{label}' of {release} has no code for some visible GPUs: {names}"
    )
    if selection.for_all_devices:
        best = selection.for_all_devices[0]
        return f"{text}. To use all GPUs: --variant {release.project}={best}"
    is_amd = "amd" in {each.namespace for each in selection.properties(label)}
    variable = "ROCR_VISIBLE_DEVICES" if is_amd else "CUDA_VISIBLE_DEVICES"
    return (
        f"{text}. No variant has code for all GPUs. To choose a variant for some of the "
        f"GPUs, list those GPUs in {variable}"
    )


def rejections(release: Release) -> list[str]:
    """Return why each variant of a release was rejected."""
    lacking = lacks_label(release)
    if lacking is not None:
        return [lacking]
    if release.refusal is not None:
        return [release.refusal]
    several = len(release.fetch_selections()) > 1
    lines = []
    for selection in release.fetch_selections().values():
        if selection.problem is not None:
            lines.append(f"{shortened(selection.labels)}: {selection.problem}")
            continue
        where = f" (on {redact_auth_from_url(selection.source)})" if several else ""
        lines.extend(
            rejection(selection, label) + where
            for label in (*selection.ranking.rejected, *selection.ranking.unknown)
        )
    return lines


def lacks_label(release: Release) -> str | None:
    """Return a phrase for a release that lacks the user's label, or None."""
    if not release.lacks_label:
        return None
    label = release.chosen_label
    if not release.labels:
        return f"no variants, but you requested '{label}'"
    return (
        f"no installable variant '{label}', which you requested; available: "
        f"{shortened(release.labels)}"
    )


def marker_elsewhere(requirement: str, where: str = "") -> str:
    """Return a warning about a variant marker where it has no effect.

    :param where: the place of the requirement, if known.
    """
    place = f" in {where}" if where else ""
    return (
        f"'{requirement}'{place} has a variant marker. Variant markers work only in the "
        "metadata of a variant wheel. Here, pip evaluates the marker as if there were no "
        "variant. To choose a variant: --variant PACKAGE=LABEL"
    )
