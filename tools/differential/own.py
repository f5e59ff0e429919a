"""Rank variants with this pip, from the bytes of the manifest."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pip._vendor.wheel_variants.manifest_parser import parse_manifest
from pip._vendor.wheel_variants.properties import SupportedFeature

from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.host_file import HostDescription
from pip._internal.variants.selection.ranking import Selection, select
from tools.differential.releases import ENVIRONMENT, Machine, RandomRelease

__all__ = ["choose", "select_for"]


def choose(release: RandomRelease) -> Selection:
    """Rank the variants of a release with pip's code."""
    document, machine = release.document, release.machine
    return select_for(document, release.labels, machine, release.enabled, ENVIRONMENT)


def select_for(
    document: Any,
    labels: Sequence[str],
    machine: Machine,
    enabled: Collection[str],
    environment: Mapping[str, str],
) -> Selection:
    """Select a variant for a machine.

    :raises InvalidManifest: if *document* is not a manifest.
    """
    manifest = parse_manifest(json.dumps(document).encode())
    supported = {
        namespace: tuple(
            SupportedFeature(name, tuple(values)) for name, values in features
        )
        for namespace, features in machine.items()
    }
    providers = ProviderChain(
        environ={},
        environment=environment,
        hardware=False,
        host=HostDescription("machine.json", supported, {}),
        enabled=enabled,
    )
    return select("index", manifest, labels, providers, preferences=())
