"""Ask a provider plugin in a process that does nothing else (PEP 850, "Plugin API").

``python -I -S -B plugin_child.py FOLDER API ANSWER`` imports the plugin from FOLDER, after
the standard library, and writes JSON to the file ANSWER, because a plugin may print anything.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import traceback
from importlib import machinery
from typing import Any

#: One more than installers read, so that the reader of the answer can report it.
_MOST_FEATURES = 1_001


def main(folder: str, api: str, answer: str) -> None:
    """Write what the plugin answers, or why it does not."""

    def find(path: str) -> machinery.FileFinder:
        # As installers do: modules are sources or extensions, never compiled code.
        if not path.startswith(folder) or not os.path.isdir(path):
            raise ImportError(path)
        extensions = machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES
        sources = machinery.SourceFileLoader, machinery.SOURCE_SUFFIXES
        return machinery.FileFinder(path, extensions, sources)

    sys.path.append(folder)
    sys.path_hooks.insert(0, find)
    try:
        text = json.dumps({"configs": _described(_query(api))}, default=repr)
    except BaseException as error:  # A plugin may raise anything, SystemExit too.
        fault, place = f"{type(error).__name__}: {error}", None
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename.startswith(folder):
                place = (
                    f"{os.path.relpath(frame.filename, folder)}, line {frame.lineno}"
                )
        text = json.dumps({"fault": fault, "place": place})
    with open(answer, "w", encoding="utf-8") as file:
        file.write(text)


def _query(api: str) -> Any:
    """Call ``get_supported_configs`` of the object that *api* names."""
    module, _, path = api.partition(":")
    plugin: Any = importlib.import_module(module)
    for name in filter(None, path.split(".")):
        plugin = getattr(plugin, name)
    if inspect.isclass(plugin):
        plugin = plugin()
    function = plugin.get_supported_configs
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        # A compiled function may have no signature.
        return function()
    needed = [
        each
        for each in parameters
        if each.default is each.empty
        and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    # The older interface takes the properties that are known.
    return function(frozenset()) if needed else function()


def _described(configs: Any) -> Any:
    if not isinstance(configs, (list, tuple)):
        return repr(configs)
    names = ("name", "values", "multi_value")
    return [
        [getattr(config, name, None) for name in names]
        for config in configs[:_MOST_FEATURES]
    ]


if __name__ == "__main__":
    main(*sys.argv[1:])
