"""Where the files of a project are looked for, if not where all are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pip._internal.variants.selection.releases import modes

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.variants.selection.run import Run

__all__ = ["find_beside_indexes", "index_of", "pages_of"]


_Find = Callable[["PackageFinder", str], list["InstallationCandidate"]]


def index_of(run: Run, project: NormalizedName) -> str | None:
    """Return the one index that a project comes from, None for the usual ones."""
    found = (mode.index_of(project) for mode in modes(run))
    return next((each for each in found if each is not None), None)


def pages_of(run: Run, finder: PackageFinder, project: NormalizedName) -> list[str]:
    """Return the URLs of the pages that a project is looked up on."""
    scope, own = finder.search_scope, index_of(run, project)
    if own is not None:
        scope = replace(scope, index_urls=[] if scope.no_index else [own])
    return scope.get_index_urls_locations(project)


def find_beside_indexes(
    find: _Find,
    finder: PackageFinder,
    project_name: str,
    folders: Sequence[str] | None = None,
) -> list[InstallationCandidate]:
    """Find the candidates of a project with ``--find-links`` alone.

    :param find: finds them as upstream does, on indexes too.
    :param folders: those to look in; None for all that are named.
    """
    scope = finder.search_scope
    links = scope.find_links if folders is None else list(folders)
    finder.search_scope = replace(scope, find_links=links, index_urls=[])
    try:
        return find(finder, project_name)
    finally:
        finder.search_scope = scope
