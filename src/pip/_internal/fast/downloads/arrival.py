"""A file that arrives: what is done with it while it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from pip._internal.fast.digests import Verified

if TYPE_CHECKING:
    from pip._internal.fast.digests import Digests
    from pip._internal.fast.downloads.staging import Staging
    from pip._internal.fast.downloads.unpacking import Unpacking
    from pip._internal.network.download import _FileDownload

__all__ = ["Arrival"]


class Arrival:
    """The digests of a file, and what is unpacked of it, while it is written.

    :param digests: to be compared with those that are expected; None: any file will do
    :param staging: where a wheel is unpacked; None: nowhere
    :param listed_size: bytes of the wheel according to the index; 0 if it does not tell
    :param is_early: whether a wheel may be unpacked before its digests are known
    """

    def __init__(
        self,
        digests: Digests | None,
        staging: Staging | None,
        listed_size: int,
        is_early: bool,
    ) -> None:
        self._digests = digests
        self._staging = staging
        self._listed_size = listed_size
        # What nothing is expected of is used as it is, once it is all there.
        self._is_early = is_early and digests is not None
        self._unpacking: Unpacking | None = None

    def watch(self, download: _FileDownload, count: Callable[[int], None]) -> None:
        """Look at what upstream writes to the file of a download.

        :param count: called with how many bytes there are before more are written; what it
            raises ends the download
        """
        file = download.output_file
        if isinstance(file, _Target):
            # It goes on.
            return
        size = self._listed_size or download.size
        if self._is_early and self._staging and size and file.name.endswith(".whl"):
            self._unpacking = self._staging.begin(file.name, size)
        target = _Target(file, self, count)
        download.output_file = cast(BinaryIO, target)

    def wrote(self, file: BinaryIO, data: bytes | memoryview, total: int) -> None:
        """Look at what was written to the file."""
        if self._digests is not None:
            self._digests.update(data)
        if self._unpacking is not None:
            file.flush()
            self._unpacking.arrived(total)

    def begin_again(self) -> None:
        """Forget what was written to the file."""
        if self._digests is not None:
            self._digests.reset()
        if self._unpacking is not None:
            self._unpacking.forget("it begins again")
            self._unpacking = None

    def check(self, path: str) -> None:
        """Check the file, which is complete, and unpack what is left of a wheel.

        :raises HashMismatch: if its hash is not expected
        """
        digests = self._digests
        file = digests.check(path) if digests else Verified.unchecked(path)
        if self._staging is not None and path.endswith(".whl"):
            self._staging.add(file)


class _Target:
    """The file that is written, as far as upstream's downloader uses it."""

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
        written = self._file.write(data)
        self._arrival.wrote(self._file, data, self._total)
        return written

    def seek(self, *position: Any) -> int:
        """Begin again: upstream calls this for nothing else."""
        self._total = 0
        self._count(0)
        self._arrival.begin_again()
        return self._file.seek(*position)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
