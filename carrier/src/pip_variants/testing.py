"""For the tests of a provider plugin: ask it as installers do (PEP 850, "Plugin API").

The pip that this package carries builds it, installs it where nothing else is seen, and asks
it twice, in processes of their own. Nothing is installed for good, and nothing but the
standard library is needed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from pip_variants.bundled import carried
from pip_variants.targets import pip_script

__all__ = ["PluginFaulty", "supported"]

#: A plugin does not know its own namespace: that of the manifests that require it counts.
_NAMESPACE = "tried"
#: The answer is what is printed, whatever the user's own pip is told.
_TOLD = {"PIP_QUIET": None, "PIP_VERBOSE": None}


class PluginFaulty(AssertionError):
    """A plugin does not answer as installers expect; the text says how, as pip tells it."""


def supported(
    plugin: str | Path,
    *,
    api: str | None = None,
    variables: Mapping[str, str | None] | None = None,
    options: Sequence[str] = (),
) -> dict[str, list[str]]:
    """Ask a plugin what this machine supports.

    :param plugin: its project, or its wheel
    :param api: its entry point, ``module`` or ``module:object``; without it, the module of
        the package's name, or else what the sources define
    :param variables: environment variables to set, or with ``None`` to take away; a plugin
        sees those that are named after its package
    :param options: further ones of ``pip variants host``, such as
        ``["--trust-variant-provider", "NAME"]`` for what it depends on
    :return: the values of each feature, best first; empty if it supports nothing
    :raises PluginFaulty: if it cannot be built, or gives no answer, or a broken one
    :raises CarrierError: if this package carries no pip
    """
    environ = {**os.environ, **(variables or {}), **_TOLD}
    with carried().ready() as fork:
        command = [sys.executable, "-I", "-c", pip_script(fork.code)]
        command += ["variants", "host", "--json", "--hardware", *options]
        command += ["--plugin", f"{_NAMESPACE}={plugin}"]
        if api is not None:
            command += ["--plugin-api", f"{_NAMESPACE}={api}"]
        done = subprocess.run(
            command,
            env={name: value for name, value in environ.items() if value is not None},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    said = f"{done.stdout}{done.stderr}" if done.returncode else done.stderr
    said = said.replace(f"--plugin-api {_NAMESPACE}=", "api=").strip()
    if done.returncode:
        raise PluginFaulty(said)
    try:
        features = json.loads(done.stdout)["supported"].get(_NAMESPACE, [])
    except ValueError:
        raise PluginFaulty(
            f"No answer was printed with {list(options)}: {said}"
        ) from None
    return {each["feature"]: each["values"] for each in features}
