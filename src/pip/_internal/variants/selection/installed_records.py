"""Read the records of installed builds.

A record includes the release's manifest, so that pip can check the installed build again
without a network, even after the environment moved to another machine.
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

    :ivar label: the label; None for a plain build.
    :ivar supported: the properties that were supported at installation, best first; all
        declared properties if another installer installed the build.
    :ivar manifest: the manifest of the release; without a record, of this build alone.
    :ivar user_chosen: whether the user chose the label.
    :ivar labels: the labels that this interpreter and platform could install instead.
    """

    label: str | None
    supported: tuple[Property, ...]
    manifest: Manifest
    labels: tuple[str, ...]
    user_chosen: bool = False

    @property
    def declared(self) -> tuple[Property, ...]:
        """All properties that the variant declares, sorted."""
        variant = None if self.label is None else self.manifest.variant(self.label)
        return () if variant is None else tuple(sorted(variant.properties()))


def recorded_build(dist: BaseDistribution, name: str) -> InstalledBuild | None:
    """Read the installed build from the record of the selection.

    :param name: the name of the record in the metadata folder.
    """
    content = _read(dist, name)
    if content is None:
        return None
    try:
        recorded: dict[str, Any] = json.loads(content)
        label, labels = recorded["label"], recorded["labels"]
        for each in labels if label is None else [label, *labels]:
            # pip prints the label, where a line break could be harmful.
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
        # The record is damaged, but the wheel's own file may not be.
        logger.debug("Ignoring %s of %s: %r", name, dist, error)
        return None


def stated_build(dist: BaseDistribution, name: str) -> InstalledBuild | None:
    """Read the installed build from its wheel metadata.

    :param name: the name of the file in the metadata folder.
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
