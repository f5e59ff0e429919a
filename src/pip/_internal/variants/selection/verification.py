"""Check what a variant wheel says of itself in its ``variant.json`` (PEP 825)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pip._internal.console.output import get_logger
from pip._internal.variants.errors import InvalidVariantWheel, VariantDisagreement
from pip._internal.variants.index.links import (
    LocalVersionWheel,
    RenamedWheel,
    source_of,
)
from pip._internal.variants.index.remote_wheels import WheelUnreadable
from pip._internal.variants.index.wheel_manifests import (
    manifest_of_wheel,
    own_manifest,
)
from pip._internal.variants.providers.chain import warnings_of
from pip._internal.variants.selection.ranking import Selection, select

if TYPE_CHECKING:
    from pip._vendor.wheel_variants.manifest import Manifest, Variant

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.selection.run import Run

__all__ = ["check_direct", "check_prepared"]

logger = get_logger(__name__)


def check_direct(run: Run, link: Link, label: str) -> None:
    """Check a wheel that was named by path or URL before it is used or downloaded.

    If its server does not send parts of a wheel, it is checked once it is here.

    :raises InvalidVariantWheel: if it is not the wheel that its name says.
    :raises UnsupportedVariant: if the target cannot run it.
    """
    if link in run.decisions.direct:
        return
    try:
        manifest = manifest_of_wheel(run.catalogue.session, link, label)
    except WheelUnreadable as error:
        logger.verbose("Downloading %s to see which variant it is: %s", link, error)
    else:
        run.decisions.direct[link] = _check_alone(run, link, label, manifest)


def check_prepared(
    run: Run, dist: BaseDistribution, link: Link, label: str
) -> Selection:
    """Check a wheel against the manifest that chose it.

    :param dist: its metadata, downloaded with the wheel or read from it.
    :return: the decision that it is part of; one about it alone if it was not chosen.

    :raises VariantDisagreement: if they disagree; while the resolver runs, it takes
        the next candidate then.
    :raises InvalidVariantWheel: if it was not chosen by a manifest, and is not the
        wheel that its name says.
    :raises UnsupportedVariant: if the target cannot run it.
    """
    selection = run.decisions.fetch_selection_of(link)
    if isinstance(link, LocalVersionWheel) and selection is not None:
        # The wheel knows nothing of variants.
        return selection
    stated = None
    if selection is not None and selection.manifest is not None:
        stated = selection.manifest.variant(label)
    if selection is None or stated is None:
        manifest = own_manifest(dist, link.filename, label)
        return _check_alone(run, link, label, manifest)
    if isinstance(link, RenamedWheel):
        # Its page alone knows which variant it is.
        run.reporter.refuse_unsupported(link, label, selection)
        return selection
    try:
        found = _listed(own_manifest(dist, link.filename, label).variants[label])
    except InvalidVariantWheel as error:
        found = error.problem
    if found != _listed(stated):
        raise VariantDisagreement(link.filename, _listed(stated), found)
    run.reporter.refuse_unsupported(link, label, selection)
    return selection


def _listed(variant: Variant) -> str:
    properties = ", ".join(sorted(map(str, variant.properties())))
    return f"the variant {variant.label} with {properties or 'no properties'}"


def _check_alone(run: Run, link: Link, label: str, manifest: Manifest) -> Selection:
    selection = select(source_of(link), manifest, [label], run.target.providers, ())
    for warning in warnings_of(selection.answers):
        run.reporter.say_once(logging.WARNING, warning)
    run.reporter.refuse_unsupported(link, label, selection)
    return selection
