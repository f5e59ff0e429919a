"""Fetch the manifest of a release through pip's own session.

The session brings authentication, proxies, retries and its cache along. A manifest
may grow after it was published, so it is cached as HTTP allows and no longer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from pip._vendor.requests.exceptions import ChunkedEncodingError, RequestException
from pip._vendor.requests.exceptions import ConnectionError as RequestConnectionError
from pip._vendor.urllib3.exceptions import HTTPError

from pip._internal.exceptions import (
    DiagnosticPipError,
    HashMismatch,
    NetworkConnectionError,
)
from pip._internal.models.link import Link
from pip._internal.network.utils import raise_for_status
from pip._internal.utils._log import getLogger
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.manifest import InvalidManifest, Manifest
from pip._internal.variants.manifest_parser import (
    MAX_MANIFEST_SIZE,
    parse_manifest,
)
from pip._internal.variants.texts import printable

if TYPE_CHECKING:
    from pip._vendor.requests import Response

    from pip._internal.network.session import PipSession

__all__ = [
    "ManifestMissing",
    "ManifestUnavailable",
    "fetch_manifest",
    "fetch_manifest_bytes",
    "manifest_headers",
    "without_prompts",
]

logger = getLogger(__name__)

#: Seconds from the response's first byte to its last.
_MAX_BODY_TIME = 60.0
#: A body that breaks off is asked for again, as pip's session does with requests.
_ATTEMPTS = 3
_HEADERS = {"Accept": "application/json, */*;q=0.1", "Accept-Encoding": "identity"}
#: Statuses of what is not there, as against what cannot be had at the moment.
_GONE = (404, 410)


class ManifestUnavailable(Exception):
    """A manifest could not be had or read; the message says why, to people."""

    def __init__(self, problem: str) -> None:
        super().__init__(printable(problem))


class ManifestMissing(ManifestUnavailable):
    """A manifest is listed and not there, as on mirrors that leave it out."""


def fetch_manifest(session: PipSession, link: Link) -> Manifest:
    """Fetch, verify and parse the manifest at *link*.

    If its hash is not the one that the index stated, the index page is read afresh,
    since either of the two may be an older copy.

    :raises ManifestMissing: if the server says that there is none.
    :raises ManifestUnavailable: if it cannot be had, or is not valid.
    """
    try:
        data = _download(session, link, manifest_headers(link))
        if not _hash_matches(link, data):
            link = _link_read_afresh(session, link)
            afresh = {**_HEADERS, "Cache-Control": "no-cache"}
            data = _download(session, link, afresh)
            if not _hash_matches(link, data):
                raise ManifestUnavailable("its hash is not the one the index states")
        url = redact_auth_from_url(link.url_without_fragment)
        return replace(parse_manifest(data), url=url)
    except InvalidManifest as error:
        raise ManifestUnavailable(str(error)) from None


def fetch_manifest_bytes(session: PipSession, link: Link) -> tuple[bytes, bool]:
    """Fetch the manifest at *link* as it is; tell whether its hash is the stated one.

    :raises ManifestMissing: if the server says that there is none.
    :raises ManifestUnavailable: if it cannot be had.
    """
    data = _download(session, link, {**_HEADERS, "Cache-Control": "no-cache"})
    return data, _hash_matches(link, data)


def _hash_matches(link: Link, data: bytes) -> bool:
    if not link.has_hash:
        return True
    try:
        link.as_hashes().check_against_chunks(iter([data]))
    except HashMismatch as error:
        logger.debug("The hash of %s differs: %s", link, error)
        return False
    return True


def manifest_headers(link: Link) -> dict[str, str]:
    """Give the headers by which the manifest at *link* is asked for."""
    # With a hash to compare with, an older copy from the cache does no harm.
    return _HEADERS if link.has_hash else {**_HEADERS, "Cache-Control": "max-age=0"}


def _download(session: PipSession, link: Link, headers: dict[str, str]) -> bytes:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return _get(session, link.url_without_fragment, headers)
        except _BodyBrokeOff as error:
            logger.debug("Attempt %s at %s: %s", attempt, link, error)
            reason = str(error)
        except (NetworkConnectionError, DiagnosticPipError, RequestException) as error:
            # The session has already tried this again as often as it should.
            reason = str(getattr(error, "context", None) or error)
            break
    raise ManifestUnavailable(redact_auth_from_url(reason))


class _BodyBrokeOff(Exception):
    """A response began well and did not end so."""


def _get(session: PipSession, url: str, headers: dict[str, str]) -> bytes:
    with without_prompts(session):
        response = session.get(url, headers=headers, stream=True)
    try:
        if response.status_code in _GONE:
            raise ManifestMissing(f"{response.status_code} {response.reason}")
        raise_for_status(response)
        return _read(response)
    except (HTTPError, ChunkedEncodingError, RequestConnectionError, OSError) as error:
        raise _BodyBrokeOff(str(error)) from None
    finally:
        response.close()


@contextmanager
def without_prompts(session: PipSession) -> Iterator[None]:
    """Keep an install that needs no password from asking for one.

    Where one is needed, the index page has asked for it already.
    """
    auth = session.auth
    prompting, auth.prompting = auth.prompting, False
    try:
        yield
    finally:
        auth.prompting = prompting


def _read(response: Response) -> bytes:
    deadline = time.monotonic() + _MAX_BODY_TIME
    body = bytearray()
    for chunk in response.iter_content(64 * 1024):
        body += chunk
        if len(body) > MAX_MANIFEST_SIZE:
            raise ManifestUnavailable(
                f"it is larger than {MAX_MANIFEST_SIZE >> 20} MiB"
            )
        if time.monotonic() > deadline:
            raise ManifestUnavailable(
                f"it did not arrive within {_MAX_BODY_TIME:.0f} seconds"
            )
    return bytes(body)


def _link_read_afresh(session: PipSession, link: Link) -> Link:
    """Find the same manifest on its index page, fetched without any cache."""
    from pip._internal.index.collector import _get_index_content, parse_links

    page = link.comes_from
    if not page:
        return link
    content = _get_index_content(Link(page), session=session, force_revalidate=True)
    if content is None:
        return link
    for candidate in parse_links(content):
        if candidate.filename == link.filename:
            return candidate
    return link
