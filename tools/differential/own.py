"""What this pip chooses: from the manifest's bytes to the order of the labels."""

from __future__ import annotations

import json

from pip._vendor.wheel_variants.manifest_parser import parse_manifest
from pip._vendor.wheel_variants.properties import SupportedFeature, SupportedProperties

from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.host_file import HostDescription
from pip._internal.variants.selection.ranking import Selection, select
from tools.differential.releases import ENVIRONMENT, Release

__all__ = ["choose"]


def choose(release: Release) -> Selection:
    """Decide about a release as pip does, apart from where its data comes from."""
    supported = SupportedProperties(
        {
            namespace: [
                SupportedFeature(name, tuple(values)) for name, values in features
            ]
            for namespace, features in release.machine.items()
        }
    )
    providers = ProviderChain(
        environ={},
        environment=ENVIRONMENT,
        hardware=False,
        host=HostDescription("machine.json", supported, {}),
        enabled=release.enabled,
    )
    manifest = parse_manifest(json.dumps(release.document).encode())
    return select("index", manifest, release.labels, providers, preferences=())
