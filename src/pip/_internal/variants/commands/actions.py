"""The actions of ``pip variants``, in one table."""

from __future__ import annotations

import optparse
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

from pip._internal.cli import cmdoptions
from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.variants.commands.options import OPTIONS as OWN
from pip._internal.variants.selection.settings import OPTIONS, OptionRow, allowed

__all__ = ["ACTIONS", "Action", "OptionMaker"]

OptionMaker = Callable[[], optparse.Option]


class Action(NamedTuple):
    """An action; the module of its name, which is loaded when it runs, does it.

    :ivar summary: one line for ``pip variants --help``.
    :ivar usage: what may follow ``pip variants ACTION``.
    :ivar status: what its exit status tells.
    :ivar options: the options it reads beside ``--json``. An option that several actions
        read is the same object in each.
    """

    name: str
    summary: str
    usage: str
    status: str
    options: Sequence[OptionMaker]

    def run(
        self, command: SessionCommandMixin, options: optparse.Values, args: list[str]
    ) -> int:
        """Do it, and return the exit status.

        :param args: what follows the name of the action.
        :raises PipError: if it cannot be done; ``WrongUse`` for wrong arguments.
        """
        module = import_module(f"pip._internal.variants.commands.{self.name}")
        status: int = module.run(command, options, args)
        return status


#: Options of modes, which are known to stand beside upstream's.
_OF_MODES = tuple(
    each
    for each in cmdoptions.package_selection_group["options"]
    if isinstance(each, OptionRow) and each not in OPTIONS
)
#: Options that limit the installation of plugins, beside those of indexes.
_PLUGIN_LIMITS: tuple[OptionMaker, ...] = (
    cmdoptions.constraints,
    cmdoptions.build_constraints,
    cmdoptions.require_hashes,
    cmdoptions.pre,
    cmdoptions.all_releases,
    cmdoptions.only_final,
    cmdoptions.no_binary,
    cmdoptions.only_binary,
)

#: Options of actions that look a project up as ``pip install`` would.
_LOOKUP_OPTIONS: tuple[OptionMaker, ...] = (
    cmdoptions.constraints,
    cmdoptions.build_constraints,
    cmdoptions.require_hashes,
    cmdoptions.ignore_requires_python,
    cmdoptions.platforms,
    cmdoptions.python_version,
    cmdoptions.implementation,
    cmdoptions.abis,
    *cmdoptions.package_selection_group["options"],
    *cmdoptions.index_group["options"],
)

#: By name, in the order of the help.
ACTIONS: Mapping[str, Action] = {
    action.name: action
    for action in (
        Action(
            "host",
            "Show what this machine supports, by namespace; with -v, in full.",
            "host [options]",
            "With --json, the output is what --variant-host takes. The exit status is 0, "
            "or 1 if a file that was given is of no use.",
            (
                *allowed(OPTIONS, "host"),
                *allowed(_OF_MODES, "host"),
                *_PLUGIN_LIMITS,
                *cmdoptions.index_group["options"],
            ),
        ),
        Action(
            "list",
            "List the variants of a release, best first.",
            "list [options] REQUIREMENT",
            "The exit status is 0, or 1 if there is nothing of that requirement.",
            (*allowed(OPTIONS, "list"), *_LOOKUP_OPTIONS),
        ),
        Action(
            "explain",
            "Tell which build would be installed, and why.",
            "explain [options] REQUIREMENT | --manifest FILE",
            "The exit status is 0, or 1 if nothing would be installed, as with pip install "
            "--dry-run, or nothing can be told.",
            (*allowed(OPTIONS, "explain"), *_LOOKUP_OPTIONS),
        ),
        Action(
            "setup",
            "Write indexes that publishers run into the configuration, after asking.",
            "setup [options] [NAME ...]",
            "Without a NAME, those that are known are listed; nothing is asked of them. The "
            "exit status is 0, or 1 if what was to be written was not.",
            allowed(OWN, "setup"),
        ),
    )
}
