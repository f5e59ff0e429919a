"""Which releases of pip may replace the fork."""

from __future__ import annotations

import pytest

from pip._vendor.packaging.version import Version

from pip._internal.req.constructors import install_req_from_line
from pip._internal.variants.selection.fork import is_fork, leaves_fork

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
