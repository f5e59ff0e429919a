"""From one lock file, each machine installs what it would take from the index.

Of random projects; ``nox -s locks`` draws ten times as many.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lib.environments import Workshop
from tests.lib.same_from_lock import draw

pytestmark = pytest.mark.locks


@pytest.mark.parametrize("number", range(20))
def test_same_from_lock(
    workshop: Workshop,
    tmp_path: Path,
    number: int,
    record_property: Callable[[str, object], None],
) -> None:
    sample = draw(number, workshop, tmp_path)
    record_property("rejected", list(sample.rejected))
    assert len(sample.comparison.pairs) == 8
    assert not sample.comparison.unlike, str(sample.comparison)
