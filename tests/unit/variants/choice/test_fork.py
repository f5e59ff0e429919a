"""Which releases of pip may replace the fork."""

from __future__ import annotations

import optparse
from types import SimpleNamespace
from typing import Any

import pytest

from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.version import Version

from pip import __version__
from pip._internal.variants.choice.fork import (
    how_to_leave,
    is_fork,
    keeps_to_fork,
    newest_upstream,
)
from pip._internal.variants.hooks.index import remote_pip_version

OWN, UPSTREAM = "26.3+variants.0.1.0", "26.3"


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (OWN, True),
        ("99+variants", True),
        (UPSTREAM, False),
        ("26.3+variantsoup.1", False),
        ("26.3+debian.variants", False),
    ],
)
def test_is_fork(version: str, expected: bool) -> None:
    assert is_fork(Version(version)) is expected


def factory(**installed: str) -> Any:
    """Return what the resolver knows of installed packages."""
    dists = {n: SimpleNamespace(version=Version(v)) for n, v in installed.items()}
    return SimpleNamespace(_installed_dists=dists)


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("", True),
        (">=26", True),
        ("==26.*", True),
        ("!=26.2", True),
        ("==26.3", False),
        ("===26.3", False),
        (">=26,==26.3", False),
    ],
)
def test_an_exact_pin_leaves(specifier: str, expected: bool) -> None:
    given = SpecifierSet(specifier)
    assert keeps_to_fork(factory(pip=OWN), "pip", given) is expected


def test_others_are_as_ever() -> None:
    anything = SpecifierSet()
    assert not keeps_to_fork(factory(pip=OWN), "torch", anything)
    assert not keeps_to_fork(factory(), "pip", anything)
    assert not keeps_to_fork(factory(pip=UPSTREAM), "pip", anything)


def test_how_to_leave() -> None:
    nothing_typed = optparse.Values()
    assert how_to_leave([], nothing_typed) is None
    older = [Version("1.0"), Version(__version__)]
    assert how_to_leave(older, nothing_typed) is None
    told = how_to_leave([Version("999.1"), Version("999.0"), *older], nothing_typed)
    assert told is not None
    assert told.endswith("pip install pip===999.1")
    assert newest_upstream([]) is None
    assert newest_upstream([Version("1.0"), Version("1.1")]) == "pip===1.1"


@pytest.mark.parametrize(
    ("there", "told"),
    [(None, None), (UPSTREAM, None), (OWN, OWN), ("no version", None)],
)
def test_the_notice_of_a_newer_pip(there: str | None, told: str | None) -> None:
    assert remote_pip_version(lambda: there) == told
