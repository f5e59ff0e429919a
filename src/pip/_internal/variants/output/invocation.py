"""Build commands for hints; they repeat the user's options.

What the configuration and the environment say counts for the next command anyway.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Container, Sequence
from functools import partial
from itertools import pairwise
from optparse import Option, OptionParser, Values
from typing import TYPE_CHECKING, Any

from pip._internal.commands import create_command
from pip._internal.console.texts import without_credentials
from pip._internal.metadata import get_default_environment
from pip._internal.utils import entrypoints
from pip._internal.utils.compat import WINDOWS
from pip._internal.variants.selection.installed import installed_label
from pip._internal.variants.settings import (
    IN_BUILD,
    NO_VARIANTS,
    UPGRADE_VARIANTS,
    VARIANT,
    Settings,
    VariantOption,
)
from pip._internal.variants.slots import COMMAND_LINE

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution

#: Upstream's options that say where to look, and how far.
_FROM_WHERE = frozenset(
    (
        *("--index-url", "--extra-index-url", "--find-links", "--no-index"),
        *("--trusted-host", "--cert", "--client-cert", "--proxy", "--no-proxy-env"),
        *("--keyring-provider", "--uploaded-prior-to", "--isolated"),
    )
)
#: Those that decide what is found and chosen.
_REPEATED = _FROM_WHERE | frozenset(
    (
        # For what, and where it goes.
        *("--platform", "--python-version", "--implementation", "--abi"),
        *("--target", "--prefix", "--root", "--user", "--break-system-packages"),
        # What may be taken.
        *("--constraint", "--pre", "--all-releases", "--only-final", "--no-deps"),
        *("--no-binary", "--only-binary", "--prefer-binary"),
        "--ignore-requires-python",
    )
)
#: What else belongs to a command that is to be run once more.
_REPEATED_AGAIN = frozenset(
    (
        *("--requirement", "--editable", "--group", "--dest", "--wheel-dir"),
        *("--upgrade", "--upgrade-strategy", "--dry-run", "--outdated"),
        *("--force-reinstall", "--ignore-installed", "--require-hashes"),
        *("--build-constraint", "--no-build-isolation", "--output"),
        *("--use-feature", "--use-deprecated"),
    )
)
#: Stands where a user puts in again what pip does not show, as NAME and URL do elsewhere:
#: a copied ``****`` would be sent as a password.
_CREDENTIALS = "CREDENTIALS"


def command(
    options: Values, *words: str, without: Container[str] = (), is_own: bool = False
) -> str:
    """Return a shell command without the user's credentials.

    :param options: of the command that is running.
    :param words: the name of a command, and what follows it.
    :param without: options that are not repeated.
    :param is_own: whether it replaces the pip that runs it.
    """
    accepted = _parser(words)

    def is_known(option: Option) -> bool:
        return _is_repeated(option) and accepted.has_option(option.get_opt_string())

    return _joined(options, words, is_known, without, is_own=is_own)


def for_pip(options: Values, *words: str) -> str:
    """Return a command that replaces this pip from the same indexes.

    What that installs, for which target, and where to, is about other packages. A pip of
    the user's own is replaced there, and that of the system stays.
    """

    def is_where(option: Option) -> bool:
        return option.get_opt_string() in _FROM_WHERE

    for each in Settings(options).typed:
        # An index for certain projects.
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
    """Return the current command, with more words or without some options.

    :param without: names of options, besides those among *words*.
    """
    parser, (_, begun) = _command_line(options)
    # What is not known is left to the reader.
    begun = ("install", "...") if parser is None else (parser.name, *begun)
    is_repeated = partial(_is_repeated, again=True)
    return _joined(options, (*begun, *words), is_repeated, without)


def for_upgrade(options: Values, *projects: str, further: tuple[str, ...] = ()) -> str:
    """Return the command that replaces builds with the best variants.

    :param further: options that it needs besides those that were typed.
    """
    others = (VARIANT.name, NO_VARIANTS.name)
    words = ("install", UPGRADE_VARIANTS.name, *further, *projects)
    return command(options, *words, without=others)


def place(options: Values, dist: BaseDistribution) -> tuple[str, ...]:
    """Return the options that replace a package in the folder of ``--path``."""
    folder = Settings(options).path and dist.location
    return ("--target", folder, "--upgrade") if folder else ()


def for_another_build(options: Values, dist: BaseDistribution) -> str:
    """Return the command that selects a build of an installed package again."""
    is_plain = installed_label(dist) is None
    usual = "--force-reinstall" if is_plain else UPGRADE_VARIANTS.name
    how = place(options, dist) or (usual,)
    return command(options, "install", *how, dist.raw_name)


def _is_repeated(option: Option, *, again: bool = False) -> bool:
    """Return whether a suggested command repeats a typed option.

    :param again: whether that is the one that is running.
    """
    if isinstance(option, VariantOption):
        return option.row.repeated in (("any", "same") if again else ("any",))
    name = option.get_opt_string()
    return name in _REPEATED or (again and name in _REPEATED_AGAIN)


def _command_line(options: Values) -> tuple[Any, Any]:
    """Return the parser of the current command, and the typed words."""
    none = None, ((), ())
    # A pip that fills a build environment has a command line that is not the user's.
    return none if os.environ.get(IN_BUILD) else COMMAND_LINE.of(options, tuple) or none


def _joined(
    options: Values,
    words: Sequence[str],
    is_repeated: Callable[[Option], bool],
    without: Container[str] = (),
    *,
    is_own: bool = False,
) -> str:
    """Join the words of a command, for the same pip."""
    invocation = [entrypoints.get_best_invocation_for_this_pip()]
    if is_own and WINDOWS:
        # A program that runs cannot be replaced there.
        invocation = [f"{own_python()} -m pip"]
    parts = [*words]
    _, (typed, _) = _command_line(options)
    for option, _, value in typed:
        name = option.get_opt_string()
        if name == "--python" and value is not None:
            # This is a child of the pip that was typed, which is for another Python.
            invocation = ["pip", name, shlex.quote(value)]
        elif is_repeated(option) and name not in words and name not in without:
            parts += [name] if value is None else [name, value]
    shown = (_shown(before, each) for before, each in pairwise(("", *parts)))
    return " ".join((*invocation, *map(shlex.quote, shown)))


def _parser(words: tuple[str, ...]) -> OptionParser:
    """Return the parser of the command that starts with *words*."""
    made = create_command(words[0], isolated=True)
    fit = getattr(made, "fit", None)
    if fit is not None:
        fit(list(words[1:]))
    return made.parser


def _shown(before: str, word: str) -> str:
    """Redact credentials in a word; *before* is the previous word."""
    if before == "--proxy" and "://" not in word:
        return _shown("", f"://{word}").removeprefix("://")
    return without_credentials(word, _CREDENTIALS)
