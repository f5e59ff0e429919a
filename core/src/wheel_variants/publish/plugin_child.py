"""Query a provider plugin in a separate process (PEP 850, "Plugin API").

``python -I -S -B plugin_child.py FOLDER API ANSWER`` imports the plugin from FOLDER, after
the standard library. The result goes to the file ANSWER in JSON, because a plugin can print
anything.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import traceback
from typing import Any


def main(folder: str, api: str, answer: str) -> None:
    """Write the plugin's result, or the error."""
    sys.path.append(folder)
    try:
        text = json.dumps({"configs": _described(_query(api))}, default=repr)
    except BaseException as error:  # A plugin can raise anything, even SystemExit.
        fault, place = f"{type(error).__name__}: {error}", ""
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename.startswith(folder):
                path = os.path.relpath(frame.filename, folder)
                place = f" ({path}, line {frame.lineno})"
        text = json.dumps({"fault": f"{fault}{place}"})
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
    # The older interface has a parameter for the known properties.
    return function(frozenset()) if needed else function()


def _described(configs: Any) -> Any:
    if not isinstance(configs, (list, tuple)):
        return repr(configs)
    names = ("name", "values", "multi_value")
    return [[getattr(config, name, None) for name in names] for config in configs]


if __name__ == "__main__":
    main(*sys.argv[1:])
