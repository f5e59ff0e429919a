"""Judge installed variants again, by this machine or a host, and by each other.

What does not suit is a warning of ``pip check``, or an error if the user is strict: the
packages' own metadata is right. Only what was recorded is read: no network, no plugins.
Packages that lack files are a warning too: images are often made smaller in this way.

A host decides which hardware there is. Dependencies and tags of this environment are
judged for the Python that runs it; those of a folder, for the host.
"""

from __future__ import annotations

import csv
import itertools
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.cli.status_codes import ERROR, SUCCESS
from pip._internal.console.output import get_logger, write
from pip._internal.console.texts import Hint, counted, with_label
from pip._internal.metadata import get_default_environment, get_environment
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.settings import Settings

if TYPE_CHECKING:
    import optparse

    from pip._vendor.wheel_variants.ordering import Mismatch

    from pip._internal.commands.check import CheckCommand
    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.providers.target import Target
    from pip._internal.variants.selection.installed_records import InstalledBuild
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.run import ModeModule

logger = get_logger(__name__)


class InstalledVariant(NamedTuple):
    """A variant that is installed.

    :ivar name: as the metadata spells it.
    :ivar folder: what ``--path`` names, if it is in such a folder.
    """

    name: str
    version: str
    label: str
    build: InstalledBuild
    folder: str | None = None

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

    A variant that the target does not support is an error if the user is strict;
    otherwise the exit status is upstream's.

    :param find_mode_modules: returns the rooms of all modes.
    """
    settings = Settings(options)
    dists = list(_installed(settings.path))
    variants = _variants(dists)
    names = settings.required_accelerators
    if not (variants or names or settings.variant_host or settings.path):
        status = fn(command, options, args)
        for warning in incomplete(dists, options):
            logger.warning("%s", warning)
        return status
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.providers.target import target_of
    from pip._internal.variants.selection.run import noting_host

    settings.take_host_of_install()
    with noting_host(settings):
        providers = ProviderChain.for_settings(settings)
    mode_modules = find_mode_modules()
    found, masked = unsupported(variants, providers, mode_modules, options)
    if settings.path:
        target = target_of(settings, providers.host)
        status = _folders_checked([dist for dist, _ in dists], target)
    else:
        status = fn(command, options, args)
    strict = settings.strict_variants
    _log(logging.ERROR if strict else logging.WARNING, found)
    lacking = _lacking(names, dists, providers)
    _log(logging.ERROR, (f"--require-accelerator: {line}" for line in lacking))
    doubts = _doubts(
        [dist for dist, _ in dists], variants, mode_modules, providers, options
    )
    others = (*masked, *providers.warnings, *doubts, *incomplete(dists, options))
    _log(logging.WARNING, others)
    return ERROR if lacking or (found and strict) else status


def _log(level: int, lines: Iterable[str]) -> None:
    for line in lines:
        logger.log(level, "%s", line)


def _lacking(
    names: frozenset[str],
    dists: Iterable[tuple[BaseDistribution, str | None]],
    providers: ProviderChain,
) -> list[str]:
    """Return why installed packages do not use an accelerator that is required."""
    if not names:
        return []
    from pip._internal.variants.output.required_accelerators import why_not
    from pip._internal.variants.selection.accelerators import unaccelerated_dists

    by_name = {dist.canonical_name: dist for dist, _ in dists}
    return list(map(why_not, unaccelerated_dists(names, by_name, providers)))


def _installed(
    folders: Sequence[str] | None,
) -> Iterator[tuple[BaseDistribution, str | None]]:
    """Yield what is installed in this environment or in folders, with its folder.

    :raises WrongUse: if there is no such folder.
    """
    if not folders:
        found = get_default_environment().iter_installed_distributions(local_only=False)
        yield from ((dist, None) for dist in found)
    for folder in folders or ():
        if not os.path.isdir(folder):
            raise WrongUse(f"--path {folder}: there is no such folder")
        for dist in get_environment([folder]).iter_all_distributions():
            yield dist, folder


def _variants(
    dists: Iterable[tuple[BaseDistribution, str | None]],
) -> list[InstalledVariant]:
    """Return which of *dists* are variants, by name."""
    variants = [
        InstalledVariant(dist.raw_name, dist.raw_version, build.label, build, folder)
        for dist, folder in dists
        if (build := installed_build(dist)) is not None and build.label is not None
    ]
    return sorted(variants, key=lambda variant: canonicalize_name(variant.name))


def _doubts(
    dists: Sequence[BaseDistribution],
    variants: Sequence[InstalledVariant],
    mode_modules: Iterable[ModeModule],
    providers: ProviderChain,
    options: optparse.Values,
) -> Iterator[str]:
    """Yield which installed variants do not go together."""
    if not variants:
        return
    told = [
        line
        for mode_module in mode_modules
        if any(mode_module.options_for(variant.build) for variant in variants)
        for line in mode_module.judged(dists, options)
    ]
    yield from told or _beside(dists, variants[0].folder, providers, options)


def _folders_checked(dists: Sequence[BaseDistribution], target: Target | None) -> int:
    """Check dependencies and tags in folders, as upstream does in this environment.

    :param target: None for this machine and interpreter.
    """
    from pip._vendor.packaging._variants import on_target

    from pip._internal.models.target_python import TargetPython
    from pip._internal.operations.check import (
        PackageDetails,
        check_package_set,
        check_unsupported,
    )

    python = TargetPython() if target is None else target.python
    broken, packages = [], {}
    with on_target({} if target is None else target.environment):
        for dist in dists:
            try:
                needs = list(dist.iter_dependencies())
            except (OSError, ValueError) as error:
                broken.append(f"{dist.raw_name} has metadata that is invalid: {error}")
            else:
                packages[dist.canonical_name] = PackageDetails(dist.version, needs)
        missing, conflicting = check_package_set(packages)
    for name, lacks in missing.items():
        version = packages[name].version
        broken += [
            f"{name} {version} requires {n}, which is missing." for n, _ in lacks
        ]
    for name, conflicts in conflicting.items():
        broken += [
            f"{name} {packages[name].version} requires {needed}, but {other} {version} "
            "is installed."
            for other, version, needed in conflicts
        ]
    place = "this platform" if target is None else target.host.path
    broken += [
        f"{dist.raw_name} {dist.version} is not supported on {place}."
        for dist in check_unsupported(dists, python.get_unsorted_tags())
    ]
    write(broken or ["No broken requirements found."])
    return ERROR if broken else SUCCESS


def _replacing(
    options: optparse.Values, folder: str | None, name: str, version: str, *others: str
) -> str:
    """Return the command that installs a package again, into its folder if it has one."""
    from pip._internal.variants.output.invocation import command

    place = ("--target", folder, "--upgrade") if folder else ("--force-reinstall",)
    return command(options, "install", *place, *others, f"{name}=={version}")


def incomplete(
    dists: Iterable[tuple[BaseDistribution, str | None]], options: optparse.Values
) -> Iterator[str]:
    """Yield which packages lack files that they have recorded, and how to repair them.

    Bytecode does not count: Python makes it anew.

    :param dists: each with the folder that ``--path`` names, if any.
    """
    for dist, folder in dists:
        try:
            missing = list(_missing(dist))
        except (OSError, ValueError, IndexError, csv.Error) as error:
            logger.debug("Cannot read which files %s has: %r", dist.raw_name, error)
            continue
        if missing:
            rest = len(missing) - 1
            more = f" and {counted(rest, 'more file')}" if rest else ""
            yield Hint(
                f"{dist.raw_name} {dist.raw_version} is incomplete: pip cannot find "
                f"'{missing[0]}'{more}. To repair it:",
                _replacing(
                    *(options, folder, dist.raw_name, dist.raw_version), "--no-deps"
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
) -> tuple[list[str], list[str]]:
    """Return which variants the machine does not support, and how to replace them.

    :param mode_modules: the rooms of all modes.
    :return: and which variants are for devices that an environment variable hides, which
        is the user's choice.
    """
    from pip._internal.variants.output import reasons
    from pip._internal.variants.selection.ranking import judge_installed

    found: list[str] = []
    hidden: list[str] = []
    for variant in variants:
        selection = judge_installed(
            *(variant.name, variant.build, [variant.label], providers)
        )
        mismatches = selection.known_mismatches(variant.label)
        masks = _masks(selection, mismatches)
        if masks:
            hidden.append(f"{variant} cannot be checked: {'; '.join(masks)}")
        elif mismatches:
            needs = reasons.needs(selection, mismatches, machine="the machine")
            further = (each.options_for(variant.build) for each in mode_modules)
            switch = _switching(options, variant, *itertools.chain(*further))
            host = providers.host
            machine = "This machine" if host is None else host.path
            found.append(
                Hint(
                    f"{machine} does not support {variant}, which needs {needs}. To "
                    "switch to the best variant of this version:",
                    switch,
                )
            )
    return found, hidden


def _switching(
    options: optparse.Values, variant: InstalledVariant, *further: str
) -> str:
    """Return the command that replaces a variant by the best one of its version."""
    from pip._internal.variants.output.invocation import for_upgrade

    if variant.folder is None:
        return for_upgrade(options, variant.name, further=further)
    return _replacing(
        *(options, variant.folder, variant.name, variant.version), *further
    )


def _masks(selection: Selection, mismatches: Iterable[Mismatch]) -> list[str]:
    """Return how variables hide devices, if that alone is why a variant is refused."""
    answers = [selection.answers[each.feature.namespace] for each in mismatches]
    if any(answer.hidden_by is None for answer in answers):
        return []
    return list(dict.fromkeys(answer.reason or "" for answer in answers))


def _beside(
    dists: Iterable[BaseDistribution],
    folder: str | None,
    providers: ProviderChain,
    options: optparse.Values,
) -> Iterator[str]:
    """Yield which packages do not go together, judged by what they compute on.

    :param folder: what ``--path`` names, if they are in such a folder.
    """
    from pip._internal.variants.output.invocation import command, for_another_build
    from pip._internal.variants.output.reasons import contradiction, mixture
    from pip._internal.variants.selection.agreement import are_mixed
    from pip._internal.variants.selection.neighbors import (
        CPU,
        contradictions,
        labels_that_agree,
        neighbor_of,
    )

    neighbors = [neighbor_of(dist) for dist in dists]
    apart = [each for each in neighbors if each.build and each.build.runtime != CPU]
    builds = [each.build for each in apart if each.build is not None]
    if are_mixed(builds):
        labels = labels_that_agree(apart, providers)
        if labels:
            place = ("--target", folder, "--upgrade") if folder else ()
            words = ["install", *place]
            for dist, label in labels:
                words += ["--variant", f"{dist.raw_name}={label}"]
            words += [f"{dist.raw_name}=={dist.raw_version}" for dist, _ in labels]
            how = "To take variants that agree:"
        else:
            words = ["variants", "list", *sorted(each.dist.raw_name for each in apart)]
            how = "No other variants of these versions agree. To list them:"
        yield Hint(f"{mixture(builds)}. {how}", command(options, *words))
    for using, other in contradictions(neighbors):
        choose = for_another_build(options, other.dist, folder)
        yield Hint(contradiction(using, other), choose)
