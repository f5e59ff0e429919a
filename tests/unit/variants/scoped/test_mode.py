"""Whether a run is in the mode, and what a child of pip is told of it."""

from __future__ import annotations

import optparse
from collections.abc import Sequence
from typing import Any

import pytest

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.network.session import PipSession
from pip._internal.variants.errors import ContradictoryOptions
from pip._internal.variants.output.reporter import Reporter
from pip._internal.variants.scoped import mode_of
from pip._internal.variants.scoped.mode import Scoped
from pip._internal.variants.scoped.options import OPTIONS
from pip._internal.variants.selection.mode import Mode
from pip._internal.variants.selection.run import Run
from pip._internal.variants.selection.settings import Settings

A, B = "https://user:hunter2@a.example/simple", "https://b.example"
GIVEN = ["--variant-index", f"torch,numpy={A}", "--variant-index", f"scipy={B}"]


def run(
    arguments: Sequence[str], configured: Sequence[str] = (), **others: Any
) -> tuple[Run, Mode | None]:
    """Return the context of a command, and its mode."""
    parser = optparse.OptionParser()
    for row in OPTIONS:
        parser.add_option(row())
    options, _ = parser.parse_args(list(arguments))
    if configured:
        (row,) = OPTIONS
        assert row.check is not None
        found = [row.check("variant-index", each) for each in configured]
        options.variant_indexes = [*found, *(options.variant_indexes or ())]
    vars(options).update(others)
    context = Run(
        *(PipSession(index_urls=["https://usual.example"]), Settings(options)),
        Reporter,
    )
    return context, mode_of(context)


def test_without_the_option() -> None:
    context, mode = run([])
    assert mode is None
    assert context.catalogue.session.auth.index_urls == ["https://usual.example"]


def test_indexes_and_their_credentials() -> None:
    context, mode = run(GIVEN)
    assert mode is not None
    found = [mode.index_of(name) for name in ("torch", "numpy", "scipy", "sympy")]  # type: ignore[arg-type]
    assert found == [A, A, B, None]
    assert context.catalogue.session.auth.index_urls == ["https://usual.example", A, B]
    # Requirements files set them anew.
    context.catalogue.session.update_index_urls(["https://other.example"])
    mode.note_roots([])
    assert context.catalogue.session.auth.index_urls == ["https://other.example", A, B]


def test_without_indexes() -> None:
    _, mode = run(GIVEN, no_index=True)
    assert mode is not None
    assert mode.environ() == {}
    assert mode.index_of(canonicalize_name("torch")) is None


def test_the_old_resolver() -> None:
    with pytest.raises(ContradictoryOptions):
        run(GIVEN, deprecated_features_enabled=["legacy-resolver"])


def test_a_child_has_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = "https://user:hunter2@c.example/links"
    _, parent = run(GIVEN, [f"torch={B}"], find_links=[folder])
    assert parent is not None
    for name, value in parent.environ().items():
        monkeypatch.setenv(name, value)
        if "FIND_LINKS" in name:
            # The command line has the passwords of these.
            assert "hunter2" not in value
    configured = parent.environ()["PIP_VARIANT_INDEX"].split()
    # Folders of requirements files are on its command line too, as is their --no-index.
    links = [folder, "https://evil.example/links"]
    _, child = run([], configured, find_links=links, no_index=True)
    assert isinstance(child, Scoped)
    assert child.environ() == parent.environ()
    assert child._folders == [folder]
