"""Settings of PyTorch's and similar indexes, and the user's options.

pip ships data about these indexes: the URLs of their pages, the projects, the backends and
the GPUs that each backend supports. Loaded only if the user gives such options; most runs of
pip use none.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pip._internal.utils.compat import tomllib
from pip._internal.variants.errors import InvalidOption, WrongUse
from pip._internal.variants.pytorch import options
from pip._internal.variants.pytorch.backends import (
    CPU,
    DEVICES,
    Backend,
    BackendChoice,
    BackendKind,
    InvalidBackend,
    parse_choice,
)

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName

    from pip._internal.variants.settings import Settings as CommandSettings

_CHANNEL_FIELD = "{channel}"
#: The stages of PyTorch's releases.
_CHANNELS = STABLE, TEST, NIGHTLY = "stable", "test", "nightly"

_Version = tuple[int, ...]


def backends(opt: str, value: str) -> BackendChoice:
    """Parse the names of backends.

    :param opt: the option as typed, or its configuration key.
    :raises InvalidOption: if *value* is invalid.
    """
    try:
        return parse_choice(value)
    except InvalidBackend as error:
        raise InvalidOption(f"option {opt}: {error}") from None


def channel(opt: str, value: str) -> str:
    """Parse the name of a channel.

    :raises InvalidOption: if *value* is not a channel.
    """
    read = value.strip().lower()
    if read not in _CHANNELS:
        raise InvalidOption(
            f"option {opt}: invalid channel {value!r}, expected one of "
            f"{', '.join(_CHANNELS)}"
        )
    return read


@dataclass(frozen=True, slots=True)
class Gpus:
    """The GPUs that PyTorch's builds support.

    :ivar cuda: the values of ``nvidia :: sm_arch``, by the first CUDA version.
    :ivar rocm: the values of ``amd :: gfx_arch``, by the first ROCm version.
    :ivar xpu: the values of ``intel :: device_ip``.
    """

    cuda: Mapping[_Version, tuple[str, ...]]
    rocm: Mapping[_Version, tuple[str, ...]]
    xpu: tuple[str, ...]

    def of(self, backend: Backend) -> tuple[str, ...]:
        """Return the GPUs for a backend; empty for an unknown CUDA version."""
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
    """The description of an index.

    :ivar name: the publisher.
    :ivar url: the base URL, without a trailing slash; ``{channel}`` is replaced.
    :ivar backend_page: the path of the page with a project's wheels for one backend.
    :ivar backends: the backends with pages.
    :ivar page: the path of the page with a project's wheels for all backends; None if there is
        no such page.
    :ivar projects: the normalized names of the projects to take from the index; None for all.
    :ivar channels: the channels below the base URL, in addition to the channel at the base URL.
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
        """Whether each version has separate pages, which pip finds only for pinned versions."""
        return "{version}" in self.backend_page

    def may_have(self, project: NormalizedName) -> bool:
        """Return whether pip searches this index for a project."""
        return self.projects is None or project in self.projects


def _document(name: str) -> dict[str, Any]:
    data = pkgutil.get_data(__package__, f"indexes/{name}.toml")
    assert data is not None, "pip is complete"
    return tomllib.loads(data.decode())


def _shipped(name: str) -> IndexDescription:
    document = _document(name)
    document["backends"] = tuple(map(Backend.parse, document["backends"]))
    return IndexDescription(**document)


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


@dataclass(frozen=True, slots=True)
class PyTorchSettings:
    """The settings of the bridge.

    :ivar backends: the allowed backends.
    :ivar origin: the option or variable that names the backends; None without any.
    :ivar channel: the channel of PyTorch's index.
    :ivar index_url: the URL of PyTorch's index, for all channels or with a field for the
        channel; None for the default.
    :ivar indexes: the indexes in the order of lookups, PyTorch's last.
    :ivar gpus: the GPUs that the builds on all indexes support.
    """

    backends: BackendChoice
    origin: str | None
    channel: str
    index_url: str | None
    indexes: Sequence[IndexDescription]
    gpus: Gpus

    @property
    def absent_devices(self) -> Mapping[str, str]:
        """The device namespaces that the backends exclude, with reasons."""
        kinds = self.backends.kinds
        return {
            namespace: f"{self.origin} excludes {namespace}"
            for kind, (namespace, _) in DEVICES.items()
            if kinds and kind not in kinds
        }

    def base_url(self, index: IndexDescription) -> str:
        """Return the URL of an index channel, without a trailing slash."""
        if _CHANNEL_FIELD in index.url:
            return index.url.replace(_CHANNEL_FIELD, self.channel)
        is_below = self.channel in index.channels
        return f"{index.url}/{self.channel}" if is_below else index.url

    @property
    def pytorch(self) -> IndexDescription:
        """PyTorch's index, or a mirror."""
        return self.indexes[-1]


def settings(given: CommandSettings, environ: Mapping[str, str]) -> PyTorchSettings:
    """Read the settings of a command.

    :raises WrongUse: if the variable of light-the-torch is invalid.
    """
    backends, origin = _backends(given, environ)
    default = TEST if given.allows_prereleases else STABLE
    channel: str = given.value(options.CHANNEL) or default
    url: str | None = given.value(options.INDEX_URL) or None
    pytorch = _shipped("pytorch")
    indexes = [_shipped("vllm"), pytorch]
    if url is not None:
        # A machine that needs a mirror of PyTorch's index cannot reach vLLM's.
        indexes = [replace(pytorch, url=url.rstrip("/"))]
    return PyTorchSettings(backends, origin, channel, url, indexes, shipped_gpus())


def _backends(
    given: CommandSettings, environ: Mapping[str, str]
) -> tuple[BackendChoice, str | None]:
    """Return the named backends, and the option that names them."""
    named: BackendChoice | None = given.value(options.BACKENDS)
    # Typed options override the configuration.
    if given.is_typed(options.CPUONLY.name) and not given.is_typed(
        options.BACKENDS.name
    ):
        named = None
    if named is not None:
        return named, options.BACKENDS.name
    if given.value(options.CPUONLY):
        return BackendChoice((CPU,)), options.CPUONLY.name
    text = environ.get(options.LTT_VARIABLE)
    if not text:
        return BackendChoice(), None
    try:
        return parse_choice(text), options.LTT_VARIABLE
    except InvalidBackend as error:
        raise WrongUse(f"{options.LTT_VARIABLE}: {error}") from None
