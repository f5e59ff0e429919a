"""The environment variables that reach a plugin."""

from __future__ import annotations

import pytest

from wheel_variants.plugin_variables import is_secret, visible

TRUSTED = frozenset({"npu-variant-provider", "rocm-bootstrap", "a.b", "monkey"})

#: Variables, and whether plugins see them.
VARIABLES = {
    "NPU_VARIANT_PROVIDER_FORCE_KIND": True,
    "NPU_VARIANT_PROVIDER_FORCE_DRIVER_VERSION": True,
    "A_B_FORCE_X": True,
    "ROCM_BOOTSTRAP_FORCE_GFX_ARCH": True,
    "ROCM_BOOTSTRAP_DISABLE_DETECTION": True,
    "PATH": True,
    "CUDA_VISIBLE_DEVICES": True,
    # They are not called so.
    "NPU_VARIANT_PROVIDER_FORCE_": False,
    "NPU_VARIANT_PROVIDER_FORCE": False,
    "NPU_VARIANT_PROVIDER_FORCE_KIND2": False,
    "NPU_VARIANT_PROVIDER_FORCE_kind": False,
    "NPU_VARIANT_PROVIDER_FORCE_KIND\n": False,
    "NPU_VARIANT_PROVIDER_KIND": False,
    "NPU_VARIANT_PROVIDER_DISABLE": False,
    "NPU_VARIANT_PROVIDER_ENABLE_X": False,
    "MY_NPU_VARIANT_PROVIDER_FORCE_KIND": False,
    "npu_variant_provider_FORCE_KIND": False,
    "AXB_FORCE_X": False,
    "_FORCE_X": False,
    # Nobody trusts these.
    "OTHER_VARIANT_PROVIDER_FORCE_KIND": False,
    "OTHER_VARIANT_PROVIDER_DISABLE_DETECTION": False,
    "NV_VARIANT_PROVIDER_FORCE_SM_ARCH": False,
    # These may hold secrets.
    "NPU_VARIANT_PROVIDER_FORCE_TOKEN": False,
    "NPU_VARIANT_PROVIDER_FORCE_API_KEYS": False,
    "NPU_VARIANT_PROVIDER_FORCE_SECRET": False,
    "NPU_VARIANT_PROVIDER_DISABLE_TOKEN": False,
    "NPU_VARIANT_PROVIDER_FORCE_PASSWORD": False,
    "MONKEY_FORCE_X": False,
    "PIP_INDEX_URL": False,
    "PYTHONPATH": False,
    "": False,
}


@pytest.mark.parametrize("name", VARIABLES)
def test_visible(name: str) -> None:
    assert visible({name: "x"}, TRUSTED, ()) == ({name: "x"} if VARIABLES[name] else {})


def test_nothing_is_trusted() -> None:
    assert visible({"_FORCE_X": "x", "A_FORCE_X": "x"}, (), ()) == {}


@pytest.mark.linux
def test_what_the_user_names() -> None:
    environ = {"NPU_HOME": "x", "npu_2": "y", "NPU": "z", "MY_KEY": "secret"}
    named = ["NPU_HOME", "npu_2", "MY_KEY", "missing"]
    assert visible(environ, (), named) == {"NPU_HOME": "x", "npu_2": "y"}


def test_secrets() -> None:
    assert all(map(is_secret, ("GH_Token", "apikey", "MYSECRETS", "PASSPHRASE")))
    assert not any(map(is_secret, ("HOME", "NPU_FORCE_KIND", "PAS_S")))
