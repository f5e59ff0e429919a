"""Check what a variant wheel says of itself in its ``variant.json`` (PEP 825)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pip._internal.exceptions import MetadataInconsistent
from pip._internal.variants.errors import InvalidVariantWheel, UnsupportedVariant
from pip._internal.variants.explain import rejection
from pip._internal.variants.links import source_of
from pip._internal.variants.selection import Selection, select
from pip._internal.variants.wheel_manifests import local_wheel, own_manifest

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.context import Context
    from pip._internal.variants.manifest import Manifest, Variant

__all__ = ["check_file", "check_prepared"]


def check_file(context: Context, link: Link, label: str) -> None:
    """Check a local wheel.

    :raises InvalidVariantWheel: if it is not the wheel that its name says.
    :raises UnsupportedVariant: if the target cannot run it.
    """
    manifest = own_manifest(local_wheel(link), link.filename, label)
    _check_alone(context, link, label, manifest)


def check_prepared(
    context: Context,
    req: InstallRequirement,
    dist: BaseDistribution,
    link: Link,
    label: str,
) -> Selection:
    """Check a wheel that was downloaded against the manifest that chose it.

    :return: the decision that it is part of; one about it alone if it was not chosen.

    :raises MetadataInconsistent: if they disagree; while the resolver runs, it takes
        the next candidate then.
    :raises InvalidVariantWheel: if it was not chosen by a manifest, and is not the
        wheel that its name says.
    :raises UnsupportedVariant: if it was not chosen, and the target cannot run it.
    """
    selection = context.selection_of(link)
    stated = None
    if selection is not None and selection.manifest is not None:
        stated = selection.manifest.variant(label)
    if selection is None or stated is None:
        manifest = own_manifest(dist, link.filename, label)
        return _check_alone(context, link, label, manifest)
    try:
        found = own_manifest(dist, link.filename, label).variants[label]
    except InvalidVariantWheel as error:
        expected = f"the variant {label}"
        raise MetadataInconsistent(
            req, "variant.json", expected, error.problem
        ) from None
    if stated.properties() != found.properties():
        field = f"properties of the variant {label}"
        raise MetadataInconsistent(req, field, _listed(stated), _listed(found))
    return selection


def _listed(variant: Variant) -> str:
    return ", ".join(sorted(map(str, variant.properties()))) or "none"


def _check_alone(
    context: Context, link: Link, label: str, manifest: Manifest
) -> Selection:
    selection = select(source_of(link), manifest, [label], context.providers)
    if label not in selection.ranking.compatible:
        raise UnsupportedVariant(link.filename, [rejection(selection, label)])
    return selection
