"""Fuzz the bytes of manifests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from pip._vendor.wheel_variants.manifest import InvalidManifest, Manifest
from pip._vendor.wheel_variants.manifest_parser import parse_document, parse_manifest
from pip._vendor.wheel_variants.merging import merge
from pip._vendor.wheel_variants.ordering import rank
from pip._vendor.wheel_variants.properties import SupportedFeature, SupportedProperties

from tests.lib.manifests import PREVIEW_TORCH, SCHEMAS, PluginSpec, make_manifest
from tools.fuzz.target import FuzzTarget, printable

__all__ = ["TARGETS", "check_supports", "seeds"]

_MACHINE: SupportedProperties = {
    "nvidia": (
        SupportedFeature("cuda_version_lower_bound", ("12.8", "12.6")),
        SupportedFeature("sm_arch", ("90_real", "90_virtual")),
    ),
    "x86_64": (SupportedFeature("level", ("v3", "v2", "v1")),),
}
#: The maximum length of a message; a manifest of megabytes must not appear in one.
_LONGEST_MESSAGE = 1000


def seeds() -> Iterator[bytes]:
    """Yield a manifest of each schema version, and real manifests."""
    yield json.dumps(PREVIEW_TORCH).encode()
    for schema in SCHEMAS:
        content = make_manifest(
            {
                "cu128": ["nvidia :: sm_arch :: 90_real", "x86_64 :: level :: v3"],
                "mkl": ["blas_lapack :: provider :: mkl"],
                "null": {},
            },
            schema=schema,
            providers={
                "x86_64": PluginSpec(
                    ["x"], enable_if="os_name == 'posix'", optional=True
                ),
                "blas_lapack": PluginSpec(static={"provider": ["mkl"], "f": ["1"]}),
            },
        )
        yield json.dumps(content).encode()


def _run(data: bytes) -> None:
    try:
        manifest = parse_manifest(data)
    except InvalidManifest as error:
        message = str(error)
        printable(message)
        assert len(message) < _LONGEST_MESSAGE, f"{len(message)} characters"
        return
    _check_choice(manifest)
    assert merge({"a": manifest, "b": manifest}) == manifest
    # A parsed manifest can be saved as JSON, and parsing the JSON gives the same manifest.
    text = _further_on(json.dumps, manifest.document)
    text.encode("ascii")
    assert parse_document(json.loads(text)) == manifest


def _further_on(
    write: Callable[[object], str], document: object, calls: int = 50
) -> str:
    """Serialize a document with a deeper call stack than while parsing."""
    if not calls:
        return write(document)
    return _further_on(write, document, calls - 1)


def check_supports(
    supported: SupportedProperties,
    label: str,
    wanted: Mapping[str, Mapping[str, Sequence[str]]],
) -> None:
    """Check that a machine supports a value of each feature of a chosen variant."""
    for namespace, features in wanted.items():
        offered = {each.name: each.values for each in supported.get(namespace, ())}
        for feature, values in features.items():
            assert set(values) & set(offered.get(feature, ())), f"{label} was chosen"


def _check_choice(manifest: Manifest) -> None:
    labels = [*manifest.variants, "unheard_of"]
    ranking = rank(manifest, _MACHINE, labels)
    decided = [*ranking.compatible, *ranking.rejected, *ranking.unknown]
    assert sorted(decided) == sorted(labels)
    for label in ranking.compatible:
        printable(label)
        check_supports(_MACHINE, label, manifest.variants[label].features)


TARGETS = (FuzzTarget("manifest-bytes", _run, seeds),)
