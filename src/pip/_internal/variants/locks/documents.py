"""Manifests as lock files hold them, ``[packages.variants-json]`` (PEP 825).

Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pip._vendor.packaging.markers import UndefinedComparison
from pip._vendor.packaging.requirements import InvalidRequirement
from pip._vendor.wheel_variants.manifest import (
    ABI_DEPENDENCY,
    InvalidManifest,
    Manifest,
)
from pip._vendor.wheel_variants.manifest_parser import parse_document
from pip._vendor.wheel_variants.markers import (
    is_about_variant,
    resolve_requirement,
    variant_environment,
)
from pip._vendor.wheel_variants.properties import Property

from pip._internal.variants.locks.conditions import LockedVariant, PropertyCondition

__all__ = [
    "depends_on_machine",
    "inlined",
    "property_conditions_of",
    "read_inlined",
    "uncertain",
]

#: How many properties a requirement may name; each doubles the machines to consider.
_MOST_PROPERTIES = 10

#: What lock files keep of a manifest besides its variants, in this order.
_KEPT = ("$schema", "default-priorities", "providers", "static-properties")


def inlined(manifest: Manifest, labels: Iterable[str]) -> dict[str, Any]:
    """Return the manifest of just these labels as a TOML table.

    It keeps all their properties, ``$schema``, and what the schemas know besides the
    variants; anything else may be what TOML cannot express.
    """
    document = manifest.document
    table = {key: _common(document[key]) for key in _KEPT if key in document}
    variants = {label: document["variants"].get(label, {}) for label in labels}
    return {**table, "variants": _common(variants)}


def read_inlined(table: object) -> Manifest:
    """Validate the manifest in a lock file.

    :raises InvalidManifest: if anything in it is not as the schemas say.
    """
    manifest = parse_document(table)
    try:
        return manifest._replace(document=_common(manifest.document))
    except RecursionError:
        raise InvalidManifest("it is nested too deeply") from None


def property_conditions_of(project: str, table: object) -> list[PropertyCondition]:
    """Return what may hold or not, on a machine, of the builds in a lock file.

    :param table: the manifest in the file; if it cannot be used, there are none.
    """
    try:
        manifest = read_inlined(table)
    except InvalidManifest:
        # It is told when the package is judged, if that is needed.
        return []
    return [
        PropertyCondition(LockedVariant(project, label), each)
        for label in manifest.variants
        for each in map(str, uncertain(manifest, label))
    ]


def uncertain(manifest: Manifest, label: str) -> list[Property]:
    """Return the properties of a variant that a machine which runs it may lack.

    The machine has no say in the versions of other packages.
    """
    variant = manifest.variant(label)
    return [
        Property(namespace, feature, value)
        for namespace, features in ({} if variant is None else variant.features).items()
        if manifest.provider(namespace).builtin != ABI_DEPENDENCY
        for feature, values in features.items()
        if len(values) > 1
        for value in values
    ]


def depends_on_machine(requirement: str, manifest: Manifest, label: str) -> list[str]:
    """Return the properties on which it depends whether a variant needs something.

    :param requirement: as the metadata of the variant has it.
    :return: those that a machine which runs the variant may lack; mostly none.
    """
    variant = manifest.variant(label)
    if variant is None or not is_about_variant(requirement):
        return []
    named = "".join(requirement.split())
    asked = [each for each in uncertain(manifest, label) if "::".join(each) in named]
    if len(asked) > _MOST_PROPERTIES:
        return [*map(str, asked)]
    try:
        outcomes = {
            resolve_requirement(requirement, variant_environment(label, supported))
            for supported in _machines([*variant.properties()], asked)
        }
    except (InvalidRequirement, UndefinedComparison):
        # pip reports it, and does not use such a wheel.
        return []
    return [*map(str, asked)] if len(outcomes) > 1 else []


def _machines(
    declared: Sequence[Property], asked: Sequence[Property]
) -> Iterator[list[Property]]:
    """Yield what machines support that run a variant, as far as *asked* goes."""
    features = {each[:2] for each in declared}
    for size in range(len(asked) + 1):
        for lacking in itertools.combinations(asked, size):
            supported = [each for each in declared if each not in lacking]
            if {each[:2] for each in supported} == features:
                yield supported


def _common(value: Any) -> Any:
    """Leave out what JSON has and TOML has not, and the other way round.

    Manifests have nothing of the kind where schemas know what they should have.
    """
    if isinstance(value, Mapping):
        return {
            key: _common(item)
            for key, item in value.items()
            if key.isprintable() and _is_common(item)
        }
    if isinstance(value, list):
        return [_common(item) for item in value if _is_common(item)]
    return value


def _is_common(value: Any) -> bool:
    if isinstance(value, str):
        return value.isprintable()
    return isinstance(value, (bool, list, Mapping))
