"""Index pages, read fast: links of plain URLs, and none for wheels of unsuitable tags.

Upstream makes a link of each file, and leaves most of them out. Nothing comes of these but
lines of a debug log, so where nobody reads that, no link is made for a wheel whose tags do
not suit. Whoever needs all links gets them by :func:`all_links`.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any, Literal

from pip._vendor.packaging.tags import InvalidTag, parse_tag

from pip._internal.console.output import get_logger
from pip._internal.fast.sizes import note
from pip._internal.fast.urls import ListedLink, split_plain
from pip._internal.models.link import Link, MetadataFile, supported_hashes
from pip._internal.utils.datetime import parse_iso_datetime

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Sequence

    from pip._internal.index.collector import IndexContent
    from pip._internal.index.package_finder import LinkEvaluator
    from pip._internal.models.target_python import TargetPython

__all__ = ["all_links", "links_of_page"]

_JSON = "application/vnd.pypi.simple.v1+json"
#: Of a file name, in characters.
_LONG = 256


class _Links(list[Link]):
    """Links of a page, from which some that do not suit were left out.

    :ivar everything: makes all of them, as upstream does.
    """

    everything: Callable[[], Sequence[Link]]


def all_links(links: Sequence[Link]) -> Sequence[Link]:
    """Return links with those that were left out when their page was read."""
    return links.everything() if isinstance(links, _Links) else links


def links_of_page(
    parse: Callable[[IndexContent], Iterable[Link]],
    page: IndexContent,
    evaluator: LinkEvaluator,
) -> list[Link]:
    """Return the links of a page that may lead to candidates, in its order.

    :param parse: how upstream makes links of a page; it makes the same ones.
    """
    # Upstream keeps the links of some pages.
    is_plain = page.content_type.lower().startswith(_JSON) and not (
        page.cache_link_parsing
    )
    if not is_plain:
        return list(parse(page))
    logger = get_logger("pip._internal.index.package_finder")
    suits = None
    if not logger.isEnabledFor(logging.DEBUG):
        suits = _Suitable(evaluator._target_python)
    links = _Links()
    is_whole = True
    for file in json.loads(page.content).get("files", []):
        found = _read(file, page.url, suits)
        if found is False:
            is_whole = False
        elif found is not None:
            links.append(found)
    if is_whole:
        return list(links)
    links.everything = lambda: list(parse(page))
    return links


class _Suitable(dict[str, bool]):
    """Whether wheels suit a target, by what stands for their tags in their names."""

    def __init__(self, target: TargetPython) -> None:
        self._supported = target.get_unsorted_tags()

    def __missing__(self, text: str) -> bool:
        try:
            suits = not self._supported.isdisjoint(parse_tag(text))
        except InvalidTag:
            # Upstream says so.
            suits = True
        self[text] = suits
        return suits


def _read(
    file: Any, page_url: str, suits: _Suitable | None
) -> Link | Literal[False] | None:
    """Make the link of a file on a JSON page.

    :param suits: which wheels suit; None for all.
    :return: False if it is left out since it does not suit; None if it has no link.
    """
    parts = _plain_parts(file)
    if parts is None:
        made: Link | None = Link.from_json(file, page_url)
        if made is not None:
            note(made, file)
        return made
    filename = file["filename"]
    # Upstream fails where this is no time, whatever the tags are.
    uploaded = file.get("upload-time")
    upload_time = parse_iso_datetime(uploaded) if uploaded else None
    # The name of a wheel with other parts needs a closer look.
    is_usual = filename.endswith(".whl") and filename.count("-") == 4
    if is_usual and suits is not None and not suits[filename[:-4].split("-", 2)[2]]:
        return False
    yanked = file.get("yanked")
    link = ListedLink.of(
        parts,
        filename,
        comes_from=page_url,
        requires_python=file.get("requires-python"),
        yanked_reason=(yanked if isinstance(yanked, str) else "") if yanked else None,
        hashes=file.get("hashes", {}),
        metadata_file_data=_metadata_file(file),
        upload_time=upload_time,
    )
    note(link, file)
    return link


def _metadata_file(file: dict[str, Any]) -> MetadataFile | None:
    stated = file.get("core-metadata")
    if stated is None:
        # The name that it had first (PEP 714).
        stated = file.get("dist-info-metadata")
    if isinstance(stated, dict):
        return MetadataFile(supported_hashes(stated))
    return MetadataFile(None) if stated else None


def _plain_parts(file: Any) -> re.Match[str] | None:
    """Split the URL of a file if all about it is as it mostly is; None otherwise."""
    if type(file) is not dict or type(url := file.get("url")) is not str:
        return None
    parts = split_plain(url)
    if parts is None or type(file.get("hashes", {})) is not dict:
        return None
    name = parts[4]
    if "%" in name:
        name = name.replace("%2B", "+")
    # Some files have another name than their URL. A number of thousands of digits is more
    # than Python reads, and upstream fails.
    return parts if file.get("filename") == name and len(name) < _LONG else None
