"""The only door between upstream's code and variants: one thin function a seam.

Each name here decorates a function of upstream's, or is called at the end of one of
its modules; ``fork/seams.py`` in the source repository says where and why. What a
decorated function does instead is looked up at its first call, so that a pip that
meets no variant imports nothing for them.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from pip._internal.req.req_install import InstallRequirement

P = ParamSpec("P")
R = TypeVar("R")

_ROOT = "pip._internal"


def _around(
    hook: str, load: Callable[[str], Any] = importlib.import_module
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give a decorator that calls *hook* (``module:function``) around a function.

    The hook is called with the decorated function, then the function's arguments.

    :param load: gives a module; if it gives None, the function is called alone.
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


# Upstream allows no import once it has begun to install. What variants need then was
# loaded when one was chosen, and what downloads need when several at a time were wished.
_if_loaded = functools.partial(_around, load=sys.modules.get)

# One line each, in the order in which a run of pip passes them.
lock_command = _around("variants.locks.writing:lock_command")
requirements_line = _around("variants.choice.context:requirements_line")
debug_options = _around("variants.hooks.debug:debug_options")
collector_created = _around("variants.choice.context:collector_created")
scan_directory = _around("variants.wheels.links:scan_directory")
evaluate_links = _around("variants.wheels.links:evaluate_links")
found_candidates = _around("variants.hooks.resolution:found_candidates")
dependencies_met = _around("variants.hooks.resolution:dependencies_met")
all_candidates = _around("variants.hooks.resolution:all_candidates")
index_finder = _around("variants.hooks.resolution:index_finder")
list_finder = _around("variants.hooks.resolution:list_finder")
resolved = _around("variants.hooks.outcome:resolved")
installation_error = _around("variants.tell.refusals:installation_error")
unsupported_wheel = _around("variants.hooks.prepare:unsupported_wheel")
prepared = _around("variants.hooks.prepare:prepared")
wheels_due = _if_loaded("variants.choice.early_wheels:wheels_due")
save_file = _if_loaded("parallel.downloads.staged:save")
compile_file = _if_loaded("parallel.downloads.staged:compile_file")
downloads_left = _if_loaded("parallel.downloads.downloader:downloads_left")
check_path = _if_loaded("parallel.downloads.digests:check_path")
cached_wheels = _around("variants.hooks.prepare:cached_wheels")
metadata_fetched = _around("variants.hooks.dependencies:metadata_fetched")
dependencies = _around("variants.hooks.dependencies:dependencies")
extra_mapping = _around("variants.hooks.dependencies:extra_mapping")
lock_written = _around("variants.locks.writing:lock_written")
build_requirements = _around("variants.hooks.build_env:build_requirements")
installing = _if_loaded("parallel.downloads.replacing:installing")
uninstall = _if_loaded("parallel.downloads.replacing:uninstall")
install = _if_loaded("parallel.downloads.replacing:install")
removal = _if_loaded("parallel.downloads.replacing:removal")
scripts_not_on_path = _if_loaded("parallel.downloads.replacing:scripts_not_on_path")
installing_wheel = _if_loaded("variants.hooks.installing:installing_wheel")
installed_summary = _if_loaded("variants.hooks.installing:installed_summary")
debug_tags = _around("variants.hooks.debug:debug_tags")
report_item = _around("variants.hooks.report:report_item")
list_columns = _around("variants.hooks.shown:list_columns")
list_json = _around("variants.hooks.shown:list_json")
inspected = _around("variants.hooks.shown:inspected")
frozen_requirement = _around("variants.hooks.shown:frozen_requirement")
freeze = _around("variants.hooks.shown:freeze")
check_options = _around("variants.hooks.check:check_options")
checked = _around("variants.hooks.check:checked")
remote_pip_version = _around("variants.choice.fork:remote_pip_version")
cache_info = _around("variants.machine.plugin_cache:cache_info")
purge_cache = _around("variants.machine.plugin_cache:purge_cache")


#: Bytes of each file of the JSON pages that are read, by its URL; None: nobody asks.
SIZES: dict[str, int] | None = None


def manifest_link_from_json(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Tell manifests from the other files of a JSON page.

    Stands here, since a page may list 10,000 files.
    """

    @functools.wraps(fn)
    def from_json(cls: type[Any], file_data: dict[str, Any], page_url: str) -> Any:
        filename = file_data.get("filename")
        # This takes half the time of endswith().
        if type(filename) is not str or "-variants.json" not in filename:
            link = fn(cls, file_data, page_url)
            if SIZES is not None and type(size := file_data.get("size")) is int:
                SIZES[link.url_without_fragment] = size
            return link
        from pip._internal.variants.wheels import links

        return links.manifest_link_from_json(fn, cls, file_data, page_url)

    return from_json


