"""What ``pip variants`` did, and the program ``wheel-variants`` does now."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from pip._vendor.wheel_variants.properties import is_valid_namespace

__all__ = ["MOVED", "moved_words"]

#: Former actions, which are commands of the same names now.
MOVED = ("build", "adopt", "index", "check")
_PLUGIN, _API = "--plugin", "--plugin-api"


def moved_words(args: Sequence[str]) -> list[str]:
    """Return the arguments of ``wheel-variants`` for what was typed.

    :param args: what was typed after ``pip variants``.
    :return: empty if ``pip variants`` still does that.
    """
    words = [each for each in args if not each.startswith("-")]
    if words and words[0] in MOVED:
        return [*args[args.index(words[0]) :]]
    names = {each.partition("=")[0] for each in args}
    if words and words[0] == "host" and _PLUGIN in names:
        return ["plugin", *_words_for_plugin(args)]
    return []


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
