"""What it means for builds to agree on one backend."""

from __future__ import annotations

import json

import pytest

from pip._vendor.wheel_variants.manifest_parser import parse_manifest

from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.pytorch.agreement import OneBackend, _is_part_of
from pip._internal.variants.pytorch.backends import Backend
from pip._internal.variants.selection.agreement import Runtime
from pip._internal.variants.selection.ranking import (
    Agreement,
    Origin,
    OriginKind,
    Selection,
    select,
)
from tests.lib.hosts import forced
from tests.lib.manifests import cuda, make_manifest


def selection(kind: OriginKind) -> Selection:
    """Judge builds for two CUDA versions and the CPU on a machine with the newest."""
    content = make_manifest(
        {"cpu": {}, "cu126": cuda("12.6"), "cu130": cuda("13.0")}, namespaces=["nvidia"]
    )
    manifest = parse_manifest(json.dumps(content).encode())
    environ = {k: v for k, v in forced("13.0").items() if v is not None}
    providers = ProviderChain(environ=environ, environment={}, hardware=False)
    origin = Origin(kind, "here")
    return select("here", manifest, manifest.variants, providers, (), origin=origin)


@pytest.mark.parametrize(
    ("kind", "backend", "expected"),
    [
        # Local versions name the backend.
        (OriginKind.VERSIONS, "cu126", "cu126 cpu cu130"),
        (OriginKind.VERSIONS, "cpu", "cpu cu130 cu126"),
        (OriginKind.VERSIONS, "rocm6.4", "cpu cu130 cu126"),
        # What labels of variants mean, their properties say.
        (OriginKind.INDEX, "cu128", "cu126 cu130 cpu"),
        (OriginKind.INDEX, "cu130", "cu130 cu126 cpu"),
        (OriginKind.INDEX, "rocm6.4", "cu130 cu126 cpu"),
        (OriginKind.INDEX, "cpu", "cu130 cu126 cpu"),
    ],
)
def test_order(kind: OriginKind, backend: str, expected: str) -> None:
    agreement = OneBackend(Backend.parse(backend))
    assert " ".join(agreement.order(selection(kind))) == expected


@pytest.mark.parametrize(
    ("agreed", "backend", "expected"),
    [
        (None, "cu126", True),
        (Runtime("nvidia", 12), "cu126", True),
        (Runtime("nvidia", 13), "cu126", False),
        (Runtime("nvidia", 13), "cpu", True),
        (Runtime("nvidia", 13), "xpu", True),
        (OneBackend(Backend.parse("cpu")), "cu126", True),
    ],
)
def test_what_was_agreed_before(
    agreed: Agreement | None, backend: str, expected: bool
) -> None:
    assert _is_part_of(agreed, Backend.parse(backend)) is expected
