"""Check installed variants against this machine or a host, and against each other.

Unsupported variants are only a warning of ``pip check``, or an error in strict mode, because
the packages' own metadata is correct. pip reads only records: no network, no plugins. Missing
files of packages are also a warning, because images are often made smaller by deleting files.

A host replaces this machine's hardware. pip checks the dependencies and tags of this
environment for the Python that runs the environment, and those of a folder for the host.
"""

from __future__ import annotations

import csv
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from pip._vendor.packaging._variants import on_target

from pip._internal.cli.status_codes import ERROR, SUCCESS
from pip._internal.console.output import get_logger, write
from pip._internal.console.texts import Hint, counted, with_label
from pip._internal.metadata import get_default_environment, get_environment
from pip._internal.variants.errors import WrongUse
from pip._internal.variants.selection.installed import installed_build, installed_label
from pip._internal.variants.settings import Settings

if TYPE_CHECKING:
    from optparse import Values

    from pip._vendor.wheel_variants.ordering import Mismatch

    from pip._internal.commands.check import CheckCommand
    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.providers.target import Target
    from pip._internal.variants.selection.ranking import Selection

logger = get_logger(__name__)


def checked(
    fn: Callable[[CheckCommand, Values, list[str]], int],
    command: CheckCommand,
    options: Values,
    args: list[str],
) -> int:
    """Report packages with missing files, and variants that the target does not support.

    :return: upstream's exit status; an error if a package lacks a required accelerator or, in
        strict mode, if the target does not support a variant.
    """
    settings = Settings(options)
    dists = sorted(_installed(settings.path), key=lambda dist: dist.canonical_name)
    has_variants = any(map(installed_label, dists))
    names = settings.required_accelerators
    if not (has_variants or names or settings.variant_host or settings.path):
        status = fn(command, options, args)
        _log(logging.WARNING, incomplete(dists, options))
        return status
    from pip._internal.variants.output.accelerators import why_not
    from pip._internal.variants.providers.chain import ProviderChain, warnings_of
    from pip._internal.variants.providers.target import target_of
    from pip._internal.variants.selection.accelerators import unaccelerated_dists
    from pip._internal.variants.selection.run import noting_host

    settings.use_install_host()
    with noting_host(settings):
        providers = ProviderChain.for_settings(settings)
    found, masked = unsupported(dists, providers, options)
    target = target_of(settings, providers.host)
    environment = {} if target is None else target.environment
    if settings.path:
        with on_target(environment):
            status = _folders_checked(dists, target)
    else:
        status = fn(command, options, args)
    strict = settings.strict_variants
    _log(logging.ERROR if strict else logging.WARNING, found.values())
    lacking = list(map(why_not, unaccelerated_dists(names, dists, providers)))
    _log(logging.ERROR, (f"--require-accelerator: {line}" for line in lacking))
    _log(logging.WARNING, (*masked, *warnings_of(providers.detected)))
    if has_variants:
        # The best variants may have no conflict.
        rest = [dist for dist in dists if dist not in found]
        with on_target(environment):
            _log(logging.WARNING, _conflicting(rest, providers, options))
    _log(logging.WARNING, incomplete(dists, options))
    return ERROR if lacking or (found and strict) else status


def _log(level: int, lines: Iterable[str]) -> None:
    for line in lines:
        logger.log(level, "%s", line)


def _installed(folders: list[str] | None) -> list[BaseDistribution]:
    """Return the distributions in this environment or in folders.

    :raises WrongUse: if a folder does not exist.
    """
    if not folders:
        environment = get_default_environment()
        return list(environment.iter_installed_distributions(local_only=False))
    for folder in folders:
        if not os.path.isdir(folder):
            raise WrongUse(f"--path {folder}: the folder does not exist")
    return list(get_environment(folders).iter_all_distributions())


def _folders_checked(dists: Sequence[BaseDistribution], target: Target | None) -> int:
    """Check dependencies and tags in folders, like ``pip check``.

    :param target: the target; None for this machine and interpreter.
    """
    from pip._internal.models.target_python import TargetPython
    from pip._internal.operations import check as upstream

    broken, packages = [], {}
    for dist in dists:
        try:
            needs = list(dist.iter_dependencies())
            packages[dist.canonical_name] = upstream.PackageDetails(dist.version, needs)
        except (OSError, ValueError) as error:
            broken.append(f"{dist.raw_name} has invalid metadata: {error}")
    missing, conflicting = upstream.check_package_set(packages)
    for name, package in packages.items():
        start = f"{name} {package.version} requires"
        for needed, _ in missing.get(name, ()):
            broken.append(f"{start} {needed}, which is missing.")
        for other, version, wanted in conflicting.get(name, ()):
            broken.append(f"{start} {wanted}, but {other} {version} is installed.")
    python = TargetPython() if target is None else target.python
    place = "this platform" if target is None else target.host.path
    broken += [
        f"{dist.raw_name} {dist.raw_version} is not supported on {place}."
        for dist in upstream.check_unsupported(dists, python.get_unsorted_tags())
    ]
    write(broken or ["No broken requirements found."])
    return ERROR if broken else SUCCESS


