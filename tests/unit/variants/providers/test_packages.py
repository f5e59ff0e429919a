"""A built-in provider is known under the names of the packages that it stands for."""

from __future__ import annotations

from importlib import import_module

import pytest

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants import providers
from pip._internal.variants.providers import aarch64, amd, intel, nvidia, tpu, x86_64
from pip._internal.variants.providers.chain import BUILTIN_NAMESPACES
from pip._internal.variants.providers.result import BuiltinProvider
from wheel_variants.publish.known_providers import BUILT_IN_PACKAGES


@pytest.mark.parametrize(
    ("provider", "package"),
    [
        (nvidia, "nvidia-variant-provider"),
        (nvidia, "variant-provider"),
        (amd, "amd-variant-provider"),
        (amd, "rocm-bootstrap"),
        (intel, "intel-variant-provider"),
        (tpu, "tpu-variant-provider"),
        (x86_64, "provider-variant-x86-64"),
        (x86_64, "x86_64-variant-provider"),
        (aarch64, "provider-variant-aarch64"),
        (aarch64, "aarch64-variant-provider"),
    ],
)
def test_known_package(provider: BuiltinProvider, package: str) -> None:
    assert canonicalize_name(package) in provider.PACKAGES


def test_no_package_stands_for_two_namespaces() -> None:
    modules = (
        import_module(f"{providers.__name__}.{each}") for each in BUILTIN_NAMESPACES
    )
    packages = [package for each in modules for package in each.PACKAGES]
    assert len(packages) == len(set(packages))


@pytest.mark.parametrize("namespace", BUILTIN_NAMESPACES)
def test_publishers_know_the_same_packages(namespace: str) -> None:
    """What ``wheel-variants check`` does not look for on an index."""
    provider = import_module(f"{providers.__name__}.{namespace}")
    assert BUILT_IN_PACKAGES[namespace] == provider.PACKAGES
