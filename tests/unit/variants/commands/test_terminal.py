"""What commands show on terminals alone: colors, tables with lines, bars."""

from __future__ import annotations

import logging
import re
from io import BytesIO, StringIO
from pathlib import Path

import pytest

from pip._vendor.requests import Response
from pip._vendor.rich.console import Console

from pip._internal.fast.download_pool import SMALL, Fetch
from pip._internal.fast.download_progress import CombinedProgress
from pip._internal.models.link import Link
from pip._internal.network.download import _FileDownload
from pip._internal.network.session import PipSession
from pip._internal.utils import logging as upstream
from tests.lib.hosts import forced
from tests.lib.in_process import InProcess
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH
from tests.lib.terminals import screen

TERMINAL = {"TERM": "xterm-256color", "COLUMNS": "200", **forced("12.8")}
GREEN, DIM, RED, YELLOW = "\x1b[32m", "\x1b[2m", "\x1b[1;31m", "\x1b[1;33m"


@pytest.fixture
def environment(tmp_path: Path, repository_root: Path) -> InProcess:
    """Return an environment to run commands in."""
    return InProcess.make(tmp_path / "own", repository_root / "build" / "assembled")


def plain(text: str) -> str:
    """Return what remains of text without escapes."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", text)


def test_list(environment: InProcess, index: IndexServer) -> None:
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    options = ["variants", "list", "torch", "-i", index.index_url]
    shown = environment.pip(*options, env=TERMINAL, terminal=True).stdout
    best, worst = (
        next(line for line in shown.splitlines() if f" {label} " in plain(line))
        for label in ("cu128", "cu129")
    )
    assert re.match(r"\* 1 +cu128 +yes ", plain(best))
    assert GREEN in best
    assert re.match(r" +cu129 +no ", plain(worst))
    assert DIM in worst
    assert GREEN not in worst
    for value, is_colored in ("1", False), ("", True):
        told = {**TERMINAL, "NO_COLOR": value}
        result = environment.pip(*options, env=told, terminal=True)
        assert (GREEN in result.stdout) == is_colored
    elsewhere = environment.pip(*options, env=TERMINAL).stdout
    assert "\x1b" not in elsewhere
    words = [line.split() for line in elsewhere.splitlines() if " cu1" in line]
    assert [line.split() for line in plain(shown).splitlines() if " cu1" in line] == (
        words
    ), "both say the same"


def test_an_interrupt_clears_the_bar_of_downloads(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Where little is said, no bar is shown.
    caplog.set_level(logging.INFO)
    stream = StringIO()
    console = Console(file=stream, force_terminal=True, width=90, _environ={})
    monkeypatch.setattr(upstream, "_stdout_console", console)
    link = Link("http://host.example/a.whl")
    fetch = Fetch(PipSession(), link, "", None)
    response = Response()
    response.raw = BytesIO()
    fetch._process_response(_FileDownload(link, BytesIO(), 4 * SMALL, SMALL), response)

    def show(error: type[BaseException]) -> None:
        with CombinedProgress("on", [fetch]) as progress:
            progress.update()
            raise error

    with pytest.raises(KeyboardInterrupt):
        show(KeyboardInterrupt)
    assert "0/1 files" in stream.getvalue()
    assert screen(stream.getvalue()) == []
    with pytest.raises(OSError, match=r"^$"):
        show(OSError)
    (left,) = screen(stream.getvalue())
    assert "0/1 files" in left