def incomplete(dists: Iterable[BaseDistribution], options: Values) -> Iterator[str]:
    """Yield packages with missing files, and how to repair them.

    Missing bytecode does not count, because Python creates bytecode again.
    """
    for dist in dists:
        try:
            # The folder of metadata names the version, too, if METADATA is missing.
            missing, version = list(_missing(dist)), dist.version
        except (OSError, ValueError, IndexError, csv.Error) as error:
            logger.debug("Cannot read which files %s has: %r", dist.raw_name, error)
            continue
        if missing:
            from pip._internal.variants.output.invocation import for_same_file

            rest = len(missing) - 1
            more = f" and {counted(rest, 'more file')}" if rest else ""
            yield Hint(
                f"{dist.raw_name} {version} is incomplete: pip cannot find "
                f"'{missing[0]}'{more}. To repair the package:",
                for_same_file(options, dist),
            )


def _missing(dist: BaseDistribution) -> Iterator[str]:
    """Yield those recorded files of a package that are missing.

    Skips scripts and data outside the package's folder: the user may have moved these, as with
    ``--target``, or the record may have their paths in the wheel.
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
    dists: Iterable[BaseDistribution], providers: ProviderChain, options: Values
) -> tuple[dict[BaseDistribution, str], list[str]]:
    """Return messages about the variants that the machine does not support.

    Hiding devices is the user's choice, so variants for hidden devices have separate messages.

    :return: the messages about unsupported variants, by package, and the messages about
        variants for devices that an environment variable hides.
    """
    from pip._internal.variants.output.invocation import for_another_build
    from pip._internal.variants.output.reasons import needs
    from pip._internal.variants.selection.ranking import judge_installed

    found: dict[BaseDistribution, str] = {}
    hidden: list[str] = []
    machine = "This machine" if providers.host is None else providers.host.path
    for dist in dists:
        if (build := installed_build(dist)) is None or build.label is None:
            continue
        variant = f"{dist.raw_name} {with_label(str(dist.version), build.label)}"
        selection = judge_installed(dist.raw_name, build, [build.label], providers)
        mismatches = selection.known_mismatches(build.label)
        masks = _masks(selection, mismatches)
        if masks:
            hidden.append(f"{variant} cannot be checked: {'; '.join(masks)}")
        elif mismatches:
            found[dist] = Hint(
                f"{machine} does not support {variant}: the variant needs "
                f"{needs(selection, mismatches)}. To switch to the best variant of this "
                "version:",
                for_another_build(options, dist),
            )
    return found, hidden


def _masks(selection: Selection, mismatches: Iterable[Mismatch]) -> list[str]:
    """Return the reasons why devices are hidden; empty if a variant has another mismatch."""
    answers = [selection.answers[each.feature.namespace] for each in mismatches]
    if any(answer.hidden_by is None for answer in answers):
        return []
    return list(dict.fromkeys(answer.reason or "" for answer in answers))


def _conflicting(
    dists: Sequence[BaseDistribution], providers: ProviderChain, options: Values
) -> Iterator[str]:
    """Yield warnings about packages for different devices or versions.

    If a mode chose some of the packages, the mode compares them.
    """
    from pip._internal.variants.output import reasons
    from pip._internal.variants.selection import agreement
    from pip._internal.variants.selection.run import mode_modules, options_for

    lines = [
        line
        for module in mode_modules(options)
        if hasattr(module, "installed_problems")
        and any(options_for([module], installed_build(dist)) for dist in dists)
        for line in module.installed_problems(dists, options)
    ]
    if lines:
        yield from lines
        return
    neighbors = [agreement.compared_package(dist) for dist in dists]
    apart = [e for e in neighbors if e.build and e.build.runtime != agreement.CPU]
    builds = [each.build for each in apart if each.build is not None]
    if agreement.are_mixed(builds):
        matching = agreement.labels_that_agree(apart, providers)
        yield reasons.mixture(options, builds, matching)
    for using, other in agreement.contradictions(neighbors):
        yield reasons.contradiction(options, using, other)
