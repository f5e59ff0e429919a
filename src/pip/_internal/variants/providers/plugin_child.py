"""Load a provider plugin and ask it, in a process that does nothing else.

The source of this module is handed to ``python -I -S -c``, so that it imports nothing but
the standard library. Its argument is a JSON object; it writes another one to the file that
the object names, since the plugin may print anything. Nothing comes from standard input,
which ends when pip ends.
"""

from __future__ import annotations

import _thread
import collections
import importlib
import importlib.util
import inspect
import itertools
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
)
from types import CodeType
from typing import Any

#: Limits of an answer; the rest is left out.
MAX_FEATURES = 1_000
MAX_VALUES = 10_000

KnownProperty = collections.namedtuple("KnownProperty", "namespace feature value")


class PluginFault(Exception):
    """The plugin breaks its interface; the text says how."""


class Sources(SourceFileLoader):
    """Loads modules from their sources alone, never from ``.pyc`` files."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the source; compiled code is neither read nor written."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def below(folder: str, path: str | None) -> bool:
    """Tell whether a path is a folder or lies below it."""
    if path is None:
        return False
    folder, path = os.path.realpath(folder), os.path.realpath(path)
    return path == folder or path.startswith(folder + os.sep)


def finder_of_sources(folder: str) -> Callable[[str], FileFinder]:
    """Return a finder of modules below a folder: sources and extensions only."""

    def find(path: str) -> FileFinder:
        if not below(folder, path) or not os.path.isdir(path):
            raise ImportError("not there")
        return FileFinder(
            path, (ExtensionFileLoader, EXTENSION_SUFFIXES), (Sources, SOURCE_SUFFIXES)
        )

    return find


def check_place(module: str, folder: str) -> None:
    """Check that a module would be imported from below a folder.

    :raises PluginFault: if it lies elsewhere, or nowhere.
    """
    try:
        spec = importlib.util.find_spec(module.partition(".")[0])
    except ValueError:
        # What is built into PyPy has none.
        spec = None
    places: list[str | None] = []
    if spec is not None:
        places += spec.submodule_search_locations or ()
        places = places or [spec.origin]
    if not places or not all(below(folder, place) for place in places):
        raise PluginFault(f"its module {module} is not of what is installed for it")


def load(api: str) -> Any:
    """Load what ``module[:attribute.path]`` names, and instantiate it if it is a class."""
    module, _, path = api.partition(":")
    found: Any = importlib.import_module(module)
    for name in filter(None, path.split(".")):
        found = getattr(found, name)
    return found() if inspect.isclass(found) else found


def ask(plugin: Any, known: list[list[str]]) -> Any:
    """Call the plugin; its older interface takes the known properties."""
    function = plugin.get_supported_configs
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        # What is compiled need not tell.
        return function()
    required = [
        parameter
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind
        in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    if not required:
        return function()
    return function(frozenset(KnownProperty(*each) for each in known))


def described(configs: Any) -> list[list[Any]]:
    """Turn a plugin's answer into ``[name, [value, …]]``, without broken items."""
    if not isinstance(configs, (list, tuple)):
        kind = type(configs).__name__
        raise PluginFault(f"get_supported_configs() returned a {kind} for a list")
    features = []
    for config in itertools.islice(configs, MAX_FEATURES):
        name, values = getattr(config, "name", None), getattr(config, "values", None)
        if isinstance(name, str) and isinstance(values, (list, tuple)):
            texts = [value for value in values if isinstance(value, str)]
            features.append([name, texts[:MAX_VALUES]])
    return features


def end_with_parent(folder: str) -> None:
    """Leave nothing behind if pip is killed before the plugin has answered.

    :param folder: removed then.
    """
    pipe, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def wait() -> None:
        os.read(pipe, 1)
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
        if sys.platform != "win32":
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    _thread.start_new_thread(wait, ())


def main(request: dict[str, Any]) -> None:
    """Answer *request* in the file that it names."""
    end_with_parent(request["folder"])
    # At the end: no module of a plugin may replace one of the standard library.
    sys.path.append(request["path"])
    sys.path_hooks.insert(0, finder_of_sources(request["path"]))
    answer: dict[str, Any]
    try:
        check_place(request["api"].partition(":")[0], request["path"])
        configs = ask(load(request["api"]), request["known"])
        answer = {"features": described(configs)}
    except PluginFault as error:
        answer = {"fault": str(error)}
    except BaseException as error:  # SystemExit too: a plugin may do anything
        answer = {"fault": f"{type(error).__name__}: {error}"}
        frames = traceback.extract_tb(error.__traceback__)
        own = [each for each in frames if below(request["path"], each.filename)]
        answer["trace"] = "".join(traceback.format_list(own))
    with open(request["answer"], "w", encoding="utf-8") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
    # CPython 3.10 may crash if it ends while a thread begins.
    os._exit(0)
