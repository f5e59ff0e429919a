"""What the command ``pip variants`` expects of each of its actions."""

from __future__ import annotations

import optparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pip._internal.cli.index_command import SessionCommandMixin

__all__ = ["Action", "OptionMaker"]

OptionMaker = Callable[[], optparse.Option]


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
        """Do it, and give the exit status.

        :param args: what follows the name of the action.
        :raises PipError: if it cannot be done; ``WrongUse`` for wrong arguments.
        """
