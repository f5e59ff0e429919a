"""Describe the target and its supported properties."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint, counted, shortened
from pip._internal.exceptions import PipError
from pip._internal.variants.errors import OtherMachine
from pip._internal.variants.output.invocation import again
from pip._internal.variants.providers.host_names import read_host
from pip._internal.variants.providers.result import Source
from pip._internal.variants.providers.target import target_of
from pip._internal.variants.providers.tegra import cuda_of, problem, runs_sbsa

if TYPE_CHECKING:
    from optparse import Values

    from pip._internal.models.target_python import TargetPython
    from pip._internal.variants.providers.result import ProviderResult
    from pip._internal.variants.providers.target import Target
    from pip._internal.variants.providers.tegra import Tegra
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.settings import Settings

logger = get_logger(__name__)

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
    """Summarize the supported properties of a namespace, with a count of flags."""
    names = {feature.name for feature in answer.features}
    flags, parts = 0, []
    for feature in answer.features:
        # The lower bound is enough.
        if feature.name.replace("upper_bound", "lower_bound") in names - {feature.name}:
            continue
        # A flag is a feature that a machine either has or lacks.
        if tuple(feature.values) == ("on",):
            flags += 1
        else:
            parts.append(f"{feature.name} {feature.values[0]}")
    if flags:
        parts.append(counted(flags, "flag"))
    parts += _devices(answer)
    if not parts:
        why, _, _ = (answer.reason or "").partition(";")
        parts = ["nothing" + (f" ({why})" if why else "")]
    implied = answer.source is Source.BUILTIN or (answer.reason and not answer.features)
    step = "" if implied else f" ({_STEPS[answer.source]})"
    return f"{namespace}: {shortened(parts)}{step}"


def _devices(answer: ProviderResult) -> list[str]:
    """List the GPUs of the target, if it has several."""
    if not answer.several_devices:
        return []
    return [f"GPUs: {', '.join(map(str, answer.several_devices))}"]


def provider_lines(
    namespace: str, answer: ProviderResult, used: Collection[str] | None = None
) -> Iterator[str]:
    """Describe the supported properties of a namespace, and their source.

    :param used: the features to show, with shortened lists of values; None to show all
        features with all values.
    """
    source = f"{_STEPS[answer.source]}, "
    source += f"from {answer.origin}" if answer.features else "nothing supported"
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


def doubt_on_tegra(tegra: Tegra, selection: Selection, label: str) -> str | None:
    """Return why a variant may not suit a Tegra, or None."""
    nvidia = selection.answers["nvidia"]
    cuda = cuda_of(nvidia)
    if cuda is None or runs_sbsa(tegra, cuda) or nvidia.source is Source.STATIC:
        return None
    if all(each.namespace != "nvidia" for each in selection.properties(label)):
        return None
    return (
        f"{problem(tegra, cuda)}. The variant '{label}' will fail unless it was built "
        "for Jetson. To avoid CUDA variants: --disable-variant-provider nvidia"
    )


def target_line(target: Target) -> str:
    """Describe the platform and interpreter of a host."""
    names = "platform_system", "platform_machine", "platform_python_implementation"
    parts = [target.environment[name] for name in (*names, "python_full_version")]
    return (
        f"target: {' '.join(parts)} (accepts wheels for {best_wheels(target.python)})"
    )


def best_wheels(python: TargetPython) -> str:
    """Describe the preferred wheels of a target."""
    tags = python.get_sorted_tags()
    best = tags[0]
    # Tags for any Linux do not identify the libc of this one.
    platforms = [tag.platform for tag in tags if tag.abi == best.abi]
    exact = next((p for p in platforms if not p.startswith("linux_")), best.platform)
    usual = f"cp{best.interpreter[2:]}"
    is_own = best.abi not in ("none", usual, f"{usual}m")
    abi = f" with {best.abi}" if is_own else ""
    return f"{best.interpreter}{abi} on {exact}"


def other_machine(target: Target, options: Values) -> OtherMachine:
    """Create the error for an attempt to install another machine's files in this environment."""
    other_places = ("--user", "--prefix", "--root")
    into = again(options, "--target", "DIR", without=other_places)
    hints = [
        Hint("To install into a folder for that machine:", into),
        Hint("To see what pip would choose:", again(options, "--dry-run")),
    ]
    return OtherMachine(target.host.path, target.differences, hints)


def warn_of_unused_host(settings: Settings, name: str) -> None:
    """Warn of a configured host that has no effect, because variants are off."""
    try:
        target = target_of(settings, read_host(name))
    except PipError as error:
        logger.debug("%s", error)
        return
    if target is not None and target.is_elsewhere:
        logger.warning(
            "'%s' comes from PIP_VARIANT_HOST or the configuration. With "
            "--no-variants, pip ignores it and targets this machine",
            name,
        )
