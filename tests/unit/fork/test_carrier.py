"""Under which name the fork may look for releases of itself."""

from __future__ import annotations

from pip._internal.variants.selection.fork import carrier_name
from tests.lib.environments import REPOSITORY
from tools.release.registration import is_registered


def test_only_a_registered_name_is_asked_for() -> None:
    expected = "pip-variants" if is_registered(REPOSITORY / "carrier") else None
    assert carrier_name() == expected
