"""When pip may be faster than stock pip."""

from __future__ import annotations

from optparse import Values

import pytest

from pip._internal.fast.switches import is_fast
from tests.lib.as_system import WINDOWS

resource = pytest.importorskip("resource", reason="limits are those of POSIX")


@pytest.mark.skipif(WINDOWS, reason="not on Windows")
@pytest.mark.parametrize(("limit", "expected"), [(127, False), (128, True), (-1, True)])
def test_few_open_files(
    limit: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = resource.RLIM_INFINITY if limit < 0 else limit
    monkeypatch.setattr(resource, "getrlimit", lambda _: (found, found))
    assert is_fast(Values({"no_fast": False})) is expected
    assert not is_fast(Values({"no_fast": True}))
    assert not is_fast(Values({})), "a command without the option"
