"""What commands show on terminals alone: colours, tables with lines, bars."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.functional.test_strict_variants import CAUSES, STRICT, environ, there
from tests.lib.hosts import forced
from tests.lib.in_process import InProcess
from tests.lib.index import IndexServer
from tests.lib.manifests import PREVIEW_TORCH
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
    assert re.match(r" *\* +1 +cu128 +yes ", plain(best))
    assert GREEN in best
    assert re.match(r" +cu129 +no ", plain(worst))
    assert DIM in worst
    assert GREEN not in worst
    assert "\N{BOX DRAWINGS LIGHT HORIZONTAL}" in shown
    elsewhere = environment.pip(*options, env=TERMINAL).stdout
    assert "\x1b" not in elsewhere
    words = [line.split() for line in elsewhere.splitlines() if " cu1" in line]
    assert [line.split() for line in plain(shown).splitlines() if " cu1" in line] == (
        words
    ), "both say the same"


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


@pytest.mark.parametrize("columns", ["60", "80", "100"])
@pytest.mark.parametrize("name", ["500", "403", "a plugin that fails"])
def test_what_costs_a_variant(
    environment: InProcess, index: IndexServer, name: str, columns: str
) -> None:
    """The same words, none of them broken, whatever the width."""
    cause = CAUSES[name]
    cause.prepare(index)
    command = ["install", "--dry-run", "torch", *cause.options]
    command += ["--retries", "1", "-i", index.index_url]
    env = {**TERMINAL, **environ(cause), "COLUMNS": columns}
    for options, text in ([], f"WARNING: {cause.warning}"), ([STRICT], cause.error):
        result = environment.pip(
            *(*command, *options), env=env, terminal=True, code=len(options)
        )
        assert plain(result.stderr).split() == there(text, index).split()
