"""What commands show on terminals alone: colours, tables with lines, bars."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from pip._vendor.rich.console import Console

from pip._internal.models.link import Link
from pip._internal.parallel.downloads.arrival import Arrival
from pip._internal.parallel.downloads.fetch import Fetch
from pip._internal.parallel.downloads.progress import CombinedProgress
from pip._internal.parallel.sizes import SMALL
from pip._internal.utils import logging as upstream
from pip._internal.variants.commands.progress import byte_progress, file_progress
from tests.lib.hosts import forced
from tests.lib.in_process import InProcess
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH
from tests.lib.terminals import screen
from tests.lib.wheels import make_wheel

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
    elsewhere = environment.pip(*options, env=TERMINAL).stdout
    assert "\x1b" not in elsewhere
    words = [line.split() for line in elsewhere.splitlines() if " cu1" in line]
    assert [line.split() for line in plain(shown).splitlines() if " cu1" in line] == (
        words
    ), "both say the same"


def test_the_choice(environment: InProcess, index: IndexServer) -> None:
    index.add_release("torch", "2.8.0", {}, manifest=PREVIEW_TORCH)
    options = ["install", "--dry-run", "torch", "-i", index.index_url]
    result = environment.pip(*options, env=TERMINAL, terminal=True)
    (line,) = (line for line in result.lines if "Using the variant" in line)
    assert line.startswith("Using the variant \x1b[1;32mcu128\x1b[0m of torch 2.8.0 (")
    assert "\x1b" not in environment.pip(*options, env=TERMINAL).stdout
    # Without --dry-run or -v, that line is all.
    options = ["download", "torch", "-i", index.index_url]
    assert "####" not in environment.pip(*options, env=TERMINAL).stdout
    assert "####" in environment.pip(*options, "-v", env=TERMINAL).stdout


def test_build_shows_how_far_it_is(environment: InProcess) -> None:
    wheel = make_wheel("demo", "1.0", files={"demo/data": os.urandom(1 << 20)})
    path = wheel.write_to(environment.work)
    command = ["variants", "build", str(path), "--label", "v3", "-d", "dist"]
    command += ["--property", "x86_64 :: level :: v3"]
    written = environment.pip(*command, env=TERMINAL, terminal=True).stdout
    assert re.search(r" [1-9][0-9]?[0-9]?%", plain(written))
    built = "dist/demo-1.0-py3-none-any-v3.whl"
    assert screen(written) == [f"Built {built}"], "the bar is gone in the end"
    for quiet in ["--progress-bar", "off"], ["-q"]:
        result = environment.pip(*command, *quiet, env=TERMINAL, terminal=True)
        assert "%" not in plain(result.stdout)
    assert environment.pip(*command, env=TERMINAL).stdout == f"Built {built}\n"


def _files() -> None:
    files = [SimpleNamespace(name=name) for name in ("a", "b")]
    with file_progress("on")(files) as listed:
        for _ in listed:
            time.sleep(0.3)
            raise KeyboardInterrupt


def _bytes() -> None:
    with byte_progress("on")(4 * SMALL):
        raise KeyboardInterrupt


@pytest.mark.parametrize("interrupted", [_files, _bytes])
def test_an_interrupt_clears_the_bar(
    interrupted: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = StringIO()
    console = Console(file=stream, force_terminal=True, width=60, _environ={})
    monkeypatch.setattr(upstream, "_stdout_console", console)
    with pytest.raises(KeyboardInterrupt) as caught:
        interrupted()
    # What is told of the interrupt keeps all that was going on.
    assert caught.tb is not None
    assert "\N{BOX DRAWINGS HEAVY HORIZONTAL}" in stream.getvalue()
    assert screen(stream.getvalue()) == []


def test_an_interrupt_clears_the_bar_of_downloads(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Where little is said, no bar is shown.
    caplog.set_level(logging.INFO)
    stream = StringIO()
    console = Console(file=stream, force_terminal=True, width=90, _environ={})
    monkeypatch.setattr(upstream, "_stdout_console", console)
    arrival = Arrival(None, None, 0, is_early=False)
    fetch = Fetch(Link("http://host.example/a.whl"), "", arrival)
    fetch.size, fetch.received, fetch.is_shown = 4 * SMALL, SMALL, True

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


def test_check(environment: InProcess) -> None:
    dist = environment.work / "dist"
    dist.mkdir()
    for label in ("a", "b"):
        make_wheel("demo", "1.0", label=label, variant_json=b"{").write_to(dist)
    command = ["variants", "check", "dist", "--no-index"]
    result = environment.pip(*command, env=TERMINAL, terminal=True, code=1)
    elsewhere = environment.pip(*command, env=TERMINAL, code=1)
    assert f"{RED}  error:" in result.stdout
    assert "100%" in plain(result.stdout) or "2/2" in plain(result.stdout)
    assert "\x1b" not in elsewhere.stdout
    assert set(elsewhere.lines) <= set(plain(result.stdout).splitlines())


def test_a_bar_shows_names_as_they_are(environment: InProcess) -> None:
    dist = environment.work / "dist"
    dist.mkdir()
    (dist / "\x1b]0;x\x07[red]y-1.0-py3-none-any.whl").write_bytes(b"")
    command = ["variants", "check", "dist", "--no-index"]
    result = environment.pip(*command, env=TERMINAL, terminal=True, code=1)
    assert "\x1b]0;" not in result.stdout
    assert r"[\x1b]0;x\x07[red]y-1.0-py3-none-any.whl]" in plain(result.stdout)
