"""Decisions as JSON documents, complete enough to make them once more.

The documents are described in ``docs/decisions.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pip import __version__
from pip._internal.exceptions import DiagnosticPipError, PipError
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.choice.decision import (
    Cause,
    Decision,
    File,
    Offer,
    PassedOver,
)
from pip._internal.variants.choice.installed import installed_build
from pip._internal.variants.core.abi_dependency import requirements
from pip._internal.variants.core.comparison import compare
from pip._internal.variants.wheels.links import label_of

if TYPE_CHECKING:
    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.choice.context import Context
    from pip._internal.variants.choice.effects import Effect
    from pip._internal.variants.choice.release import Release
    from pip._internal.variants.choice.selection import Selection
    from pip._internal.variants.core.answer import Answer
    from pip._internal.variants.core.manifest import Variant
    from pip._internal.variants.core.ordering import Mismatch
    from pip._internal.variants.core.properties import SupportedFeature
    from pip._internal.variants.tell.listing import Row

__all__ = [
    "decision_document",
    "listing_document",
    "selection_document",
    "with_header",
]

Document = dict[str, Any]


def with_header(document: Mapping[str, Any]) -> Document:
    """Say which format a document has, and who wrote it."""
    return {"version": "1", "pip_version": __version__, **document}


def decision_document(decision: Decision, effects: Iterable[Effect]) -> Document:
    """Describe what would be installed, and everything that led to it."""
    chosen = decision.chosen
    release = None if chosen is None else chosen.release
    return {
        "requirement": decision.requirement,
        "project": decision.project,
        "chosen": _chosen(decision),
        "problem": None if decision.problem is None else _problem(decision.problem),
        "installed": _installed(decision.installed),
        "passed_over": [_passed_over(each) for each in decision.passed_over],
        "sources": [] if release is None else _sources(release),
        "ranked": [] if decision.link is None else _ranked(decision),
        "options": options_document(decision.context),
        "effects": [effect_document(each) for each in effects],
    }


def _chosen(decision: Decision) -> Document | None:
    if decision.link is None or decision.chosen is None:
        return None
    return {"version": str(decision.chosen.version), **_link(decision.link)}


def _installed(dist: BaseDistribution | None) -> Document | None:
    if dist is None:
        return None
    build = installed_build(dist)
    return {
        "version": str(dist.version),
        "label": None if build is None else build.label,
    }


def _ranked(decision: Decision) -> list[Document]:
    assert decision.chosen is not None
    return [_link(link) for link in decision.chosen.ranked]


def _link(link: Link) -> Document:
    return {
        "filename": link.filename,
        "label": label_of(link),
        "url": redact_auth_from_url(link.url_without_fragment),
        "hashes": link.as_hashes()._allowed if link.has_hash else {},
    }


def _problem(error: PipError) -> Document:
    if isinstance(error, DiagnosticPipError):
        return {
            "reference": error.reference,
            "message": str(error.message),
            "context": None if error.context is None else str(error.context),
            "hint": None if error.hint_stmt is None else str(error.hint_stmt),
        }
    return {"reference": None, "message": str(error), "context": None, "hint": None}


def _passed_over(passed: PassedOver) -> Document:
    release = None
    if passed.cause is Cause.VARIANTS and passed.offer is not None:
        release = passed.offer.release
    return {
        "version": str(passed.version),
        "cause": passed.cause.value,
        "detail": passed.detail or None,
        "sources": [] if release is None else _sources(release),
    }


def _sources(release: Release) -> list[Document]:
    """Describe the decisions about a release, if it was reached: one for each source."""
    if not release.reached:
        return []
    return [selection_document(each) for each in release.selections.values()]


def selection_document(selection: Selection) -> Document:
    """Describe how the variants that one source lists were judged, and by what."""
    manifest, ranking = selection.manifest, selection.ranking
    origin = selection.origin
    return {
        "source": redact_auth_from_url(selection.source),
        "manifest": {
            "origin": None if origin is None else origin.kind.value,
            "location": None if origin is None else origin.location,
            "missing": None if origin is None else origin.missing,
            "schema": None if manifest is None else manifest.schema,
            "problem": selection.problem,
        },
        "namespaces": [] if manifest is None else list(manifest.namespaces),
        "feature_order": {}
        if manifest is None
        else {name: list(order) for name, order in manifest.feature_order.items()},
        "value_order": {}
        if manifest is None
        else {
            name: {feature: list(values) for feature, values in features.items()}
            for name, features in manifest.value_order.items()
        },
        "answers": {
            namespace: _answer(answer)
            for namespace, answer in selection.answers.items()
        },
        "preferences": [str(each) for each in selection.preferences],
        "labels": [
            _label(selection, label, place if label in ranking.compatible else None)
            for place, label in enumerate(selection.labels, start=1)
        ],
        "decided_by": _decided_by(selection),
    }


def _answer(answer: Answer) -> Document:
    return {
        "step": answer.step.value,
        "origin": answer.origin or None,
        "features": [_feature(each) for each in answer.features],
        "reason": answer.reason,
        "untrusted": list(answer.untrusted),
        "seconds": answer.seconds,
    }


def _feature(feature: SupportedFeature) -> Document:
    return {"feature": feature.name, "values": list(feature.values)}


def _label(selection: Selection, label: str, rank: int | None) -> Document:
    manifest = selection.manifest
    variant = None if manifest is None else manifest.variant(label)
    return {
        "label": label,
        "compatible": rank is not None,
        "rank": rank,
        "described": variant is not None,
        "properties": [] if variant is None else _properties(variant),
        "supported": [str(each) for each in selection.properties(label)],
        "requires": [] if manifest is None else requirements(manifest, label),
        "mismatches": [
            _mismatch(each) for each in selection.ranking.rejected.get(label, ())
        ],
    }


def _properties(variant: Variant) -> list[str]:
    return sorted(map(str, variant.properties()))


def _mismatch(mismatch: Mismatch) -> Document:
    return {
        "feature": str(mismatch.feature),
        "wanted": list(mismatch.wanted),
        "offered": list(mismatch.offered),
    }


def _decided_by(selection: Selection) -> Document | None:
    """Say what put the first of the compatible variants before the second."""
    if selection.manifest is None or len(selection.ranking.compatible) < 2:
        return None
    first, second = selection.ranking.compatible[:2]
    found = compare(
        selection.manifest,
        selection.supported,
        first,
        second,
        selection.preferences,
    )
    return {
        "first": first,
        "second": second,
        "criterion": found.criterion.value,
        "first_property": None if found.first is None else str(found.first),
        "second_property": None if found.second is None else str(found.second),
        "preference": None if found.preference is None else str(found.preference),
    }


def options_document(context: Context) -> Document:
    """Describe the options that bear on variants."""
    host, settings = context.providers.host, context.settings
    return {
        "enabled": context.enabled,
        "variant": [str(choice) for choice in context.choices],
        "prefer_variant": [str(each) for each in context.preferences],
        "variant_host": None if host is None else host.path,
        "enable_variant_provider": list(settings.enabled_providers),
        "disable_variant_provider": list(settings.disabled_providers),
        "trust_variant_provider": sorted(context.trusted),
        "variant_provider": settings.provider_kinds,
        "variant_provider_variable": list(settings.provider_variables),
    }


def effect_document(effect: Effect) -> Document:
    """Describe what an option changed."""
    return {
        "option": effect.option,
        "first": effect.label,
        "first_without": effect.without,
    }


def listing_document(
    decision: Decision, listed: Sequence[tuple[Offer, Sequence[Row]]]
) -> Document:
    """Describe the files of versions, by label."""
    return {
        "requirement": decision.requirement,
        "project": decision.project,
        "versions": [
            {"version": str(offered.version), "variants": list(map(_row, rows))}
            for offered, rows in listed
        ],
    }


def _row(row: Row) -> Document:
    return {
        "label": row.label,
        "source": redact_auth_from_url(row.source),
        "rank": row.rank,
        "compatible": row.rank is not None,
        "chosen": row.chosen,
        "platforms": list(row.platforms),
        "size": row.size,
        "mismatches": [_mismatch(each) for each in row.mismatches],
        "problem": row.problem,
        "files": [
            _file(file, suits=at < row.suitable) for at, file in enumerate(row.files)
        ],
    }


def _file(file: File, *, suits: bool) -> Document:
    link = file.link
    return {
        "filename": link.filename,
        "url": redact_auth_from_url(link.url_without_fragment),
        "size": file.size,
        "suitable": suits,
    }
