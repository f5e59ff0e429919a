"""What the user typed of the options about variants.

What is typed is meant for this very command: a mistake in it is worth an error or a
warning. The configuration and the environment are for many commands, most of which have
nothing to do with what stands there.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from pip._internal.variants.choice.settings import PROVIDER_KIND

if TYPE_CHECKING:
    from pip._internal.variants.choice.settings import OptionRow, Settings

__all__ = ["Typed", "typed_options"]


class Typed(NamedTuple):
    """An option as it stands on a command line.

    :ivar option: as it is called, ``--variant``.
    :ivar value: checked and converted; None for a flag.
    """

    row: OptionRow
    option: str
    value: Any = None

    def __str__(self) -> str:
        if self.value is None:
            return self.option
        if self.row is PROVIDER_KIND:
            return f"{self.option} {'='.join(self.value)}"
        return f"{self.option} {shlex.quote(str(self.value))}"


def typed_options(settings: Settings) -> list[Typed]:
    """Give the options about variants that were typed, in their order."""
    return [Typed(*each) for each in settings.typed]
