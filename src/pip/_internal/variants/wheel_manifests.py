"""Manifests that come from the wheels themselves (PEP 825, "Wheel metadata").

Each variant wheel repeats its part of the release's manifest as ``variant.json``. Where
an index or a directory has no manifest, the parts of one wheel a label make up for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
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
from pip._internal.variants.manifest import InvalidManifest, Manifest, parse_manifest
from pip._internal.variants.sources import ManifestUnavailable

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.network.session import PipSession

__all__ = ["local_wheel", "manifest_of_wheels", "merge", "own_manifest"]

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
    return merge(found)


def _metadata(session: PipSession, link: Link) -> BaseDistribution:
    if link.is_file:
        return local_wheel(link)
    project, *_ = parse_wheel_filename(link.filename)
    return dist_from_wheel_url(project, link.url_without_fragment, session)


def merge(manifests: Iterable[Manifest]) -> Manifest:
    """Merge manifests of one release, in whatever order.

    :raises ManifestUnavailable: if they order namespaces differently, or give
        different properties to one label.
    """
    # The longest list of namespaces speaks for all; the others are where it begins.
    ordered = sorted(manifests, key=lambda each: (len(each.namespaces), repr(each)))
    merged = ordered.pop()
    for manifest in reversed(ordered):
        if merged.namespaces[: len(manifest.namespaces)] != manifest.namespaces:
            raise ManifestUnavailable(
                "its wheels disagree on the order of namespaces: "
                f"{list(merged.namespaces)!r} and {list(manifest.namespaces)!r}"
            )
        for label, variant in manifest.variants.items():
            stated = merged.variants.get(label, variant)
            if stated.properties() != variant.properties():
                raise ManifestUnavailable(f"its wheels disagree on the label {label!r}")
        merged = replace(
            merged,
            variants={**manifest.variants, **merged.variants},
            providers={**manifest.providers, **merged.providers},
            feature_order={**manifest.feature_order, **merged.feature_order},
            value_order={**manifest.value_order, **merged.value_order},
        )
    return merged
