"""A release with a manifest that is nearly right, judged for some machine."""

from __future__ import annotations

import json

from pip._vendor.wheel_variants.manifest import InvalidManifest
from pip._vendor.wheel_variants.manifest_parser import parse_manifest
from pip._vendor.wheel_variants.properties import SupportedFeature, SupportedProperties

from pip._internal.variants.output import reasons, sentences
from pip._internal.variants.output.explain import explain_manifest
from pip._internal.variants.providers.chain import ProviderChain
from pip._internal.variants.providers.host_file import HostDescription
from pip._internal.variants.selection.ranking import select
from tools.fuzz.choices import Choices
from tools.fuzz.shapes import make_document, make_machine
from tools.fuzz.target import printable, said, structured

__all__ = ["TARGETS"]


def _check(choices: Choices) -> None:
    document, machine = make_document(choices), make_machine(choices)
    enabled = choices.several(lambda: choices.one_of(("nvidia", "a", "b")), 0, 2)
    data = json.dumps(document).encode()
    try:
        manifest = parse_manifest(data)
    except InvalidManifest as error:
        printable(str(error))
        return
    host = SupportedProperties(
        {
            namespace: [
                SupportedFeature(name, tuple(v)) for name, v in features.items()
            ]
            for namespace, features in machine.items()
        }
    )
    providers = ProviderChain(
        environ={},
        environment={"platform_system": "Linux", "os_name": "posix"},
        hardware=False,
        host=HostDescription("machine.json", host, {}) if machine else None,
        enabled=enabled,
    )
    labels = [*manifest.variants, "null", "unheard_of"]
    selection = select("index", manifest, labels, providers, preferences=())
    supported = selection.supported
    for namespace, answer in selection.answers.items():
        for line in sentences.provider_lines(namespace, answer):
            said(line)
    for label in selection.labels:
        for each in selection.properties(label):
            printable(str(each))
    for label in selection.ranking.compatible:
        for namespace, features in document["variants"].get(label, {}).items():
            for feature, values in features.items():
                offered = supported.values_of(namespace, feature)
                assert set(values) & set(offered), f"{label} was chosen"
    for told in explain_manifest(selection, None):
        said(told.text)
    for label in (*selection.ranking.rejected, *selection.ranking.unknown):
        said(reasons.rejection(selection, label))


TARGETS = (structured("release", _check),)
