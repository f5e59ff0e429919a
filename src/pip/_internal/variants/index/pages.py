"""Fetch an index page; a failure is an error, not an empty page.

If an index fails, upstream continues with other indexes. For a project with only one index,
upstream would then take the project from an index that must not provide it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pip._vendor.requests.exceptions import RequestException

from pip._internal.console.texts import capital
from pip._internal.exceptions import DiagnosticPipError, NetworkConnectionError
from pip._internal.fast.pages import links_of_page
from pip._internal.index import collector
from pip._internal.models.link import Link
from pip._internal.utils.urls import url_to_path
from pip._internal.variants.errors import describe_error
from pip._internal.variants.index.sources import hint_for

if TYPE_CHECKING:
    from pip._internal.network.session import PipSession


class PageUnavailable(Exception):
    """A page could not be fetched or parsed; the message explains why.

    :ivar status: the HTTP status, 404 for a missing file; None without a response.
    :ivar hint: a remedy, without a final period; may be empty.
    """

    def __init__(self, problem: str, status: int | None = None) -> None:
        super().__init__(problem)
        self.status = status
        self.hint = "" if status is None else hint_for(status)


def fetch_links(session: PipSession, url: str, project: str) -> list[Link]:
    """Fetch the links of a page.

    :param url: the URL of the page, with a trailing slash.
    :param project: the project of the page; the user may have asked to refresh the project.
    :raises PageUnavailable: if the page cannot be fetched, or is not a page of links.
    """
    if not session.is_secure_origin(Link(url)):
        raise PageUnavailable(
            "Its URL is not secure, and --trusted-host does not name its host"
        )
    if url.startswith("file:"):
        url += "index.html"
        if not os.path.isfile(url_to_path(url)):
            raise PageUnavailable(f"The file {url_to_path(url)} does not exist", 404)
    afresh = not session.refresh_package.isdisjoint((":all:", project))
    try:
        response = collector._get_simple_response(url, session, afresh)
    except (DiagnosticPipError, NetworkConnectionError, RequestException) as error:
        # Without a connection, there is no response.
        status = getattr(getattr(error, "response", None), "status_code", None)
        raise PageUnavailable(capital(describe_error(error)), status) from None
    except collector._NotAPIContent as error:
        problem = f"The content type {error.content_type} is not that of an index page"
        if error.content_type == "Unknown":
            problem = "The server does not state a content type"
        raise PageUnavailable(problem) from None
    except EOFError:
        # Upstream asks for a password at a prompt.
        problem = "The index requires a user name and password; pip cannot ask for them"
        raise PageUnavailable(problem, 401) from None
    except ValueError as error:
        # From a redirect to an invalid URL.
        raise PageUnavailable(
            f"Its URL, or a redirect from that URL, cannot be used: {describe_error(error)}"
        ) from None
    page = collector._make_index_content(response, cache_link_parsing=False)
    try:
        return links_of_page(collector.parse_links, page, None)
    except Exception as error:  # A page may break upstream's parsers in any way.
        what = f"{type(error).__name__}: {describe_error(error)}"
        raise PageUnavailable(f"Its page cannot be read ({what})") from None
