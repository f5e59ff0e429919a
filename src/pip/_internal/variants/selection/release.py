"""Releases that select a file only when pip needs one."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._internal.console.output import get_logger
from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import label_of, source_of
from pip._internal.variants.index.sources import (
    ManifestMissing,
    ManifestUnavailable,
    fetch_manifest,
)
from pip._internal.variants.index.wheel_manifests import manifest_of_wheels
from pip._internal.variants.selection import ranking

if TYPE_CHECKING:
    from pip._vendor.packaging.requirements import Requirement
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion
    from pip._vendor.wheel_variants.manifest import Manifest

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.selection.basis import Basis

    #: A release and its selected file.
    Taken = tuple["Release", Link]

logger = get_logger(__name__)


class Decision(NamedTuple):
    """The installable files of a release.

    :ivar ranked: the files, best first.
    :ivar unsupported: the user's label, if the target cannot run that variant.
    """

    ranked: list[Link]
    unsupported: str | None = None


class Release:
    """The files of one version of a project.

    :ivar links: the files in upstream's order: wheels by platform tag and build tag, then sdists.
    :ivar reached: whether the resolver or a listing considered this release.
    :ivar prefetched: whether pip has prefetched the manifests.
    :ivar ignored: the labels of ignored variants, each with the reason; None as a label stands
        for all variants. Empty before the decision.
    :cvar is_for_any: whether pip considers all variants, for any machine; otherwise, pip selects
        variants for the target.
    """

    is_for_any = False

    def __init__(
        self,
        run: Basis,
        project: NormalizedName,
        version: _BaseVersion,
        links: Sequence[Link],
        sources: Sequence[str],
    ) -> None:
        self._run = run
        self.project = project
        self.version = version
        self.links = tuple(links)
        self._sources = sources
        self.reached = self.prefetched = False
        self._selections: dict[str, ranking.Selection] | None = None
        self._decided: dict[object, Decision] = {}
        self._reported: Decision | None = None
        self.ignored: list[tuple[str | None, ManifestUnavailable | str]] = []

    def __str__(self) -> str:
        return f"{self.project} {self.version}"

    @functools.cached_property
    def wheels(self) -> dict[str, list[Link]]:
        """The variant wheels by source, in the order of the sources.

        A file in several sources belongs to the first one that lists it.
        """
        wheels: dict[str, list[Link]] = {source: [] for source in self._sources}
        for link in self.links:
            if label_of(link) is not None:
                wheels[source_of(link)].append(link)
        seen: set[str] = set()
        for source, links in wheels.items() if len(wheels) > 1 else ():
            wheels[source] = [
                each for each in links if seen.isdisjoint(_identities(each))
            ]
            seen.update(*map(_identities, links))
        return {source: found for source, found in wheels.items() if found}

    @functools.cached_property
    def labels(self) -> list[str]:
        """The labels of the wheels, in the order of the sources."""
        wheels = itertools.chain.from_iterable(self.wheels.values())
        return list(dict.fromkeys(filter(None, map(label_of, wheels))))

    @property
    def manifest_links(self) -> list[Link]:
        """The links of the manifests, one per source."""
        known = self._run.catalog.manifests
        keys = ((self.project, self.version, source) for source in self.wheels)
        return [known[key] for key in keys if key in known]

    @property
    def chosen_label(self) -> str | None:
        """The user's label that applies to this release, or None."""
        labels = self._run.overrides.applying_labels(self.project, self.labels)
        return labels[0] if labels else None

    @property
    def chosen_by(self) -> str | None:
        """The option that selects the build; None if pip selects the build."""
        return None if self.chosen_label is None else "--variant"

    @property
    def hint(self) -> str | None:
        """A hint for a selection that is not available, or None."""
        return None

    @property
    def refusal(self) -> str | None:
        """The common reason for rejecting all variants, or None."""
        return None

    @property
    def lacks_label(self) -> bool:
        """Whether pip skips this release because none of its wheels has the user's label."""
        return self.chosen_label is not None and self.chosen_label not in self.labels

    def fetch_selections(self) -> dict[str, ranking.Selection]:
        """Return the decisions about the variants, by source; the first call fetches manifests."""
        if self._selections is None:
            self.ignored.clear()
            self._selections = {
                source: self._select(source, wheels)
                for source, wheels in self.wheels.items()
            }
        return self._selections

    def fetch_has_alternatives(self) -> bool:
        """Return whether the best variant may depend on the versions of other packages.

        Only the resolver determines these versions, so pip offers several variants to the
        resolver.
        """
        return any(
            selection.required(label)
            for selection in self.fetch_selections().values()
            for label in selection.ranking.compatible
        )

    @property
    def decided(self) -> list[ranking.Selection]:
        """The decisions about the variants; empty before pip makes them."""
        return list((self._selections or {}).values())

    def fetch_selection_of(self, link: Link) -> ranking.Selection | None:
        """Return the decision about the variant wheel at *link*, or None."""
        label = label_of(link)
        for source, selection in self.fetch_selections().items():
            if link in self.wheels[source] and label not in selection.ranking.unknown:
                return selection
        return None

    def _select(self, source: str, wheels: Sequence[Link]) -> ranking.Selection:
        by_label: dict[str, Link] = {}
        for link in wheels:
            by_label.setdefault(label_of(link) or "", link)
        try:
            manifest, origin = self._manifest(source, by_label)
        except ManifestUnavailable as error:
            self.ignored.append((None, error))
            return ranking.without_manifest(source, by_label, str(error))
        preferences = self._run.overrides.preferences
        return ranking.select(
            *(source, manifest, by_label, self._providers, preferences),
            project=self.project,
            origin=origin,
        )

    @property
    def _providers(self) -> ProviderChain:
        """The provider chain of the target."""
        return self._run.target.detected

    def _manifest(
        self, source: str, wheels: Mapping[str, Link]
    ) -> tuple[Manifest, ranking.Origin]:
        """Return the manifest of a source, or a manifest built from its wheels.

        :raises ManifestUnavailable: if there is no usable manifest.
        """
        where = redact_auth_from_url(source)
        key = self.project, self.version, source
        skipped = self._run.catalog.skipped_manifests.get(key)
        missing = skipped or f"{where} lists no variants manifest"
        link = self._run.catalog.manifests.get(key)
        if link is not None:
            url = redact_auth_from_url(link.url_without_fragment)
            limit = self._run.settings.uploaded_prior_to
            try:
                manifest = fetch_manifest(self._run.catalog.session, link, limit)
                return manifest, ranking.Origin(ranking.OriginKind.INDEX, url)
            except ManifestMissing as error:
                missing = f"the variants manifest is missing: {error}"
                if error.listed and self._run.reporter.strict:
                    # In strict mode, pip then reads no wheel.
                    raise ManifestMissing(f"{missing} ({url})", listed=True) from None
            except ManifestUnavailable as error:
                problem = f"the variants manifest cannot be used: {error} ({url})"
                raise ManifestUnavailable(problem, error.hint) from None
        manifest = self._manifest_of_wheels(wheels, missing)
        return manifest, ranking.Origin(ranking.OriginKind.WHEELS, where, missing)

    def _manifest_of_wheels(self, wheels: Mapping[str, Link], missing: str) -> Manifest:
        """Build the release's manifest from the wheels; record wheels without a manifest.

        :param missing: the reason that the index provides no manifest.
        :raises ManifestUnavailable: if no wheel has a usable manifest, or pip may not read
            wheels.
        """
        checked_path = self._run.catalog.checked_paths.get(self.project)
        if checked_path is not None:
            # Whole wheels are large, so pip downloads only those with the user's labels.
            labels = self._run.overrides.applying_labels(self.project, self.labels)
            wheels = {each: wheels[each] for each in labels if each in wheels} or wheels
            self._run.catalog.wait_for_upstream()
            if len(wheels) > 1:
                logger.info(
                    "Downloading the variants %s of %s to compare them, because hashes "
                    "are required and %s. To download only one: --variant %s=LABEL",
                    *(", ".join(sorted(wheels)), self, missing, self.project),
                )
        elif self._run.settings.is_checking_hashes:
            problem = f"{missing}, and pip reads no wheel before checking its hash"
            raise ManifestUnavailable(problem)
        try:
            manifest, problems = manifest_of_wheels(
                self._run.catalog.session, wheels, checked_path
            )
        except ManifestUnavailable as error:
            raise ManifestUnavailable(f"{missing}, and {error}", error.hint) from None
        self.ignored += problems.items()
        return manifest

    def fetch_ranked(self) -> list[Link]:
        """Return the installable links, best first, and report problems.

        :raises UnsupportedVariant: if the target cannot run the variant with the user's label.
        :raises VariantLost: if pip would drop a variant, in strict mode.
        """
        self.reached = True
        decision = self.fetch_decision()
        if decision is not self._reported:
            self._run.reporter.decided(self, decision)
            self._reported = decision
        return decision.ranked

    def fetch_decision(self) -> Decision:
        """Return the installable files, without reporting."""
        attempt, chosen = self._run.attempt, self.chosen_label
        # The required label may be settled only after a prefetch.
        key = attempt.agreement, attempt.replaceable, chosen
        if key not in self._decided:
            self._decided[key] = self._decide(chosen)
        return self._decided[key]

    def _decide(self, chosen: str | None) -> Decision:
        if self.lacks_label:
            return Decision([])
        rankings = [each.ranking for each in self.fetch_selections().values()]
        runs = any(chosen in each.compatible for each in rankings)
        if chosen is not None and not runs:
            return Decision([], chosen)
        ranked = self._rank(self._run.attempt.agreement)
        if self.fetch_has_alternatives():
            # Keep installed packages if some build runs with them, but do not build a wheel
            # for that.
            ranked.sort(key=lambda link: not link.is_wheel or self._replaces_kept(link))
        return Decision(ranked)

    def _rank(self, agreement: ranking.Agreement | None) -> list[Link]:
        chosen = self.chosen_label
        # By source and label, the best first; plain files are last.
        ranked: dict[tuple[str, str] | None, list[Link]] = {}
        for source, selection in self.fetch_selections().items():
            labels = selection.ranking.compatible
            if agreement is not None:
                labels = agreement.order(selection)
            for label in labels:
                if chosen in (None, label):
                    ranked[source, label] = []
        if chosen is None:
            ranked[None] = []
        for link in self.links:
            its_label = label_of(link)
            key = None if its_label is None else (source_of(link), its_label)
            if key in ranked:
                ranked[key].append(link)
        return list(itertools.chain.from_iterable(ranked.values()))

    def replaced(self, link: Link) -> Iterator[tuple[BaseDistribution, Requirement]]:
        """Yield packages that a variant would replace, each with the violated requirement.

        Yield nothing if the user chose a label, and skip packages that pip upgrades: the user
        permits these replacements.
        """
        if self.chosen_label is None:
            selection = self.fetch_selection_of(link)
            wanted = [] if selection is None else selection.required(label_of(link))
            yield from self._run.request.conflicts(wanted)

    def _replaces_kept(self, link: Link) -> bool:
        names = {dist.canonical_name for dist, _ in self.replaced(link)}
        return not names <= self._run.attempt.replaceable

    def fetch_skipped_file(self, label: str | None) -> Link | None:
        """Return the best file if pip skips it to keep an installed package, or None.

        :param label: the label of the selected file.
        """
        best = next(iter(self._rank(None)), None)
        if best is None or label_of(best) == label:
            return None
        return best if self._replaces_kept(best) else None

    def drop(self, link: Link) -> bool:
        """Drop a file with a wrong hash, as upstream does if a page states that hash.

        :return: whether another file may have an allowed hash.
        """
        self.links = tuple(each for each in self.links if each != link)
        self._decided.clear()
        if label_of(link) is not None:
            self._selections = None
            del self.wheels, self.labels
        has_more = bool(self.fetch_decision().ranked)
        # The user may have pinned a file that pip does not fetch, since it cannot run here.
        return has_more or any(each.ranking.rejected for each in self.decided)

    def discarded(self, link: Link, reason: str) -> None:
        """Report that stock pip discards a wheel.

        :raises VariantLost: if the wheel is a variant, in strict mode.
        """
        label = label_of(link)
        if label is not None:
            self._run.reporter.discarded(self, label, reason)


def _identities(link: Link) -> set[str]:
    """Return the URL and hashes of a file; links to the same file share at least one of them."""
    hashes = {f"{name}:{value}" for name, value in link._hashes.items()}
    return {link.url_without_fragment, *hashes}
