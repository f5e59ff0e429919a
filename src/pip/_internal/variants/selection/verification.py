"""Check the ``variant.json`` of variant wheels (PEP 825)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pip._internal.variants.errors import InvalidVariantWheel, VariantDisagreement
from pip._internal.variants.index import links
from pip._internal.variants.index.wheel_manifests import own_manifest
from pip._internal.variants.providers.chain import warnings_of
from pip._internal.variants.selection.ranking import Selection, select

if TYPE_CHECKING:
    from pip._vendor.wheel_variants.manifest import Variant

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.run import Run


def check_prepared(
    run: Run, dist: BaseDistribution, link: Link, label: str
) -> Selection:
    """Check a wheel against the manifest that selected it.

    :param dist: the wheel's metadata, downloaded separately or read from the wheel.
    :return: the decision about the wheel; a separate decision if no manifest selected the
        wheel.
    :raises VariantDisagreement: if the wheel and the manifest disagree; the resolver then
        tries the next candidate.
    :raises InvalidVariantWheel: if no manifest selected the wheel, and its name and
        contents disagree.
    """
    selection = run.decisions.fetch_selection_of(link)
    if isinstance(link, links.LocalVersionWheel) and selection is not None:
        # Such a wheel does not describe a variant.
        return selection
    if selection is None:
        source = links.source_of(link)
        manifest = own_manifest(dist, link.filename, label)
        alone = select(source, manifest, [label], run.target.providers, ())
        run.reporter.report(warnings_of(alone.answers))
        run.decisions.direct[link] = alone
        return alone
    stated = _listed(selection.manifest.variant(label))
    # Only the index page knows the variant of a renamed wheel.
    if not isinstance(link, links.RenamedWheel):
        try:
            found = _listed(own_manifest(dist, link.filename, label).variants[label])
        except InvalidVariantWheel as error:
            found = error.problem
        if found != stated:
            raise VariantDisagreement(link.filename, stated, found)
    return selection


def _listed(variant: Variant) -> str:
    properties = ", ".join(sorted(map(str, variant.properties())))
    return f"the variant '{variant.label}' with {properties or 'no properties'}"
