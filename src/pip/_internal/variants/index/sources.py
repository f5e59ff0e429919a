"""Fetch the manifest of a release through pip's own session.

The session provides authentication, proxies, retries and a cache. A manifest may grow after
publication, so the cache keeps manifests only as long as HTTP allows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.requests.exceptions import RetryError
from pip._vendor.urllib3.exceptions import HTTPError
from pip._vendor.wheel_variants.manifest import InvalidManifest, Manifest
from pip._vendor.wheel_variants.manifest_parser import MAX_MANIFEST_SIZE, parse_manifest

from pip._internal import exceptions
from pip._internal.console.output import get_logger
from pip._internal.console.texts import without_credentials
from pip._internal.fast.answers import forget
from pip._internal.models.link import Link
from pip._internal.network.cache import is_from_cache
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.errors import describe_error
from pip._internal.variants.index.links import is_local_of_server, uploaded_too_late
from pip._internal.variants.index.time_limit import Overdue, within

if TYPE_CHECKING:
    import datetime

    from pip._vendor.requests import Response

    from pip._internal.network.session import PipSession

logger = get_logger(__name__)

#: If a response ends early, pip requests it again, as its session repeats requests.
_ATTEMPTS = 3
#: Accept any type: if asked for JSON, devpi describes the file instead of sending it.
_HEADERS = {"Accept": "*/*", "Accept-Encoding": "identity"}
_AFRESH = {**_HEADERS, "Cache-Control": "no-cache"}
#: Statuses of a complete manifest; a proxy may have rewritten it.
_FULL = (200, 203)

#: Hints for temporary failures, for lock files, and for other failures.
AGAIN = "Try again"
LOCK_AGAIN = "Create the lock file again with pip lock"
_CREDENTIALS = (
    "If the index requires a password, add the password to the URL of the index, a "
    ".netrc file or a keyring"
)
_CERTIFICATES = "To trust other certificates: --cert FILE"
_TO_FIX = "Ask the operator of the index to fix the manifest"
#: Statuses of files that require credentials.
_REFUSED = (401, 403, 407)


class ManifestUnavailable(Exception):
    """A manifest could not be fetched or read; the message explains why.

    :ivar hint: a remedy, as a sentence without a final period; may be empty.
    """

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.hint = hint


class ManifestMissing(ManifestUnavailable):
    """A manifest does not exist for this run.

    :ivar listed: whether the index lists the missing manifest, as some mirrors do;
        otherwise the manifest was uploaded too late.
    """

    def __init__(self, problem: str, *, listed: bool) -> None:
        super().__init__(problem)
        self.listed = listed


def fetch_manifest(
    session: PipSession, link: Link, uploaded_prior_to: datetime.datetime | None = None
) -> Manifest:
    """Fetch, verify and parse the manifest at *link*.

    If the hash of the manifest differs from the hash on the index page, pip fetches the manifest
    and the page again, since either may be an old copy. pip also fetches a manifest again if the
    cached copy cannot be parsed. Takes at most :data:`~.time_limit.MAX_TIME`.

    :param uploaded_prior_to: the upload time from which a manifest counts as missing.
    :raises ManifestMissing: if the manifest does not exist for this run.
    :raises ManifestUnavailable: if the manifest cannot be fetched, or is invalid.
    """
    try:
        return within(session, lambda quiet: _fetch(quiet, link, uploaded_prior_to))
    except InvalidManifest as error:
        raise ManifestUnavailable(str(error), _TO_FIX) from None
    except Overdue as error:
        raise ManifestUnavailable(str(error), AGAIN) from None


def _fetch(
    session: PipSession, link: Link, uploaded_prior_to: datetime.datetime | None
) -> Manifest:
    fetched = _download(session, link, manifest_headers(link))
    if not _hash_matches(link, fetched.data):
        link = _link_read_afresh(session, link)
        too_late = uploaded_too_late(link, uploaded_prior_to)
        if too_late is not None:
            raise ManifestMissing(too_late, listed=False)
        fetched = _download_afresh(session, link)
        if not _hash_matches(link, fetched.data):
            problem = "its hash does not match the one on the index"
            raise ManifestUnavailable(problem, _TO_FIX)
    try:
        manifest = parse_manifest(fetched.data)
    except InvalidManifest:
        if not fetched.from_cache:
            raise
        manifest = parse_manifest(_download_afresh(session, link).data)
    return manifest._replace(url=redact_auth_from_url(link.url_without_fragment))


def _hash_matches(link: Link, data: bytes) -> bool:
    if not link.has_hash:
        return True
    try:
        link.as_hashes().check_against_chunks(iter([data]))
    except exceptions.HashMismatch as error:
        logger.debug("The hash of %s differs: %s", link, error)
        return False
    return True


def manifest_headers(link: Link) -> dict[str, str]:
    """Return the headers of requests for the manifest at *link*."""
    # An old copy from the cache is harmless if there is a hash to compare.
    return _HEADERS if link.has_hash else {**_HEADERS, "Cache-Control": "max-age=0"}


class _Fetched(NamedTuple):
    data: bytes
    from_cache: bool


def _download_afresh(session: PipSession, link: Link) -> _Fetched:
    """Fetch *link* without the cache."""
    # Otherwise the server might respond that the file has not changed.
    forget(session, link.url_without_fragment)
    return _download(session, link, _AFRESH)


def _download(session: PipSession, link: Link, headers: dict[str, str]) -> _Fetched:
    url = link.url_without_fragment
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return _get(session, url, headers)
        except _ConnectionBroken as error:
            logger.debug("Attempt %s at %s: %s", attempt, link, error)
            reason, hint = str(error), AGAIN
            # The copy in the cache may be incomplete.
            forget(session, url)
        # A redirect to an invalid URL causes a ValueError.
        except (exceptions.PipError, OSError, ValueError) as error:
            # The session has already repeated the request.
            reason = describe_error(error).rstrip(".")
            # There was no connection, or the server failed.
            is_passing = isinstance(error, exceptions.DiagnosticPipError | RetryError)
            hint = AGAIN if is_passing else ""
            if isinstance(error, exceptions.SSLVerificationError):
                hint = _CERTIFICATES
            break
    raise ManifestUnavailable(without_credentials(reason), hint)


class _ConnectionBroken(Exception):
    """The connection broke before the end of the response."""


def _get(session: PipSession, url: str, headers: dict[str, str]) -> _Fetched:
    response = session.get(url, headers=headers, stream=True)
    try:
        code = response.status_code
        status = f"the server answered {code} {response.reason}".rstrip()
        if code in (404, 410):
            raise ManifestMissing(status, listed=True)
        if code not in _FULL:
            raise ManifestUnavailable(status, hint_for(code))
        return _Fetched(_read(response), is_from_cache(response))
    except (HTTPError, OSError) as error:
        # OSError includes the errors of requests.
        raise _ConnectionBroken(describe_error(error)) from None
    finally:
        response.close()


def _read(response: Response) -> bytes:
    body = bytearray()
    for chunk in response.iter_content(64 * 1024):
        body += chunk
        if len(body) > MAX_MANIFEST_SIZE:
            problem = f"larger than {MAX_MANIFEST_SIZE >> 20} MiB"
            raise ManifestUnavailable(problem, _TO_FIX)
    return bytes(body)


def hint_for(status: int) -> str:
    """Return a hint for a server's error, without a final period; empty without a hint."""
    if status in (408, 425, 429) or status >= 500:
        return AGAIN
    if status in _REFUSED:
        return _CREDENTIALS
    return ""


def _link_read_afresh(session: PipSession, link: Link) -> Link:
    """Return the link to the same manifest on the index page, after fetching the page again."""
    from pip._internal.index.collector import _get_index_content, parse_links

    if not link.comes_from:
        return link
    page = Link(link.comes_from, cache_link_parsing=False)
    content = _get_index_content(page, session=session, force_revalidate=True)
    links = () if content is None else parse_links(content)
    same = (each for each in links if each.filename == link.filename)
    return next((each for each in same if not is_local_of_server(each)), link)
