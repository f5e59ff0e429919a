"""The only door between upstream's code and variants: one thin function a seam.

Each name here decorates a function of upstream's, or is called at the end of one of
its modules; ``fork/seams.py`` in the source repository says where and why. What a
decorated function does instead is looked up at its first call, so that a pip that
meets no variant imports nothing for them.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    import optparse

    from pip._internal.req.req_install import InstallRequirement

P = ParamSpec("P")
R = TypeVar("R")

_ROOM = __name__.rpartition(".")[0]


def _around(hook: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give a decorator that calls *hook* (``module:function``) around a function.

    The hook is called with the decorated function, then the function's arguments.
    """
    module, _, name = hook.partition(":")

    def decorate(fn: Callable[P, R]) -> Callable[P, R]:
        implementation: Callable[..., R] | None = None

        @functools.wraps(fn)
        def seam(*args: P.args, **kwargs: P.kwargs) -> R:
            nonlocal implementation
            if implementation is None:
                room = importlib.import_module(f"{_ROOM}.{module}")
                implementation = getattr(room, name)
            return implementation(fn, *args, **kwargs)

        return seam

    return decorate


# One line each, in the order in which a run of pip passes them.
lock_command = _around("context:lock_command")
requirements_line = _around("options:requirements_line")
debug_options = _around("options:debug_options")
collector_created = _around("context:collector_created")
scan_directory = _around("links:scan_directory")
evaluate_links = _around("links:evaluate_links")
found_candidates = _around("candidates:found_candidates")
dependencies_met = _around("candidates:dependencies_met")
all_candidates = _around("candidates:all_candidates")
index_finder = _around("candidates:index_finder")
list_finder = _around("candidates:list_finder")
resolved = _around("outcome:resolved")
installation_error = _around("outcome:installation_error")
unsupported_wheel = _around("wheels:unsupported_wheel")
prepared = _around("wheels:prepared")
cached_wheels = _around("wheels:cached_wheels")
metadata_fetched = _around("dependencies:metadata_fetched")
dependencies = _around("dependencies:dependencies")
extra_mapping = _around("dependencies:extra_mapping")
lock_written = _around("locks.writing:lock_written")
build_requirements = _around("context:build_requirements")
debug_tags = _around("outcome:debug_tags")
report_item = _around("report:report_item")
list_columns = _around("shown:list_columns")
list_json = _around("shown:list_json")
inspected = _around("shown:inspected")
frozen_requirement = _around("shown:frozen_requirement")
freeze = _around("shown:freeze")
checked = _around("check:checked")
remote_pip_version = _around("fork:remote_pip_version")
cache_info = _around("plugin_cache:cache_info")
purge_cache = _around("plugin_cache:purge_cache")


