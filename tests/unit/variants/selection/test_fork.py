"""Which releases of pip may replace the fork."""

from __future__ import annotations

import pytest

from pip._vendor.packaging.version import Version

from pip._internal.req.constructors import install_req_from_line
from pip._internal.variants.selection.fork import (
    Newest,
    is_fork,
    leaves_fork,
    newest_upstream,
)

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


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("pip", False),
        ("pip>=26", False),
        ("pip==26.*", False),
        ("pip!=26.2", False),
        ("pip==26.3", True),
        ("PIP===26.3", True),
        ("pip>=26,==26.3", True),
        ("pip @ https://a.example/pip-27.0-py3-none-any.whl", True),
        ("https://a.example/pip-27.0-py3-none-any.whl", True),
        ("https://a.example/pipx-27.0-py3-none-any.whl", False),
        ("torch==2.10", False),
    ],
)
def test_what_the_user_types_for_another_pip(typed: str, expected: bool) -> None:
    assert leaves_fork([install_req_from_line(typed)]) is expected


def test_the_newest_of_upstreams_is_named() -> None:
    assert newest_upstream([]) is None
    assert newest_upstream([Version("1.0"), Version("1.1")]) == "pip===1.1"


def newest(said: str) -> Newest:
    """Return the newest of pips, and of carriers after a stroke."""
    pips, _, carriers = said.partition("/")
    return Newest.of(map(Version, pips.split()), map(Version, carriers.split()))


@pytest.mark.parametrize(
    ("there", "newer"),
    [
        ("", "- - -"),
        ("26.2 26.3", "- - -"),
        (f"26.3 {OWN}", "- - -"),
        ("26.3 26.3+variants.0.0.9", "- - -"),
        # What is the same pip still counts if the fork's own number is higher.
        ("26.3 26.3+variants.0.1.1", "26.3+variants.0.1.1 - -"),
        ("26.3 26.3+variants.0.10.0 26.3+variants.0.9", "26.3+variants.0.10.0 - -"),
        # Upstream's version counts first.
        ("26.4+variants.0.0.1 26.3+variants.9", "26.4+variants.0.0.1 - -"),
        ("26.3.1", "- 26.3.1 -"),
        (f"27.0 26.4 26.3 {OWN}", "- 27.0 -"),
        ("27.0 26.4+variants.0.2.0", "26.4+variants.0.2.0 27.0 -"),
        ("27.0 27.0+variants.0.2.0", "27.0+variants.0.2.0 - -"),
        # Somebody else's local version is no release of the fork.
        ("27.0+debian.1", "- 27.0+debian.1 -"),
        # A carrier may bring what is newer than upstream's; nobody knows.
        ("27.0 / 0.2.0 0.1.0", "- - 0.2.0"),
        ("27.0 / 0.1.0", "- 27.0 -"),
        ("26.4+variants.0.2.0 / 0.2.0", "26.4+variants.0.2.0 - -"),
        ("26.4+variants.0.2.0 / 0.3.0", "26.4+variants.0.2.0 - 0.3.0"),
    ],
)
def test_what_is_newer(there: str, newer: str) -> None:
    assert str(newest(there).than(Version(OWN))) == newer


def test_a_release_without_a_number_of_its_own() -> None:
    assert newest("/ 0.1.0").than(Version("26.3+variants")).carrier == Version("0.1.0")


@pytest.mark.parametrize("there", ["", OWN, f"27.0 26.3 {OWN} / 0.1.0 0.2.0"])
def test_what_was_written_can_be_read(there: str) -> None:
    assert Newest.read(str(newest(there))) == newest(there)


@pytest.mark.parametrize("text", ["", "27.0", "no version at all here", "- - - -"])
def test_what_is_nothing_of_ours_says_nothing(text: str) -> None:
    assert not any(Newest.read(text))
