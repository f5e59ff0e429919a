"""Whether a run is in the mode, and what a child of pip is told of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pip._internal.cli.parser import ConfigOptionParser
from pip._internal.network.session import PipSession
from pip._internal.variants.output.reporter import Reporter
from pip._internal.variants.scoped import OPTIONS, mode_of
from pip._internal.variants.scoped.mode import Scoped
from pip._internal.variants.selection.mode import Mode
from pip._internal.variants.selection.run import Run
from pip._internal.variants.settings import Settings
from pip._internal.variants.slots import COMMAND_LINE

A, B = "https://user:hunter2@a.example/simple", "https://b.example"
GIVEN = ["--variant-index", f"torch,numpy={A}", "--variant-index", f"scipy={B}"]


def run(arguments: Sequence[str], **others: Any) -> tuple[Run, Mode | None]:
    """Return the run of a command, and its mode."""
    parser = ConfigOptionParser(name="install", isolated=False, add_help_option=False)
    for row in OPTIONS:
        parser.add_option(row())
    options, _ = parser.parse_args(list(arguments))
    option = parser.get_option("--variant-index")
    typed = [(option, "--variant-index", each) for each in arguments[1::2]]
    COMMAND_LINE.set(options, (parser, (typed, ())))
    vars(options).update(others)
    context = Run(
        *(PipSession(index_urls=["https://usual.example"]), Settings(options)), Reporter
    )
    return context, mode_of(context)


def test_a_child_has_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = "https://user:hunter2@c.example/links"
    monkeypatch.setenv("PIP_VARIANT_INDEX", f"torch={B}")
    _, parent = run(GIVEN, find_links=[folder])
    assert parent is not None
    for name, value in parent.environ().items():
        monkeypatch.setenv(name, value)
        if "FIND_LINKS" in name:
            # The command line has the passwords of these.
            assert "hunter2" not in value
    # Folders of requirements files are on its command line too, as is their --no-index.
    links = [folder, "https://evil.example/links"]
    _, child = run([], find_links=links, no_index=True)
    assert isinstance(child, Scoped)
    assert child.environ() == parent.environ()
    assert child._folders == [folder]
