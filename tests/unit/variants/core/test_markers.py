"""What environment markers are told of a variant."""

from __future__ import annotations

from pip._vendor.packaging._variants import VARIANT_ENVIRONMENT

from pip._internal.variants.core.markers import during, variant_environment
from pip._internal.variants.core.properties import Property


def test_what_they_are_told() -> None:
    sm_arch = Property("nvidia", "sm_arch", "90_real")
    environment = variant_environment("cu128", [sm_arch])
    assert environment == {
        "variant_label": "cu128",
        "variant_properties": {"nvidia::sm_arch::90_real"},
        "variant_features": {"nvidia::sm_arch"},
        "variant_namespaces": {"nvidia"},
    }
    outside = VARIANT_ENVIRONMENT.get()
    with during(environment):
        assert VARIANT_ENVIRONMENT.get() is environment
    assert VARIANT_ENVIRONMENT.get() is outside