def metadata_file(fn: Callable[[Any, str], bytes]) -> Callable[[Any, str], bytes]:
    """Read the files of a wheel's ``.dist-info`` with *fn*, apart from ``variant.json``.

    Stands here, since nearly all files are read as ever and need nothing imported.
    """

    @functools.wraps(fn)
    def read(archive: Any, path: str) -> bytes:
        if "/variant.json" not in path:
            return fn(archive, path)
        from pip._internal.variants.wheels.archives import read_manifest

        return read_manifest(archive, path)

    return read


def requirement_preparer(fn: Callable[..., R]) -> Callable[..., R]:
    """Let a command download several files at a time if that is wished for.

    Stands here, since without the wish nothing is imported.
    """

    @functools.wraps(fn)
    def make(cls: Any, temp_build_dir: Any, options: Any, **parts: Any) -> R:
        preparer = fn(cls, temp_build_dir, options, **parts)
        if "parallel-downloads" in options.features_enabled:
            from pip._internal.parallel import downloads

            downloads.enable(cast(Any, preparer), options)
        return preparer

    return make


def arguments_parsed(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Keep what was typed with the options that it comes to.

    Stands here, since each command comes by, and few have a hint to give.
    """

    @functools.wraps(fn)
    def parse(command: Any, args: list[str]) -> Any:
        typed = tuple(args)
        options, rest = fn(command, args)
        options.variants_command_line = command.parser, typed
        return options, rest

    return parse


def mended(fn: Callable[..., int]) -> Callable[..., int]:
    """Finish first what an earlier run was replacing when it was killed.

    Stands here, since nothing is imported unless there is a trace of one.
    """

    @functools.wraps(fn)
    def run(command: Any, options: Any, args: list[str]) -> int:
        libs = _installed_in(options)
        if any(os.path.lexists(os.path.join(lib, ".pip-replacing")) for lib in libs):
            from pip._internal.parallel.downloads import recovery

            recovery.mend(libs)
        return fn(command, options, args)

    return run


def _installed_in(options: Any) -> list[str]:
    """Tell where a command that changes what is installed may find packages."""
    if getattr(options, "dry_run", False):
        return []
    from pip._internal.locations import get_purelib, get_scheme, user_site

    libs = [get_purelib(), user_site]
    prefix, root = (
        getattr(options, f"{each}_path", None) for each in ("prefix", "root")
    )
    if prefix or root:
        libs.append(get_scheme("", prefix=prefix, root=root).purelib)
    return [lib for lib in dict.fromkeys(libs) if lib]


def record_selection(wheel_path: str, info_dir: str) -> list[str]:
    """Record the choice of a build that is being installed.

    :return: the files that were written.
    """
    room = sys.modules.get(f"{_ROOT}.variants.hooks.installing")
    written: list[str] = [] if room is None else room.record(wheel_path, info_dir)
    return written


def is_other_build(installed: Any, candidate: Any) -> bool:
    """Tell whether a candidate is another build of the installed version."""
    from pip._internal.variants.choice import switching

    return switching.is_other_build(installed, candidate)


def narrowed_lock(lock: Any, session: Any, *args: Any) -> Any:
    """Leave in a lock file just the builds to install, and what these need."""
    from pip._internal.variants.locks import reading

    return reading.narrowed(lock, vars(session).get("_variants"), *args)


def would_install(item: tuple[str, str], req: InstallRequirement) -> tuple[str, str]:
    """Name the label of a variant that would be installed.

    :param item: its name and version.
    """
    from pip._internal.variants.hooks import report

    return report.would_install(item, req)


def show_variant(info: Any, *, verbose: bool) -> None:
    """Show which variant a distribution is, among all that is known of it."""
    from pip._internal.variants.hooks import shown

    shown.show_variant(info, verbose=verbose)


def nothing_broken(said: str, options: Any) -> str:
    """Say what ``pip check`` found where all that packages require is there."""
    unsupported = vars(options).get("unsupported_variants")
    if not unsupported:
        return said
    from pip._internal.variants.hooks import check

    return check.nothing_broken(said, unsupported)


def add_commands(commands: dict[str, Any], command_info: type[Any]) -> None:
    """Add the commands of variants; help stays the last one."""
    last = commands.pop("help")
    commands["variants"] = command_info(
        "pip._internal.commands.variants",
        "VariantsCommand",
        "See what wheel variants mean for this machine.",
    )
    commands["help"] = last


class _Options:
    """Options of upstream's, and those of variants, which are loaded when one asks."""

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
    """Add the options of each command that chooses candidates to *upstreams*."""
    return _Options(upstreams, "install", "choice.settings", "pytorch.options")


def line_options(upstreams: list[Any]) -> _Options:
    """Add the options that a requirements file may hold to *upstreams*."""
    return _Options(upstreams, "requirements files", "choice.settings")
