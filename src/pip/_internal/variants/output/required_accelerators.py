"""Refuse to go on if a package that must use an accelerator would not use one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pip._internal.console.texts import with_label
from pip._internal.variants.errors import AcceleratorRequired
from pip._internal.variants.output.device_extras import missing_extras
from pip._internal.variants.output.invocation import command
from pip._internal.variants.output.reasons import shortened
from pip._internal.variants.output.sentences import rejections
from pip._internal.variants.selection.accelerators import (
    Cause,
    Unaccelerated,
    present,
    unaccelerated,
)

if TYPE_CHECKING:
    from pip._internal.resolution.resolvelib.base import Candidate
    from pip._internal.variants.selection.run import Run

__all__ = ["require_accelerators", "why_not"]

_CAUSES = {
    Cause.MISSING: "is not installed",
    Cause.UNKNOWN: "has no variant metadata, so pip does not know what it uses",
    Cause.UNUSED: "does not use an accelerator",
    Cause.UNSUPPORTED: "is a variant that the target does not support",
    Cause.OLDER: "is an older release",
}


def why_not(found: Unaccelerated) -> str:
    """Return why a package does not use an accelerator."""
    name: str = found.project
    if found.version is not None:
        name = f"{name} {with_label(found.version, found.label)}"
    return f"{name} {_CAUSES[found.cause]}."


def require_accelerators(run: Run, found: Sequence[Candidate]) -> None:
    """Refuse what does not satisfy ``--require-accelerator``.

    :param found: all candidates that the resolver chose.
    :raises AcceleratorRequired: if a package that must use an accelerator is not known to.
    """
    lacking = list(unaccelerated(run, found))
    said = [*map(why_not, lacking)]
    projects = dict.fromkeys(each.project for each in lacking)
    for project in projects:
        for release in run.decisions.reached(project):
            said += rejections(release)
    if projects and not present(run.target.providers.query_all()):
        said.append("pip found no accelerator of the target.")
    for candidate in found:
        if candidate.project_name in run.settings.required_accelerators:
            extras = missing_extras(run, found, candidate)
            if extras:
                projects[candidate.project_name] = None
                said.append(
                    f"Nothing requests {candidate.name}[{extras[0]}], the GPU code."
                )
    if projects:
        explain = command(
            run.settings.options, "variants", "explain", next(iter(projects))
        )
        raise AcceleratorRequired(
            shortened([*projects]), said, f"To see the reasons: {explain}"
        )
