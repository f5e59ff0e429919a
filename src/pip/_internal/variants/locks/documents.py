"""Manifests as lock files hold them, ``[packages.variants-json]`` (PEP 825).

Pure: no I/O and nothing from the rest of pip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pip._vendor.wheel_variants.manifest import InvalidManifest, Manifest
from pip._vendor.wheel_variants.manifest_parser import parse_document

from pip._internal.variants.locks.conditions import LockedVariant, PropertyCondition
from pip._internal.variants.locks.machine_classes import uncertain

__all__ = ["inlined", "property_conditions_of", "read_inlined"]

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
