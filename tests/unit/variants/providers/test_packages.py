"""A built-in provider is known under the names of the packages that it stands for."""

from __future__ import annotations

from pip._vendor.packaging.utils import canonicalize_name
from pip._vendor.wheel_variants.built_in import BUILT_IN_PLUGINS


def test_no_package_stands_for_two_namespaces() -> None:
    packages = [each for names in BUILT_IN_PLUGINS.values() for each in names]
    assert len(packages) == len(set(packages))
    assert packages == [*map(canonicalize_name, packages)]
