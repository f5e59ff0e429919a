"""Fetch a page of an index, where a failure must not pass for a page without files.

Upstream goes on where an index fails: another may have the project. Where a project comes
from one index alone, that would take it from a place that it must not come from.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pip._vendor.requests.exceptions import RequestException

from pip._internal.console.texts import capital, without_credentials
from pip._internal.exceptions import DiagnosticPipError, NetworkConnectionError
from pip._internal.fast.pages import links_of_page
from pip._internal.index.collector import (
    _get_simple_response,
    _make_index_content,
    _NotAPIContent,
    parse_links,
)
from pip._internal.models.link import Link
from pip._internal.utils.urls import url_to_path
from pip._internal.variants.errors import in_words
from pip._internal.variants.index.sources import hint_for

if TYPE_CHECKING:
    from pip._internal.index.collector import IndexContent
    from pip._internal.network.session import PipSession

__all__ = ["PageUnavailable", "fetch_page", "links_of"]


class PageUnavailable(Exception):
    """A page could not be fetched or read; the message tells users why.

    :ivar status: what the server answered, 404 for a file that is not there; None if
        nothing did.
    """

    def __init__(self, problem: str, status: int | None = None) -> None:
        super().__init__(without_credentials(problem))
        self.status = status

    @property
    def hint(self) -> str:
        """Return what may help, without a final period; it may be empty."""
        return "" if self.status is None else hint_for(self.status)

    @property
    def is_missing(self) -> bool:
        """Tell whether the server answers that there is no such page."""
        return self.status in (404, 410)


def fetch_page(session: PipSession, url: str, project: str) -> IndexContent:
    """Fetch a page of links.

    :param url: of the page, with a slash at the end.
    :param project: whose page it is: the user may want that afresh.
    :raises PageUnavailable: if it cannot be had.
    """
    if not session.is_secure_origin(Link(url)):
        raise PageUnavailable("It is neither secure nor named with --trusted-host")
    if url.startswith("file:"):
        url += "index.html"
        if not os.path.isfile(url_to_path(url)):
            raise PageUnavailable(f"There is no {url_to_path(url)}", 404)
    afresh = not session.refresh_package.isdisjoint((":all:", project))
    try:
        response = _get_simple_response(url, session, afresh)
    except (NetworkConnectionError, RequestException) as error:
        status = getattr(getattr(error, "response", None), "status_code", None)
        raise PageUnavailable(capital(in_words(error)), status) from None
    except DiagnosticPipError as error:
        # No connection: what came of it says why.
        raise PageUnavailable(capital(in_words(error))) from None
    except _NotAPIContent as error:
        said = f"It is no index page, but {error.content_type}"
        if error.content_type == "Unknown":
            said = "Its server does not say that it is an index page"
        raise PageUnavailable(said) from None
    except EOFError:
        # Upstream asks at a prompt.
        problem = "It asks for a user and a password, and there is nobody to type them"
        raise PageUnavailable(problem, 401) from None
    except ValueError as error:
        # From a redirect to an invalid URL.
        raise PageUnavailable(
            f"Its URL, or one that it leads to, cannot be used: {in_words(error)}"
        ) from None
    return _make_index_content(response, cache_link_parsing=False)


def links_of(page: IndexContent) -> list[Link]:
    """Return the links of a page.

    :raises PageUnavailable: if it has another form than a page of links.
    """
    try:
        return links_of_page(parse_links, page, None)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        what = f"{type(error).__name__}: {in_words(error)}"
        raise PageUnavailable(f"Its page cannot be read ({what})") from None
