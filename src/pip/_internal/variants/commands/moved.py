"""Commands of ``pip variants`` that the distribution wheel-variants has now."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence

from pip._vendor.wheel_variants.properties import is_valid_namespace

from pip._internal.console.texts import Hint, without_credentials
from pip._internal.variants.errors import VariantError

__all__ = ["Moved", "is_moved"]

_PLUGIN, _API = "--plugin", "--plugin-api"


class Moved(VariantError):
    """A command is now one of ``wheel-variants``."""

    reference = "moved-to-wheel-variants"
    form = "{} is now a command of wheel-variants."

    def __init__(self, args: Sequence[str]) -> None:
        """Make the error.

        :param args: what was typed after ``pip variants``, for which :func:`is_moved`.
        """
        words = ["wheel-variants", "plugin", *_words_for_plugin(args)]
        shown = (without_credentials(word, "CREDENTIALS") for word in words)
        super().__init__(
            f"pip variants host {_PLUGIN}",
            hint=Hint(
                "Install the file wheel_variants-*.whl of the release, with its extra "
                "[cli], then run:",
                shlex.join(shown),
            ),
        )


def is_moved(args: Iterable[str]) -> bool:
    """Return whether ``pip variants`` no longer has what these arguments ask for."""
    return "host" in args and any(each.partition("=")[0] == _PLUGIN for each in args)


def _words_for_plugin(args: Sequence[str]) -> Iterator[str]:
    """Yield the arguments of ``wheel-variants plugin``."""
    words = iter(args)
    for word in words:
        name, equals, value = word.partition("=")
        if name in (_PLUGIN, _API):
            value = value if equals else next(words, "")
            namespace, _, rest = value.partition("=")
            if name == _API:
                yield from (_API, rest or value)
            elif rest and is_valid_namespace(namespace) and not os.path.exists(value):
                yield from (rest, "--namespace", namespace)
            else:
                yield value
        elif word not in ("host", "--hardware"):
            yield word
