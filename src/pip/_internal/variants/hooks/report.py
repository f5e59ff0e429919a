"""What ``pip install`` reports of the variants that it chose."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pip._internal.console.texts import with_label
from pip._internal.variants.wheels.links import label_of

if TYPE_CHECKING:
    from pip._internal.models.installation_report import InstallationReport
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.variants.choice.selection import Selection

__all__ = ["remember_selection", "report_item", "would_install"]

_ATTRIBUTE = "_variant_selection"


def remember_selection(req: InstallRequirement, selection: Selection) -> None:
    """Remember the decision by which a variant was taken for a requirement."""
    setattr(req, _ATTRIBUTE, selection)


def report_item(
    fn: Callable[..., dict[str, Any]],
    cls: type[InstallationReport],
    req: InstallRequirement,
) -> dict[str, Any]:
    """Add the variant to an item of the installation report."""
    item = fn(cls, req)
    label = _label(req)
    selection: Selection | None = vars(req).get(_ATTRIBUTE)
    manifest = None if selection is None else selection.manifest
    variant = None if label is None or manifest is None else manifest.variant(label)
    if selection is not None and manifest is not None and variant is not None:
        item["variant"] = {
            "label": variant.label,
            "properties": list(map(str, sorted(variant.properties()))),
            "supported": list(map(str, selection.properties(variant.label))),
        }
        if manifest.url is not None:
            item["variant"]["manifest_url"] = manifest.url
    return item


def would_install(item: tuple[str, str], req: InstallRequirement) -> tuple[str, str]:
    """Name the label of a variant behind its version."""
    name, version = item
    return name, with_label(version, _label(req))


def _label(req: InstallRequirement) -> str | None:
    return label_of(req.link) if req.link is not None and req.link.is_wheel else None
