"""Read indexes with one build per local version.

An *umbrella* page, ``BASE/torch/``, lists the builds for all backends. There is also a page
for each backend, ``BASE/cu128/torch/``. Mirrors have one kind or both. The backend of a wheel
is in its name, or else in the path of its file, or in the path of the page.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.errors import VariantError
from pip._internal.variants.index.links import LocalVersionWheel, label_of
from pip._internal.variants.index.pages import PageUnavailable, fetch_links
from pip._internal.variants.output.invocation import again
from pip._internal.variants.pytorch.backends import CPU, Backend, is_special_build
from pip._internal.variants.pytorch.options import INDEX_URL

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.variants.pytorch.settings import IndexDescription
    from pip._internal.variants.selection.run import Run

logger = get_logger(__name__)


class BackendIndexUnavailable(VariantError):
    """The pages of an index of builds cannot be fetched."""

    reference = "pytorch-index-unavailable"


_TO_DO_WITHOUT = (
    "To stop using this index, remove the --pytorch-* options, --cpuonly and "
    "LTT_PYTORCH_COMPUTATION_BACKEND, also from the environment and configuration."
)
_WHY_NOWHERE_ELSE = (
    "pip takes these projects only from this index. On any other index, anyone could "
    "publish packages with these names."
)


class Page(NamedTuple):
    """The files on one page.

    :ivar links: the files.
    :ivar backend: the backend of the page; None for an umbrella page.
    """

    links: Sequence[Link]
    backend: Backend | None = None


class BackendIndex:
    """One channel of an index or mirror; fetches each page once."""

    def __init__(self, run: Run, description: IndexDescription, base_url: str) -> None:
        self._options = run.settings.options
        self._session = run.catalog.session
        self.description = description
        self.base_url = base_url
        self._pages: dict[str, Page | None] = {}

    def fetch_pages(self, project: str, versions: Sequence[str]) -> list[Page]:
        """Return the pages of a project; empty if the index lacks the project.

        :param versions: the pinned versions, for pages by version.
        :raises BackendIndexUnavailable: if pip cannot find out whether the index has the
            project; pip must not take such a project from another index.
        """
        if self.description.page is not None:
            umbrella = self._page(self.description.page, project)
            if umbrella is not None:
                return [umbrella]
            # If there are umbrella pages at all, the index lacks the project.
            probe = self.description.probe_project or project
            if self._page(self.description.page, probe) is not None:
                return []
        found = []
        for backend, version in itertools.product(self._served, versions):
            page = self._page(self.description.backend_page, project, version, backend)
            if page is not None:
                found.append(page)
                if not self.has_builds([page]):
                    # The same is true of each backend.
                    break
        return found

    @cached_property
    def _served(self) -> Sequence[Backend]:
        """The backends with pages; a mirror may lack some."""
        description = self.description
        project = description.probe_project
        if project is None:
            return description.backends
        path = description.backend_page
        served = [
            backend
            for backend in description.backends
            if self._page(path, project, backend=backend) is not None
        ]
        if not served:
            raise self._unavailable(
                self.base_url,
                f"The index has no page for '{project}': no general page, no "
                "backend's page",
            )
        return served

    def _page(
        self, path: str, project: str, version: str = "", backend: Backend | None = None
    ) -> Page | None:
        """Return the page of a project for one backend or for all backends, or None."""
        below = path.format(project=project, version=version, backend=backend)
        url = f"{self.base_url}/{below}"
        if url not in self._pages:
            try:
                links = fetch_links(self._session, url, project)
                self._pages[url] = Page(links, backend)
            except PageUnavailable as error:
                # Object stores use 403 for missing pages.
                if error.status not in (403, 404, 410):
                    raise self._unavailable(url, str(error)) from None
                logger.debug("%s is missing: %s", redact_auth_from_url(url), error)
                self._pages[url] = None
        return self._pages[url]

    def _unavailable(self, url: str, problem: str) -> BackendIndexUnavailable:
        mirror = again(self._options, INDEX_URL.name, "URL")
        return BackendIndexUnavailable(
            f"Cannot use {redact_auth_from_url(url)} as {self.description}.",
            problem.rstrip(".") + ".",
            [Hint("To use a mirror of PyTorch's index:", mirror), _TO_DO_WITHOUT],
            _WHY_NOWHERE_ELSE,
        )

    def has_builds(self, pages: Iterable[Page]) -> bool:
        """Return whether any file of a project is for a single backend."""
        if self.description.projects is not None:
            return True
        return any(
            Backend.find(_local_version(link.filename))
            for page in pages
            for link in page.links
        )

    def builds(self, pages: Sequence[Page], *, may_be_special: bool) -> list[Link]:
        """Return the files of a project; wheels for one backend become variants.

        :param may_be_special: whether the user pins a local version, which may contain more
            than a backend.
        """
        by_place = self.has_builds(pages)
        found: dict[str, Link] = {}
        for page in pages:
            for link in page.links:
                local = _local_version(link.filename)
                if not may_be_special and is_special_build(local or ""):
                    continue
                otherwise = page.backend or CPU if by_place else None
                build = as_build(link, self.base_url, otherwise=otherwise)
                found.setdefault(link.url, build)
        return list(found.values())


def _local_version(filename: str) -> str | None:
    # There are thousands of names, so parse no further than needed.
    parts = filename.split("-", 2)
    return parts[1].partition("+")[2] or None if len(parts) == 3 else None


def as_build(link: Link, source: str, *, otherwise: Backend | None = None) -> Link:
    """Convert a wheel for one backend to a variant with the backend's label.

    :param source: the index or folders where such labels have a meaning.
    :param otherwise: the backend of a wheel without a local version or a folder named after a
        backend; None if such a wheel is for all backends.
    """
    if not link.is_wheel or label_of(link) is not None:
        return link
    local = _local_version(link.filename)
    backend = Backend.find(local)
    if local is None and otherwise is not None:
        backend = Backend.find(link.path.split("/")[-2]) or otherwise
    return LocalVersionWheel(link, backend.label, source) if backend else link
