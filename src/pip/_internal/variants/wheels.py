"""Variant wheels themselves: by path or URL, and after the download."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pip._vendor.packaging._variants import split_label
from pip._vendor.packaging.utils import parse_wheel_filename

from pip._internal.exceptions import InvalidWheel, MetadataInconsistent
from pip._internal.metadata import FilesystemWheel, get_wheel_distribution
from pip._internal.variants.context import context_of
from pip._internal.variants.errors import UnsupportedVariant, VariantsDisabled
from pip._internal.variants.explain import rejection
from pip._internal.variants.links import label_of, source_of
from pip._internal.variants.manifest import InvalidManifest, Manifest, parse_manifest
from pip._internal.variants.selection import select

if TYPE_CHECKING:
    from pip._internal.cache import Cache
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.operations.prepare import RequirementPreparer
    from pip._internal.req.req_install import InstallRequirement
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.variants.context import Context

__all__ = ["cached_wheels", "prepared", "unsupported_wheel"]


def cached_wheels(
    fn: Callable[[Cache, Link, str], list[Any]], cache: Cache, *args: Any
) -> list[Any]:
    """Leave out cached wheels with a label, whose variant nobody has judged."""
    return [entry for entry in fn(cache, *args) if split_label(entry[0])[1] is None]


def unsupported_wheel(
    fn: Callable[[Factory, Link], None], factory: Factory, link: Link
) -> None:
    """Refuse a local variant wheel that does not suit the target."""
    fn(factory, link)
    label = label_of(link) if link.is_wheel else None
    if label is None:
        return
    context = context_of(factory._finder)
    if context is None or not context.enabled:
        raise VariantsDisabled(link.filename)
    if link.is_file:
        project, *_ = parse_wheel_filename(link.filename)
        wheel = get_wheel_distribution(FilesystemWheel(link.file_path), project)
        _refuse_unsuitable(context, link, label, _own_manifest(wheel, link, label))


def prepared(
    fn: Callable[..., BaseDistribution],
    preparer: RequirementPreparer,
    req: InstallRequirement,
    parallel_builds: bool,
) -> BaseDistribution:
    """Check a wheel that is here against the manifest that chose it, or on its own."""
    dist = fn(preparer, req, parallel_builds)
    link = req.link
    label = label_of(link) if link is not None and link.is_wheel else None
    if link is None or label is None:
        return dist
    context = context_of(preparer.finder)
    if context is None or not context.enabled:
        raise VariantsDisabled(link.filename)
    release = context.release_of(link)
    try:
        own = _own_manifest(dist, link, label)
    except InvalidVariantWheel as error:
        if release is None:
            raise
        # While the resolver runs, it takes the next candidate.
        raise MetadataInconsistent(
            req, "variant.json", f"the variant {label}", error.problem
        ) from None
    selection = None if release is None else release.selection_of(link)
    if selection is None or selection.manifest is None:
        _refuse_unsuitable(context, link, label, own)
        return dist
    stated, found = selection.manifest.variant(label), own.variants[label]
    if stated is not None and stated.properties() != found.properties():
        raise MetadataInconsistent(
            req,
            f"properties of the variant {label}",
            _listed(sorted(map(str, stated.properties()))),
            _listed(sorted(map(str, found.properties()))),
        )
    return dist


def _listed(properties: list[str]) -> str:
    return ", ".join(properties) or "none"


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
    raise InvalidVariantWheel(link, problem)


class InvalidVariantWheel(InvalidWheel):
    """A wheel's label and its content do not belong together."""

    def __init__(self, link: Link, problem: str) -> None:
        super().__init__(link.filename, link.filename)
        self.problem = problem

    def __str__(self) -> str:
        return f"{self.location} is not a valid variant wheel: {self.problem}"


def _refuse_unsuitable(
    context: Context, link: Link, label: str, manifest: Manifest
) -> None:
    selection = select(source_of(link), manifest, [label], context.providers)
    if label not in selection.ranking.compatible:
        raise UnsupportedVariant(link.filename, [rejection(selection, label)])
