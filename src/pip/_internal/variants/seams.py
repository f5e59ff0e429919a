"""The only door between upstream's code and variants.

``fork/seams.py`` in the source repository says which of upstream's functions has which
hook, and why. Upstream's files name a hook as ``module:function``. It is looked up at
its first call, so a pip that meets no variant imports nothing for it. A few hooks, which
mostly have nothing to do and then must import nothing, stand here themselves.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_ROOT = "pip._internal"

#: The modes (``selection/mode.py``): the room of each, and its tables of options. Each gets
#: the candidates that the modes before it left.
MODES: Mapping[str, Sequence[str]] = {
    "locks": (),
    "pytorch": ("pytorch.options",),
    "scoped": ("scoped.options",),
}


def find(hook: str) -> Callable[..., Any]:
    """Return the function that *hook* (``module:function``) names."""
    module, _, name = hook.partition(":")
    found: Callable[..., Any] = getattr(
        importlib.import_module(f"{_ROOT}.{module}"), name
    )
    return found


def around(
    hook: str,
    load: Callable[[str], Any] = importlib.import_module,
    given: tuple[Any, ...] = (),
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a decorator that calls *hook* (``module:function``) around a function.

    The hook is called with the decorated function, then the function's arguments.

    :param load: returns a module; if it returns None, the function is called alone.
    :param given: arguments of the hook that come before the function's.
    """
    module, _, name = hook.partition(":")

    def decorate(fn: Callable[P, R]) -> Callable[P, R]:
        implementation: Callable[..., R] | None = None

        @functools.wraps(fn)
        def seam(*args: P.args, **kwargs: P.kwargs) -> R:
            nonlocal implementation
            if implementation is None:
                room = load(f"{_ROOT}.{module}")
                if room is None:
                    return fn(*args, **kwargs)
                implementation = getattr(room, name)
            return implementation(fn, *given, *args, **kwargs)

        return seam

    return decorate


def _modes(load: Callable[[str], Any]) -> list[Any]:
    """Return the rooms of the modes whose packages *load* returns."""
    found = (load(f"{_ROOT}.variants.{name}") for name in MODES)
    return [room for room in found if room is not None]


_all_modes = functools.partial(_modes, importlib.import_module)
# Its options or its command have loaded each mode that a run may be in.
_loaded_modes = functools.partial(_modes, sys.modules.get)

# Upstream allows no import once it has begun to install. What variants need then was
# loaded when one was chosen; what parallel downloads need, when they began.
if_loaded = functools.partial(around, load=sys.modules.get)


def _load_if_fast(module: str) -> Any:
    switches = sys.modules.get(f"{_ROOT}.fast.switches")
    is_fast = switches is not None and switches.command_options() is not None
    return importlib.import_module(module) if is_fast else None


# What --no-fast turns off is not even loaded then.
if_fast = functools.partial(around, load=_load_if_fast)
# Only this module knows the modes: some hooks get a function that returns their rooms.
with_modes = functools.partial(around, given=(_all_modes,))
with_loaded_modes = functools.partial(around, given=(_loaded_modes,))


def of_mode(hook: str) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Make a decorator that calls the *hook* (``:function``) of each mode that has one."""
    name = hook.removeprefix(":")

    def decorate(fn: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(fn)
        def seam(*args: Any, **kwargs: Any) -> R:
            inner = fn
            for room in _all_modes():
                if hasattr(room, name):
                    inner = functools.partial(getattr(room, name), inner)
            return inner(*args, **kwargs)

        return seam

    return decorate


def metadata_file(fn: Callable[[Any, str], bytes]) -> Callable[[Any, str], bytes]:
    """Read ``variant.json`` in a wheel with a limit, and other files with *fn*.

    Stands here because nearly all files are others, for which nothing is imported.
    """

    @functools.wraps(fn)
    def read(archive: Any, path: str) -> bytes:
        if "/variant.json" not in path:
            return fn(archive, path)
        from pip._internal.variants.index.archives import read_manifest

        return read_manifest(archive, path)

    return read


def arguments_parsed(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Keep what was typed with the options that are parsed from it.

    Stands here because every command passes, and few show a hint that repeats it.
    """

    @functools.wraps(fn)
    def parse(command: Any, args: list[str]) -> Any:
        typed: list[tuple[Any, str, str | None]] = []
        for option in command.parser.option_list_all:
            option.process = functools.partial(_process, typed, option)
        options, rest = fn(command, args)
        # By name: not every start of pip imports the slots.
        options.variants_command_line = command.parser, (typed, tuple(rest))
        if hasattr(options, "no_fast"):
            from pip._internal.fast import garbage, switches

            switches.parsed(options)
            garbage.parsed(command, options)
        given = vars(options).get
        if given("upgrade_variants") and given("target_dir"):
            # Otherwise upstream leaves in the folder whatever is there already.
            options.upgrade = True
        if given("variant_host"):
            from pip._internal.variants.selection import settings

            settings.imply_wheels(options)
        return options, rest

    return parse


def _process(
    typed: list[tuple[Any, str, str | None]],
    option: Any,
    name: str,
    value: str | None,
    *others: Any,
) -> Any:
    """Process an option that was typed, and note it: optparse processes no others."""
    typed.append((option, name, value))
    return type(option).process(option, name, value, *others)


def record_selection(wheel_path: str, info_dir: str) -> list[str]:
    """Record the choice of a build that is being installed.

    Stands here because nothing was chosen if the module of the hook is not loaded.

    :return: the files that were written.
    """
    room = sys.modules.get(f"{_ROOT}.variants.hooks.installing")
    written: list[str] = [] if room is None else room.record(wheel_path, info_dir)
    return written


def command_created(fn: Callable[P, R]) -> Callable[P, R]:
    """Add the options of variants that only one of upstream's commands has.

    Stands here because every command passes.
    """

    @functools.wraps(fn)
    def create(*args: P.args, **kwargs: P.kwargs) -> R:
        command: Any = fn(*args, **kwargs)
        if command.name in ("check", "debug", "lock"):
            from pip._internal.variants.selection import settings

            settings.add_options(command)
        made: R = command
        return made

    return create


def add_commands(commands: dict[str, Any], command_info: type[Any]) -> None:
    """Add the command of variants; help stays last."""
    last = commands.pop("help")
    commands["variants"] = command_info(
        "pip._internal.commands.variants",
        "VariantsCommand",
        "See what wheel variants mean for this machine.",
    )
    commands["help"] = last


class _Options:
    """Upstream's options, and those of variants, which are loaded on first use."""

    def __init__(self, upstreams: list[Any], place: str, *tables: str) -> None:
        self._upstreams, self._place, self._tables = upstreams, place, tables

    def __iter__(self) -> Iterator[Any]:
        yield from self._upstreams
        for table in self._tables:
            rows = importlib.import_module(f"{_ROOT}.variants.{table}").OPTIONS
            yield from (row for row in rows if self._place in row.where)

    def __add__(self, others: list[Any]) -> list[Any]:
        return [*self, *others]


def selection_options(upstreams: list[Any]) -> _Options:
    """Add the options of commands that choose candidates to upstream's."""
    of_modes = (table for tables in MODES.values() for table in tables)
    return _Options(upstreams, "install", "selection.settings", *of_modes)


def line_options(upstreams: list[Any]) -> _Options:
    """Add the options that requirements files may hold to upstream's."""
    return _Options(upstreams, "requirements files", "selection.settings")
