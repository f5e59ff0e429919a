"""Ask an installed provider plugin in a separate process (PEP 850, "Plugin API")."""

from __future__ import annotations

import contextlib
import csv
import glob
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from pip._vendor.wheel_variants.plugin_modules import belongs
from pip._vendor.wheel_variants.properties import (
    Property,
    SupportedFeature,
    is_valid_feature_name,
    is_valid_value,
)

from pip._internal.console.output import get_logger

__all__ = ["PluginFailed", "query_plugin"]

logger = get_logger(__name__)

#: Bytes; a thousand features of a few values each take a tenth of it.
_MAX_ANSWER = 4 * 1024 * 1024

#: Characters at the end of a traceback that are shown.
_MAX_TRACE = 4000

_UNREADABLE = "its answer cannot be read"

#: Seconds in which a killed process ends, unless a driver holds it.
_KILLED = 1


class PluginFailed(Exception):
    """A plugin gave no answer; the text says why, without a final period.

    :ivar remedies: what may help, in sentences without a final period.
    """

    def __init__(self, problem: str, *remedies: str) -> None:
        super().__init__(problem)
        self.remedies = remedies


def query_plugin(
    path: str,
    api: str,
    known: Iterable[Property],
    environ: Mapping[str, str],
    timeout: float,
) -> tuple[SupportedFeature, ...]:
    """Ask a plugin what this machine supports.

    It runs in an empty folder, isolated from the user's Python settings. In the end it is
    killed with all processes of its group, even if this process is killed.

    :param path: the folder in which the plugin is installed.
    :param api: its entry point, ``module[:attribute.path]``.
    :param known: properties that plugins with the older interface are given.
    :param environ: the variables that it sees.
    :param timeout: seconds until the answer must have been read.
    :raises PluginFailed: if it gives no answer.
    """
    deadline = time.monotonic() + timeout
    module = api.partition(":")[0]
    if not belongs(module, set(_installed(path))):
        raise PluginFailed(
            f"its module {module[:200]} is not of what is installed for it"
        )
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
            "folder": folder,
        }
        command = [sys.executable, "-I", "-S", "-c", source.decode("utf-8")]
        command.append(json.dumps(request))
        # This very file is read, whatever a plugin puts in its place.
        with open(answer, "x+b", buffering=0) as file:
            try:
                code = _run(command, work, environ, deadline)
                data = _read(file, deadline)
            except subprocess.TimeoutExpired:
                raise PluginFailed(
                    f"it did not answer within {timeout:g} seconds",
                    f"--variant-provider-timeout {2 * timeout:g} gives it more time",
                ) from None
    return _features(_document(data, code))


def _installed(folder: str) -> Iterator[str]:
    """Yield the files that the distributions in a folder record."""
    for record in glob.glob(os.path.join(glob.escape(folder), "*.dist-info", "RECORD")):
        with open(record, encoding="utf-8", newline="") as file:
            yield from (row[0] for row in csv.reader(file) if row)


def _run(
    command: list[str],
    folder: str,
    environ: Mapping[str, str],
    deadline: float,
) -> int:
    """Run a command in a process group of its own, and kill the group in the end.

    :raises subprocess.TimeoutExpired: if it takes too long.
    """
    group: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":  # pragma: no cover (what it does there)
        group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environ),
            # When this pipe ends, the process knows that pip has ended.
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **group,
        )
    except OSError as error:
        raise PluginFailed(f"it cannot be run: {error}") from None
    try:
        return process.wait(max(0, deadline - time.monotonic()))
    finally:
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":  # pragma: no cover (what it does there)
        process.kill()
    else:
        # What the plugin started may outlive it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_KILLED)
    assert process.stdin is not None, "it is a pipe"
    process.stdin.close()


def _read(file: BinaryIO, deadline: float) -> bytes:
    """Read the answer of a plugin, while other processes may still write to it.

    :raises PluginFailed: if it is too long.
    :raises subprocess.TimeoutExpired: if that takes too long.
    """
    file.seek(0)
    data = bytearray()
    while chunk := file.read(64 * 1024):
        data += chunk
        if len(data) > _MAX_ANSWER:
            raise PluginFailed("its answer is too long")
        if time.monotonic() > deadline:
            raise subprocess.TimeoutExpired([], deadline)
    return bytes(data)


def _document(data: bytes, code: int) -> dict[str, Any]:
    """Return the answer of a plugin, if it is one.

    :param code: the exit status of its process.
    :raises PluginFailed: if it is no answer.
    """
    if not data:
        if code < 0:
            raise PluginFailed(f"its process was ended by the signal {-code}")
        raise PluginFailed(f"its process ended with exit status {code}")
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        # Only a plugin that writes to that file itself can cause this.
        raise PluginFailed(_UNREADABLE)
    fault, trace = answer.get("fault"), answer.get("trace")
    if isinstance(fault, str):
        problem = f"it failed: {fault[:500]}"
        if not trace or not isinstance(trace, str):
            raise PluginFailed(problem)
        logger.verbose("A plugin failed (%s):", fault[:500])
        for line in trace[-_MAX_TRACE:].splitlines():
            logger.verbose("%s", line)
        raise PluginFailed(problem, "-v tells where")
    return answer


def _features(answer: Mapping[str, Any]) -> tuple[SupportedFeature, ...]:
    """Return the valid features in the answer of a plugin.

    :raises PluginFailed: if it is no answer.
    """
    valid: dict[str, SupportedFeature] = {}
    try:
        for name, values in answer.get("features", []):
            kept = tuple(dict.fromkeys(filter(is_valid_value, values)))
            if kept and is_valid_feature_name(name) and name not in valid:
                valid[name] = SupportedFeature(name, kept)
    except (ValueError, TypeError, AttributeError):
        raise PluginFailed(_UNREADABLE) from None
    return tuple(valid.values())
