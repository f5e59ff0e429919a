"""Finish the work of a run that was killed while it replaced packages.

See :mod:`.journal`. Anything may have happened since. So what is in place now stays,
unless it is exactly what that run was to take away.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from pip._internal.console.output import get_logger
from pip._internal.metadata import get_environment
from pip._internal.parallel.downloads import trees
from pip._internal.parallel.downloads.journal import Moved, Plan, Workplace, abandoned

__all__ = ["mend"]

logger = get_logger(__name__)


def mend(libs: Iterable[str]) -> None:
    """Finish what was begun, and remove what was only prepared.

    :param libs: where packages are installed.
    """
    for lib in libs:
        for workplace in abandoned(lib):
            try:
                _mend(workplace, lib)
                with suppress(FileNotFoundError):  # Nothing was begun, or all is done.
                    workplace.finish()
            except OSError as error:
                workplace.keep()
                logger.warning(
                    "An earlier installation was stopped before it was whole, and it "
                    "cannot be finished: %s. Run pip as the user who began it, or remove "
                    "%s and install again what is missing.",
                    error,
                    workplace.path,
                )
                continue
            try:
                workplace.close()
            except OSError as error:
                logger.warning(
                    "What an earlier installation has left cannot be removed: %s. You "
                    "can safely remove %s.",
                    error,
                    workplace.path,
                )


def _mend(workplace: Workplace, lib: str) -> None:
    try:
        plans, is_finished = workplace.read()
    except Moved as error:
        if error.plans:
            logger.warning(
                "An earlier installation may have been stopped before it was whole. It "
                "cannot be finished, since this environment was moved or copied. Run "
                "pip install --force-reinstall --no-deps %s",
                " ".join(f"{plan.name}=={plan.version}" for plan in error.plans),
            )
        return
    for plan in plans:
        _take_stashed(plan, workplace)
    if not is_finished and any(map(_is_begun, plans)):
        finished = [plan for plan in plans if _finish(plan, workplace, lib)]
        if finished:
            logger.warning(
                "An earlier installation was stopped before it was whole. It was "
                "finished now: %s",
                ", ".join(f"{plan.name} {plan.version}" for plan in finished),
            )


def _is_begun(plan: Plan) -> bool:
    """Tell whether anything was taken away already."""
    return any(trees.identity(path) != which for path, which in plan.old)


def _finish(plan: Plan, workplace: Workplace, lib: str) -> bool:
    """Put a package in its place; return whether it was not there yet.

    :raises OSError: if that is not possible.
    """
    tree = os.path.join(workplace.path, plan.tree)
    known = {plan.info, *(which for _, which in plan.old)}
    libs = [lib, *{os.path.dirname(path) for path, _ in plan.old}]
    dist = get_environment(libs).get_distribution(plan.name)
    if dist is not None and trees.identity(dist.info_location or "") not in known:
        return False  # Somebody has installed another one.
    is_new = False
    inside = set(plan.inside)
    for path, which in plan.old:
        if trees.identity(path) == which:
            trees.remove_known(path, inside)
            is_new = True
    if any(files for _, _, files in os.walk(tree)):
        trees.put(tree, os.sep)
        is_new = True
    return is_new


def _take_stashed(plan: Plan, workplace: Workplace) -> None:
    """Take what upstream has moved aside, which lies beside its old place.

    :raises OSError: if that is not possible.
    """
    old = {which for _, which in plan.old}
    for path, _ in plan.old:
        folder, name = os.path.split(path)
        for other in os.listdir(folder) if os.path.isdir(folder) else ():
            stashed = os.path.join(folder, other)
            if not other.startswith("~"):
                continue
            if trees.identity(stashed) in old:
                workplace.take(stashed)
            elif other[1:] == name[1:]:
                with suppress(
                    OSError
                ):  # An empty one was only made to move something there.
                    os.rmdir(stashed)
