"""Show the progress of several downloads as one."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from pip._vendor.rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from pip._internal.cli.spinners import RateLimiter
from pip._internal.console.output import get_logger
from pip._internal.utils.logging import get_console, get_indentation

if TYPE_CHECKING:
    from pip._internal.cli.progress_bars import BarType

#: Seconds between two lines of ``--progress-bar raw``.
_PAUSE = 0.25
_logger = get_logger(__name__)


class Download(Protocol):
    """A download, with sizes in bytes."""

    size: int | None
    listed_size: int
    is_shown: bool

    @property
    def received(self) -> int:
        """The number of received bytes."""

    @property
    def is_over(self) -> bool:
        """Whether the download has ended."""


class CombinedProgress:
    """The combined progress of downloads, in bytes if sizes are known.

    The progress appears once one download is so large that upstream would show its
    progress.

    :param bar_type: the value of ``--progress-bar``.
    """

    def __init__(self, bar_type: BarType, fetches: Sequence[Download]) -> None:
        is_quiet = _logger.getEffectiveLevel() > logging.INFO
        self._bar_type: BarType = "off" if is_quiet else bar_type
        self._fetches = fetches
        self._bar: _Bar | _Lines | None = None

    def __enter__(self) -> CombinedProgress:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if isinstance(self._bar, _Bar) and error is KeyboardInterrupt:
            # Leave nothing on the screen.
            self._bar.live.transient = True
        self.close()

    def close(self) -> None:
        """Show the final progress."""
        self.update()
        if isinstance(self._bar, _Bar):
            self._bar.stop()
        self._bar, self._bar_type = None, "off"

    def update(self) -> None:
        """Show the current progress."""
        if self._bar_type == "off":
            return
        if self._bar is None:
            if not any(fetch.is_shown for fetch in self._fetches):
                return
            self._bar = _Lines() if self._bar_type == "raw" else _Bar()
        received = sum(fetch.received for fetch in self._fetches)
        total = sum(map(_total, self._fetches))
        over = sum(fetch.is_over for fetch in self._fetches)
        self._bar.show(received, total, over, len(self._fetches))


def _total(fetch: Download) -> int:
    """Return the total size of a download in bytes, or the received size if unknown."""
    if fetch.is_over:
        return fetch.received
    return max(fetch.size or fetch.listed_size, fetch.received)


class _Bar(Progress):
    """A progress bar like stock pip's, with other lines written above it."""

    def __init__(self) -> None:
        super().__init__(
            TextColumn("[progress.description]{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TextColumn("{task.fields[time_description]}"),
            TimeRemainingColumn(elapsed_when_finished=True),
            TextColumn("{task.fields[files]}"),
            console=get_console(),
            refresh_per_second=5,
        )
        indentation = " " * (get_indentation() + 2)
        self._id = self.add_task(indentation, total=None, time_description="", files="")

    def show(self, received: int, total: int, over: int, files: int) -> None:
        self.update(
            self._id,
            completed=received,
            total=total,
            files=f"{over}/{files} files",
            time_description="" if over == files else "eta",
        )
        self.start()


class _Lines:
    """Progress lines for programs, in stock pip's format."""

    def __init__(self) -> None:
        self._limit = RateLimiter(_PAUSE)
        self._shown: tuple[int, int] | None = None

    def show(self, received: int, total: int, over: int, files: int) -> None:
        seen = received, total
        if seen == self._shown or not (over == files or self._limit.ready()):
            return
        self._shown = seen
        self._limit.reset()
        sys.stdout.write(f"Progress {received} of {total}\n")
        sys.stdout.flush()
