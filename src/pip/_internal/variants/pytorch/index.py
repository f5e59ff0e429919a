"""PyTorch's index: which page lists the files of a project, if any does.

An *umbrella* page, ``BASE/torch/``, lists the builds for all backends; besides, there is a
page for each backend, ``BASE/cu128/torch/``. Mirrors have both, or either, or some. The name
and the place of a wheel tell what it is built for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.console.texts import Hint
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.choice.invocation import again
from pip._internal.variants.errors import VariantError
from pip._internal.variants.pytorch.backends import CPU, Backend
from pip._internal.variants.pytorch.options import INDEX_URL
from pip._internal.variants.wheels.links import BuildLink, label_of
from pip._internal.variants.wheels.pages import PageUnavailable, fetch_page, links_of

if TYPE_CHECKING:
    import optparse

    from pip._internal.models.link import Link
    from pip._internal.variants.choice.context import Context

__all__ = ["PUBLISHED", "PyTorchIndex", "as_build", "have_builds"]

logger = get_logger(__name__)

#: What PyTorch has published builds for: the pages to look for where a mirror has no
#: umbrella page, and nobody names a backend.
PUBLISHED = tuple(
    Backend.parse(each)
    for each in (
        *("cu118", "cu121", "cu124", "cu126", "cu128", "cu129", "cu130", "cu132"),
        *(
            "rocm6.2",
            "rocm6.2.4",
            "rocm6.3",
            "rocm6.4",
            "rocm7.0",
            "rocm7.1",
            "rocm7.2",
        ),
        *("xpu", "cpu"),
    )
)
#: What a server says of a page that it does not have; object stores say 403.
_MISSING = (403, 404, 410)
#: The one project that any such index has.
_LANDMARK = "torch"


class PyTorchIndexUnavailable(VariantError):
    """What PyTorch's index has cannot be told."""

    reference = "pytorch-index-unavailable"

    def __init__(self, url: str, problem: str, options: optparse.Values) -> None:
        super().__init__(
            f"Cannot use {redact_auth_from_url(url)} as PyTorch's index.",
            [problem.rstrip(".") + "."],
            [
                Hint("A mirror may have it:", again(options, INDEX_URL.name, "URL")),
                (
                    "Without the --pytorch-* options, --cpuonly and "
                    "LTT_PYTORCH_COMPUTATION_BACKEND, their environment variables and "
                    "configuration keys, pip does not look there."
                ),
            ],
            [
                (
                    "What might be on it is not taken from another index, which anybody may "
                    "have put it on."
                )
            ],
        )


class PyTorchIndex:
    """One channel of PyTorch's index, or of a mirror; each page is fetched once a run."""

    def __init__(
        self, context: Context, base_url: str, backends: Callable[[], Sequence[Backend]]
    ) -> None:
        """Prepare the index; nothing is fetched before a project is looked up.

        :param backends: returns those whose own pages stand in for umbrella pages that
            are missing.
        """
        self._options = context.options
        self._session = context.session
        self.base_url = base_url
        self._backends = backends
        self._pages: dict[str, list[Link] | None] = {}
        self._has_umbrellas: bool | None = None
        self._served: list[Backend] | None = None

    def links(self, project: str) -> list[Link] | None:
        """Return the links of a project, None if the index does not have it.

        :raises PyTorchIndexUnavailable: if that cannot be told: what it might have must
            not be taken from elsewhere.
        """
        if self._has_umbrellas is not False:
            links = self._page(project)
            if links is not None:
                self._has_umbrellas = True
                return links
            if self._has_umbrellas is None:
                self._has_umbrellas = self._page(_LANDMARK) is not None
            if self._has_umbrellas:
                return None
        return self._merged(self._served_backends(), project)

    def links_by_backend(self, project: str) -> list[Link] | None:
        """Return the links of a project from the pages that are for one backend each."""
        return self._merged(self._backends(), project)

    def _merged(self, backends: Sequence[Backend], project: str) -> list[Link] | None:
        found: list[Link] | None = None
        for backend in backends:
            page = self._page(project, backend)
            if page is not None:
                found = [*(found or ()), *page]
                if not have_builds(page):
                    # The same for each backend.
                    break
        return found

    def _served_backends(self) -> Sequence[Backend]:
        if self._served is None:
            backends = self._backends()
            self._served = [each for each in backends if self._page(_LANDMARK, each)]
            if not self._served:
                raise self._unavailable(
                    self.base_url,
                    f"There is no page of {_LANDMARK} there, neither for all builds nor "
                    f"for {', '.join(map(str, backends))}",
                )
        return self._served

    def _page(self, project: str, backend: Backend | None = None) -> list[Link] | None:
        """Return the links of the umbrella page, or of the one for a backend."""
        folder = self.base_url if backend is None else f"{self.base_url}/{backend}"
        url = f"{folder}/{project}/"
        if url not in self._pages:
            self._pages[url] = self._fetched(url, project)
        return self._pages[url]

    def _fetched(self, url: str, project: str) -> list[Link] | None:
        try:
            return links_of(fetch_page(self._session, url, project))
        except PageUnavailable as error:
            if error.status in _MISSING:
                logger.debug("%s is not there: %s", redact_auth_from_url(url), error)
                return None
            raise self._unavailable(url, str(error)) from None

    def _unavailable(self, url: str, problem: str) -> PyTorchIndexUnavailable:
        return PyTorchIndexUnavailable(url, problem, self._options)


def have_builds(links: Iterable[Link]) -> bool:
    """Tell whether any of the files of a project is built for one backend."""
    return any(Backend.find(_local_version(link.filename)) for link in links)


def _local_version(filename: str) -> str | None:
    # There are thousands of names: they are parsed no further than needed.
    parts = filename.split("-", 2)
    return parts[1].partition("+")[2] or None if len(parts) == 3 else None


def as_build(link: Link, source: str, *, by_place: bool) -> Link:
    """Make a wheel for one backend a variant, labelled with it.

    :param source: names where such labels have a meaning.
    :param by_place: whether a wheel without a local version is for the backend that its
        folder is named after, and for the CPU otherwise.
    """
    if not link.is_wheel or label_of(link) is not None:
        return link
    local = _local_version(link.filename)
    backend = Backend.find(local)
    if local is None and by_place:
        backend = Backend.find(link.path.split("/")[-2]) or CPU
    return link if backend is None else BuildLink.of(link, backend.label, source)
