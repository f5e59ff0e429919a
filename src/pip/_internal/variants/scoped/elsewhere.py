"""What the usual index has newer of a project that comes from another one alone.

A publisher's index of variants may stay behind what is on the usual index, and nobody would
notice. So one page is asked for, once a run, where the project has variants on its own.
Nothing that is found there can be chosen, and no failure matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.packaging.version import Version

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint
from pip._internal.exceptions import PipError
from pip._internal.index.package_finder import LinkType
from pip._internal.parallel.held_records import holding
from pip._internal.parallel.time_limits import Overdue
from pip._internal.utils.misc import redact_auth_from_url, remove_auth_from_url
from pip._internal.variants.choice.invocation import command
from pip._internal.variants.scoped.errors import instead
from pip._internal.variants.wheels.links import label_of
from pip._internal.variants.wheels.pages import PageUnavailable, fetch_page, links_of
from pip._internal.variants.wheels.sources import unattended

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.index.package_finder import PackageFinder
    from pip._internal.models.link import Link
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.release import Release
    from pip._internal.variants.choice.scoped_indexes import ScopedIndex

__all__ = ["Usual", "ask_usual", "newer_elsewhere", "plain_wheel"]

logger = get_logger(__name__)

#: How long an answer may take.
_SECONDS = 3.0


class Usual(NamedTuple):
    """What the usual index lists of a project that comes from elsewhere.

    :ivar url: of that index.
    """

    url: str
    links: Sequence[Link] = ()


def ask_usual(
    context: Context,
    finder: PackageFinder,
    project: NormalizedName,
    index: ScopedIndex,
) -> Usual | None:
    """Ask the usual index for a project; None if that tells nothing.

    :param index: that the project comes from.
    """
    usual = _usual(finder)
    if usual is None or _bare(usual) == _bare(index.url):
        return None
    scope = finder.search_scope
    page = scope.get_index_urls_locations(project)[scope.index_urls.index(usual)]
    try:
        with (
            # Nobody asked for this, so that its failures are nobody's business.
            holding(lambda _: None),
            unattended(context.session, _SECONDS),
        ):
            return Usual(usual, links_of(fetch_page(context.session, page, project)))
    except (PageUnavailable, Overdue, PipError) as error:
        logger.debug("Cannot tell what is newer elsewhere: %s", error)
        return None


def newer_elsewhere(
    context: Context,
    finder: PackageFinder,
    release: Release,
    index: ScopedIndex,
    wanted: SpecifierSet,
    usual: Usual,
) -> str | None:
    """Say which newer plain release was passed over, if any.

    :param index: that *release* comes from.
    :param wanted: the versions that the user and other packages ask for.
    """
    project = release.project
    newest = release.version
    for _, version in _suitable(finder, project, usual.links):
        if version > newest and not version.is_prerelease and version in wanted:
            newest = version
    if newest is release.version:
        return None
    where = redact_auth_from_url(usual.url).rstrip("/")
    return Hint(
        f"{project} {newest} is on {where} and was passed over for {release.version}: "
        f"{project} comes from {redact_auth_from_url(index.url)} alone. To take that:",
        command(
            context.options,
            *("install", f"{project}=={newest}"),
            *instead(context.settings, project, where),
        ),
    )


def plain_wheel(finder: PackageFinder, release: Release, usual: Usual) -> Link | None:
    """Return a wheel of the same release on the usual index, if there is one."""
    found = _suitable(finder, release.project, usual.links)
    wheels = (link for link, version in found if version == release.version)
    return next((link for link in wheels if link.is_wheel), None)


def _usual(finder: PackageFinder) -> str | None:
    """Return the first usual index that listed anything in this run, or else the first."""
    pages = {
        found.link.comes_from
        for candidates in finder._all_candidates.values()
        for found in candidates
        if found.link.comes_from is not None
    }
    return next(
        (
            url
            for url in finder.index_urls
            if any(page.startswith(f"{_bare(url)}/") for page in pages)
        ),
        next(iter(finder.index_urls), None),
    )


def _bare(url: str) -> str:
    return str(remove_auth_from_url(url)).rstrip("/")


def _suitable(
    finder: PackageFinder, project: NormalizedName, links: Iterable[Link]
) -> Iterator[tuple[Link, Version]]:
    """Yield the plain files among *links* that could be installed, and their versions."""
    # Upstream's judgement of single files: that of pages takes note of manifests.
    evaluator = finder.make_link_evaluator(project)
    for link in links:
        if link.is_yanked or label_of(link) is not None:
            continue
        result, said = evaluator.evaluate_link(link)
        if result is LinkType.candidate:
            yield link, Version(said)
