"""Check what a variant wheel says of itself in its ``variant.json`` (PEP 825)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import parse_wheel_filename

from pip._internal.exceptions import MetadataInconsistent
from pip._internal.metadata import FilesystemWheel, get_wheel_distribution
from pip._internal.variants.errors import InvalidVariantWheel, UnsupportedVariant
from pip._internal.variants.explain import rejection
from pip._internal.variants.links import source_of
from pip._internal.variants.manifest import (
    InvalidManifest,
    Manifest,
    Variant,
    parse_manifest,
)
from pip._internal.variants.selection import select

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.context import Context

__all__ = ["check_file", "check_prepared"]


def check_file(context: Context, link: Link, label: str) -> None:
    """Check a local wheel.

    :raises InvalidVariantWheel: if it is not the wheel that its name says.
    :raises UnsupportedVariant: if the target cannot run it.
    """
    project, *_ = parse_wheel_filename(link.filename)
    wheel = get_wheel_distribution(FilesystemWheel(link.file_path), project)
    _check_alone(context, link, label, _own_manifest(wheel, link, label))


def check_prepared(
    context: Context,
    req: InstallRequirement,
    dist: BaseDistribution,
    link: Link,
    label: str,
) -> None:
    """Check a wheel that was downloaded against the manifest that chose it.

    :raises MetadataInconsistent: if they disagree; while the resolver runs, it takes
        the next candidate then.
    :raises InvalidVariantWheel: if it was not chosen by a manifest, and is not the
        wheel that its name says.
    :raises UnsupportedVariant: if it was not chosen, and the target cannot run it.
    """
    release = context.release_of(link)
    selection = None if release is None else release.selection_of(link)
    stated = None
    if selection is not None and selection.manifest is not None:
        stated = selection.manifest.variant(label)
    if stated is None:
        _check_alone(context, link, label, _own_manifest(dist, link, label))
        return
    try:
        found = _own_manifest(dist, link, label).variants[label]
    except InvalidVariantWheel as error:
        expected = f"the variant {label}"
        raise MetadataInconsistent(
            req, "variant.json", expected, error.problem
        ) from None
    if stated.properties() != found.properties():
        field = f"properties of the variant {label}"
        raise MetadataInconsistent(req, field, _listed(stated), _listed(found))


def _listed(variant: Variant) -> str:
    return ", ".join(sorted(map(str, variant.properties()))) or "none"


def _own_manifest(dist: BaseDistribution, link: Link, label: str) -> Manifest:
    """Read the ``variant.json`` of a wheel, which must describe just *label*."""
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
    raise InvalidVariantWheel(link.filename, problem)


def _check_alone(context: Context, link: Link, label: str, manifest: Manifest) -> None:
    selection = select(source_of(link), manifest, [label], context.providers)
    if label not in selection.ranking.compatible:
        raise UnsupportedVariant(link.filename, [rejection(selection, label)])
