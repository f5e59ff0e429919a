"""Show variants in pip's own commands.

The commands show the record of an installed build, without network or detection. A plain build
is not a variant, even if its release has variants.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pip._internal.cli.status_codes import SUCCESS
from pip._internal.console.output import write
from pip._internal.metadata import get_environment
from pip._internal.variants.selection.installed import installed_build, installed_label

if TYPE_CHECKING:
    from optparse import Values

    from pip._vendor.wheel_variants.properties import Property

    from pip._internal.commands.cache import CacheCommand
    from pip._internal.commands.inspect import InspectCommand
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.installation_report import InstallationReport
    from pip._internal.operations.freeze import FrozenRequirement
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.selection.installed_records import InstalledBuild

    Rows = list[list[str]]


def list_columns(
    fn: Callable[[Sequence[BaseDistribution], Values], tuple[Rows, list[str]]],
    packages: Sequence[BaseDistribution],
    options: Values,
) -> tuple[Rows, list[str]]:
    """Add a column of labels to ``pip list`` if there is a label to show."""
    rows, header = fn(packages, options)
    labels = list(map(installed_label, packages))
    if any(labels):
        # After upstream's columns, which keep their places.
        at = 4 if options.outdated else 2
        header.insert(at, "Variant")
        for row, label in zip(rows, labels, strict=True):
            row.insert(at, label or "")
    return rows, header


def list_json(
    fn: Callable[[Sequence[BaseDistribution], Values], str],
    packages: Sequence[BaseDistribution],
    options: Values,
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
    """Show the label of a variant; with *verbose*, also its properties.

    :param info: the facts of ``pip show`` about a distribution, such as name and location.
    """
    # Upstream does not pass the distribution.
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
        for declared in build.declared:
            yield f"  {declared}"


def inspected(
    fn: Callable[[InspectCommand, BaseDistribution], dict[str, Any]],
    command: InspectCommand,
    dist: BaseDistribution,
) -> dict[str, Any]:
    """Add the variant to the output of ``pip inspect``."""
    result = fn(command, dist)
    build = installed_build(dist)
    if build is not None and build.label is not None:
        result["variant"] = _variant(build.label, build.declared, build.supported)
    return result


def _variant(
    label: str, properties: Iterable[Property], supported: Iterable[Property]
) -> dict[str, Any]:
    return {
        "label": label,
        "properties": list(map(str, properties)),
        "supported": list(map(str, supported)),
    }


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
    comment = f"# {dist.raw_name} variant: {label}"
    return dataclasses.replace(requirement, comments=[*requirement.comments, comment])


def reported(
    fn: Callable[[InstallationReport], dict[str, Any]], report: InstallationReport
) -> dict[str, Any]:
    """Add the variants and the target to an installation report."""
    data = fn(report)
    from pip._internal.variants.slots import ENVIRONMENT

    for item, req in zip(data["install"], report._install_requirements, strict=True):
        item |= _reported_variant(req)
        data["environment"] |= ENVIRONMENT.of(req, dict) or {}
    return data


def _reported_variant(req: InstallRequirement) -> dict[str, Any]:
    from pip._internal.variants.index.links import label_of
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.slots import SELECTION

    label = None if req.link is None else label_of(req.link)
    selection = None if label is None else SELECTION.of(req, Selection)
    if label is None or selection is None:
        return {}
    declared, supported = selection.declared(label), selection.properties(label)
    variant = _variant(label, declared, supported)
    if selection.manifest.url is not None:
        variant["manifest_url"] = selection.manifest.url
    return {"variant": variant}


def would_install(item: tuple[str, str], req: InstallRequirement) -> tuple[str, str]:
    """Add the label of a variant to its version."""
    from pip._internal.console.texts import with_label
    from pip._internal.variants.index.links import label_of

    name, version = item
    return name, with_label(version, None if req.link is None else label_of(req.link))


def cache_managed(
    fn: Callable[[CacheCommand, Values, list[str]], int],
    command: CacheCommand,
    options: Values,
    args: list[str],
) -> int:
    """Extend ``pip cache`` to unpacked wheels.

    As with stock pip, patterns select built wheels only; ``purge`` removes partial
    downloads too.

    :raises CommandError: if unpacked wheels are in use or cannot be removed.
    """
    status = fn(command, options, args)
    if status == SUCCESS:
        from pip._internal.fast.resumed_downloads import remove_parts
        from pip._internal.fast.wheel_store import removed

        if args == ["purge"]:
            remove_parts(options.cache_dir)
        if args in (["purge"], ["remove", "*"]):
            removed(options.cache_dir)
    return status
