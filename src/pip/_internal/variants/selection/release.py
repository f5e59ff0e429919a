"""One release and the choice among its files, made as late as possible."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pip._vendor.wheel_variants.abi_dependency import has_dependencies

from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.errors import ContradictoryOptions
from pip._internal.variants.index.links import label_of, source_of
from pip._internal.variants.index.sources import (
    ManifestMissing,
    ManifestUnavailable,
    fetch_manifest,
)
from pip._internal.variants.index.wheel_manifests import manifest_of_wheels
from pip._internal.variants.selection.abi_requirements import requirements_of, unfit
from pip._internal.variants.selection.ranking import (
    Origin,
    OriginKind,
    select,
    without_manifest,
)

if TYPE_CHECKING:
    import optparse

    from pip._vendor.packaging.requirements import Requirement
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import _BaseVersion
    from pip._vendor.wheel_variants.manifest import Manifest

    from pip._internal.metadata import BaseDistribution
    from pip._internal.models.link import Link
    from pip._internal.variants.errors import VariantError
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.selection.basis import Basis
    from pip._internal.variants.selection.ranking import Agreement, Selection

__all__ = ["Decision", "Release"]


class Decision(NamedTuple):
    """Which files of a release may be installed; what there is to report is the release's.

    :ivar ranked: the files, best first.
    :ivar is_judged: whether its variants were judged, which may cost some of them.
    :ivar unsupported: the label that the user chose, if the target cannot run it.
    :ivar error: why it is not known which label the user chose.
    """

    ranked: list[Link]
    is_judged: bool = False
    unsupported: str | None = None
    error: VariantError | None = None

    @property
    def fails(self) -> bool:
        """Whether to take this release is an error."""
        return self.unsupported is not None or self.error is not None


class Release:
    """The files of one version among which a choice is made.

    :ivar links: in upstream's order: by platform tag, then build tag, then sdists.
    :ivar reached: whether the resolver, or a listing, came to this release.
    :ivar ignored: once its variants are judged, which of them cannot be, all if there is
        no label, and why.
    :cvar builds_in_turn: whether all of its variants are looked at, whichever is taken.
    :cvar is_for_any: whether they are chosen for any machine, and not just for the target.
    """

    builds_in_turn = False
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
        self.reached = False
        self._selections: list[tuple[Selection, list[Link]]] | None = None
        self._decided: dict[object, Decision] = {}
        self._reported: Decision | None = None
        self.ignored: list[tuple[str | None, ManifestUnavailable | str]] = []

    def __str__(self) -> str:
        return f"{self.project} {self.version}"

    @property
    def options(self) -> optparse.Values:
        """Return the options of the command."""
        return self._run.settings.options

    @functools.cached_property
    def wheels(self) -> dict[str, list[Link]]:
        """Return the variant wheels by source, the first source first."""
        wheels: dict[str, list[Link]] = {source: [] for source in self._sources}
        for link in self.links:
            if label_of(link) is not None:
                wheels[source_of(link)].append(link)
        return {source: found for source, found in wheels.items() if found}

    @functools.cached_property
    def labels(self) -> list[str]:
        """Return the labels of the wheels, those of the first source first."""
        wheels = itertools.chain.from_iterable(self.wheels.values())
        return list(
            dict.fromkeys(label for link in wheels if (label := label_of(link)))
        )

    @property
    def manifest_links(self) -> list[Link]:
        """Return the links of its manifests, one for each source that lists one."""
        found = (
            self._run.catalogue.manifests.get((self.project, self.version, source))
            for source in self.wheels
        )
        return [link for link in found if link is not None]

    @property
    def chosen_label(self) -> str | None:
        """Return the label that the user chose for this release, if it applies to it."""
        labels = self._run.overrides.applying_labels(self.project, self.labels)
        return labels[0] if labels else None

    @property
    def chosen_by(self) -> str | None:
        """Return what the user chose the build with; None if it is up to pip."""
        return None if self.chosen_label is None else "--variant"

    @property
    def hint(self) -> str | None:
        """Say what else to choose where nothing of what the user chose is there."""
        return None

    @property
    def refusal(self) -> str | None:
        """Say in short why all of its variants are refused, if one word says it all."""
        return None

    @property
    def lacks_label(self) -> bool:
        """Tell whether it lacks a label chosen by hand: then nothing of it suits."""
        return self.chosen_label is not None and not self.has_label(self.chosen_label)

    def has_label(self, label: str) -> bool:
        """Tell whether a wheel of this release has *label*."""
        return label in self.labels

    def _fetch_selected(self) -> list[tuple[Selection, list[Link]]]:
        """Decide source by source, and keep which wheels each decision is about.

        A file that an earlier source lists too is decided there.
        """
        if self._selections is None:
            self.ignored.clear()
            self._selections = self._select_all()
        return self._selections

    def _select_all(self) -> list[tuple[Selection, list[Link]]]:
        decisions = []
        decided: set[str] = set()
        for source, wheels in self.wheels.items():
            left = [
                link
                for link in wheels
                if not decided or decided.isdisjoint(_identities(link))
            ]
            if not left:
                continue
            selection = self._select(source, left)
            known = [
                link for link in left if label_of(link) not in selection.ranking.unknown
            ]
            if len(self.wheels) > 1:
                decided.update(*map(_identities, known))
            decisions.append((selection, known))
        return decisions

    def fetch_selections(self) -> dict[str, Selection]:
        """Return the decisions about the variants by source; each has its own manifest.

        The manifests are fetched once.
        """
        return {selection.source: selection for selection, _ in self._fetch_selected()}

    def fetch_has_alternatives(self) -> bool:
        """Tell whether one of its variants may be wrong here, and another one right.

        So it is if they are for certain versions of another package: the resolver finds
        out which version that will be.
        """
        return any(
            selection.manifest is not None
            and has_dependencies(selection.manifest, selection.ranking.compatible)
            for selection in self.fetch_selections().values()
        )

    @property
    def decided(self) -> list[Selection]:
        """Return the decisions about its variants, if they were made already."""
        return [selection for selection, _ in self._selections or ()]

    def fetch_selection_of(self, link: Link) -> Selection | None:
        """Return the decision that a wheel at *link* is part of."""
        for selection, wheels in self._fetch_selected():
            if link in wheels:
                return selection
        return None

    def _select(self, source: str, wheels: Sequence[Link]) -> Selection:
        by_label: dict[str, Link] = {}
        for link in wheels:
            by_label.setdefault(label_of(link) or "", link)
        try:
            manifest, origin = self._manifest(source, by_label)
        except ManifestUnavailable as error:
            self.ignored.append((None, error))
            return without_manifest(source, by_label, str(error))
        return select(
            *(
                source,
                manifest,
                by_label,
                self._providers,
                self._run.overrides.preferences,
            ),
            project=self.project,
            origin=origin,
        )

    @property
    def _providers(self) -> ProviderChain:
        """Return what the builds are chosen for."""
        return self._run.target.detected

    def _manifest(
        self, source: str, wheels: Mapping[str, Link]
    ) -> tuple[Manifest, Origin]:
        """Return the manifest of a source; where it is missing, that of the wheels.

        :raises ManifestUnavailable: if there is neither, or one that cannot be used.
        """
        where = redact_auth_from_url(source)
        key = self.project, self.version, source
        skipped = self._run.catalogue.skipped_manifests.get(key)
        missing = skipped or f"{where} lists no variants manifest"
        link = self._run.catalogue.manifests.get(key)
        if link is not None:
            url = redact_auth_from_url(link.url_without_fragment)
            limit = self._run.settings.uploaded_prior_to
            try:
                manifest = fetch_manifest(self._run.catalogue.session, link, limit)
                return manifest, Origin(OriginKind.INDEX, url)
            except ManifestMissing as error:
                missing = f"its variants manifest is missing: {error}"
                if error.listed and self._run.reporter.strict:
                    # So no wheel is asked for.
                    raise ManifestMissing(f"{missing} ({url})", listed=True) from None
            except ManifestUnavailable as error:
                times = f"{error.attempts} attempts at " if error.attempts > 1 else ""
                problem = (
                    f"its variants manifest cannot be used: {error} ({times}{url})"
                )
                raise ManifestUnavailable(problem, error.hint) from None
        manifest = self._manifest_of_wheels(wheels, missing)
        return manifest, Origin(OriginKind.WHEELS, where, missing)

    def _manifest_of_wheels(self, wheels: Mapping[str, Link], missing: str) -> Manifest:
        """Return what the wheels say of themselves; note those that say nothing.

        :param missing: why it is up to them.
        :raises ManifestUnavailable: if none of them does.
        """
        checked_path = self._checked_path
        if checked_path is not None:
            # Whole wheels are large: only those that the user allows.
            labels = self._run.overrides.applying_labels(self.project, self.labels)
            wheels = {each: wheels[each] for each in labels if each in wheels} or wheels
            self._run.catalogue.wait_for_upstream()
            if len(wheels) > 1:
                self._run.reporter.comparing(self, sorted(wheels), missing)
        elif self._run.settings.is_checking_hashes:
            problem = f"{missing}, and pip reads no wheel before its hash was checked"
            raise ManifestUnavailable(problem)
        try:
            manifest, problems = manifest_of_wheels(
                self._run.catalogue.session, wheels, checked_path
            )
        except ManifestUnavailable as error:
            raise ManifestUnavailable(f"{missing}, and {error}", error.hint) from None
        self.ignored += problems.items()
        return manifest

    @property
    def _checked_path(self) -> Callable[[Link], str] | None:
        """A function that downloads and checks wheels, if hashes are required."""
        return self._run.catalogue.checked_paths.get(self.project)

    def fetch_ranked(self) -> list[Link]:
        """Return the links that may be installed, best first, and report the problems.

        :raises UnsupportedVariant: if a label chosen by hand does not suit the target.
        :raises VariantLost: if a variant would be lost, and the user is strict.
        """
        self.reached = True
        decision = self.fetch_decision()
        if decision is not self._reported:
            self._run.reporter.decided(self, decision)
            self._reported = decision
        return decision.ranked

    def fetch_decision(self) -> Decision:
        """Return what may be installed; report nothing."""
        attempt, chosen = self._run.attempt, self.chosen_label
        # Which label a project must have may be settled after a look ahead.
        key = attempt.agreement, attempt.kept, chosen
        if key not in self._decided:
            if self.lacks_label:
                self._decided[key] = Decision([])
                return self._decided[key]
            try:
                self._refuse_two_labels()
            except ContradictoryOptions as error:
                return Decision([], error=error)
            runs = {
                label
                for each in self.fetch_selections().values()
                for label in each.ranking.compatible
            }
            if chosen is not None and chosen not in runs:
                return Decision([], is_judged=True, unsupported=chosen)
            ranked = self.with_kept_first(self._rank(attempt.agreement), attempt.kept)
            self._decided[key] = Decision(ranked, is_judged=True)
        return self._decided[key]

    def _refuse_two_labels(self) -> None:
        """Refuse two labels that are chosen for all projects, if this release has both.

        :raises ContradictoryOptions: if that is so.
        """
        run = self._run
        chosen = self.chosen_label
        is_for_all = chosen is not None and not run.overrides.labels_for(self.project)
        if is_for_all and not run.overrides.may_take_several:
            from pip._internal.variants.selection.contradictions import labels_meant

            # It is an error if two are.
            labels_meant(
                *(run.overrides.choices, self.project, self.labels, str(self)),
                may_be_several=False,
            )

    def _rank(self, agreement: Agreement | None) -> list[Link]:
        chosen = self.chosen_label
        # By source and label, the best first; plain files come last.
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
        """Yield what a variant would replace unasked, and what it wants instead.

        Whoever chooses a label by hand, or upgrades, has asked for it.
        """
        if self.chosen_label is None:
            wanted = requirements_of(self.fetch_selection_of(link), link)
            yield from unfit(self._run.request, wanted)

    def with_kept_first(
        self, ranked: Sequence[Link], kept: Collection[NormalizedName]
    ) -> list[Link]:
        """Put the wheels first that replace nothing of what is to stay installed."""

        def replaces(link: Link) -> bool:
            gone = {dist.canonical_name for dist, _ in self.replaced(link)}
            return not link.is_wheel or not gone.isdisjoint(kept)

        return sorted(ranked, key=replaces) if kept else list(ranked)

    def discarded(self, link: Link, reason: str) -> None:
        """Take note that upstream discards a wheel.

        :raises VariantLost: if it is a variant's, and the user is strict.
        """
        label = label_of(link)
        if label is not None:
            self._run.reporter.discarded(self, label, reason)


def _identities(link: Link) -> set[str]:
    """Name a file so that two links to the same one have a name in common."""
    hashes = {f"{name}:{value}" for name, value in link._hashes.items()}
    return {link.url_without_fragment, *hashes}
