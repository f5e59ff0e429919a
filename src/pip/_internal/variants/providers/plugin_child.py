"""Load and query a provider plugin, in a separate process.

pip passes the source of this module to ``python -I -S -c``, so the module imports only the
standard library. The argument is a JSON object, which names a file. The module writes its
result, another JSON object, to that file, since the plugin may print anything.
"""

from __future__ import annotations

import collections
import importlib
import inspect
import itertools
import json
import os
import signal
import sys
import threading
import traceback
from typing import Any

#: Limits of a result; pip drops the rest.
MAX_FEATURES = 1_000
MAX_VALUES = 10_000

KnownProperty = collections.namedtuple("KnownProperty", "namespace feature value")


class PluginFault(Exception):
    """The plugin violates its interface; the message explains how."""


def load(api: str) -> Any:
    """Load the object of ``module[:attribute.path]``; instantiate a class."""
    module, _, path = api.partition(":")
    found: Any = importlib.import_module(module)
    for name in filter(None, path.split(".")):
        found = getattr(found, name)
    return found() if inspect.isclass(found) else found


def ask(plugin: Any, known: list[list[str]]) -> Any:
    """Query the plugin, through the current or the older interface."""
    function = plugin.get_supported_configs
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        # Compiled functions may lack a signature.
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
    """Convert a plugin's result to ``[name, [value, …]]``; drop invalid items."""
    if not isinstance(configs, (list, tuple)):
        kind = type(configs).__name__
        raise PluginFault(f"get_supported_configs() returned a {kind}, not a list")
    features = []
    for config in itertools.islice(configs, MAX_FEATURES):
        name, values = getattr(config, "name", None), getattr(config, "values", None)
        if isinstance(name, str) and isinstance(values, (list, tuple)):
            texts = [value for value in values if isinstance(value, str)]
            features.append([name, texts[:MAX_VALUES]])
    return features


def end_with_pip() -> None:
    """Kill this process group when pip, at the other end of stdin, has ended."""
    pipe = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def wait() -> None:
        os.read(pipe, 1)
        if sys.platform != "win32":
            os.killpg(0, signal.SIGKILL)
        os._exit(1)  # pragma: no cover (Windows)

    threading.Thread(target=wait, daemon=True).start()


def main(request: dict[str, Any]) -> None:
    """Write the result of *request* to the file that the request names."""
    end_with_pip()
    # At the end: plugin modules must not replace modules of the standard library.
    sys.path.append(request["path"])
    answer: dict[str, Any]
    try:
        answer = {"features": described(ask(load(request["api"]), request["known"]))}
    except PluginFault as error:
        answer = {"fault": str(error)}
    except BaseException as error:  # SystemExit too: a plugin may do anything
        answer = {"fault": f"{type(error).__name__}: {error}"}
        answer["trace"] = "".join(traceback.format_tb(error.__traceback__))
    with open(request["answer"], "w", encoding="utf-8") as file:
        json.dump(answer, file)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
    # Threads of the plugin may still run.
    os._exit(0)
