"""Install build requirements for this machine, whatever the target is."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pip._internal.variants.choice.context import Context, context_of
from pip._internal.variants.choice.releases import modes
from pip._internal.variants.choice.settings import IN_BUILD
from pip._internal.variants.slots import CONTEXT

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
    finder: PackageFinder = vars(installer).get("finder") or vars(installer)["_finder"]
    collector = finder._link_collector
    context = context_of(finder)
    if context is None:
        return fn(installer, *args, **kwargs)
    requirement = kwargs.get("for_req")
    if requirement is not None:
        for mode in modes(context):
            mode.refuse_build_requirements(requirement, args[0])
    # The new context is for this process, the variables are for its children.
    environ = _variables(context)
    before = {name: os.environ.get(name) for name in environ}
    CONTEXT.set(collector, _context(context))
    os.environ.update(environ)
    try:
        return fn(installer, *args, **kwargs)
    finally:
        CONTEXT.set(collector, context)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _context(target: Context) -> Context:
    """Make the context for what is installed to build something on this machine."""
    options = target.settings.about_this_machine()
    context = Context(target.session, options, enabled=target.enabled)
    context.in_build = True
    context.manifest_links = target.manifest_links
    context.skipped_manifests = target.skipped_manifests
    context.collector = target.collector
    context.plugin_limits = target.plugin_limits
    for room, mode in target.rooms.items():
        context.rooms[room] = None if mode is None else mode.for_build(context)
    return context


def _variables(target: Context) -> dict[str, str]:
    """Return the variables by which a child installs likewise."""
    environ = {IN_BUILD: "1", **target.settings.as_variables()}
    for mode in modes(target):
        environ |= mode.environ()
    if target.plugin_limits is not None:
        environ |= target.plugin_limits.environ()
    if not target.enabled:
        environ["PIP_NO_VARIANTS"] = "1"
    return environ
