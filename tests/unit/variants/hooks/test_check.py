"""Installed variants, judged by the machine and by each other."""

from __future__ import annotations

import optparse
from collections.abc import Mapping
from typing import Any
from unittest import mock

import pytest

from pip._vendor.wheel_variants.manifest_parser import parse_document

from pip._internal.variants.hooks.check import unsupported
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.selection.installed_records import InstalledBuild
from pip._internal.variants.slots import INSTALLED_BUILD
from tests.lib.hosts import forced
from tests.lib.manifests import PluginSpec, Properties, make_manifest

#: The options of a command to which nothing was typed.
TYPED = optparse.Values()


def installed(
    name: str,
    properties: Properties,
    providers: Mapping[str, PluginSpec] | None = None,
    schema: str = "0.2.0",
) -> Any:
    """Return a variant ``x`` with these properties as installed."""
    document = make_manifest({"x": properties}, providers=providers, schema=schema)
    manifest = parse_document(document)
    supported = tuple(sorted(manifest.variants["x"].properties()))
    build = InstalledBuild("x", supported, manifest, ("x",))
    dist = mock.Mock(raw_name=name, raw_version="1.0")
    INSTALLED_BUILD.set(dist, build)
    return dist


def bounds(*versions: str) -> Properties:
    """Return what needs CUDA of one of these versions."""
    return {"nvidia": {"cuda_version_lower_bound": versions}}


def judged(variant: Any, driver: str | None = None) -> list[str]:
    """Return the warnings about a variant on a machine with this driver."""
    environ = {k: v or "" for k, v in forced(driver or "").items()}
    providers = ProviderChain(environ=environ, environment={}, hardware=True)
    found, _ = unsupported([variant], providers, TYPED)
    return list(found.values())


UNTOLD: Mapping[str, PluginSpec] = {
    "a plugin": PluginSpec(requires=["ascend-variant-provider"]),
    "optional": PluginSpec(static={"npu_type": ["a3"]}, optional=True),
    "another kind": PluginSpec(builtin="ascend"),
    "nobody": PluginSpec(),
}


@pytest.mark.parametrize("kind", UNTOLD)
def test_what_nobody_can_tell_is_not_unsupported(kind: str) -> None:
    npu = ["ascend :: npu_type :: 910b"]
    variant = installed("vllm", npu, {"ascend": UNTOLD[kind]})
    assert judged(variant) == []
    # What is known is said all the same.
    both = {"ascend": {"npu_type": ["910b"]}, "nvidia": {"sm_arch": ["120_real"]}}
    (warning,) = judged(installed("vllm", both, {"ascend": UNTOLD[kind]}), "12.8")
    assert "needs sm_120 (available: sm_90" in warning
    assert "npu_type" not in warning


def test_the_static_list_of_the_manifest_can_tell() -> None:
    npu = ["ascend :: npu_type :: 910b"]
    provider = PluginSpec(static={"npu_type": ["a3"]})
    (warning,) = judged(installed("vllm", npu, {"ascend": provider}))
    assert "needs ascend :: npu_type :: 910b (available: a3)" in warning
