"""Serve a copy of PyTorch's index layout on loopback.

Under ``/whl``, ``/whl/test`` and ``/whl/nightly``, each project has an umbrella page with
the wheels for all backends, and one page for each backend with wheels. Files are in folders
named after their backend. Like an object store, the server answers 403 for missing files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.lib.index import IndexServer, Resource
from tests.lib.repository import Entry
from tests.lib.wheels import DistFile, make_wheel


@dataclass(frozen=True, slots=True)
class _Placed:
    """A file with its location and its pages.

    :ivar folder: the path below ``/whl``, ``"nightly/cu128"``; empty for ``/whl`` itself.
    """

    entry: Entry
    channel: str
    folder: str
    backend: str | None

    @property
    def path(self) -> str:
        folder = f"{self.folder}/" if self.folder else ""
        return f"{folder}{self.entry.file.filename}"


class PyTorchIndexServer(IndexServer):
    """PyTorch's index; :meth:`add` adds files to the user's index.

    :ivar umbrella: whether there are pages with the wheels for all backends.
    :ivar page_backends: the only backends with pages; None: all.
    :ivar unlisted: the backends whose wheels the umbrella pages leave out.
    :ivar missing: the status for missing files.
    """

    def __init__(self) -> None:
        super().__init__()
        self.umbrella = True
        self.page_backends: set[str] | None = None
        self.unlisted: set[str] = set()
        self.missing = 403
        self._placed: list[_Placed] = []

    @property
    def pytorch_url(self) -> str:
        """The URL for ``--pytorch-index-url``."""
        return f"{self.url}/whl"

    def add_builds(
        self,
        name: str,
        version: str,
        backends: Iterable[str],
        *,
        channel: str = "stable",
        **wheel_options: Any,
    ) -> None:
        """Add one wheel per backend, such as ``2.9.1+cu128`` in ``cu128``."""
        for backend in backends:
            wheel = make_wheel(name, f"{version}+{backend}", **wheel_options)
            self.place(wheel, backend=backend, channel=channel)

    def place(
        self, file: DistFile, *, backend: str | None = None, channel: str = "stable"
    ) -> None:
        """Add a file to the folder of a backend or of the channel."""
        parts = ["" if channel == "stable" else channel, backend or ""]
        folder = "/".join(part for part in parts if part)
        self._placed.append(_Placed(Entry(file), channel, folder, backend))

    def page_requests(self) -> list[str]:
        """Return the requested paths of pages below ``/whl``."""
        return [
            path.removeprefix("/whl/")
            for _, path in self.log()
            if path.startswith("/whl/") and path.endswith("/")
        ]

    def find_resource(self, path: str, *, as_json: bool) -> Resource:
        """Return the resource at a path."""
        if not path.startswith("/whl/"):
            return super().find_resource(path, as_json=as_json)
        path = path.removeprefix("/whl/")
        if path.endswith("/"):
            return self._whl_page(path.strip("/").split("/"))
        for placed in self._placed:
            if path == placed.path:
                return self.file(path, placed.entry.file.content)
            if path == f"{placed.path}.metadata" and placed.entry.file.metadata:
                return self.file(path, placed.entry.file.metadata)
        return Resource(b"AccessDenied", status=self.missing)

    def _whl_page(self, parts: Sequence[str]) -> Resource:
        channel = parts[0] if parts[0] in ("test", "nightly") else "stable"
        parts = parts if channel == "stable" else parts[1:]
        project = parts[-1] if parts else ""
        listed = [
            placed
            for placed in self._builds_for(parts[0] if len(parts) == 2 else None)
            if placed.channel == channel and placed.entry.file.project == project
        ]
        if not listed:
            return Resource(b"AccessDenied", status=self.missing)
        paths = {id(placed.entry): placed.path for placed in listed}
        text = self.project_html(
            [placed.entry for placed in listed],
            self.pages,
            lambda entry: f"/whl/{quote(paths[id(entry)])}",
        )
        return self.page(text, "text/html")

    def _builds_for(self, backend: str | None) -> list[_Placed]:
        """Return the files on the pages of a backend, or of all backends if it is None."""
        if backend is None:
            shown = self._placed if self.umbrella else []
            return [each for each in shown if each.backend not in self.unlisted]
        if self.page_backends is not None and backend not in self.page_backends:
            return []
        if all(each.backend != backend for each in self._placed):
            return []
        return [each for each in self._placed if each.backend in (backend, None)]
