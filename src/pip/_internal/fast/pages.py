"""Parse index pages without creating links for unsuitable wheels.

Stock pip creates a link for each file, and then skips most links. The skipped links appear
only in the debug log, so without a debug log, this module creates no links for unsuitable
wheels. :func:`all_links` returns all links.
"""

from __future__ import annotations

import functools
import json
import logging
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging.tags import InvalidTag, parse_tag

from pip._internal.console.output import get_logger
from pip._internal.models.link import Link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pip._internal.index.collector import IndexContent
    from pip._internal.models.target_python import TargetPython

logger = get_logger(__name__)

_JSON = "application/vnd.pypi.simple.v1+json"
#: The length of a long file name, in characters.
_LONG = 256

#: File sizes in bytes from JSON pages (PEP 700), by URL. Upstream drops the sizes when it
#: creates links.
_SIZES: dict[str, int] = {}


class _Links(list[Link]):
    """Links of a page.

    :ivar everything: a function that creates all links, as stock pip does; None if no link
        was left out.
    """

    everything: Callable[[], Sequence[Link]] | None = None


def all_links(links: Sequence[Link]) -> Sequence[Link]:
    """Return all links of a page, including those skipped while parsing."""
    if isinstance(links, _Links) and links.everything is not None:
        return links.everything()
    return links


def links_of_page(
    parse: Callable[[IndexContent], Iterable[Link]],
    page: IndexContent,
    target: TargetPython | None,
) -> list[Link]:
    """Return the links of a page that may be candidates, in page order.

    :param parse: upstream's parser, for pages that this function does not parse.
    :param target: the target of the candidates; None for all links.
    """
    # Upstream caches the links of some pages.
    is_plain = page.content_type.lower().startswith(_JSON) and not (
        page.cache_link_parsing
    )
    if not is_plain:
        return list(parse(page))
    suits = None
    if target is not None and not logger.isEnabledFor(logging.DEBUG):
        suits = _suitable(target)
    links = _Links()
    for file in json.loads(page.content).get("files", []):
        if suits is not None and _is_foreign(file, suits):
            links.everything = functools.partial(links_of_page, parse, page, None)
            continue
        link = Link.from_json(file, page.url)
        if link is not None:
            # A progress bar cannot show sizes of any length.
            if type(size := file.get("size")) is int and 0 <= size < 1 << 63:
                _SIZES[link.url_without_fragment] = size
            links.append(link)
    return links


def listed_size(link: Link) -> int | None:
    """Return the size of a file in bytes, or None if no page states the size."""
    return _SIZES.get(link.url_without_fragment)


def _suitable(target: TargetPython) -> Callable[[str], bool]:
    """Return a function that checks whether tags in a wheel's name suit *target*."""
    supported = target.get_unsorted_tags()

    @functools.cache
    def suits(text: str) -> bool:
        try:
            return not supported.isdisjoint(parse_tag(text))
        except InvalidTag:
            # Upstream reports the invalid tag.
            return True

    return suits


def _is_foreign(file: Any, suits: Callable[[str], bool]) -> bool:
    """Return whether a file is certainly a wheel with unsuitable tags."""
    if type(file) is not dict or type(url := file.get("url")) is not str:
        return False
    name = url.partition("#")[0].rpartition("/")[2].replace("%2B", "+")
    # A name with other parts needs the full parser. Python refuses numbers of thousands of
    # digits, and stock pip fails.
    is_usual = name.endswith(".whl") and name.count("-") == 4 and len(name) < _LONG
    if not is_usual or "%" in name or "?" in url:
        return False
    return not suits(name[:-4].split("-", 2)[2])
