"""A built-in provider is known under the names of the packages that it stands for."""

from __future__ import annotations

import pytest

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.core.answer import BuiltinProvider
from pip._internal.variants.machine import aarch64, nvidia, x86_64


@pytest.mark.parametrize(
    ("provider", "package"),
    [
        (nvidia, "nvidia-variant-provider"),
        (nvidia, "variant-provider"),
        (x86_64, "provider-variant-x86-64"),
        (x86_64, "x86_64-variant-provider"),
        (aarch64, "provider-variant-aarch64"),
        (aarch64, "aarch64-variant-provider"),
    ],
)
def test_known_package(provider: BuiltinProvider, package: str) -> None:
    assert canonicalize_name(package) in provider.PACKAGES


def test_no_package_stands_for_two_namespaces() -> None:
    packages = [*nvidia.PACKAGES, *x86_64.PACKAGES, *aarch64.PACKAGES]
    assert len(packages) == len(set(packages))
