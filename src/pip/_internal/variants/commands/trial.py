"""``pip variants host --plugin``: make the wheel of a plugin, and try it."""

from __future__ import annotations

import optparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

from pip._vendor.packaging.utils import (
    InvalidWheelFilename,
    canonicalize_name,
    parse_wheel_filename,
)
from pip._vendor.packaging.version import InvalidVersion
from pip._vendor.wheel_variants.labels import split_label

from pip._internal.cli.index_command import SessionCommandMixin
from pip._internal.commands import create_command
from pip._internal.console.texts import Hint, capital
from pip._internal.variants.choice.invocation import again
from pip._internal.variants.choice.settings import TRUST_PROVIDER, hand_on
from pip._internal.variants.errors import VariantError, WrongUse
from pip._internal.variants.machine.plugin_limits import UntrustedProvider
from pip._internal.variants.machine.plugin_query import PluginFailed
from pip._internal.variants.machine.plugin_trial import Trial, named_like, try_plugin
from pip._internal.variants.tell.lookup import make_context

if TYPE_CHECKING:
    from pip._internal.cli.base_command import Command
    from pip._internal.commands.wheel import WheelCommand

__all__ = ["PluginFaulty", "refuse_faults", "tried"]


class PluginFaulty(VariantError):
    """A plugin does not answer as installers expect."""

    reference = "faulty-variant-plugin"
    form = "{} is no good provider plugin."


def tried(command: SessionCommandMixin, options: optparse.Values) -> tuple[str, Trial]:
    """Try the plugin that the options name.

    :return: its namespace, and what came of it.
    :raises PluginFaulty: if it gives no answer.
    :raises PipError: if its wheel cannot be built.
    """
    given, path = options.plugin
    if options.variant_host is not None:
        raise WrongUse(
            "--plugin runs on this machine, and --variant-host names another"
        )
    with _wheel(command, options, path) as wheel:
        namespace = given or named_like(wheel)
        name, *_ = parse_wheel_filename(os.path.basename(wheel))
        # Who types the path of a package trusts that package, and nothing else.
        trusted = [*(options.trusted_providers or ()), canonicalize_name(name)]
        options.trusted_providers = trusted
        apis = dict(options.plugin_apis or ())
        for other in apis.keys() - {namespace}:
            raise WrongUse(
                f"--plugin-api names the namespace {other}, and the plugin is for "
                f"{namespace}"
            )
        context = make_context(command.get_default_session(options), options)
        try:
            trial = try_plugin(context, namespace, wheel, apis.get(namespace))
        except UntrustedProvider as error:
            needed = ", ".join(error.projects)
            trust = [
                word for each in error.projects for word in (TRUST_PROVIDER.name, each)
            ]
            raise PluginFaulty(
                path,
                f"It depends on {needed}: not typed, and code of theirs would run.",
                [Hint("If you trust that:", again(options, *trust))],
            ) from None
        except PluginFailed as error:
            problem = f"{capital(str(error))}."
            hints = [f"{each}." for each in error.remedies]
            raise PluginFaulty(path, problem, hints) from None
        return namespace, trial


def refuse_faults(path: str, trial: Trial) -> None:
    """Check that nothing was found wrong with a plugin.

    :raises PluginFaulty: if something was.
    """
    if trial.problems:
        problems = [f"{capital(each)}." for each in trial.problems]
        raise PluginFaulty(
            path,
            problems,
            "The page on provider plugins tells how one answers.",
        )


@contextmanager
def _wheel(
    command: SessionCommandMixin, options: optparse.Values, path: str
) -> Iterator[str]:
    """Yield the wheel of a plugin, which is built if need be."""
    if os.path.isfile(path) and path.endswith(".whl"):
        _, label = split_label(os.path.basename(path))
        if label is not None:
            raise WrongUse(
                f"--plugin: plugins are plain wheels, and this one has the label {label}"
            )
        try:
            parse_wheel_filename(os.path.basename(path))
        except (InvalidWheelFilename, InvalidVersion) as error:
            raise WrongUse(f"--plugin: {error}") from None
        yield os.path.abspath(path)
        return
    if not os.path.exists(path):
        raise WrongUse(
            f"--plugin: there is no {path}: name a wheel, or a project that can be built"
        )
    with TemporaryDirectory(prefix="pip-provider-") as folder:
        _build(command, options, path, folder)
        (name,) = os.listdir(folder)
        yield os.path.join(folder, name)


def _build(
    command: SessionCommandMixin, options: optparse.Values, path: str, folder: str
) -> None:
    """Build a wheel as ``pip wheel`` does, within the limits of the running command."""
    build = cast("WheelCommand", create_command("wheel"))
    # A path with a separator is no name of a project.
    given, args = build.parse_args(
        ["--no-deps", "--wheel-dir", folder, os.path.abspath(path)]
    )
    hand_on(options, given)
    running = cast("Command", command)
    build.verbosity, build.tempdir_registry = (
        running.verbosity,
        running.tempdir_registry,
    )
    with build.main_context():
        build.run(given, args)
