"""Tests of metadata that is kept in memory."""

from __future__ import annotations

import pytest

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.fast.told import distribution
from pip._internal.metadata import get_metadata_distribution
from pip._internal.utils.temp_dir import global_tempdir_manager

BODY = b"""\
Metadata-Version: 2.1
Name: Some.Name
Version: 1.0
Requires-Python: >=3.8
Provides-Extra: more
Requires-Dist: first>=2 ; python_version >= "3"
Requires-Dist: never ; python_version < "3"
Requires-Dist: second ; extra == "more"

A text.
"""


@pytest.mark.parametrize("extras", [[], ["more"]])
def test_it_says_what_upstream_reads(extras: list[str]) -> None:
    name = canonicalize_name("Some.Name")
    with global_tempdir_manager():
        ours, upstreams = (
            (
                dist.canonical_name,
                dist.version,
                dist.requires_python,
                list(dist.iter_provided_extras()),
                [str(each) for each in dist.iter_dependencies(extras)],
            )
            for dist in (
                distribution(BODY, "Some.Name-1.0-py3-none-any.whl", name),
                get_metadata_distribution(BODY, "Some.Name-1.0-py3-none-any.whl", name),
            )
        )
    assert ours == upstreams
    assert len(ours[-1]) == 1 + len(extras)


def test_it_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    dist = distribution(BODY, "x-1.0-py3-none-any.whl", canonicalize_name("x"))
    assert dist.version == dist.version
    monkeypatch.setattr("email.message_from_string", None)
    assert str(dist.version) == "1.0"


def test_what_is_no_utf_8_is_refused() -> None:
    with pytest.raises(ValueError, match="utf-8"):
        distribution(b"Name: \xff", "x-1.0-py3-none-any.whl", canonicalize_name("x"))
