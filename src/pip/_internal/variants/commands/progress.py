"""Show how far an action is, on terminals only; bars leave no trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from pip._vendor.rich.markup import escape
from pip._vendor.rich.progress import BarColumn, Progress, TaskProgressColumn

from pip._internal.cli.progress_bars import get_install_progress_renderer
from pip._internal.console import printable
from pip._internal.parallel.sizes import SMALL
from pip._internal.utils.logging import get_console

if TYPE_CHECKING:
    from pip._internal.variants.publishing.wheel_file import Advance

__all__ = ["byte_progress", "file_progress"]


def file_progress(
    bar_type: str,
) -> Callable[[list[Any]], AbstractContextManager[Iterable[Any]]]:
    """Return what shows a bar while a list of files, which have names, is read.

    :param bar_type: the value of ``--progress-bar``.
    """

    @contextmanager
    def show(files: list[Any]) -> Iterator[Iterable[Any]]:
        if not files or not get_console().is_terminal:
            yield files
            return
        # Upstream's bar for installations shows how many of how many, and a name.
        render = get_install_progress_renderer(
            bar_type=cast(Any, bar_type), total=len(files)
        )
        # It would take names for markup.
        shown = [SimpleNamespace(name=escape(printable(f.name))) for f in files]
        bar = cast(Any, render(cast(Any, iter(shown))))
        try:
            yield (file for file, _ in zip(files, bar, strict=True))
        finally:
            if bar_type == "on":
                # Nothing of it stays on the screen.
                bar.close()

    return show


def byte_progress(bar_type: str) -> Callable[[int], AbstractContextManager[Advance]]:
    """Return what shows a bar while a number of bytes is read.

    :param bar_type: the value of ``--progress-bar``.
    """

    @contextmanager
    def show(total: int) -> Iterator[Advance]:
        console = get_console()
        if bar_type != "on" or total <= SMALL or not console.is_terminal:
            yield lambda _: None
            return
        columns = BarColumn(), TaskProgressColumn()
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task("", total=total)
            yield lambda count: bar.advance(task, count)

    return show
