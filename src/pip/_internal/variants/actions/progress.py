"""Show how far an action is, where people watch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any, cast

from pip._vendor.rich.markup import escape

from pip._internal.cli.progress_bars import get_install_progress_renderer
from pip._internal.utils.logging import get_console
from pip._internal.variants.texts import printable

__all__ = ["file_progress"]


def file_progress(bar_type: str) -> Callable[[list[Any]], Iterable[Any]]:
    """Give what shows a bar while the files of a list, which have names, are read.

    :param bar_type: of ``--progress-bar``.
    """

    def wrap(files: list[Any]) -> Iterable[Any]:
        if not get_console().is_terminal:
            return files
        # Upstream's bar for what is installed shows how many of how many, and a name.
        render = get_install_progress_renderer(
            bar_type=cast(Any, bar_type), total=len(files)
        )
        # It takes names for its own markup.
        shown = [SimpleNamespace(name=escape(printable(f.name))) for f in files]
        return (file for file, _ in zip(files, render(cast(Any, shown)), strict=True))

    return wrap
