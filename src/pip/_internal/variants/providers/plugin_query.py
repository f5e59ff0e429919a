"""Ask an installed provider plugin in a separate process (PEP 850, "Plugin API")."""

from __future__ import annotations

import contextlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

from pip._internal.variants.properties import (
    Property,
    SupportedFeature,
    is_valid_feature_name,
    is_valid_value,
)

__all__ = ["PluginFailed", "query_plugin"]

#: Bytes; a thousand features of a few values each take a tenth of it.
_MAX_ANSWER = 4 * 1024 * 1024

#: What a process needs to run at all, and what says which devices are visible.
_KEPT_VARIABLES = frozenset(
    (
        *("PATH", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "WINDIR"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PROGRAMFILES"),
        *("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"),
        *("HIP_VISIBLE_DEVICES", "ONEAPI_DEVICE_SELECTOR", "ASCEND_RT_VISIBLE_DEVICES"),
        *("ROCM_PATH", "CUDA_PATH", "CUDA_HOME", "ASCEND_HOME_PATH"),
    )
)
#: Providers name the variables that override them so, for example
#: ``NV_VARIANT_PROVIDER_FORCE_SM_ARCH``.
_OVERRIDES = "_VARIANT_PROVIDER_"


class PluginFailed(Exception):
    """A plugin gave no answer; the text says why, without a final period."""


def query_plugin(
    path: str,
    api: str,
    known: Iterable[Property],
    environ: Mapping[str, str],
    timeout: float,
) -> tuple[SupportedFeature, ...]:
    """Ask a plugin what this machine supports.

    It runs isolated from the user's Python settings and from the working directory,
    sees few variables, and is killed with all processes of its group in the end, also
    if this process is killed.

    :param path: the folder that the plugin is installed in.
    :param api: its entry point, ``module[:attribute.path]``.
    :param known: properties to ask about, which plugins of the older kind are given.
    :param timeout: seconds.
    :raises PluginFailed: if it gives no answer.
    """
    source = pkgutil.get_data(__package__, "plugin_child.py")
    assert source is not None, "the module lies beside this one"
    with tempfile.TemporaryDirectory(prefix="pip-provider-") as folder:
        answer = os.path.join(folder, "answer.json")
        request = {
            "path": path,
            "api": api,
            "known": [[p.namespace, p.feature, p.value] for p in known],
            "answer": answer,
            "folder": folder,
        }
        command = [sys.executable, "-I", "-S", "-c", source.decode("utf-8")]
        code = _run([*command, json.dumps(request)], folder, environ, timeout)
        return _read(answer, code)


def _run(
    command: list[str], folder: str, environ: Mapping[str, str], timeout: float
) -> int:
    """Run a command in a process group of its own, of which nothing is left."""
    group: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":  # pragma: no cover (what it does there)
        group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=_scrubbed(environ),
            # By its end the process knows that this one has ended.
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **group,
        )
    except OSError as error:
        raise PluginFailed(f"it cannot be run: {error}") from None
    try:
        return process.wait(timeout)
    except subprocess.TimeoutExpired:
        raise PluginFailed(f"it did not answer within {timeout:g} seconds") from None
    finally:
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":  # pragma: no cover (what it does there)
        process.kill()
    else:
        # What the plugin started may outlive it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdin is not None, "it is a pipe"
    process.stdin.close()


def _scrubbed(environ: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environ.items()
        if name.upper() in _KEPT_VARIABLES or _OVERRIDES in name
    }


def _read(path: str, code: int) -> tuple[SupportedFeature, ...]:
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_ANSWER + 1)
    except OSError:
        raise PluginFailed(f"its process ended with exit status {code}") from None
    if len(data) > _MAX_ANSWER:
        raise PluginFailed("its answer is too long")
    try:
        answer = json.loads(data)
        fault = answer.get("fault")
        features = answer.get("features", [])
        valid: dict[str, SupportedFeature] = {}
        for name, values in features:
            kept = tuple(dict.fromkeys(filter(is_valid_value, values)))
            if is_valid_feature_name(name) and kept:
                valid.setdefault(name, SupportedFeature(name, kept))
    except (ValueError, TypeError, AttributeError, RecursionError):
        # Only a plugin that writes to that file itself comes here.
        raise PluginFailed("its answer cannot be read") from None
    if isinstance(fault, str):
        raise PluginFailed(f"it failed: {fault[:500]}")
    return tuple(valid.values())
