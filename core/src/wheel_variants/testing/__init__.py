"""Query a provider plugin in its tests, as installers do (PEP 850, "Plugin API").

pip installs the plugin into a temporary folder. The plugin is queried twice, in separate
processes. No extra is needed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from wheel_variants.publish.errors import PublishError
from wheel_variants.publish.plugins import TIMEOUT, try_plugin

__all__ = ["PluginFaulty", "supported"]


class PluginFaulty(AssertionError):
    """A plugin that returns an invalid result or fails; the message is the reason."""


def supported(
    plugin: str | Path,
    *,
    api: str | None = None,
    variables: Mapping[str, str | None] | None = None,
    trusted: Collection[str] = (),
    timeout: float = TIMEOUT,
) -> dict[str, list[str]]:
    """Return the features that a plugin supports on this machine.

    :param plugin: the folder of the plugin's project, or its wheel.
    :param api: the entry point, ``module`` or ``module:object``; None to find it.
    :param variables: the environment variables to set, or to remove with None. A plugin
        sees the variables that are named after its package.
    :param trusted: the names of packages that the plugin may depend on.
    :param timeout: the time limit of each of two queries, in seconds.
    :return: the values of each feature, best first; empty if nothing is supported.
    :raises PluginFaulty: if the plugin cannot be installed, fails, or returns an invalid
        result.
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
