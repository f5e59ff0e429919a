"""An index whose builds only local versions tell apart: which page lists a project's files.

An *umbrella* page, ``BASE/torch/``, lists the builds for all backends; besides, there is a
page for each backend, ``BASE/cu128/torch/``. Mirrors have both, or either, or some; other
indexes have one kind alone. The name of a wheel tells what it is built for, or else the
place of its file, or the page that lists it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.errors import VariantError
from pip._internal.variants.index.links import LocalVersionWheel, label_of
from pip._internal.variants.index.pages import PageUnavailable, fetch_page, links_of
from pip._internal.variants.output.invocation import again
from pip._internal.variants.pytorch.backends import CPU, Backend
from pip._internal.variants.pytorch.options import INDEX_URL

if TYPE_CHECKING:
    from pip._internal.models.link import Link
    from pip._internal.variants.pytorch.description import IndexDescription
    from pip._internal.variants.selection.run import Run

__all__ = ["BackendIndex", "as_build"]

logger = get_logger(__name__)

#: What a server says of a page that it does not have; object stores say 403.
_MISSING = (403, 404, 410)


class BackendIndexUnavailable(VariantError):
    """What an index of builds has cannot be told."""

    reference = "pytorch-index-unavailable"


_TO_DO_WITHOUT = (
    "Without the --pytorch-* options, --cpuonly and LTT_PYTORCH_COMPUTATION_BACKEND, "
    "their environment variables and configuration keys, pip does not look there."
)
_WHY_NOWHERE_ELSE = "What might be on it is not taken from another index, which anybody may have put it on."


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """What one page lists.

    :ivar backend: of which the page is; None for an umbrella page.
    """

    links: Sequence[Link]
    backend: Backend | None = None


class BackendIndex:
    """One channel of such an index, or of a mirror; each page is fetched once a run."""

    def __init__(
        self,
        run: Run,
        description: IndexDescription,
        base_url: str,
        backends: Callable[[IndexDescription], Sequence[Backend]],
    ) -> None:
        """Prepare the index; nothing is fetched before a project is looked up.

        :param backends: returns those whose own pages stand in for umbrella pages that
            are missing.
        """
        self._options = run.settings.options
        self._session = run.catalogue.session
        self.description = description
        self.base_url = base_url
        self._backends = backends
        self._pages: dict[str, list[Link] | None] = {}
        self._has_umbrellas: bool | None = None

    def pages(self, project: str, versions: Sequence[str]) -> list[Page]:
        """Return the pages of a project; none if the index does not have it.

        :param versions: that are pinned, where pages are by version.
        :raises BackendIndexUnavailable: if that cannot be told: what it might have must
            not be taken from elsewhere.
        """
        description = self.description
        if description.probe_project is None:
            # Of those that are not wanted too, to tell what it has.
            return self.pages_by_backend(project, versions) or self._by_backend(
                description.backends, project, versions
            )
        if self._has_umbrellas is not False:
            page = self._page(description.page, project)
            self._has_umbrellas = self._has_umbrellas or any(
                self._page(description.page, each) is not None
                for each in (project, description.probe_project)
            )
            if self._has_umbrellas:
                return [] if page is None else [page]
        return self._by_backend(self._served, project, versions)

    def pages_by_backend(self, project: str, versions: Sequence[str]) -> list[Page]:
        """Return the pages of a project that are for one backend each."""
        return self._by_backend(self._backends(self.description), project, versions)

    def _by_backend(
        self, backends: Iterable[Backend], project: str, versions: Sequence[str]
    ) -> list[Page]:
        found = []
        for backend, version in itertools.product(backends, versions):
            page = self._page(self.description.backend_page, project, version, backend)
            if page is not None:
                found.append(page)
                if not self.have_builds([page]):
                    # The same for each backend.
                    break
        return found

    @cached_property
    def _served(self) -> Sequence[Backend]:
        """The backends of which a mirror without umbrella pages has pages."""
        description = self.description
        project = description.probe_project
        assert project is not None, "it tells whether there is an index"
        for among in (self._backends(description), description.backends):
            served = [each for each in among if self._by_backend([each], project, [""])]
            if served:
                return served
        raise self._unavailable(
            self.base_url,
            f"There is no page of {project} there, neither for all builds nor for one "
            "backend",
        )

    def _page(
        self,
        path: str | None,
        project: str,
        version: str = "",
        backend: Backend | None = None,
    ) -> Page | None:
        """Return the umbrella page of a project, or the one for a backend."""
        if path is None:
            return None
        below = path.format(project=project, version=version, backend=backend)
        url = f"{self.base_url}/{below}"
        if url not in self._pages:
            self._pages[url] = self._fetched(url, project)
        links = self._pages[url]
        return None if links is None else Page(links, backend)

    def _fetched(self, url: str, project: str) -> list[Link] | None:
        try:
            return links_of(fetch_page(self._session, url, project))
        except PageUnavailable as error:
            if error.status in _MISSING:
                logger.debug("%s is not there: %s", redact_auth_from_url(url), error)
                return None
            raise self._unavailable(url, str(error)) from None

    def _unavailable(self, url: str, problem: str) -> BackendIndexUnavailable:
        projects = self.description.projects
        if projects is None:
            mirror = again(self._options, INDEX_URL.name, "URL")
            way = Hint("A mirror may have it:", mirror)
        else:
            name = min(projects)
            typed = again(self._options, "--variant-index", f"{name}=URL")
            way = Hint(f"To take {name} from an index that you name:", typed)
        return BackendIndexUnavailable(
            f"Cannot use {redact_auth_from_url(url)} as {self.description}.",
            problem.rstrip(".") + ".",
            [way, _TO_DO_WITHOUT],
            _WHY_NOWHERE_ELSE,
        )

    def have_builds(self, pages: Iterable[Page]) -> bool:
        """Tell whether any of the files of a project is built for one backend."""
        if self.description.projects is not None:
            return True
        return any(
            Backend.find(_local_version(link.filename))
            for page in pages
            for link in page.links
        )

    def builds(self, pages: Sequence[Page]) -> list[Link]:
        """Return the files of a project, wheels for one backend as variants."""
        by_place = self.have_builds(pages)
        found: dict[str, Link] = {}
        for page in pages:
            for link in page.links:
                otherwise = page.backend or CPU if by_place else None
                build = as_build(link, self.base_url, otherwise=otherwise)
                found.setdefault(link.url, build)
        return list(found.values())


def _local_version(filename: str) -> str | None:
    # There are thousands of names: they are parsed no further than needed.
    parts = filename.split("-", 2)
    return parts[1].partition("+")[2] or None if len(parts) == 3 else None


def as_build(link: Link, source: str, *, otherwise: Backend | None = None) -> Link:
    """Make a wheel for one backend a variant, labelled with it.

    :param source: names where such labels have a meaning.
    :param otherwise: the backend of a wheel that has no local version and is in no folder
        named after one; None if such a wheel is for all of them.
    """
    if not link.is_wheel or label_of(link) is not None:
        return link
    local = _local_version(link.filename)
    backend = Backend.find(local)
    if local is None and otherwise is not None:
        backend = Backend.find(link.path.split("/")[-2]) or otherwise
    return (
        link if backend is None else LocalVersionWheel.of(link, backend.label, source)
    )
