"""Manifests that come from the wheels themselves (PEP 825, "Wheel metadata").

Each variant wheel repeats its part of the release's manifest as ``variant.json``. Where
an index or a directory has no manifest, the parts of one wheel a label make up for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from zipfile import BadZipFile

from pip._vendor.packaging.utils import parse_wheel_filename
from pip._vendor.requests.exceptions import RequestException

from pip._internal.exceptions import PipError
from pip._internal.metadata import FilesystemWheel, get_wheel_distribution
from pip._internal.network.lazy_wheel import (
    HTTPRangeRequestUnsupported,
    dist_from_wheel_url,
)
from pip._internal.utils._log import getLogger
from pip._internal.variants.errors import InvalidVariantWheel
from pip._internal.variants.manifest import InvalidManifest, Manifest
from pip._internal.variants.manifest_parser import parse_manifest
from pip._internal.variants.merging import Disagreement, merge
from pip._internal.variants.sources import ManifestUnavailable

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.network.session import PipSession

__all__ = ["local_wheel", "manifest_of_wheels", "own_manifest"]

logger = getLogger(__name__)


def own_manifest(dist: BaseDistribution, filename: str, label: str) -> Manifest:
    """Read the ``variant.json`` of a wheel, which must describe just *label*.

    :raises InvalidVariantWheel: if it has none, or one of another label.
    """
    try:
        manifest = parse_manifest(dist.read_text("variant.json").encode("utf-8"))
    except FileNotFoundError:
        problem = "it has no variant.json"
    except InvalidManifest as error:
        problem = f"its variant.json cannot be used: {error}"
    else:
        if set(manifest.variants) == {label}:
            return manifest
        problem = f"its variant.json describes {sorted(manifest.variants)!r} instead"
    raise InvalidVariantWheel(filename, problem)


def local_wheel(link: Link) -> BaseDistribution:
    """Give the metadata of a wheel that is a file."""
    project, *_ = parse_wheel_filename(link.filename)
    return get_wheel_distribution(FilesystemWheel(link.file_path), project)


def manifest_of_wheels(session: PipSession, links: Mapping[str, Link]) -> Manifest:
    """Put a release's manifest together from a wheel of each label.

    Of wheels on a server only the metadata is read, by range requests.

    :param links: by label.
    :raises ManifestUnavailable: if no wheel can be read, or if they contradict.
    """
    found = []
    problem = "it has no wheels"
    for label, link in links.items():
        try:
            found.append(own_manifest(_metadata(session, link), link.filename, label))
        except HTTPRangeRequestUnsupported:
            problem = "its server cannot send the part of a wheel that describes it"
            break
        except InvalidVariantWheel as error:
            problem = f"{link.filename}: {error.problem}"
        except (PipError, RequestException, BadZipFile, KeyError, OSError) as error:
            problem = f"{link.filename} cannot be read: {error}"
        else:
            continue
        logger.debug("No manifest from %s: %s", link, problem)
    if not found:
        raise ManifestUnavailable(problem)
    try:
        return merge(found)
    except Disagreement as error:
        raise ManifestUnavailable(f"its wheels disagree: {error}") from None


def _metadata(session: PipSession, link: Link) -> BaseDistribution:
    if link.is_file:
        return local_wheel(link)
    project, *_ = parse_wheel_filename(link.filename)
    return dist_from_wheel_url(project, link.url_without_fragment, session)
