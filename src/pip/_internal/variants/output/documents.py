"""Describe decisions as JSON documents, with all data to repeat a decision.

``docs/formats.md`` specifies the documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pip._vendor.wheel_variants.abi_dependency import requirements

from pip._internal.exceptions import DiagnosticPipError, PipError
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import label_of
from pip._internal.variants.output import skipped_versions
from pip._internal.variants.output.reasons import first_two
from pip._internal.variants.selection.installed import installed_label

if TYPE_CHECKING:
    from pip._vendor.wheel_variants.ordering import Mismatch

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.providers.result import ProviderResult
    from pip._internal.variants.selection.ranking import Selection
    from pip._internal.variants.selection.run import Run

Document = dict[str, Any]


def lookup_document(result: skipped_versions.LookupResult) -> Document:
    """Describe the file that pip would install, and why."""
    chosen, link = result.chosen, result.link
    taken, ranked = None, []
    if chosen is not None and link is not None:
        taken = {"version": str(chosen.version), **_link(link)}
        ranked = [_link(each) for each in chosen.fetch_ranked()]
    return {
        "requirement": result.requirement,
        "project": result.project,
        "chosen": taken,
        "problem": None if result.problem is None else _problem(result.problem),
        "installed": _installed(result.installed, stays=result.stays),
        "passed_over": [_skipped_version(each) for each in result.skipped_versions],
        "sources": _sources(chosen),
        "ranked": ranked,
        "options": options_document(result.run),
    }


def _installed(dist: BaseDistribution | None, *, stays: bool) -> Document | None:
    if dist is None:
        return None
    label = installed_label(dist)
    kind = "plain" if label is None else "variant"
    return {"version": str(dist.version), "kind": kind, "label": label, "stays": stays}


def _link(link: Link) -> Document:
    label = label_of(link)
    kind = "plain" if label is None else "variant"
    return {
        "filename": link.filename,
        "kind": kind if link.is_wheel else "source",
        "label": label,
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


def _skipped_version(passed: skipped_versions.SkippedVersion) -> Document:
    is_refused = passed.cause is skipped_versions.SkipCause.VARIANTS
    return {
        "version": str(passed.version),
        "cause": passed.cause.word,
        "detail": passed.detail or None,
        "sources": _sources(passed.offer) if is_refused else [],
    }


def _sources(offer: skipped_versions.Offer | None) -> list[Document]:
    """Describe the decisions about a version, one for each source; empty without variants."""
    release = None if offer is None else offer.release
    if release is None or not release.reached:
        return []
    return [selection_document(each) for each in release.fetch_selections().values()]


def selection_document(selection: Selection) -> Document:
    """Describe the decision about the variants on one source."""
    manifest, origin = selection.manifest, selection.origin
    compatible = selection.ranking.compatible
    return {
        "source": redact_auth_from_url(selection.source),
        "manifest": {
            "origin": None if origin is None else origin.kind.value,
            "location": None if origin is None else origin.location,
            "missing": None if origin is None else origin.missing,
            "schema": manifest.schema,
            "problem": selection.problem,
        },
        "namespaces": manifest.namespaces,
        "feature_order": dict(manifest.feature_order),
        "value_order": {
            name: dict(features) for name, features in manifest.value_order.items()
        },
        "answers": {
            namespace: _answer(answer)
            for namespace, answer in selection.answers.items()
        },
        "preferences": [str(each) for each in selection.preferences],
        "labels": [
            _label(selection, label, place if label in compatible else None)
            for place, label in enumerate(selection.labels, start=1)
        ],
        "decided_by": _decided_by(selection),
    }


def _answer(answer: ProviderResult) -> Document:
    return {
        "step": answer.source.value,
        "origin": answer.origin or None,
        "features": [
            {"feature": each.name, "values": each.values} for each in answer.features
        ],
        "reason": answer.reason,
        "untrusted": answer.untrusted,
    }


def _label(selection: Selection, label: str, rank: int | None) -> Document:
    return {
        "label": label,
        "compatible": rank is not None,
        "rank": rank,
        "described": label not in selection.ranking.unknown,
        "properties": [str(each) for each in selection.declared(label)],
        "supported": [str(each) for each in selection.properties(label)],
        "requires": requirements(selection.manifest, label),
        "mismatches": [
            mismatch_document(each)
            for each in selection.ranking.rejected.get(label, ())
        ],
    }


def mismatch_document(mismatch: Mismatch) -> Document:
    """Describe the required and supported values of a feature."""
    return {
        "feature": str(mismatch.feature),
        "wanted": mismatch.wanted,
        "offered": mismatch.offered,
    }


def _decided_by(selection: Selection) -> Document | None:
    """Describe why the best variant is ranked above the second."""
    found = first_two(selection)
    if found is None:
        return None
    first, second, why = found
    return {
        "first": first,
        "second": second,
        "criterion": why.criterion.value,
        "first_property": None if why.first is None else str(why.first),
        "second_property": None if why.second is None else str(why.second),
        "preference": None if why.preference is None else str(why.preference),
    }


def options_document(run: Run) -> Document:
    """Describe the variant options."""
    host, settings = run.target.providers.host, run.settings
    return {
        "enabled": run.enabled,
        "variant": [str(choice) for choice in run.overrides.choices],
        "prefer_variant": [str(each) for each in run.overrides.preferences],
        "variant_host": None if host is None else host.path,
        "enable_variant_provider": settings.enabled_providers,
        "disable_variant_provider": settings.disabled_providers,
        "trust_variant_provider": sorted(run.settings.trusted_providers),
        "variant_provider": settings.provider_kinds,
        "variant_provider_variable": settings.provider_variables,
    }
