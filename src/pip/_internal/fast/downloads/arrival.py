"""A file that arrives: what is done with it while it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from pip._internal.fast.digests import Verified

if TYPE_CHECKING:
    from pip._internal.fast.digests import Digests
    from pip._internal.fast.downloads.staging import Staging
    from pip._internal.network.download import _FileDownload

__all__ = ["Arrival"]


class Arrival:
    """The digests of a file while it is written, and where it is unpacked then.

    :param digests: to be compared with those that are expected; None: any file will do
    :param staging: where a wheel is unpacked; None: nowhere
    """

    def __init__(self, digests: Digests | None, staging: Staging | None) -> None:
        self._digests = digests
        self._staging = staging

    def watch(self, download: _FileDownload, count: Callable[[int], None]) -> None:
        """Look at what stock pip writes to the file of a download.

        :param count: called with how many bytes there are before more are written; what it
            raises ends the download
        """
        file = download.output_file
        # Otherwise it goes on after a break.
        if not isinstance(file, _Target):
            target = _Target(file, self, count)
            download.output_file = cast(BinaryIO, target)

    def wrote(self, data: bytes | memoryview) -> None:
        """Look at what was written to the file."""
        if self._digests is not None:
            self._digests.update(data)

    def begin_again(self) -> None:
        """Forget what was written to the file."""
        if self._digests is not None:
            self._digests.reset()

    def check(self, path: str) -> None:
        """Check the file, which is complete, and unpack it if it is a large wheel.

        :raises HashMismatch: if its hash is not expected
        """
        digests = self._digests
        file = digests.check(path) if digests else Verified.unchecked(path)
        if self._staging is not None and path.endswith(".whl"):
            self._staging.add(file)


class _Target:
    """The file that is written, as far as stock pip's downloader uses it."""

    def __init__(
        self, file: BinaryIO, arrival: Arrival, count: Callable[[int], None]
    ) -> None:
        self._file = file
        self._arrival = arrival
        self._count = count
        self._total = 0

    def write(self, data: bytes | memoryview) -> int:
        self._total += len(data)
        self._count(self._total)
        self._arrival.wrote(data)
        return self._file.write(data)

    def seek(self, *position: Any) -> int:
        """Begin again: stock pip calls this for nothing else."""
        self._total = 0
        self._count(0)
        self._arrival.begin_again()
        return self._file.seek(*position)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
