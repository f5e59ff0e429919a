"""Build commands for hints, including the user's options.

Settings in the configuration and environment apply to the next command anyway.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Container, Sequence
from functools import partial
from itertools import pairwise
from optparse import Option, OptionParser, Values
from typing import TYPE_CHECKING, Any

from pip._internal.commands import create_command
from pip._internal.console.texts import without_credentials
from pip._internal.metadata import get_default_environment
from pip._internal.utils import entrypoints
from pip._internal.utils.compat import WINDOWS
from pip._internal.utils.direct_url_helpers import direct_url_as_pep440_direct_reference
from pip._internal.variants.index.links import public
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.run import mode_modules, options_for
from pip._internal.variants.settings import (
    IN_BUILD,
    NO_VARIANTS,
    REQUIRE_ACCELERATOR,
    SOURCES_IN_FILES,
    UPGRADE_VARIANTS,
    VARIANT,
    Settings,
    VariantOption,
)
from pip._internal.variants.slots import COMMAND_LINE

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution

#: Upstream's options for package sources, and for access to them.
_FROM_WHERE = frozenset(
    (
        *("--index-url", "--extra-index-url", "--find-links", "--no-index"),
        *("--trusted-host", "--cert", "--client-cert", "--proxy", "--no-proxy-env"),
        *("--keyring-provider", "--uploaded-prior-to", "--isolated"),
    )
)
#: Upstream's options that affect the candidates and the selection.
_REPEATED = _FROM_WHERE | frozenset(
    (
        # Target and destination
        *("--platform", "--python-version", "--implementation", "--abi"),
        *("--target", "--prefix", "--root", "--user", "--break-system-packages"),
        # Limits on candidates
        *("--constraint", "--pre", "--all-releases", "--only-final", "--no-deps"),
        *("--no-binary", "--only-binary", "--prefer-binary"),
        "--ignore-requires-python",
    )
)
#: Further options to repeat if the same command is run again.
_REPEATED_AGAIN = frozenset(
    (
        *("--requirement", "--requirements-from-script", "--editable", "--group"),
        *("--only-deps", "--dest", "--wheel-dir"),
        *("--upgrade", "--upgrade-strategy", "--dry-run", "--outdated"),
        *("--force-reinstall", "--ignore-installed", "--require-hashes"),
        *("--build-constraint", "--no-build-isolation", "--output"),
        *("--use-feature", "--use-deprecated"),
    )
)
#: Options that choose a build.
_CHOOSING = (VARIANT.name, NO_VARIANTS.name)
#: The placeholder for credentials, like NAME and URL elsewhere: pip would send a copied
#: ``****`` as a password.
_CREDENTIALS = "CREDENTIALS"


def command(
    options: Values, *words: str, without: Collection[str] = (), is_own: bool = False
) -> str:
    """Return a shell command without the user's credentials.

    :param options: the options of the running command.
    :param words: the name of a command and its arguments.
    :param without: the options not to repeat.
    :param is_own: whether the command replaces the running pip.
    """
    accepted = _parser(words)
    if words[0] == "install":
        # The command is for one package, and may not fail because of others.
        without = {*without, REQUIRE_ACCELERATOR.name}

    def is_known(option: Option) -> bool:
        return _is_repeated(option) and accepted.has_option(option.get_opt_string())

    return _joined(options, words, is_known, without, is_own=is_own)


def for_pip(options: Values, *words: str) -> str:
    """Return a command that replaces this pip from the same indexes.

    Other options of the running command apply to other packages. If this pip is in the user
    site, the command replaces it there, and keeps the system's pip.
    """

    def is_where(option: Option) -> bool:
        return option.get_opt_string() in _FROM_WHERE

    for each in Settings(options).typed:
        # A scoped index
        if not {"pip", *words}.isdisjoint(getattr(each.value, "projects", ())):
            words += (each.row.name, str(each.value))
    pip = get_default_environment().get_distribution("pip")
    if pip is not None and pip.in_usersite:
        words += ("--user",)
    return _joined(options, words, is_where, is_own=True)


def own_python() -> str:
    """Return the shell command of the Python that pip manages."""
    python = str(entrypoints.get_best_invocation_for_this_python())
    return python if WINDOWS else shlex.quote(python)


def again(options: Values, *words: str, without: Container[str] = ()) -> str:
    """Return the current command, with words added or options removed.

    :param words: the words to add; an option among them replaces the same typed option.
    :param without: the names of other typed options to remove.
    """
    _, begun = _command_line(options)
    # If the command is unknown, the user must complete it.
    begun = begun or ("install", "...")
    is_repeated = partial(_is_repeated, again=True)
    return _joined(options, (*begun, *words), is_repeated, without)


def for_upgrade(options: Values, *words: str) -> str:
    """Return the command that replaces builds with the best variants.

    :param words: projects, and required options.
    """
    return command(options, "install", UPGRADE_VARIANTS.name, *words, without=_CHOOSING)


def place(options: Values, dist: BaseDistribution) -> tuple[str, ...]:
    """Return the options that replace a package in the folder of ``--path``, if given."""
    folder = Settings(options).path and dist.location
    return ("--target", folder, "--upgrade") if folder else ()


def for_another_build(options: Values, dist: BaseDistribution) -> str:
    """Return the command that makes pip reselect the build of an installed package."""
    flags, build, wanted = place(options, dist), installed_build(dist), dist.raw_name
    if flags:
        # --upgrade replaces the version, too.
        wanted = f"{wanted}=={public(dist.version)}"
    of_modes = options_for(mode_modules(options), build)
    words = *(flags or (UPGRADE_VARIANTS.name,)), *of_modes
    return command(options, "install", *words, wanted, without=_CHOOSING)


def for_same_file(options: Values, dist: BaseDistribution) -> str:
    """Return the command that reinstalls a package from the same file."""
    flags, url = place(options, dist) or ("--force-reinstall",), dist.direct_url
    wanted = f"{dist.raw_name}=={dist.version}"
    if url is not None:
        wanted = direct_url_as_pep440_direct_reference(url, dist.raw_name)
    of_modes = options_for(mode_modules(options), installed_build(dist))
    words = *flags, "--no-deps", *of_modes
    return command(options, "install", *words, wanted)


def _is_repeated(option: Option, *, again: bool = False) -> bool:
    """Return whether a suggested command repeats a typed option.

    :param again: whether the suggested command is the running command.
    """
    if isinstance(option, VariantOption):
        return option.row.repeated in (("any", "same") if again else ("any",))
    name = option.get_opt_string()
    if again and option in SOURCES_IN_FILES:
        # The command reads the file again.
        return False
    return name in _REPEATED or (again and name in _REPEATED_AGAIN)


def _command_line(options: Values) -> tuple[Any, Any]:
    """Return the typed options of the current command, and its other words."""
    # In a build environment, pip's command line is not the user's.
    found = None if os.environ.get(IN_BUILD) else COMMAND_LINE.of(options, tuple)
    return found[1] if found else ((), ())


def _joined(
    options: Values,
    words: Sequence[str],
    is_repeated: Callable[[Option], bool],
    without: Container[str] = (),
    *,
    is_own: bool = False,
) -> str:
    """Return a command for the same pip, with *words* and the repeated options."""
    invocation = [entrypoints.get_best_invocation_for_this_pip()]
    if is_own and WINDOWS:
        # Windows cannot replace a running program.
        invocation = [f"{own_python()} -m pip"]
    parts = [*words]
    typed, _ = _command_line(options)
    for option, _, value in typed:
        name = option.get_opt_string()
        if name == "--python" and value is not None:
            # This is a child of the typed pip, which runs for another Python.
            invocation = ["pip", name, shlex.quote(value)]
        elif is_repeated(option) and name not in words and name not in without:
            parts += [name] if value is None else [name, value]
    redacted = (_redacted(before, each) for before, each in pairwise(("", *parts)))
    return " ".join((*invocation, *map(shlex.quote, redacted)))


def _parser(words: tuple[str, ...]) -> OptionParser:
    """Return the parser of the command that starts with *words*."""
    made = create_command(words[0], isolated=True)
    fit = getattr(made, "fit", None)
    if fit is not None:
        fit(list(words[1:]))
    return made.parser


def _redacted(before: str, word: str) -> str:
    """Redact credentials in a word; *before* is the previous word."""
    if before == "--proxy" and "://" not in word:
        return _redacted("", f"://{word}").removeprefix("://")
    return without_credentials(word, _CREDENTIALS)
