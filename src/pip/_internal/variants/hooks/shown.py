"""What pip's commands show of installed variants: ``list``, ``show``, ``inspect``, ``freeze``.

Only what was recorded is shown: nothing is asked for, of a network or of the machine.
A plain build is no variant, also if it was chosen among some.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pip._internal.console.output import write
from pip._internal.metadata import get_environment
from pip._internal.variants.choice.installed import installed_build

if TYPE_CHECKING:
    import optparse

    from pip._internal.commands.inspect import InspectCommand
    from pip._internal.metadata import BaseDistribution
    from pip._internal.operations.freeze import FrozenRequirement
    from pip._internal.variants.choice.installed_records import InstalledBuild

    Rows = list[list[str]]

__all__ = [
    "freeze",
    "frozen_requirement",
    "inspected",
    "list_columns",
    "list_json",
    "show_variant",
]


def installed_label(dist: BaseDistribution) -> str | None:
    """Give the label of an installed variant; None for what is none."""
    build = installed_build(dist)
    return None if build is None else build.label


def list_columns(
    fn: Callable[[Sequence[BaseDistribution], optparse.Values], tuple[Rows, list[str]]],
    packages: Sequence[BaseDistribution],
    options: optparse.Values,
) -> tuple[Rows, list[str]]:
    """Add a column of labels to ``pip list`` if there is one to show."""
    rows, header = fn(packages, options)
    labels = list(map(installed_label, packages))
    if any(labels):
        # Behind the columns that every listing has, so that those keep their places.
        at = 4 if options.outdated else 2
        header.insert(at, "Variant")
        for row, label in zip(rows, labels, strict=True):
            row.insert(at, label or "")
    return rows, header


def list_json(
    fn: Callable[[Sequence[BaseDistribution], optparse.Values], str],
    packages: Sequence[BaseDistribution],
    options: optparse.Values,
) -> str:
    """Add the labels to the JSON of ``pip list``."""
    text = fn(packages, options)
    labels = list(map(installed_label, packages))
    if not any(labels):
        return text
    listed = json.loads(text)
    for package, label in zip(listed, labels, strict=True):
        if label is not None:
            package["variant_label"] = label
    return json.dumps(listed)


def show_variant(info: Any, *, verbose: bool) -> None:
    """Show the label of a variant, and with *verbose* its properties.

    :param info: the name, location and more that ``pip show`` knows of a distribution.
    """
    # It does not know the distribution itself any more.
    paths = [info.location] if info.location else []
    dist = get_environment(paths).get_distribution(info.name)
    build = None if dist is None else installed_build(dist)
    if build is not None and build.label is not None:
        write(variant_lines(build, verbose=verbose))


def variant_lines(build: InstalledBuild, *, verbose: bool) -> Iterator[str]:
    """Describe an installed variant in the form of ``pip show``."""
    yield f"Variant: {build.label}"
    if verbose:
        yield "Variant-properties:"
        for supported in build.supported:
            yield f"  {supported}"
        unsupported = [each for each in build.declared if each not in build.supported]
        if unsupported:
            yield "Variant-properties that were not supported when it was installed:"
            for other in unsupported:
                yield f"  {other}"


def inspected(
    fn: Callable[[InspectCommand, BaseDistribution], dict[str, Any]],
    command: InspectCommand,
    dist: BaseDistribution,
) -> dict[str, Any]:
    """Add the variant to what ``pip inspect`` says of a distribution."""
    result = fn(command, dist)
    build = installed_build(dist)
    if build is not None and build.label is not None:
        result["variant"] = {
            "label": build.label,
            "properties": list(map(str, build.declared)),
            "supported": list(map(str, build.supported)),
        }
    return result


_COMMENT = "# {name} variant: {label}"
_OWN_COMMENT = re.compile(r"# \S+ variant: [0-9a-z_.]+")


def frozen_requirement(
    fn: Callable[..., FrozenRequirement],
    cls: type[FrozenRequirement],
    dist: BaseDistribution,
) -> FrozenRequirement:
    """Add the label of a variant to its requirement, as a comment."""
    requirement = fn(cls, dist)
    label = installed_label(dist)
    if label is None:
        return requirement
    comment = _COMMENT.format(name=dist.raw_name, label=label)
    return dataclasses.replace(requirement, comments=[*requirement.comments, comment])


def freeze(
    fn: Callable[..., Iterator[str]], *args: Any, **kwargs: Any
) -> Iterator[str]:
    """Leave out the comments on variants in a file that ``pip freeze`` wrote earlier.

    Each requirement that is still met comes with a new one.
    """
    return (text for text in fn(*args, **kwargs) if not _OWN_COMMENT.fullmatch(text))
