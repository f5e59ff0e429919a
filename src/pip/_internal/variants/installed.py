"""Which variant is installed, and what of it was supported then."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pip._internal.utils._log import getLogger
from pip._internal.variants import seams
from pip._internal.variants.manifest import InvalidManifest, parse_manifest
from pip._internal.variants.properties import Property

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution

__all__ = ["read_installed", "remember"]

logger = getLogger(__name__)


def remember(wheel_path: str, label: str, properties: Iterable[Property]) -> None:
    """Have a variant's supported properties recorded when its wheel is installed."""
    content = {"label": label, "supported": [str(each) for each in properties]}
    seams.SELECTIONS[wheel_path] = json.dumps(content, indent=2).encode("utf-8")


def read_installed(dist: BaseDistribution) -> tuple[str, tuple[Property, ...]] | None:
    """Give the label of a variant and its properties that were supported.

    If nothing was recorded, as by other installers, all that it declares are taken for
    supported; None if *dist* is no variant.
    """
    try:
        recorded = json.loads(dist.read_text(seams.SELECTION_FILE))
        return recorded["label"], tuple(map(Property.parse, recorded["supported"]))
    except FileNotFoundError:
        pass
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        # Not as it was written; what the wheel says of itself is still there.
        logger.debug("Ignoring %s of %s: %r", seams.SELECTION_FILE, dist, error)
    try:
        manifest = parse_manifest(dist.read_text("variant.json").encode("utf-8"))
    except (FileNotFoundError, InvalidManifest):
        return None
    if len(manifest.variants) != 1:
        return None
    (variant,) = manifest.variants.values()
    return variant.label, tuple(sorted(variant.properties()))
