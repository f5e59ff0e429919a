"""What pip's own commands show of variants.

Of an installed build they show what was recorded: neither a network nor the machine is
asked. A plain build is no variant, even if it was chosen among some.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pip._internal.cli.status_codes import SUCCESS
from pip._internal.console.output import get_logger, write
from pip._internal.metadata import get_environment
from pip._internal.utils.logging import indent_log
from pip._internal.variants.selection.installed import installed_build, installed_label

if TYPE_CHECKING:
    import optparse

    from pip._vendor.wheel_variants.properties import Property

    from pip._internal.commands.cache import CacheCommand
    from pip._internal.commands.inspect import InspectCommand
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.installation_report import InstallationReport
    from pip._internal.models.target_python import TargetPython
    from pip._internal.operations.freeze import FrozenRequirement
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.selection.installed_records import InstalledBuild

    Rows = list[list[str]]

logger = get_logger(__name__)


def list_columns(
    fn: Callable[[Sequence[BaseDistribution], optparse.Values], tuple[Rows, list[str]]],
    packages: Sequence[BaseDistribution],
    options: optparse.Values,
) -> tuple[Rows, list[str]]:
    """Add a column of labels to ``pip list`` if there is one to show."""
    rows, header = fn(packages, options)
    labels = list(map(installed_label, packages))
    if any(labels):
        # After the columns of every listing, which keep their places.
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

    :param info: what ``pip show`` knows of a distribution, such as name and location.
    """
    # The distribution itself is not handed on.
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
        others = [each for each in build.declared if each not in build.supported]
        if others:
            yield "Variant-properties that were not supported when it was installed:"
        for other in others:
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


#: A comment of :func:`frozen_requirement`.
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
    comment = f"# {dist.raw_name} variant: {label}"
    return dataclasses.replace(requirement, comments=[*requirement.comments, comment])


def freeze(
    fn: Callable[..., Iterator[str]], *args: Any, **kwargs: Any
) -> Iterator[str]:
    """Leave out comments on variants that an earlier ``pip freeze`` wrote to a file.

    Each requirement that is still met gets a new comment.
    """
    return (text for text in fn(*args, **kwargs) if not _OWN_COMMENT.fullmatch(text))


def reported(
    fn: Callable[[InstallationReport], dict[str, Any]], report: InstallationReport
) -> dict[str, Any]:
    """Add the variants to an installation report, and the machine that they are for."""
    told = fn(report)
    from pip._internal.variants.slots import ENVIRONMENT

    for item, req in zip(told["install"], report._install_requirements, strict=True):
        item |= _reported_variant(req)
        told["environment"] |= ENVIRONMENT.of(req, dict) or {}
    return told


def _reported_variant(req: InstallRequirement) -> dict[str, Any]:
    from pip._internal.variants.index.links import label_of
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.slots import SELECTION

    label = None if req.link is None else label_of(req.link)
    selection = None if label is None else SELECTION.of(req, Selection)
    if label is None or selection is None or selection.manifest is None:
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


def debug_target(python: TargetPython, options: optparse.Values) -> TargetPython:
    """Return the platform and the interpreter whose tags are shown."""
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.providers.target import target_of
    from pip._internal.variants.selection.settings import Settings

    settings = Settings(options)
    target = target_of(settings, ProviderChain.for_settings(settings).host)
    return python if target is None else target.python


def debug_tags(fn: Callable[[optparse.Values], None], options: optparse.Values) -> None:
    """Show which properties the machine supports, after the tags."""
    fn(options)
    from pip._internal.variants.output import sentences
    from pip._internal.variants.providers.chain import ProviderChain, warnings_of
    from pip._internal.variants.selection.settings import Settings

    if options.verbose < 1:
        logger.info("Variant properties: pass --verbose to show what is supported.")
        return
    answers = ProviderChain.for_settings(Settings(options)).query_all()
    for warning in warnings_of(answers):
        logger.warning("%s", warning)
    logger.info("Variant properties:")
    with indent_log():
        for namespace, answer in answers.items():
            write(sentences.provider_lines(namespace, answer))


def cache_managed(
    fn: Callable[[CacheCommand, optparse.Values, list[str]], int],
    command: CacheCommand,
    options: optparse.Values,
    args: list[str],
) -> int:
    """Apply ``pip cache`` to provider environments and unpacked wheels too.

    As with stock pip, patterns select built wheels only; ``purge`` removes partial
    downloads too.

    :raises CommandError: if unpacked wheels are in use or cannot be removed
    """
    status = fn(command, options, args)
    if status == SUCCESS:
        from pip._internal.fast.downloads.resume import remove_parts
        from pip._internal.fast.unpacked.command import listed, removed
        from pip._internal.variants.providers.plugin_cache import (
            remove_environments,
            show_environments,
        )

        if args == ["info"]:
            show_environments(options.cache_dir)
        if args == ["list"]:
            listed(options)
        if args == ["purge"]:
            remove_environments(options.cache_dir)
            remove_parts(options.cache_dir)
        if args in (["purge"], ["remove", "*"]):
            removed(options.cache_dir)
    return status
