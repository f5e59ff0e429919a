"""Read the records of installed builds.

The record keeps the release's manifest, so that what is installed can be judged again
without a network, on whatever machine the environment then runs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from pip._vendor.wheel_variants.labels import is_valid_label
from pip._vendor.wheel_variants.manifest import InvalidManifest
from pip._vendor.wheel_variants.manifest_parser import parse_document, parse_manifest
from pip._vendor.wheel_variants.properties import Property

from pip._internal.console.output import get_logger
from pip._internal.exceptions import PipError

if TYPE_CHECKING:
    from pip._vendor.wheel_variants.manifest import Manifest

    from pip._internal.metadata import BaseDistribution

logger = get_logger(__name__)


class InstalledBuild(NamedTuple):
    """An installed build of a release with variants.

    :ivar label: None for a plain build.
    :ivar supported: its properties that were supported when it was installed, best
        first; all that it declares if another installer put it there.
    :ivar manifest: of its release; of itself alone if nothing was recorded.
    :ivar by_hand: whether the user chose its label.
    :ivar labels: the variants that could have been installed instead, by this
        interpreter on this platform.
    """

    label: str | None
    supported: tuple[Property, ...]
    manifest: Manifest
    labels: tuple[str, ...]
    by_hand: bool = False

    @property
    def declared(self) -> tuple[Property, ...]:
        """All properties that the variant declares, sorted."""
        variant = None if self.label is None else self.manifest.variant(self.label)
        return () if variant is None else tuple(sorted(variant.properties()))


def recorded_build(dist: BaseDistribution, name: str) -> InstalledBuild | None:
    """Read the installed build from the record of the selection.

    :param name: of the file in the metadata folder that records it.
    """
    content = _read(dist, name)
    if content is None:
        return None
    try:
        recorded: dict[str, Any] = json.loads(content)
        label, labels = recorded["label"], recorded["labels"]
        for each in labels if label is None else [label, *labels]:
            # It is printed, also where a second line would mean something.
            if not is_valid_label(each):
                raise ValueError(f"invalid label: {each!r}")
        return InstalledBuild(
            label,
            tuple(map(Property.parse, recorded["supported"])),
            parse_document(recorded["manifest"]),
            tuple(labels),
            recorded.get("by-hand") is True,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        # It is damaged, but what the wheel says of itself is still there.
        logger.debug("Ignoring %s of %s: %r", name, dist, error)
        return None


def stated_build(dist: BaseDistribution, name: str) -> InstalledBuild | None:
    """Read the installed build from its wheel metadata.

    :param name: of the file in the metadata folder.
    """
    content = _read(dist, name)
    if content is None:
        return None
    try:
        manifest = parse_manifest(content.encode("utf-8", "surrogatepass"))
    except InvalidManifest as error:
        logger.debug("Ignoring %s of %s: %s", name, dist, error)
        return None
    if len(manifest.variants) != 1:
        return None
    (variant,) = manifest.variants.values()
    supported = tuple(sorted(variant.properties()))
    return InstalledBuild(variant.label, supported, manifest, (variant.label,))


def _read(dist: BaseDistribution, name: str) -> str | None:
    try:
        return dist.read_text(name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, PipError) as error:
        logger.debug("Cannot read %s of %s: %s", name, dist, error)
        return None
