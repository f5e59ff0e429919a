"""``wheel-variants plugin``: try a provider plugin."""

from __future__ import annotations

import argparse
import json
import math
import sys
from functools import partial
from typing import Any

from wheel_variants.plugin_variables import SECRETS, is_secret
from wheel_variants.properties import is_valid_namespace
from wheel_variants.publish.errors import PublishError, UsageError
from wheel_variants.publish.output import write
from wheel_variants.publish.plugins import TIMEOUT, Trial, try_plugin

__all__ = ["HELP", "add_arguments", "run"]

HELP = "Run a provider plugin on this machine and report what is wrong with it."

#: Options of ``pip install`` that take a value.
_PIP_OPTIONS = (
    ("-i", "--index-url", "URL", "Install from this index."),
    ("--extra-index-url", "URL", "Install from this index too."),
    ("-f", "--find-links", "URL", "Install from this page or folder too."),
    ("-c", "--constraint", "FILE", "Constrain versions by this file."),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = parser.add_argument
    add_list = partial(add, action="append", default=[])
    add(
        "plugin",
        metavar="PLUGIN",
        help="A wheel, the folder of a project, which pip builds, or a requirement.",
    )
    add(
        "--namespace",
        help="The namespace of the manifests that will require the plugin (default: as its "
        "name suggests).",
    )
    add(
        "--plugin-api",
        metavar="MODULE[:OBJECT]",
        help="The entry point of the plugin (default: find it in the sources).",
    )
    add_list(
        "--trust-variant-provider",
        dest="trusted",
        metavar="PACKAGE",
        help="Run the code of this package too if the plugin depends on it. This option can "
        "be used multiple times.",
    )
    add_list(
        "--variant-provider-variable",
        dest="variables",
        metavar="NAME",
        help="Let the plugin see this environment variable. This option can be used multiple "
        "times.",
    )
    text = "Stop the plugin after this time (default: %(default)g)."
    seconds: dict[str, Any] = {"type": float, "default": TIMEOUT, "metavar": "SECONDS"}
    add("--variant-provider-timeout", dest="timeout", help=text, **seconds)
    text = "Write a host file: what pip install --variant-host reads."
    add("--json", action="store_true", help=text)
    group = parser.add_argument_group(
        "options of pip install", "pip's configuration and PIP_* variables apply too."
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
        help="Use no index.",
    )
    parser.set_defaults(pip_options=[])


def run(options: argparse.Namespace) -> int:
    """Try a plugin and report its answer.

    :raises PublishError: if it gives no answer, or violates the plugin interface.
    """
    if options.namespace is not None and not is_valid_namespace(options.namespace):
        raise UsageError(f"--namespace is not a namespace: '{options.namespace}'")
    if not 0 < options.timeout < math.inf:
        raise UsageError(
            f"--variant-provider-timeout is not a time in seconds: {options.timeout}"
        )
    for name in filter(is_secret, options.variables):
        raise UsageError(
            f"--variant-provider-variable may name no secret ({', '.join(SECRETS)}): "
            f"'{name}'"
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
    """Return a host file for a machine that supports what the plugin answered."""
    features = [
        {"feature": name, "values": list(values)} for name, values in trial.features
    ]
    supported = {trial.namespace: features} if features else {}
    return {"host-schema": 1, "supported": supported}


def _lines(trial: Trial) -> list[str]:
    default = ", the default" if trial.is_default else ""
    milliseconds = f"{trial.seconds * 1000:.0f} ms"
    api = f"its plugin-api is {trial.api}{default}"
    features = [
        f"{trial.namespace} :: {feature.name}: {', '.join(feature.values)}"
        for feature in trial.features
    ] or [f"{trial.namespace}: nothing supported"]
    return [f"{trial.package} answered in {milliseconds}; {api}", *features]
