"""A built-in provider is known under the names of the packages that it stands for."""

from __future__ import annotations

import pytest

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.providers.chain import BUILTIN_NAMESPACES
from wheel_variants.publish.known_providers import BUILT_IN_PACKAGES


def test_no_package_stands_for_two_namespaces() -> None:
    packages = [each for names in BUILTIN_NAMESPACES.values() for each in names]
    assert len(packages) == len(set(packages))
    assert packages == [*map(canonicalize_name, packages)]


@pytest.mark.parametrize("namespace", BUILTIN_NAMESPACES)
def test_publishers_know_the_same_packages(namespace: str) -> None:
    """What ``wheel-variants check`` does not look for on an index."""
    assert BUILT_IN_PACKAGES[namespace] == {*BUILTIN_NAMESPACES[namespace]}
