"""Judge installed variants again, by this machine and by each other.

What does not suit is a warning of ``pip check``, or an error if the user is strict: the
packages' own metadata is right. Only what was recorded is read: no network, no plugins.
Packages that lack files are a warning too: images are often made smaller in this way.
"""

from __future__ import annotations

import csv
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.cli.status_codes import ERROR
from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint, counted, with_label
from pip._internal.metadata import get_default_environment
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.settings import Settings

if TYPE_CHECKING:
    import optparse

    from pip._internal.commands.check import CheckCommand
    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.run import ModeModule

logger = get_logger(__name__)


class InstalledVariant(NamedTuple):
    """A variant that is installed.

    :ivar name: as the metadata spells it.
    """

    name: str
    version: str
    label: str
    build: InstalledBuild

    def __str__(self) -> str:
        return f"{self.name} {with_label(self.version, self.label)}"


def checked(
    fn: Callable[[CheckCommand, optparse.Values, list[str]], int],
    find_mode_modules: Callable[[], Sequence[ModeModule]],
    command: CheckCommand,
    options: optparse.Values,
    args: list[str],
) -> int:
    """Report packages that lack files, and installed variants that do not fit.

    A variant that this machine does not support is an error if the user is strict;
    otherwise the exit status is upstream's.

    :param find_mode_modules: returns the rooms of all modes.
    """
    env = get_default_environment()
    dists = list(env.iter_installed_distributions(local_only=False))
    variants = [
        InstalledVariant(dist.raw_name, dist.raw_version, build.label, build)
        for dist in dists
        if (build := installed_build(dist)) is not None and build.label is not None
    ]
    if not variants:
        status = fn(command, options, args)
        for warning in incomplete(dists, options):
            logger.warning("%s", warning)
        return status
    from pip._internal.variants.providers.chain import ProviderChain

    settings = Settings(options)
    variants.sort(key=lambda variant: canonicalize_name(variant.name))
    providers, mode_modules = ProviderChain.for_settings(settings), find_mode_modules()
    found = list(unsupported(variants, providers, mode_modules, options))
    status = fn(command, options, args)
    strict = settings.strict_variants
    for line in found:
        logger.log(logging.ERROR if strict else logging.WARNING, "%s", line)
    for warning in (
        *(*providers.warnings, *different_cuda(variants, options)),
        *incomplete(dists, options),
    ):
        logger.warning("%s", warning)
    for mode_module in mode_modules:
        if any(mode_module.options_for(variant.build) for variant in variants):
            for warning in mode_module.judged(dists, options):
                logger.warning("%s", warning)
    return ERROR if found and strict else status


def incomplete(
    dists: Iterable[BaseDistribution], options: optparse.Values
) -> Iterator[str]:
    """Yield which packages lack files that they have recorded, and how to repair them.

    Bytecode does not count: Python makes it anew.
    """
    for dist in dists:
        try:
            missing = list(_missing(dist))
        except (OSError, ValueError, IndexError, csv.Error) as error:
            logger.debug("Cannot read which files %s has: %r", dist.raw_name, error)
            continue
        if missing:
            from pip._internal.variants.output.invocation import command

            rest = len(missing) - 1
            more = f" and {counted(rest, 'more file')}" if rest else ""
            yield Hint(
                f"{dist.raw_name} {dist.raw_version} is incomplete: pip cannot find "
                f"'{missing[0]}'{more}. To repair it:",
                command(
                    *(options, "install", "--force-reinstall", "--no-deps"),
                    f"{dist.raw_name}=={dist.raw_version}",
                ),
            )


def _missing(dist: BaseDistribution) -> Iterator[str]:
    """Yield recorded files that are missing beside the metadata of a package.

    Scripts and data of other folders may have been moved, as with ``--target``, or be
    recorded by their place in the wheel.
    """
    if dist.info_location is None:
        return
    root = os.path.dirname(dist.info_location)
    for path in dist.iter_declared_entries() or ():
        top = path.partition(os.sep)[0]
        is_elsewhere = os.path.isabs(path) or top == ".." or top.endswith(".data")
        if is_elsewhere or path.endswith(".pyc"):
            continue
        if not os.path.lexists(os.path.join(root, path)):
            yield path


def unsupported(
    variants: Sequence[InstalledVariant],
    providers: ProviderChain,
    mode_modules: Iterable[ModeModule],
    options: optparse.Values,
) -> Iterator[str]:
    """Say which variants the machine does not support, and how to replace them.

    :param mode_modules: the rooms of all modes.
    """
    from pip._internal.variants.output import reasons
    from pip._internal.variants.output.invocation import for_upgrade
    from pip._internal.variants.selection.ranking import judge_installed

    for variant in variants:
        selection = judge_installed(
            *(variant.name, variant.build, [variant.label], providers)
        )
        mismatches = selection.known_mismatches(variant.label)
        if mismatches:
            further = sum(
                (
                    mode_module.options_for(variant.build)
                    for mode_module in mode_modules
                ),
                (),
            )
            needs = reasons.needs(selection, mismatches, machine="the machine")
            yield Hint(
                f"This machine does not support {variant}, which needs {needs}. To "
                "switch to the best variant of this version:",
                for_upgrade(options, variant.name, further=further),
            )


def different_cuda(
    variants: Sequence[InstalledVariant], options: optparse.Values
) -> Iterator[str]:
    """Say which variants are for different major versions of CUDA."""
    from pip._internal.variants.selection.agreement import (
        CudaBuild,
        are_mixed,
        cuda_major,
    )

    builds = [
        CudaBuild(f"{each.name} {each.version}", each.label, major, frozenset())
        for each in variants
        if (major := cuda_major(each.build.supported)) is not None
    ]
    if are_mixed(builds):
        from pip._internal.variants.output.invocation import command
        from pip._internal.variants.output.reasons import mixture

        yield Hint(
            f"{mixture(builds)}. Choose builds that agree:",
            command(options, "install", "--variant", "PACKAGE=LABEL", "PACKAGE"),
        )
