"""Local versions become manifests, and these order the builds of a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from pip._vendor.wheel_variants.manifest import Manifest
from pip._vendor.wheel_variants.manifest_parser import parse_document

from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.pytorch.backends import Backend
from pip._internal.variants.pytorch.settings import shipped_gpus
from pip._internal.variants.pytorch.synthetic import manifest_for, manifest_of_choice
from pip._internal.variants.selection.accelerators import uses_accelerator
from pip._internal.variants.selection.ranking import select
from tests.lib.hosts import forced

ALL = "cpu cu118 cu121 cu126 cu128 cu129 cu130 cu140 rocm6.2 rocm6.2.4 rocm6.4 xpu"

GPUS = shipped_gpus()


def backends(labels: str) -> list[Backend]:
    return [Backend.parse(label) for label in labels.split()]


def order(manifest: Manifest, environ: Mapping[str, str | None]) -> str:
    """Return the compatible labels, best first, on the machine of override variables."""
    given = {name: value for name, value in environ.items() if value is not None}
    providers = ProviderChain(environ=given, environment={}, hardware=False)
    labels: Iterable[str] = sorted(manifest.variants)
    return " ".join(select("", manifest, labels, providers, ()).ranking.compatible)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "cpu"),
        (forced("11.4", "8.0"), "cu118 cpu"),
        (forced("12.2", "8.6"), "cu129 cu128 cu126 cu121 cu118 cpu"),
        (forced("12.2", "6.1"), "cu126 cu121 cu118 cpu"),
        (forced("13.0", "12.1"), "cu130 cu129 cu128 cpu"),
        (forced("14.1", "8.0"), "cu140 cu130 cu129 cu128 cu126 cu121 cu118 cpu"),
        ({"AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": "gfx1201"}, "rocm6.4 rocm6.2.4 cpu"),
        ({"ROCM_BOOTSTRAP_FORCE_GFX_ARCH": "gfx90a"}, "rocm6.4 rocm6.2.4 rocm6.2 cpu"),
        ({"INTEL_VARIANT_PROVIDER_FORCE_DEVICE_IP": "20.4.4"}, "xpu cpu"),
    ],
)
def test_what_suits_a_machine(environ: Mapping[str, str | None], expected: str) -> None:
    assert order(manifest_for(backends(ALL), GPUS), environ) == expected


@pytest.mark.parametrize(
    ("gfx", "expected"),
    [
        *((each, "rocm10.0 cpu") for each in ("gfx1103", "gfx1152", "gfx1153")),
        *((each, "rocm10.0 cpu") for each in ("gfx1010", "gfx1012", "gfx1032")),
        *((each, "rocm10.0 rocm7.2 cpu") for each in ("gfx90a", "gfx1030", "gfx1151")),
        # Two compute units, built into a processor.
        ("gfx1036", "cpu"),
        ("gfx906", "rocm7.2 cpu"),
    ],
)
def test_what_rocm_10_is_for(gfx: str, expected: str) -> None:
    manifest = manifest_for(backends("cpu rocm7.2 rocm10.0.0"), GPUS)
    environ = {"AMD_VARIANT_PROVIDER_FORCE_GFX_ARCH": gfx}
    assert order(manifest, environ) == expected


def test_a_gpu_that_nobody_tells_of() -> None:
    environ = {"NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION": "12.8"}
    unjudged = replace(GPUS, cuda={})
    assert order(manifest_for(backends("cpu cu128"), unjudged), environ) == "cu128 cpu"
    assert order(manifest_for(backends("cpu cu128"), GPUS), environ) == "cpu"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (forced("12.6", "8.7"), "cpu"),
        (forced("13.2", "8.7"), "cu130 cu129 cu128 cu126 cu121 cu118 cpu"),
        (forced("13.0", "11.0"), "cu130 cpu"),
        ({}, "cpu"),
    ],
)
def test_builds_for_arm_servers_on_a_jetson(
    environ: Mapping[str, str | None], expected: str
) -> None:
    manifest = manifest_for(backends(f"{ALL} rocm7.14"), GPUS, is_tegra=True)
    labels = order(manifest, environ).split()
    assert [label for label in labels if label != "cu140"] == expected.split()


@pytest.mark.parametrize("label", ["cu128", "rocm6.4", "xpu"])
def test_a_chosen_build_uses_an_accelerator(label: str) -> None:
    assert uses_accelerator(manifest_of_choice(backends(label), backends(ALL)), label)


def test_it_can_be_recorded_and_judged_again() -> None:
    for manifest in (
        manifest_for(backends(ALL), GPUS),
        manifest_of_choice(backends("cu128"), backends(ALL)),
    ):
        assert parse_document(manifest.document) == manifest
