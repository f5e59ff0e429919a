"""Find the other variant wheels of a release, which a new one has to agree with."""

from __future__ import annotations

import os
from collections.abc import Iterable

from pip._vendor.packaging.utils import NormalizedName
from pip._vendor.packaging.version import Version

from pip._internal.console.output import get_logger
from pip._internal.variants.core.manifest import InvalidManifest, Manifest
from pip._internal.variants.core.manifest_parser import parse_manifest
from pip._internal.variants.publishing.wheel_file import (
    UnreadableWheel,
    WheelName,
    open_wheel,
)

__all__ = ["manifests_of_release"]

logger = get_logger(__name__)


def manifests_of_release(
    folders: Iterable[str], name: NormalizedName, version: Version
) -> dict[str, Manifest]:
    """Read what the variant wheels of a release in *folders* say, by file name.

    Those that say nothing sensible are left out: that is for ``pip variants check``.
    """
    found: dict[str, Manifest] = {}
    for folder in dict.fromkeys(map(os.path.abspath, folders)):
        if not os.path.isdir(folder):
            continue
        for filename in sorted(os.listdir(folder)):
            if not filename.endswith(".whl"):
                continue
            try:
                parsed = WheelName(filename)
                if (parsed.name, parsed.version) != (name, version):
                    continue
                if parsed.label is None:
                    continue
                with open_wheel(os.path.join(folder, filename)) as wheel:
                    data = wheel.read("variant.json")
                if data is not None:
                    found[filename] = parse_manifest(data)
            except (UnreadableWheel, InvalidManifest, OSError) as error:
                logger.debug("Ignoring %s: %s", filename, error)
    return found
