"""Query an installed provider plugin in a separate process (PEP 850)."""

from __future__ import annotations

import csv
import glob
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

from pip._vendor.wheel_variants import properties
from pip._vendor.wheel_variants.plugin_modules import belongs
from pip._vendor.wheel_variants.plugin_process import end_process
from pip._vendor.wheel_variants.properties import Property, SupportedFeature

from pip._internal.console.output import get_logger
from pip._internal.variants.providers.result import Environ

logger = get_logger(__name__)

#: Bytes; a thousand features with a few values each need a tenth of this.
_MAX_ANSWER = 4 * 1024 * 1024


class PluginFailed(Exception):
    """A plugin failed; the message is the reason, without a final period."""


def query_plugin(
    path: str, api: str, known: Iterable[Property], environ: Environ, timeout: float
) -> tuple[SupportedFeature, ...]:
    """Query a plugin for the supported features of this machine.

    The plugin runs in an empty folder, isolated from the user's Python settings. Afterward pip
    kills its process group.

    :param path: the folder in which the plugin is installed.
    :param api: the entry point of the plugin, ``module[:attribute.path]``.
    :param known: the properties for plugins with the older interface.
    :param environ: the environment variables of the plugin.
    :param timeout: the maximum number of seconds.
    :raises PluginFailed: if the plugin returns no result.
    """
    module = api.partition(":")[0]
    if not belongs(module, set(_installed(path))):
        raise PluginFailed(f"its installed packages lack module {module[:200]}")
    source = pkgutil.get_data(__package__, "plugin_child.py")
    assert source is not None, "the module lies beside this one"
    with tempfile.TemporaryDirectory(
        prefix="pip-provider-", ignore_cleanup_errors=True
    ) as folder:
        answer, work = os.path.join(folder, "answer.json"), os.path.join(folder, "work")
        os.mkdir(work)
        request = {
            "path": path,
            "api": api,
            "known": [[p.namespace, p.feature, p.value] for p in known],
            "answer": answer,
        }
        command = [sys.executable, "-I", "-S", "-c", source.decode("utf-8")]
        command.append(json.dumps(request))
        # pip reads the file that it opened, even if the plugin replaces it.
        with open(answer, "x+b") as file:
            code = _run(command, work, environ, timeout)
            file.seek(0)
            data = file.read(_MAX_ANSWER + 1)
    if len(data) > _MAX_ANSWER:
        raise PluginFailed("its answer is too long")
    return _features(data, code)


def _installed(folder: str) -> Iterator[str]:
    """Yield the recorded files of the distributions in a folder."""
    for record in glob.glob(os.path.join(glob.escape(folder), "*.dist-info", "RECORD")):
        with open(record, encoding="utf-8", newline="") as file:
            yield from (row[0] for row in csv.reader(file) if row)


def _run(command: list[str], folder: str, environ: Environ, timeout: float) -> int:
    """Run a command in a separate process group, and kill the group afterward.

    :return: the exit status of the command.
    :raises PluginFailed: if the command cannot be run, or takes too long.
    """
    group: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":  # pragma: no cover (Windows)
        group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environ),
            stdin=subprocess.PIPE,  # The child ends if pip does, even if pip is killed.
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **group,
        )
    except OSError as error:
        raise PluginFailed(f"it cannot be run: {error}") from None
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        raise PluginFailed(
            f"it did not answer within {timeout:g} seconds; to wait longer, use "
            f"--variant-provider-timeout {2 * timeout:g}"
        ) from None
    finally:
        assert process.stdin is not None
        process.stdin.close()
        end_process(process)


def _features(data: bytes, code: int) -> tuple[SupportedFeature, ...]:
    """Return the valid features in the result of a plugin.

    :param code: the exit status of the plugin's process.
    :raises PluginFailed: if *data* is not a result.
    """
    if not data:
        if code < 0:
            raise PluginFailed(f"its process was killed by signal {-code}")
        raise PluginFailed(f"its process ended with exit status {code}")
    valid: dict[str, SupportedFeature] = {}
    try:
        answer = json.loads(data)
        fault, trace = answer.get("fault"), answer.get("trace")
        for name, values in answer.get("features", []):
            kept = tuple(dict.fromkeys(filter(properties.is_valid_value, values)))
            if kept and properties.is_valid_feature_name(name) and name not in valid:
                valid[name] = SupportedFeature(name, kept)
    # Only a plugin that writes to that file itself can cause these errors.
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise PluginFailed("its answer cannot be read") from None
    if isinstance(fault, str):
        if isinstance(trace, str):
            for line in trace[-4000:].splitlines():
                logger.verbose("%s", line)
        raise PluginFailed(f"it failed: {fault[:500]} (-v shows where)")
    return tuple(valid.values())
