"""Install build requirements for this machine, not for the target."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging._variants import on_target
from pip._vendor.wheel_variants.markers import is_about_variant

from pip._internal.variants.selection.run import Purpose, Run, run_of
from pip._internal.variants.settings import IN_BUILD
from pip._internal.variants.slots import RUN

if TYPE_CHECKING:
    from pip._internal.build_env.base import BuildEnvironmentInstaller
    from pip._internal.index.package_finder import PackageFinder


def finder_of(installer: BuildEnvironmentInstaller) -> PackageFinder:
    """Return the finder of the command that runs a build."""
    known = vars(installer)
    finder: PackageFinder = known["finder" if "finder" in known else "_finder"]
    return finder


def build_requirements(
    fn: Callable[..., None],
    installer: BuildEnvironmentInstaller,
    *args: Any,
    **kwargs: Any,
) -> None:
    """Install build requirements for this machine, without the user's labels."""
    # An installer that runs in this process has no child pip, except through backends.
    has_child = "finder" in vars(installer)
    finder = finder_of(installer)
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
            from pip._internal.variants.output.reasons import marker_elsewhere

            run.reporter.warn(marker_elsewhere(each, "the build requirements"))
    environ = _variables(run) if has_child else {}
    inner = run.inner(
        run.settings.about_this_machine(), Purpose.BUILD, enabled=run.enabled
    )
    inner.catalog.manifests = run.catalog.manifests
    inner.catalog.skipped_manifests = run.catalog.skipped_manifests
    RUN.set(collector, inner)
    before = _replaced(environ)
    try:
        with on_target({}):
            return fn(installer, *args, **kwargs)
    finally:
        RUN.set(collector, run)
        _replaced(before)


def restore_user_variables() -> None:
    """Restore the user's environment variables for pip's options.

    Called in a pip that fills a build environment. Backends must not see the options of the
    parent pip's command line, which may include passwords.
    """
    try:
        before = json.loads(os.environ[IN_BUILD])
    except ValueError:
        before = None
    # Another version of the fork may not store the variables.
    if isinstance(before, dict):
        _replaced(before)


def _replaced(environ: Mapping[str, str | None]) -> dict[str, str | None]:
    """Set or remove environment variables, and return the old values."""
    before = {name: os.environ.get(name) for name in environ}
    for name, value in environ.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    return before


def _variables(target: Run) -> dict[str, str]:
    """Return the variables that make a child pip install in the same way."""
    environ = target.settings.as_variables()
    for mode in target.modes:
        environ |= mode.environ()
    if not target.enabled:
        environ["PIP_NO_VARIANTS"] = "1"
    options = {name: os.environ.get(name) for name in environ if name[0] != "_"}
    return {**environ, IN_BUILD: json.dumps(options)}
