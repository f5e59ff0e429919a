"""What a run takes down of what the user said, and hands to pips that it starts."""

from __future__ import annotations

import optparse
from collections.abc import Iterator

import pytest

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.models.format_control import FormatControl
from pip._internal.models.release_control import ReleaseControl
from pip._internal.models.search_scope import SearchScope
from pip._internal.network.session import PipSession
from pip._internal.variants.providers.plugin_limits import (
    PluginLimits,
    UntrustedProvider,
)
from pip._internal.variants.providers.plugin_query import PluginFailed
from pip._internal.variants.selection.settings import Settings

NPU = canonicalize_name("npu")


@pytest.fixture
def session() -> Iterator[PipSession]:
    """Return a session that asks nobody."""
    with PipSession() as session:
        yield session


def options(**given: object) -> Settings:
    defaults: dict[str, object] = {
        "trusted_providers": [NPU],
        "format_control": FormatControl(),
        "release_control": ReleaseControl(),
        "constraints": [],
        "build_constraints": [],
        "require_hashes": False,
        "no_require_hashes": False,
    }
    return Settings(optparse.Values({**defaults, **given}))


def scope(*index_urls: str, no_index: bool = False) -> SearchScope:
    return SearchScope([], list(index_urls), no_index)


def test_files_change_nothing_afterwards(session: PipSession) -> None:
    given, places = options(), scope("https://a.test/simple")
    limits = PluginLimits(given, session, places)
    places.index_urls.append("https://b.test/simple")
    places.find_links.append("folder")
    assert given.release_control is not None
    given.release_control.all_releases.add(":all:")
    assert limits.scope(no_index=False) == scope("https://a.test/simple")
    assert limits.scope(no_index=True) == scope(no_index=True)
    assert not limits.release_control.allows_prereleases(NPU)
    limits.check_trusted(NPU)
    session.add_trusted_host("b.test")
    with pytest.raises(PluginFailed, match=r"--trusted-host b\.test on the command"):
        limits.check_trusted(NPU)
    with pytest.raises(UntrustedProvider):
        limits.check_trusted(canonicalize_name("other"))


def test_a_child_is_told(session: PipSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that the user said, and no password."""
    given = options(
        format_control=FormatControl({"other"}),
        release_control=ReleaseControl({"npu"}),
    )
    places = scope("https://user:hunter2@a.test/simple", "https://c.test/simple")
    session.add_trusted_host("a.test")
    environ = PluginLimits(given, session, places).environ()
    assert "hunter2" not in str(environ)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    # On its command line stand the indexes of requirements files too, and passwords.
    own = scope("https://b.test/simple", "https://user:hunter2@a.test/simple")
    child = PluginLimits(options(), session, own)
    assert child.scope(no_index=False) == places
    assert child.release_control.allows_prereleases(NPU)
    child.check_trusted(NPU)
    session.add_trusted_host("b.test")
    with pytest.raises(PluginFailed, match=r"b\.test"):
        child.check_trusted(NPU)
