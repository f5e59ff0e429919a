"""Install a provider plugin where nothing else sees it: plain wheels, all trusted.

What is installed is kept under pip's cache, by the exact wheels and the interpreter.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pip._vendor.urllib3.exceptions import HTTPError

from pip._internal.build_env.installer import InprocessBuildEnvironmentInstaller
from pip._internal.cache import WheelCache
from pip._internal.cli.spinners import open_rich_spinner
from pip._internal.exceptions import PipError
from pip._internal.index.collector import LinkCollector
from pip._internal.index.package_finder import PackageFinder
from pip._internal.models.format_control import FormatControl
from pip._internal.models.selection_prefs import SelectionPreferences
from pip._internal.operations.build.build_tracker import get_build_tracker
from pip._internal.req.constructors import install_req_from_line
from pip._internal.utils.logging import capture_logging, get_console
from pip._internal.variants.errors import in_words
from pip._internal.variants.output import get_logger
from pip._internal.variants.plugin_cache import (
    CACHE_FOLDER,
    PARTIAL,
    remove_abandoned,
    remove_damaged,
)
from pip._internal.variants.providers.plugin_query import PluginFailed

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.context import Context

__all__ = ["DamagedPlugin", "UntrustedProvider", "plugin_folder"]

logger = get_logger(__name__)


class DamagedPlugin(PluginFailed):
    """A plugin gave no answer, and was not in the cache as it was installed."""


class UntrustedProvider(PipError):
    """A package would be installed whose code the user has not allowed."""

    def __init__(self, project: str) -> None:
        super().__init__(f"{project} is not trusted")
        self.project = project


@contextmanager
def plugin_folder(
    context: Context, requirements: Sequence[str], trusted: frozenset[NormalizedName]
) -> Iterator[str]:
    """Give a folder in which *requirements* are installed, and what they need.

    They come from the indexes of the command. Nothing is asked about a package that is
    not trusted, and only plain wheels are installed.

    :raises UntrustedProvider: if any package to install is not among *trusted*.
    :raises PluginFailed: if they cannot be installed.
    :raises DamagedPlugin: in place of what comes of it, if they are not in the cache as
        they were installed; they are removed from it.
    """
    cache = context.cache_folder(CACHE_FOLDER)
    with capture_logging() as log:
        try:
            folder = _prepare(context, requirements, trusted, cache)
        except (UntrustedProvider, PluginFailed):
            raise
        # The last two: servers that answer what is no page, no wheel or no URL.
        except (PipError, OSError, ValueError, HTTPError) as error:
            for line in log.getvalue().splitlines():
                logger.debug("Installing %s: %s", requirements, line)
            raise PluginFailed(f"it cannot be installed: {in_words(error)}") from None
    try:
        yield folder
    except PluginFailed as error:
        if remove_damaged(folder):
            raise DamagedPlugin(*error.args) from None
        raise
    finally:
        if cache is None or not folder.startswith(cache):
            shutil.rmtree(folder, ignore_errors=True)


def _prepare(
    context: Context,
    requirements: Sequence[str],
    trusted: frozenset[NormalizedName],
    cache: str | None,
) -> str:
    with get_build_tracker() as tracker:
        installer = InprocessBuildEnvironmentInstaller(
            finder=_finder(context, trusted),
            build_tracker=tracker,
            wheel_cache=WheelCache(""),
        )
        resolved = _resolve(installer, requirements)
        key = _key(resolved)
        kept = None if cache is None or key is None else os.path.join(cache, key)
        if kept is not None and os.path.isdir(kept):
            return kept
        with _spinner():
            installer._preparer.prepare_linked_requirements_more(resolved)
            if kept is not None:
                try:
                    return _install_in_cache(resolved, kept)
                except OSError as error:
                    logger.debug("Not kept in the cache: %s", error)
            return _install_in(resolved, tempfile.mkdtemp(prefix="pip-provider-"))


def _install_in_cache(resolved: Sequence[InstallRequirement], kept: str) -> str:
    cache = os.path.dirname(kept)
    os.makedirs(cache, exist_ok=True)
    remove_abandoned(cache)
    folder = _install_in(resolved, tempfile.mkdtemp(prefix=PARTIAL, dir=cache))
    try:
        os.rename(folder, kept)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        # If another process was faster, what it made is the same.
        if not os.path.isdir(kept):
            raise
    return kept


def _install_in(resolved: Sequence[InstallRequirement], folder: str) -> str:
    try:
        _install(resolved, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


@contextmanager
def _spinner() -> Iterator[None]:
    console = get_console()
    with open_rich_spinner("Installing variant providers", console):
        yield
    if not console.is_terminal and logger.isEnabledFor(logging.INFO):
        # The spinner ends its line on terminals alone.
        console.line()


def _finder(context: Context, trusted: frozenset[NormalizedName]) -> PackageFinder:
    """Make a finder for trusted packages: wheels alone, and no variants among them."""
    collector = LinkCollector(context.session, context.search_scope)
    collector._variants = context.for_plugins(trusted)  # type: ignore[attr-defined]
    return PackageFinder.create(
        link_collector=collector,
        selection_prefs=SelectionPreferences(
            allow_yanked=False,
            format_control=FormatControl(set(), {":all:"}),
            prefer_binary=True,
        ),
    )


def _resolve(
    installer: InprocessBuildEnvironmentInstaller, requirements: Iterable[str]
) -> list[InstallRequirement]:
    roots = [
        install_req_from_line(requirement, user_supplied=True)
        for requirement in requirements
    ]
    found = installer._make_resolver().resolve(roots, check_supported_wheels=True)
    return sorted(found.requirements.values(), key=lambda req: str(req.name))


def _key(resolved: Iterable[InstallRequirement]) -> str | None:
    """Name the environment by its wheels' hashes; None if one has none."""
    digest = hashlib.sha256(
        f"{sys.implementation.cache_tag} {sys.version} {sys.executable}".encode()
    )
    for req in resolved:
        if req.link is None or req.link.hash_name != "sha256":
            return None
        digest.update(f"\n{req.link.filename} {req.link.hash}".encode())
    return digest.hexdigest()


def _install(resolved: Sequence[InstallRequirement], folder: str) -> None:
    # Slow to import, and not needed where the environment is in the cache.
    from pip._internal.models.scheme import Scheme
    from pip._internal.operations.install.wheel import install_wheel

    aside = os.path.join(folder, ".aside")
    scheme = Scheme(
        platlib=folder, purelib=folder, headers=aside, scripts=aside, data=aside
    )
    for req in resolved:
        assert req.name is not None
        if not req.is_wheel or req.local_file_path is None:
            raise PluginFailed(f"{req.name} is not available as a wheel")
        install_wheel(
            req.name,
            req.local_file_path,
            scheme,
            str(req),
            pycompile=False,
            warn_script_location=False,
        )
