"""Indexes whose builds only local versions tell apart, described as data.

A description says where the pages are, which projects come from there, what it has builds
for, and which GPUs these have code for. Those of PyTorch's index and of vLLM's come with
pip; users write their own in the same form. Pure: no I/O.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from pip._vendor.packaging.utils import InvalidName, canonicalize_name

from pip._internal.variants.core.manifest_values import TEXT, VALUE, Values
from pip._internal.variants.core.shown import shown
from pip._internal.variants.pytorch.backends import Backend, InvalidBackend, Kind

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

__all__ = [
    "Description",
    "Gpus",
    "InvalidDescription",
    "is_index_url",
    "parse_description",
]

_Version = tuple[int, ...]

_SCHEMES = ("https", "http")
_KEYS = (
    *("name", "url", "page", "backend-page", "backends", "projects", "channels"),
    *("landmark", "local-versions", "gpus"),
)
_VERSION = re.compile(r"[0-9]{1,3}\.[0-9]{1,3}(\.[0-9]{1,3})?")
_FIELD = re.compile(r"\{([a-z]+)\}")
_BRACE = re.compile(r"[{}]")
_CREDENTIALS = re.compile(r"//[^/@]*@")
#: The fields that stand for something in the paths of pages.
_OF_PAGE = frozenset({"project", "version"})
_OF_BACKEND_PAGE = _OF_PAGE | {"backend"}


class InvalidDescription(ValueError):
    """What should describe an index does not."""


@dataclass(frozen=True, slots=True)
class Gpus:
    """Which GPUs builds have code for; where it says nothing, PyTorch's builds tell.

    :ivar cuda: from a CUDA version on, up to the next one: values of ``nvidia :: sm_arch``.
    :ivar rocm: from a ROCm version on likewise: values of ``amd :: gfx_arch``.
    :ivar xpu: values of ``intel :: device_ip``.
    :ivar otherwise: those that count where this one says nothing.
    """

    cuda: Mapping[_Version, tuple[str, ...]]
    rocm: Mapping[_Version, tuple[str, ...]]
    xpu: tuple[str, ...]
    otherwise: Gpus | None = None

    def of(self, backend: Backend) -> tuple[str, ...]:
        """Return the values for a backend; none for a major of CUDA that is not known."""
        found = self.xpu
        if backend.kind is not Kind.XPU:
            is_cuda = backend.kind is Kind.CUDA
            table = self.cuda if is_cuda else self.rocm
            rows = [since for since in table if since <= backend.version]
            if is_cuda:
                rows = [since for since in rows if since[0] == backend.version[0]]
            elif self.otherwise is None:
                # The oldest ones of all that are known are like those before them.
                rows = rows or [min(table)]
            found = table[max(rows)] if rows else ()
        if not found and self.otherwise is not None:
            return self.otherwise.of(backend)
        return found


@dataclass(frozen=True, slots=True)
class Description:
    """What is to be known of an index.

    :ivar name: whose it is.
    :ivar url: its base, without a slash at the end; ``{channel}`` stands for a channel.
    :ivar page: where the page of a project is that lists builds for all backends, below
        the base; None if there is none.
    :ivar backend_page: where the page of a project for one backend is.
    :ivar backends: what it has builds for.
    :ivar projects: those that come from it; None: all that it has.
    :ivar channels: those that are below the base, besides the one that is there.
    :ivar landmark: a project that any mirror of it has.
    :ivar spellings: local versions that name a backend in another way than is usual.
    """

    name: str
    url: str
    page: str | None
    backend_page: str | None
    backends: tuple[Backend, ...]
    projects: frozenset[NormalizedName] | None
    channels: tuple[str, ...]
    landmark: str | None
    spellings: Mapping[str, Backend]
    gpus: Gpus

    def __str__(self) -> str:
        return f"{self.name}'s index"

    @property
    def is_by_version(self) -> bool:
        """Tell whether it has pages for each version, and so for pinned ones alone."""
        return any("version" in _fields(each) for each in self.pages)

    @property
    def pages(self) -> list[str]:
        """Return where there are pages, with fields."""
        return [each for each in (self.page, self.backend_page) if each is not None]

    def backend_of(self, local: str | None) -> Backend | None:
        """Return the backend that a local version names, None if it names none."""
        return self.spellings.get(local or "") or Backend.find(local)

    def may_have(self, project: NormalizedName) -> bool:
        """Tell whether a project is to be looked up there."""
        return self.projects is None or project in self.projects

    def settles(self, project: NormalizedName) -> bool:
        """Tell whether a project comes from there whether or not there is a page of it."""
        return (
            self.projects is not None
            and not self.is_by_version
            and self.may_have(project)
        )

    def based_at(self, url: str) -> Description:
        """Return the description of a mirror."""
        return replace(self, url=url.rstrip("/"))


def parse_description(document: Mapping[str, Any]) -> Description:
    """Parse a description.

    :param document: as TOML was read.
    :raises InvalidDescription: if it is none; the message ends with the offending value.
    """
    table = _known(dict(document), "the description", _KEYS)
    url = _text(table, "url")
    if not is_index_url(url) or _fields(url) - {"channel"}:
        raise InvalidDescription(f"'url' is no URL of an index: {_safe(url)}")
    pages = {
        key: _page(table, key, fields)
        for key, fields in (("page", _OF_PAGE), ("backend-page", _OF_BACKEND_PAGE))
        if key in table
    }
    if not pages:
        raise InvalidDescription("it has neither 'page' nor 'backend-page'")
    spellings = _table(table, "local-versions")
    found = Description(
        _text(table, "name"),
        url.rstrip("/"),
        page=pages.get("page"),
        backend_page=pages.get("backend-page"),
        backends=tuple(map(_backend, _texts(table, "backends"))),
        projects=(
            frozenset(map(_project, _texts(table, "projects")))
            if "projects" in table
            else None
        ),
        channels=_texts(table, "channels") if "channels" in table else (),
        landmark=_project(_text(table, "landmark")) if "landmark" in table else None,
        spellings={key.lower(): _backend(_text(spellings, key)) for key in spellings},
        gpus=_gpus(_table(table, "gpus")),
    )
    if found.is_by_version and found.projects is None:
        # Else each version of whatever is pinned would be asked for there.
        raise InvalidDescription("its pages are by version, and it has no 'projects'")
    return found


def _refuse(_rule: str, problem: str, _remedy: str | None = None, /) -> NoReturn:
    raise InvalidDescription(problem)


_VALUES = Values(_refuse)


def _known(table: dict[str, Any], what: str, keys: tuple[str, ...]) -> dict[str, Any]:
    for key in table:
        if key not in keys:
            raise InvalidDescription(
                f"{what} may have {', '.join(keys)}, and has {shown(key)}"
            )
    return table


def _table(parent: dict[str, Any], key: str) -> dict[str, Any]:
    return _VALUES.table(parent.get(key, {}), repr(key))


def _text(parent: dict[str, Any], key: str) -> str:
    text = _VALUES.text(parent, key, "the description")
    if not text or not text.strip():
        raise InvalidDescription(f"it has no {key!r}")
    return text


def _texts(parent: dict[str, Any], key: str) -> tuple[str, ...]:
    texts = _VALUES.texts(parent.get(key, []), repr(key), TEXT)
    if not texts:
        raise InvalidDescription(f"it has no {key!r}")
    return texts


def _page(table: dict[str, Any], key: str, known: frozenset[str]) -> str:
    path = _text(table, key)
    fields, needed = _fields(path), known - {"version"}
    if not needed <= fields <= known or not path.endswith("/"):
        listed = " and ".join(f"{{{each}}}" for each in sorted(needed))
        raise InvalidDescription(
            f"{key!r} is no path with {listed}, and perhaps {{version}}, that ends with a "
            f"slash: {_safe(path)}"
        )
    return path.lstrip("/")


def _fields(path: str) -> set[str]:
    """Return the names of the fields in a path; there is nothing else in braces."""
    fields = set(_FIELD.findall(path))
    if _BRACE.search(_FIELD.sub("", path)):
        raise InvalidDescription(f"braces are for fields: {_safe(path)}")
    return fields


def is_index_url(url: str) -> bool:
    """Tell whether a URL may be that of an index; ``{channel}`` may be in its path."""
    try:
        parts = urlsplit(url)
        # Read, it is checked.
        _ = parts.port
    except ValueError:
        return False
    if parts.scheme == "file":
        return parts.netloc in ("", "localhost") and "%00" not in url
    return parts.scheme in _SCHEMES and bool(parts.hostname)


def _safe(url: str) -> str:
    """Return a URL, or what should be one, without credentials."""
    return shown(_CREDENTIALS.sub("//****@", url))


def _gpus(table: dict[str, Any]) -> Gpus:
    _known(table, "'gpus'", ("cuda", "rocm", "xpu"))
    cuda, rocm = _table(table, "cuda"), _table(table, "rocm")
    return Gpus(
        {_version(key): _values(cuda, key) for key in cuda},
        {_version(key): _values(rocm, key) for key in rocm},
        _values(table, "xpu"),
    )


def _values(table: dict[str, Any], key: str) -> tuple[str, ...]:
    return _VALUES.texts(table.get(key, []), f"'gpus' of {shown(key)}", VALUE)


def _version(text: str) -> _Version:
    if not _VERSION.fullmatch(text):
        raise InvalidDescription(f"'gpus' are by version, such as 12.8: {shown(text)}")
    return tuple(map(int, text.split(".")))


def _backend(text: str) -> Backend:
    try:
        return Backend.parse(text)
    except InvalidBackend as error:
        raise InvalidDescription(str(error)) from None


def _project(text: str) -> NormalizedName:
    try:
        return canonicalize_name(text, validate=True)
    except InvalidName:
        raise InvalidDescription(f"no name of a project: {shown(text)}") from None
