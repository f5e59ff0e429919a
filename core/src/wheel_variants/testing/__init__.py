"""Ask a provider plugin in its own tests, as installers do (PEP 850, "Plugin API").

pip installs the plugin into a temporary folder, where it is asked twice, in separate processes.
No extra is needed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from wheel_variants.publish.errors import PublishError
from wheel_variants.publish.plugins import TIMEOUT, try_plugin

__all__ = ["PluginFaulty", "supported"]


class PluginFaulty(AssertionError):
    """A plugin does not answer as installers expect; the text says why."""


def supported(
    plugin: str | Path,
    *,
    api: str | None = None,
    variables: Mapping[str, str | None] | None = None,
    trusted: Collection[str] = (),
    timeout: float = TIMEOUT,
) -> dict[str, list[str]]:
    """Return what a plugin supports on this machine.

    :param plugin: the folder of its project, or its wheel.
    :param api: its entry point, ``module`` or ``module:object``; None to find it.
    :param variables: environment variables to set, or to remove with None. A plugin sees
        those that are named after its package.
    :param trusted: names of packages that it may depend on.
    :param timeout: seconds for each of two queries.
    :return: the values of each feature, best first; empty if it supports nothing.
    :raises PluginFaulty: if it cannot be installed, gives no answer, or an invalid one.
    """
    environ = {**os.environ, **(variables or {})}
    try:
        trial = try_plugin(
            str(plugin),
            api=api,
            trusted=trusted,
            timeout=timeout,
            environ={name: text for name, text in environ.items() if text is not None},
        )
    except PublishError as error:
        lines = [error.message, *error.details, *error.hints]
        raise PluginFaulty("\n".join(lines)) from None
    if trial.problems:
        raise PluginFaulty("\n".join(trial.problems))
    return {feature.name: list(feature.values) for feature in trial.features}
