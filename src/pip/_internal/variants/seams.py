"""The only connection between stock pip's code and variants.

``fork/seams.py`` in the source repository lists the hook of each upstream function, and its
purpose. Upstream's files name a hook as ``module:function``. The first call of a hook imports
its module, so a pip that meets no variant imports nothing. A few hooks are in this module,
because they usually do nothing and then must not import anything.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

#: The typed options, each with its name and its text.
_Typed = list[tuple[Any, str, str | None]]
P = ParamSpec("P")
R = TypeVar("R")

_ROOT = "pip._internal"

#: The modes (``selection/mode.py``): the package of each, and its tables of options. Each
#: mode gets the candidates that earlier modes left.
MODES: Mapping[str, Sequence[str]] = {
    "locks": (),
    "pytorch": ("pytorch",),
    "scoped": ("scoped",),
}


def find(hook: str) -> Callable[..., Any]:
    """Return the function of *hook* (``module:function``)."""
    module, _, name = hook.partition(":")
    found: Callable[..., Any] = getattr(
        importlib.import_module(f"{_ROOT}.{module}"), name
    )
    return found


def around(
    hook: str, load: Callable[[str], Any] = importlib.import_module
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Create a decorator that calls *hook* around a function.

    The decorator passes *hook* the decorated function, then the function's arguments.

    :param load: a function that returns a module, or None to call only the decorated
        function.
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
            return implementation(fn, *args, **kwargs)

        return seam

    return decorate


def _modes() -> list[Any]:
    """Return the packages of the modes."""
    return [importlib.import_module(f"{_ROOT}.variants.{name}") for name in MODES]


# Upstream allows no import once installation begins. By then, pip has loaded the modules
# for chosen variants and for parallel downloads.
if_loaded = functools.partial(around, load=sys.modules.get)


def _load_if_fast(module: str) -> Any:
    switches = sys.modules.get(f"{_ROOT}.fast.switches")
    is_fast = switches is not None and switches.command_options() is not None
    return importlib.import_module(module) if is_fast else None


# With --no-fast, pip does not even import the hooks.
if_fast = functools.partial(around, load=_load_if_fast)


def of_mode(hook: str) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Create a decorator that calls the *hook* of each mode that has one."""
    name = hook.removeprefix(":")

    def decorate(fn: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(fn)
        def seam(*args: Any, **kwargs: Any) -> R:
            inner = fn
            for room in _modes():
                if hasattr(room, name):
                    inner = functools.partial(getattr(room, name), inner)
            return inner(*args, **kwargs)

        return seam

    return decorate


def metadata_file(fn: Callable[[Any, str], bytes]) -> Callable[[Any, str], bytes]:
    """Read a metadata file; limit the size of ``variant.json``.

    In this module because most metadata files are not ``variant.json`` and need no import.
    """

    @functools.wraps(fn)
    def read(archive: Any, path: str) -> bytes:
        if "/variant.json" not in path:
            return fn(archive, path)
        from pip._internal.variants.index.archives import read_manifest

        return read_manifest(archive, path)

    return read


def found_metadata(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return empty metadata if METADATA is missing, as before CPython 3.15."""

    def read(dist: Any) -> Any:
        try:
            return fn(dist)
        except FileNotFoundError:
            from email.message import Message

            return Message()

    return read


def arguments_parsed(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Store the typed options; suggest similar options; respect ``NO_COLOR``.

    In this module because every command calls the hook, and few commands need the options.
    """

    @functools.wraps(fn)
    def parse(command: Any, args: list[str]) -> Any:
        typed: _Typed = []
        parser = command.parser
        for option in parser.option_list_all:
            option.process = functools.partial(_process, typed, option)
        parser.error = functools.partial(_refuse, parser, parser.error)
        match = parser._match_long_opt
        parser._match_long_opt = functools.partial(_full_name, parser, match)
        options, rest = fn(command, args)
        options.no_color = options.no_color or bool(os.environ.get("NO_COLOR"))
        # By name: some runs of pip do not import the slots.
        options.variants_command_line = parser, (typed, (command.name, *rest))
        # Only this module knows the modes.
        options.variants_modes = _modes
        if hasattr(options, "no_fast"):
            from pip._internal.fast import switches

            switches.parsed(command, options)
        given = vars(options).get
        if given("target_dir") and not given("upgrade"):
            # Otherwise upstream keeps packages that are already in the folder.
            options.upgrade = given("upgrade_variants")
            # Upstream allows no import when it prints what it has installed.
            import pip._internal.variants.hooks.installing  # noqa: F401
        return options, rest

    return parse


def _full_name(parser: Any, match: Callable[[str], str], typed: str) -> str:
    """Return the name of an option; all abbreviations in stock pip stay valid."""
    known = parser._long_opt
    stock = [e for e in known if e.startswith(typed) and not hasattr(known[e], "row")]
    return stock[0] if len(stock) == 1 and typed not in known else match(typed)


def _refuse(parser: Any, error: Callable[[str], None], problem: str) -> None:
    """Report an invalid argument; suggest a similar option."""
    unknown = problem.partition("no such option: ")[2]
    if unknown:
        import difflib

        known = (name for each in parser.option_list_all for name in each._long_opts)
        for meant in difflib.get_close_matches(unknown, known, 1):
            problem = f"{problem} (did you mean {meant}?)"
    error(problem)


def _process(
    typed: _Typed, option: Any, name: str, value: str | None, *others: Any
) -> Any:
    """Process and record a typed option."""
    typed.append((option, name, value))
    return type(option).process(option, name, value, *others)


def command_created(fn: Callable[P, R]) -> Callable[P, R]:
    """Add the variant options that only ``pip check`` or ``pip lock`` has.

    In this module because every command calls the hook.
    """

    @functools.wraps(fn)
    def create(*args: P.args, **kwargs: P.kwargs) -> R:
        command: Any = fn(*args, **kwargs)
        if command.name in ("check", "lock"):
            from pip._internal.variants import settings

            settings.add_options(command)
        made: R = command
        return made

    return create


def add_commands(commands: dict[str, Any], command_info: type[Any]) -> None:
    """Add the command ``variants`` before ``help``."""
    last = commands.pop("help")
    commands["variants"] = command_info(
        "pip._internal.commands.variants",
        "VariantsCommand",
        "Inspect wheel variants and what this machine supports.",
    )
    commands["help"] = last


class _Options:
    """Stock pip's options, with variant options loaded on first use."""

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
    """Return upstream's options, and the variant options for commands that select candidates."""
    of_modes = (table for tables in MODES.values() for table in tables)
    return _Options(upstreams, "install", "settings", *of_modes)


def line_options(upstreams: list[Any]) -> _Options:
    """Return upstream's options, and the variant options for requirements files."""
    return _Options(upstreams, "requirements files", "settings")
