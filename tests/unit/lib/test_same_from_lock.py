"""What counts as the same from a lock file as from the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.lib.same_from_lock import Taken, differences

LIB = {"lib": Taken("2.0", "")}


@pytest.mark.parametrize(
    ("index", "locked", "versions", "expected"),
    [
        (LIB, LIB, {"lib": {"1.0", "2.0"}}, []),
        (LIB, {"lib": Taken("1.0", "")}, {"lib": {"1.0"}}, []),
        (LIB, {}, {"lib": {"2.0"}}, ["only from the index: lib"]),
        ({}, LIB, {"lib": {"2.0"}}, ["only from the lock: lib"]),
        (LIB, LIB, {"lib": {"1.0"}}, ["lib: 2.0 is not in the lock file"]),
        (LIB, LIB, {}, ["lib: 2.0 is not in the lock file"]),
        (
            *(LIB, {"lib": Taken("1.0", "")}, {"lib": {"1.0", "2.0"}}),
            ["lib: 2.0 from the index is in the lock file too, which gives 1.0"],
        ),
        (
            *({"lib": Taken("1.0", "old")}, {"lib": Taken("1.0", "fast")}),
            {"lib": {"1.0"}},
            ["lib: the index has build old, the lock fast"],
        ),
        (
            *({"lib": Taken("1.0", "old")}, {"lib": Taken("1.0", "")}),
            {"lib": {"1.0"}},
            ["lib: the index has build old, the lock plain"],
        ),
    ],
)
def test_differences(
    index: Mapping[str, Taken],
    locked: Mapping[str, Taken],
    versions: Mapping[str, set[str]],
    expected: Sequence[str],
) -> None:
    assert differences(index, locked, versions) == expected