def manifest_link_from_json(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Tell manifests from the other files of a JSON page.

    Stands here, since a page may list 10,000 files.
    """

    @functools.wraps(fn)
    def from_json(cls: type[Any], file_data: dict[str, Any], page_url: str) -> Any:
        filename = file_data.get("filename")
        # This takes half the time of endswith().
        if type(filename) is not str or "-variants.json" not in filename:
            return fn(cls, file_data, page_url)
        from pip._internal.variants import links

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
        from pip._internal.variants.archives import read_manifest

        return read_manifest(archive, path)

    return read


# No dataclass or named tuple: to make one takes as long as all the rest of this module.
class Record:
    """What to keep of the choice of a build: its project, label and all the rest."""

    __slots__ = ("content", "label", "project")

    def __init__(self, project: str, label: str | None, content: bytes) -> None:
        self.project = project
        self.label = label
        self.content = content


#: In the metadata folder of an installed build that was chosen among variants.
SELECTION_FILE = "variant-selection.json"
#: What to write there, by the path of the wheel.
SELECTIONS: dict[str, Record] = {}
#: The labels of the variants that this run has installed, by their metadata folder.
LABELS: dict[str, str] = {}


_INTERRUPTED = b"""\
Finishing the installation, so that nothing is left half installed. Press Ctrl-C again \
to stop at once.
"""


def installing(fn: Callable[P, R]) -> Callable[P, R]:
    """Let an interrupt wait until what is being installed is whole.

    Upstream would leave the old build taken away and the new one begun. Stands here,
    since upstream allows no import any more.
    """

    @functools.wraps(fn)
    def install(*args: P.args, **kwargs: P.kwargs) -> R:
        # Upstream has loaded it; without a choice among variants, all stays upstream's.
        signal = sys.modules.get("signal")
        if not SELECTIONS or signal is None:
            return fn(*args, **kwargs)
        interrupted: list[int] = []

        def hold(number: int, frame: object) -> None:
            if interrupted:
                raise KeyboardInterrupt
            interrupted.append(number)
            os.write(2, _INTERRUPTED)

        try:
            before = signal.signal(signal.SIGINT, hold)
        except ValueError:  # This is not the main thread.
            return fn(*args, **kwargs)
        try:
            result = fn(*args, **kwargs)
        finally:
            signal.signal(signal.SIGINT, before)
        if interrupted:
            raise KeyboardInterrupt
        return result

    return install


def installing_wheel(
    fn: Callable[..., Generator[Any, None, None]],
) -> Callable[..., Generator[Any, None, None]]:
    """Take away what was written of a variant that cannot be installed as a whole.

    Upstream leaves it, as when a disk is full. Stands here for the same reason.
    """

    @functools.wraps(fn)
    def recording(wheel: Any, *args: Any, **kwargs: Any) -> Generator[Any, None, None]:
        # Upstream makes a context manager of this, as of its own.
        with contextlib.contextmanager(fn)(wheel, *args, **kwargs) as record:
            try:
                yield record
            except BaseException:
                if wheel.filename in SELECTIONS:
                    _remove(record.written_paths(), record.lib_dir)
                raise

    return recording


def _remove(paths: Iterable[str], root: str) -> None:
    """Remove files, and the folders below *root* that are empty then."""
    folders = set()
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)
        folder = os.path.dirname(path)
        while folder.startswith(root + os.sep):
            folders.add(folder)
            folder = os.path.dirname(folder)
    for folder in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def record_selection(wheel_path: str, info_dir: str) -> list[str]:
    """Record the choice of a build that is being installed.

    Stands here, since upstream allows no import once it has begun to install.

    :return: the files that were written.
    """
    record = SELECTIONS.get(wheel_path)
    if record is None:
        return []
    path = os.path.join(info_dir, SELECTION_FILE)
    with open(path, "wb") as file:
        file.write(record.content)
    if record.label is not None:
        LABELS[os.path.realpath(info_dir)] = record.label
    return [path]


def installed_summary(fn: Callable[..., str]) -> Callable[..., str]:
    """Name the labels of the variants that were installed.

    Stands here for the same reason.
    """

    @functools.wraps(fn)
    def summary(installed: Any, env: Any) -> str:
        return fn(installed, _Labelled(env) if LABELS else env)

    return summary


class _Labelled:
    """An environment whose distributions have versions with the labels of variants."""

    def __init__(self, env: Any) -> None:
        self._env = env

    def iter_all_distributions(self) -> Iterator[SimpleNamespace]:
        for dist in self._env.iter_all_distributions():
            folder = os.path.realpath(dist.info_location or "")
            yield SimpleNamespace(
                canonical_name=dist.canonical_name,
                version=with_label(str(dist.version), LABELS.get(folder)),
            )


def with_label(version: str, label: str | None) -> str:
    """Give the version of a build as messages show it; a local part may be its label."""
    if label is None or version.endswith(f"+{label}"):
        return version
    return f"{version} ({label})"


def is_other_build(installed: Any, candidate: Any) -> bool:
    """Tell whether a candidate is another build of the installed version."""
    from pip._internal.variants import switching

    return switching.is_other_build(installed, candidate)


def narrowed_lock(lock: Any, session: Any, *args: Any) -> Any:
    """Leave in a lock file just the builds to install, and what these need."""
    from pip._internal.variants.locks import reading

    return reading.narrowed(lock, vars(session).get("_variants"), *args)


def would_install(item: tuple[str, str], req: InstallRequirement) -> tuple[str, str]:
    """Name the label of a variant that would be installed.

    :param item: its name and version.
    """
    from pip._internal.variants import report

    return report.would_install(item, req)


def show_variant(info: Any, *, verbose: bool) -> None:
    """Show which variant a distribution is, among all that is known of it."""
    from pip._internal.variants import shown

    shown.show_variant(info, verbose=verbose)


def add_commands(commands: dict[str, Any], command_info: type[Any]) -> None:
    """Add the commands of variants; help stays the last one."""
    last = commands.pop("help")
    commands["variants"] = command_info(
        "pip._internal.commands.variants",
        "VariantsCommand",
        "See what wheel variants mean for this machine.",
    )
    commands["help"] = last


def options() -> list[Callable[[], optparse.Option]]:
    """Give the options of each command that chooses candidates."""
    return [
        option(name)
        for name in (
            "variant",
            "no_variants",
            "prefer_variant",
            "upgrade_variants",
            "variant_host",
            "enable_variant_provider",
            "disable_variant_provider",
            "trust_variant_provider",
            "variant_provider",
            "variant_provider_timeout",
            "no_variant_lookahead",
        )
    ] + [
        option(name, "pytorch.options")
        for name in (
            "pytorch_computation_backend",
            "cpuonly",
            "pytorch_channel",
            "pytorch_index_url",
        )
    ]


def requirements_file_options() -> list[Callable[[], optparse.Option]]:
    """Give the options that a requirements file may hold."""
    return [option("variant"), option("no_variants")]


@functools.cache
def option(name: str, module: str = "options") -> Callable[[], optparse.Option]:
    """Give what makes an option of variants; the same for all commands."""

    # The module is imported when a command is made, not with upstream's options.
    def make() -> optparse.Option:
        options = importlib.import_module(f"{_ROOM}.{module}")
        made: optparse.Option = getattr(options, name)()
        return made

    return make
