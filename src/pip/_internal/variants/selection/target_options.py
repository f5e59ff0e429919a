"""A run for another platform or interpreter than those that it runs on.

Upstream knows such runs by ``--platform`` and its kin, and has the same rules for them. A
host brings its environment markers too, and what is installed here is not there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pip._vendor.packaging._variants import on_target

from pip._internal.models.format_control import FormatControl
from pip._internal.variants.errors import (
    BuiltForThisMachine,
    ContradictoryOptions,
)

if TYPE_CHECKING:
    import optparse

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.variants.providers.target import Target

__all__ = ["aim", "begin", "during", "refuse_source"]


def begin(target: Target, options: optparse.Values) -> None:
    """Let a command be for the target of its host, as ``--platform`` and its kin would.

    :raises ContradictoryOptions: if it is to take what would have to be built.
    """
    options.python_version = target.python.py_version_info
    if not target.is_elsewhere:
        return
    _refuse_formats(target, options.format_control)
    options.format_control = FormatControl(set(), {":all:"})
    # Both are about what is installed here.
    options.ignore_installed, options.warn_about_conflicts = True, False


def _refuse_formats(target: Target, formats: FormatControl) -> None:
    """Refuse what would have to be built.

    :raises ContradictoryOptions: if wheels of some projects must not be taken.
    """
    if formats.no_binary:
        raise ContradictoryOptions(
            f"--no-binary {','.join(sorted(formats.no_binary))}",
            f"--variant-host {target.host.path}",
            ContradictoryOptions.NOTHING_IS_BUILT,
        )


@contextmanager
def during(target: Target, factory: Factory) -> Iterator[None]:
    """Resolve for the target: with its markers, and for its version of Python.

    :raises ContradictoryOptions: if a requirements file asks for what would be built.
    """
    from pip._internal.resolution.resolvelib.candidates import RequiresPythonCandidate

    aim(factory._finder, target)
    if target.is_elsewhere:
        formats = factory._finder.format_control
        _refuse_formats(target, formats)
        # A requirements file may have taken it back.
        formats.only_binary.add(":all:")
    factory._python_candidate = RequiresPythonCandidate(target.python.py_version_info)
    with on_target(target.environment):
        yield


def aim(finder: PackageFinder, target: Target) -> None:
    """Let a finder look for what suits the platform and the interpreter of a target."""
    finder._target_python = target.python


def refuse_source(target: Target, link: Link) -> None:
    """Refuse what would have to be built for another machine.

    :raises BuiltForThisMachine: if it is no wheel.
    """
    if target.is_elsewhere and not link.is_wheel:
        raise BuiltForThisMachine(link.redacted_url, target.host.path)
