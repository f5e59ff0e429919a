"""``wheel-variants plugin``: test a provider plugin."""

from __future__ import annotations

import argparse
import json
import math
import sys
from functools import partial
from typing import Any

from wheel_variants.plugin_variables import SECRETS, is_secret
from wheel_variants.publish.commands.build import namespace
from wheel_variants.publish.errors import PublishError, UsageError
from wheel_variants.publish.output import write
from wheel_variants.publish.plugins import TIMEOUT, Trial, try_plugin

__all__ = ["HELP", "add_arguments", "run"]

HELP = "Run a provider plugin on this machine and report any problems."

#: Options of ``pip install`` that take a value.
_PIP_OPTIONS = (
    ("-i", "--index-url", "URL", "Install from this index."),
    ("--extra-index-url", "URL", "Also install from this index."),
    ("-f", "--find-links", "URL", "Also install from this page or folder."),
    ("-c", "--constraint", "FILE", "Constrain versions with this file."),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    add = parser.add_argument
    add_list = partial(add, action="append", default=[])
    add(
        "plugin",
        metavar="PLUGIN",
        help="A wheel, a project folder (which pip builds), or a requirement.",
    )
    add(
        "--namespace",
        type=namespace,
        help="Set the namespace for which manifests will require the plugin (default: "
        "derived from the name of the package).",
    )
    add(
        "--plugin-api",
        metavar="MODULE[:OBJECT]",
        help="Set the entry point of the plugin (default: search the sources).",
    )
    add_list(
        "--trust-variant-provider",
        dest="trusted",
        metavar="PACKAGE",
        help="Allow the plugin to depend on this package, and run the code of both. Can be "
        "used multiple times.",
    )
    add_list(
        "--variant-provider-variable",
        dest="variables",
        metavar="NAME",
        help="Pass this environment variable to the plugin. Can be used multiple times.",
    )
    text = "Stop the plugin after this many seconds (default: %(default)g)."
    seconds: dict[str, Any] = {"type": float, "default": TIMEOUT, "metavar": "SECONDS"}
    add("--variant-provider-timeout", dest="timeout", help=text, **seconds)
    text = "Print a host file for pip install --variant-host."
    add("--json", action="store_true", help=text)
    group = parser.add_argument_group(
        "options of pip install", "pip's configuration and PIP_* variables also apply."
    )
    for *names, metavar, text in _PIP_OPTIONS:
        group.add_argument(
            *names,
            dest="pip_options",
            action="append",
            type=f"{names[-1]}={{}}".format,
            metavar=metavar,
            help=text,
        )
    group.add_argument(
        "--no-index",
        dest="pip_options",
        action="append_const",
        const="--no-index",
        help="Ignore indexes; install from --find-links only.",
    )
    parser.set_defaults(pip_options=[])


def run(options: argparse.Namespace) -> int:
    """Test a plugin and report the result.

    :raises PublishError: if the plugin fails, or violates the plugin interface.
    """
    if not 0 < options.timeout < math.inf:
        raise UsageError(
            "--variant-provider-timeout must be a positive number of seconds, not "
            f"{options.timeout}"
        )
    for name in filter(is_secret, options.variables):
        raise UsageError(
            "--variant-provider-variable passes no variables that may contain secrets, "
            f"and the name '{name}' contains one of {', '.join(SECRETS)}"
        )
    trial = try_plugin(
        options.plugin,
        namespace=options.namespace,
        api=options.plugin_api,
        trusted=options.trusted,
        variables=options.variables,
        timeout=options.timeout,
        pip_options=options.pip_options,
    )
    if options.json:
        sys.stdout.write(f"{json.dumps(_host(trial), indent=2)}\n")
    else:
        write(_lines(trial))
    if trial.problems:
        raise PublishError(
            f"{trial.package} violates the plugin interface (PEP 850)",
            details=trial.problems,
        )
    return 0


def _host(trial: Trial) -> dict[str, object]:
    """Return a host file for a machine with the properties that the plugin returned."""
    features = [
        {"feature": name, "values": list(values)} for name, values in trial.features
    ]
    supported = {trial.namespace: features} if features else {}
    return {"host-schema": 1, "supported": supported}


def _lines(trial: Trial) -> list[str]:
    default = ", the default" if trial.is_default else ""
    milliseconds = f"{trial.seconds * 1000:.0f} ms"
    api = f"plugin-api: {trial.api}{default}"
    features = [
        f"{trial.namespace} :: {feature.name}: {', '.join(feature.values)}"
        for feature in trial.features
    ] or [f"{trial.namespace}: nothing supported"]
    return [f"{trial.package} answered in {milliseconds}; {api}", *features]
