"""Install build requirements for this machine, whatever the target is."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging._variants import on_target
from pip._vendor.wheel_variants.markers import is_about_variant

from pip._internal.variants.selection.run import Purpose, Run, run_of
from pip._internal.variants.selection.settings import IN_BUILD
from pip._internal.variants.slots import RUN

if TYPE_CHECKING:
    from pip._internal.build_env.installer import (
        InprocessBuildEnvironmentInstaller,
        SubprocessBuildEnvironmentInstaller,
    )
    from pip._internal.index.package_finder import PackageFinder


def build_requirements(
    fn: Callable[..., None],
    installer: SubprocessBuildEnvironmentInstaller | InprocessBuildEnvironmentInstaller,
    *args: Any,
    **kwargs: Any,
) -> None:
    """Install build requirements for this machine, with no label chosen by hand."""
    # One that runs in this process has no children to tell anything, but for backends.
    has_child = "finder" in vars(installer)
    finder: PackageFinder = vars(installer)["finder" if has_child else "_finder"]
    collector = finder._link_collector
    run = run_of(finder)
    if run is None:
        return fn(installer, *args, **kwargs)
    requirement = kwargs.get("for_req")
    if requirement is not None:
        for mode in run.modes:
            mode.refuse_build_requirements(requirement, args[0])
    for each in args[0]:
        if "variant_" in each and is_about_variant(each):
            from pip._internal.variants.output.sentences import marker_elsewhere

            said = marker_elsewhere(each, "the build requirements")
            run.reporter.say_once(logging.WARNING, said)
    environ = _variables(run) if has_child else {}
    RUN.set(collector, _inner_run(run))
    before = _replaced(environ)
    try:
        with on_target({}):
            return fn(installer, *args, **kwargs)
    finally:
        RUN.set(collector, run)
        _replaced(before)


def leave_variables_to_user() -> None:
    """Set the variables of pip's options as the user has them; they were read.

    Called in a pip that fills a build environment: what the pip before it was told on
    its command line, passwords too, is none of the business of backends that run here.
    """
    try:
        before = json.loads(os.environ[IN_BUILD])
    except ValueError:
        before = None
    # Another version of this pip may say no more than that it builds.
    if isinstance(before, dict):
        _replaced(before)


def _replaced(environ: Mapping[str, str | None]) -> dict[str, str | None]:
    """Set environment variables, or none for None; return what they were."""
    before = {name: os.environ.get(name) for name in environ}
    for name, value in environ.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    return before


def _inner_run(target: Run) -> Run:
    """Make the run for what is installed to build something on this machine."""
    run = target.inner(
        target.settings.about_this_machine(), Purpose.BUILD, enabled=target.enabled
    )
    run.catalogue.manifests = target.catalogue.manifests
    run.catalogue.skipped_manifests = target.catalogue.skipped_manifests
    run.plugins.collector = target.plugins.collector
    run.plugins.plugin_limits = target.plugins.plugin_limits
    return run


def _variables(target: Run) -> dict[str, str]:
    """Return the variables by which a child installs likewise."""
    environ = target.settings.as_variables()
    for mode in target.modes:
        environ |= mode.environ()
    if target.plugins.plugin_limits is not None:
        environ |= target.plugins.plugin_limits.environ()
    if not target.enabled:
        environ["PIP_NO_VARIANTS"] = "1"
    options = {name: os.environ.get(name) for name in environ if name[0] != "_"}
    return {**environ, IN_BUILD: json.dumps(options)}
