"""Descriptions of the indexes whose wheels only local versions tell apart.

pip ships them as data: where the pages are, which projects come from the index, for which
backends it has wheels, and which GPUs these support.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pip._internal.utils.compat import tomllib
from pip._internal.variants.pytorch.backends import Backend, BackendKind

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

__all__ = ["Gpus", "IndexDescription", "shipped", "shipped_gpus"]

_Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gpus:
    """The GPUs that PyTorch's builds support, and so those of everything built for torch.

    :ivar cuda: by the first CUDA version: values of ``nvidia :: sm_arch``.
    :ivar rocm: by the first ROCm version: values of ``amd :: gfx_arch``.
    :ivar xpu: values of ``intel :: device_ip``.
    """

    cuda: Mapping[_Version, tuple[str, ...]]
    rocm: Mapping[_Version, tuple[str, ...]]
    xpu: tuple[str, ...]

    def of(self, backend: Backend) -> tuple[str, ...]:
        """Return the values for a backend; none for an unknown major version of CUDA."""
        if backend.kind is BackendKind.XPU:
            return self.xpu
        is_cuda = backend.kind is BackendKind.CUDA
        table = self.cuda if is_cuda else self.rocm
        rows = [since for since in table if since <= backend.version]
        if is_cuda:
            rows = [since for since in rows if since[0] == backend.version[0]]
        else:
            # ROCm versions before the oldest row have the GPUs of that row.
            rows = rows or [min(table)]
        return table[max(rows)] if rows else ()


@dataclass(frozen=True, slots=True)
class IndexDescription:
    """One index.

    :ivar name: the publisher.
    :ivar url: the base URL, without a slash at the end; ``{channel}`` is replaced.
    :ivar page: the path of the page that lists a project's wheels for all backends; None if
        there is no such page.
    :ivar backend_page: the path of the page that lists those for one backend.
    :ivar backends: the backends that have pages.
    :ivar projects: the normalized names of those that come from there; None: all that it has.
    :ivar channels: the channels below the base URL, besides the one at the base URL.
    :ivar probe_project: a project that every mirror of the index has.
    """

    name: str
    url: str
    backend_page: str
    backends: tuple[Backend, ...]
    page: str | None = None
    projects: Sequence[str] | None = None
    channels: Sequence[str] = ()
    probe_project: NormalizedName | None = None

    def __str__(self) -> str:
        return f"{self.name}'s index"

    @property
    def is_by_version(self) -> bool:
        """Whether each version has its own pages, which pip can find for pins only."""
        return "{version}" in self.backend_page

    def may_have(self, project: NormalizedName) -> bool:
        """Return whether pip looks there for a project."""
        return self.projects is None or project in self.projects


def shipped() -> list[IndexDescription]:
    """Return the indexes in the order in which pip looks projects up, PyTorch's last."""
    documents = map(_document, ("vllm", "pytorch"))
    return [
        IndexDescription(
            **{**each, "backends": tuple(map(Backend.parse, each["backends"]))}
        )
        for each in documents
    ]


def shipped_gpus() -> Gpus:
    """Return the GPUs that PyTorch's builds support."""
    table = _document("gpus")
    cuda, rocm = (
        {
            tuple(map(int, key.split("."))): tuple(each)
            for key, each in table[kind].items()
        }
        for kind in ("cuda", "rocm")
    )
    return Gpus(cuda, rocm, tuple(table["xpu"]))


def _document(name: str) -> dict[str, Any]:
    data = pkgutil.get_data(__package__, f"indexes/{name}.toml")
    assert data is not None, "pip is complete"
    return tomllib.loads(data.decode())
