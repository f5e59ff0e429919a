"""What ``pip variants`` expects of its actions, and options that several share."""

from __future__ import annotations

import optparse
from collections.abc import Callable, Sequence
from typing import Protocol

from pip._internal.cli import cmdoptions
from pip._internal.cli.index_command import SessionCommandMixin

__all__ = ["LOOKUP_OPTIONS", "PLUGIN_LIMITS", "Action", "OptionMaker"]

OptionMaker = Callable[[], optparse.Option]


#: Options that limit the installation of plugins, beside those of indexes.
PLUGIN_LIMITS: tuple[OptionMaker, ...] = (
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
LOOKUP_OPTIONS: tuple[OptionMaker, ...] = (
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


class Action(Protocol):
    """The contract of an action: a module with these names."""

    #: One line for ``pip variants --help``.
    SUMMARY: str
    #: What may follow ``pip variants ACTION``.
    USAGE: str
    #: What its exit status tells.
    STATUS: str
    #: The options it reads beside ``--json``. An option that several actions read is
    #: the same object in each.
    OPTIONS: Sequence[OptionMaker]

    def run(
        self, command: SessionCommandMixin, options: optparse.Values, args: list[str]
    ) -> int:
        """Do it, and return the exit status.

        :param args: what follows the name of the action.
        :raises PipError: if it cannot be done; ``WrongUse`` for wrong arguments.
        """
