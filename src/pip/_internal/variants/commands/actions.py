"""The actions of ``pip variants``, in one table."""

from __future__ import annotations

import optparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from pip import __version__
from pip._internal.cli import cmdoptions
from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.console.output import write_document
from pip._internal.variants.settings import OPTIONS, OptionRow, allowed, lazy_check

#: Former actions, which are now commands of ``wheel-variants`` with the same names.
MOVED = ("build", "adopt", "index", "check")

OptionMaker = Callable[[], optparse.Option]


#: The version of the ``--json`` documents; ``docs/schemas`` has a JSON Schema for each action.
#: An incompatible change needs a new version.
_VERSION = "1"


class Action(NamedTuple):
    """An action; the module of the same name implements it.

    :ivar name: the name of the action.
    :ivar summary: one line for ``pip variants --help``.
    :ivar usage: the arguments after ``pip variants``.
    :ivar status: the meaning of the exit status.
    :ivar options: the options of the action, in addition to ``--json``.
    :ivar groups: upstream's option groups of the action.
    """

    name: str
    summary: str
    usage: str
    status: str
    options: Sequence[OptionMaker]
    groups: Sequence[Mapping[str, Any]] = ()

    def run(
        self, command: SessionCommandMixin, options: optparse.Values, args: list[str]
    ) -> int:
        """Run the action, and return the exit status.

        :param args: the arguments after the name of the action.
        :raises PipError: if the action fails; ``WrongUse`` for invalid arguments.
        """
        module = import_module(f"pip._internal.variants.commands.{self.name}")
        status: int = module.run(command, options, args)
        return status


#: The options that select candidates, as with ``pip install``.
_SELECTION = cmdoptions.package_selection_group
#: Options that limit the installation of plugins and packages, except index options.
_LIMITS: tuple[OptionMaker, ...] = (
    cmdoptions.constraints,
    cmdoptions.build_constraints,
    cmdoptions.require_hashes,
)
#: Options of actions that look up a project like ``pip install``.
_LOOKUP_OPTIONS: tuple[OptionMaker, ...] = (
    *_LIMITS,
    cmdoptions.ignore_requires_python,
    cmdoptions.platforms,
    cmdoptions.python_version,
    cmdoptions.implementation,
    cmdoptions.abis,
)


def _for_lookup(name: str) -> tuple[OptionMaker, ...]:
    shared = _SELECTION["options"]
    own = (each for each in allowed(OPTIONS, name) if each not in shared)
    return (*own, *_LOOKUP_OPTIONS)


_of_setup = partial(OptionRow, where=("setup",), repeated="same")

#: The options of ``pip variants setup``.
SETUP_OPTIONS = (
    REMOVE := _of_setup(
        "--remove", help="Remove the named indexes from the configuration file."
    ),
    URL := _of_setup(
        "--url",
        check=lazy_check("index_url", "selection.scoped_indexes"),
        metavar="URL",
        help="Use this mirror of the publisher's index.",
    ),
    YES := _of_setup(
        "-y", "--yes", help="Write the file without asking for confirmation."
    ),
    USER := _of_setup(
        "--user", dest="user_file", help="Use the user configuration file."
    ),
    GLOBAL := _of_setup(
        "--global", dest="global_file", help="Use the system-wide configuration file."
    ),
    SITE := _of_setup(
        "--site",
        dest="site_file",
        help="Use the configuration file of the current environment (default in a "
        "virtual environment, unless PIP_CONFIG_FILE names a file).",
    ),
)

#: The actions by name, in the order of the help.
ACTIONS: Mapping[str, Action] = {
    action.name: action
    for action in (
        Action(
            "host",
            "Show what this machine supports, by namespace. With -v, show all values.",
            "host [options]",
            "With --json, print a --variant-host file.\nThe exit status is 1 if pip "
            "cannot use an input file, otherwise 0.",
            (
                *_LIMITS,
                *(
                    each
                    for each in dict.fromkeys((*OPTIONS, *_SELECTION["options"]))
                    if not isinstance(each, OptionRow) or "host" in each.where
                ),
            ),
            [cmdoptions.index_group],
        ),
        Action(
            "list",
            "List the variants of a release, best first.",
            "list [options] REQUIREMENT",
            "The exit status is 1 if nothing matches the requirement, otherwise 0.",
            _for_lookup("list"),
            [_SELECTION, cmdoptions.index_group],
        ),
        Action(
            "explain",
            "Explain which wheel pip would install, and why.",
            "explain [options] REQUIREMENT | --manifest FILE",
            "The exit status is 1 if pip install --dry-run would fail, otherwise 0.",
            _for_lookup("explain"),
            [_SELECTION, cmdoptions.index_group],
        ),
        Action(
            "setup",
            "Add publishers' indexes to the configuration.",
            "setup [options] [NAME ...]",
            "Without a NAME, list the known publishers without contacting them.\n"
            "The exit status is 1 if the requested change was not written, otherwise 0.",
            SETUP_OPTIONS,
        ),
    )
}


def write_report(document: Mapping[str, Any]) -> None:
    """Print a document with the versions of its format and of pip."""
    write_document({"version": _VERSION, "pip_version": __version__, **document})
