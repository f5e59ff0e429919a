"""Releases, their builds and the answers of providers, in sentences.

This module makes texts; it decides and prints nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import parse_wheel_filename
from pip._vendor.wheel_variants.abi_dependency import wanted
from pip._vendor.wheel_variants.comparison import Comparison, compare

from pip._internal.console.texts import Hint, counted
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.output.reasons import any_build, rejection, shortened
from pip._internal.variants.providers.result import Source

if TYPE_CHECKING:
    import optparse

    from pip._vendor.wheel_variants.properties import Property

    from pip._internal.models.link import Link
    from pip._internal.models.target_python import TargetPython
    from pip._internal.variants.providers.result import ProviderResult
    from pip._internal.variants.providers.target import Target
    from pip._internal.variants.providers.tegra import Tegra
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.release import Release

__all__ = [
    "alternatives",
    "best_wheels",
    "block",
    "chosen_line",
    "counting",
    "devices_left_out",
    "doubt_on_tegra",
    "first_two",
    "lacks_label",
    "marker_elsewhere",
    "provider_line",
    "provider_lines",
    "rejections",
    "several_builds",
    "several_sources",
    "target_line",
    "tegra_line",
]

_WIDTH = 80


def block(
    project: str,
    version: object,
    label: str,
    properties: Iterable[Property],
    width: int = _WIDTH,
) -> list[str]:
    """Describe a variant in the form that users of variant previews know.

    :param properties: all of them, supported or not.
    :param width: the terminal's.
    """
    width = min(width, _WIDTH)
    title = f" {project}=={version}; variant_label={label} "
    lines = [f"Variant-property: {property_}" for property_ in properties]
    return [title.center(width, "#"), *lines, "#" * width]


def chosen_line(
    release: Release, selection: Selection, label: str, option: str | None
) -> str:
    """Return one line about the variant that was chosen.

    :param option: the part that an option had in it, if any.
    """
    how = f", {option}" if option is not None else ""
    why = counting(selection, label)
    return f"Using the variant {label} of {release} ({why}{how})"


def first_two(selection: Selection) -> tuple[str, str, Comparison] | None:
    """Return the two best variants, and why one is better; None if fewer than two run."""
    if selection.manifest is None or len(selection.ranking.compatible) < 2:
        return None
    first, second, *_ = selection.ranking.compatible
    order = selection.manifest, selection.supported
    return first, second, compare(*order, first, second, selection.preferences)


def counting(selection: Selection, label: str) -> str:
    """List the properties of a variant that the target supports."""
    return shortened([*map(str, selection.properties(label))]) or "no properties"


def devices_left_out(release: Release, selection: Selection, label: str) -> str | None:
    """Return which GPUs of the target a variant has no code for, and what helps."""
    missed = selection.devices_left_out(label)
    if not missed:
        return None
    names = " and ".join(each.name for each in missed)
    said = (
        f"The variant {label} of {release} has no code for the visible GPU with {names}"
    )
    if selection.for_all_devices:
        best = selection.for_all_devices[0]
        return f"{said}. For all GPUs: --variant {release.project}={best}"
    is_amd = "amd" in {each.namespace for each in selection.properties(label)}
    variable = "ROCR_VISIBLE_DEVICES" if is_amd else "CUDA_VISIBLE_DEVICES"
    return (
        f"{said}, and no variant has code for all GPUs. To choose for some GPUs only, "
        f"list them in {variable}"
    )


def several_sources(release: Release, chosen: Selection, label: str) -> str | None:
    """Say which of several indexes the chosen variant is from, and how to choose one.

    Indexes that list the same files count as one.
    """
    others = [
        f"{redact_auth_from_url(selection.source)} ({shortened(selection.labels)})"
        for selection in release.fetch_selections().values()
        if selection is not chosen and selection.manifest is not None
    ]
    if not others:
        return None
    return (
        f"Variants of {release} come from several indexes, where labels may mean "
        f"different things: {label} was taken from "
        f"{redact_auth_from_url(chosen.source)}; others are on {'; '.join(others)}. "
        "The first index with a variant that runs wins: --find-links, then "
        "--index-url, then --extra-index-url"
    )


def several_builds(links: Iterable[Link], options: optparse.Values) -> Iterator[str]:
    """Yield which of the wheels at *links* are builds of one release."""
    releases: dict[tuple[str, object], list[Link]] = {}
    for link in links:
        project, version, *_ = parse_wheel_filename(link.filename)
        releases.setdefault((project, version), []).append(link)
    for release, builds in releases.items():
        if len(builds) > 1:
            from pip._internal.variants.output.invocation import command

            names = " and ".join(link.filename for link in builds)
            yield Hint(
                f"{names} are builds of {' '.join(map(str, release))}, of which one "
                "can be installed. To have the best:",
                command(options, "install", *any_build(builds[0])),
            )


def rejections(release: Release) -> list[str]:
    """Return why each refused variant of a release was refused."""
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
    """Return the clause that a release lacks the label that was chosen by hand, if it does."""
    if not release.lacks_label:
        return None
    label = release.chosen_label
    if not release.labels:
        return f"has no variants; you asked for {label}"
    return f"has no variant {label}, which you asked for; it has {shortened(release.labels)}"


def marker_elsewhere(requirement: str, where: str = "") -> str:
    """Return where markers about variants hold, for a requirement in another place.

    :param where: that place, if it is known.
    """
    place = f" in {where}" if where else ""
    return (
        f"'{requirement}'{place} has a marker about variants. Such a marker holds in the "
        "metadata of a variant wheel alone, about that wheel; here it is evaluated as if "
        "there were no variant. To choose a variant: --variant PACKAGE=LABEL"
    )


def alternatives(release: Release) -> str:
    """Return which versions of other packages the variants of a release are for."""
    builds: dict[str, list[str]] = {}
    for selection in release.fetch_selections().values():
        for label in selection.ranking.compatible:
            assert selection.manifest is not None, "without one, no label is compatible"
            versions = " and ".join(wanted(selection.manifest, label))
            builds.setdefault(versions or "anything", []).append(label)
    listed = "; ".join(
        f"{versions} ({shortened(labels)})" for versions, labels in builds.items()
    )
    return f"{release} has variants that run here for {listed}"


#: The values of a flag: a feature that a machine has or has not.
_FLAG = ("on",)
_STEPS = {
    Source.DISABLED: "disabled",
    Source.OPTIONAL: "not enabled",
    Source.CONDITION: "not for this environment",
    Source.STATIC: "static list",
    Source.DECLARED: "declared",
    Source.HOST: "host file",
    Source.BUILTIN: "built in",
    Source.PLUGIN: "plugin",
    Source.NONE: "no provider",
}


def provider_line(namespace: str, answer: ProviderResult) -> str:
    """Return briefly what a namespace supports: the best value of each feature.

    Flags are counted.
    """
    names = {feature.name for feature in answer.features}
    flags, said = 0, []
    for feature in answer.features:
        # Of two bounds, the lower one says enough.
        if feature.name.replace("upper_bound", "lower_bound") in names - {feature.name}:
            continue
        if tuple(feature.values) == _FLAG:
            flags += 1
        else:
            said.append(f"{feature.name} {feature.values[0]}")
    if flags:
        said.append(counted(flags, "flag"))
    said += _devices(answer)
    if not said:
        why, _, _ = (answer.reason or "").partition(";")
        said = ["nothing" + (f", since {why}" if why else "")]
    is_told = answer.source is Source.BUILTIN or (answer.reason and not answer.features)
    how = "" if is_told else f" ({_STEPS[answer.source]})"
    return f"{namespace}: {shortened(said)}{how}"


def _devices(answer: ProviderResult) -> list[str]:
    """List the GPUs of the target, if it has several."""
    if not answer.several_devices:
        return []
    return [f"GPUs: {', '.join(map(str, answer.several_devices))}"]


def provider_lines(
    namespace: str, answer: ProviderResult, used: Collection[str] | None = None
) -> Iterator[str]:
    """Describe what a namespace supports, who answered, and how fast.

    :param used: the features to show, with long lists shortened; None for all in full.
    """
    source = f"{_STEPS[answer.source]}, "
    source += f"from {answer.origin}" if answer.features else "nothing supported"
    if answer.seconds is not None:
        source += f", {answer.seconds * 1000:.1f} ms"
    yield f"{namespace} ({source})"
    for feature in answer.features:
        if used is None:
            yield f"  {feature.name}: {', '.join(feature.values)}"
        elif feature.name in used:
            yield f"  {feature.name}: {shortened(feature.values)}"
    for line in _devices(answer):
        yield f"  {line}"
    if answer.reason is not None:
        yield f"  note: {answer.reason}"


def doubt_on_tegra(
    tegra: Tegra,
    release: Release,
    selection: Selection,
    label: str,
    options: optparse.Values,
) -> str | None:
    """Say of a variant for CUDA that it may not be for the Tegra that it is chosen for.

    :param options: of the command.
    """
    from pip._internal.variants.providers.tegra import cuda_of, problem, runs_sbsa

    nvidia = selection.answers["nvidia"]
    cuda = cuda_of(nvidia)
    if cuda is None or runs_sbsa(tegra, cuda) or nvidia.source is Source.STATIC:
        return None
    if all(each.namespace != "nvidia" for each in selection.properties(label)):
        return None
    from pip._internal.variants.output.invocation import command

    requirement = f"{release.project}=={release.version}"
    words = "install", "--disable-variant-provider", "nvidia", requirement
    return Hint(
        f"{problem(tegra, cuda)}: if the variant {label} of {release} was not built for "
        "Jetsons, it fails at use. To do without it:",
        command(options, *words, without=("--variant",)),
    )


def target_line(target: Target) -> str:
    """Return which platform and interpreter a described machine has."""
    names = "platform_system", "platform_machine", "platform_python_implementation"
    said = [target.environment[name] for name in (*names, "python_full_version")]
    return f"target: {' '.join(said)} (takes wheels for {best_wheels(target.python)})"


def best_wheels(python: TargetPython) -> str:
    """Return which wheels a target takes first."""
    tags = python.get_sorted_tags()
    best = tags[0]
    # Whatever is for any Linux does not tell which libc this one has.
    platforms = [tag.platform for tag in tags if tag.abi == best.abi]
    exact = next((p for p in platforms if not p.startswith("linux_")), best.platform)
    usual = f"cp{best.interpreter[2:]}"
    is_own = best.abi not in ("none", usual, f"{usual}m")
    abi = f" with {best.abi}" if is_own else ""
    return f"{best.interpreter}{abi} on {exact}"


def tegra_line(tegra: Tegra, nvidia: ProviderResult | None) -> str:
    """Return the note that a machine is a Tegra, and whether it runs what is built for servers.

    :param nvidia: what it supports of that namespace, if that is known.
    """
    from pip._internal.variants.providers.tegra import cuda_of, problem

    return f"{problem(tegra, None if nvidia is None else cuda_of(nvidia))}."
