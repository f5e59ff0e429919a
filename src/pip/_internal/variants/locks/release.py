"""Releases for lock files.

:class:`LockingRelease` locks all builds of a release. :class:`LockedRelease` selects one build
from a lock file.

A lock file contains the manifest of a release as ``[packages.variants-json]`` (PEP 825).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pip._vendor.wheel_variants.manifest import ABI_DEPENDENCY, InvalidManifest
from pip._vendor.wheel_variants.manifest_parser import parse_document
from pip._vendor.wheel_variants.markers import is_about_variant
from pip._vendor.wheel_variants.properties import Property

from pip._internal.utils.misc import redact_auth_from_url
from pip._internal.variants.index.links import label_of
from pip._internal.variants.index.sources import LOCK_AGAIN, ManifestUnavailable
from pip._internal.variants.locks.conditions import LockedVariant
from pip._internal.variants.output.reasons import problems_of
from pip._internal.variants.selection.ranking import Origin, OriginKind
from pip._internal.variants.selection.release import Release

if TYPE_CHECKING:
    from pip._vendor.packaging.pylock import Package, PackageSdist, PackageWheel
    from pip._vendor.packaging.version import Version
    from pip._vendor.wheel_variants.manifest import Manifest

    from pip._internal.models.link import Link
    from pip._internal.variants.providers.chain import ProviderChain
    from pip._internal.variants.selection.run import Run

#: The keys of a manifest that lock files keep, besides its variants, in this order.
_KEPT = ("$schema", "default-priorities", "providers", "static-properties")


def inlined(manifest: Manifest, labels: Iterable[str]) -> dict[str, Any]:
    """Return a TOML table with the manifest of some labels.

    Includes all properties of the labels, ``$schema`` and all keys of the schemas. TOML may not
    be able to express other keys.
    """
    document = manifest.document
    table = {key: _common(document[key]) for key in _KEPT if key in document}
    variants = {label: document["variants"].get(label, {}) for label in labels}
    return {**table, "variants": _common(variants)}


def read_inlined(table: object) -> Manifest:
    """Parse and validate the manifest in a lock file.

    :raises InvalidManifest: if the manifest violates the schemas.
    """
    manifest = parse_document(table)
    try:
        return manifest._replace(document=_common(manifest.document))
    except RecursionError:
        raise InvalidManifest("nested too deeply") from None


def uncertain(manifest: Manifest, label: str) -> list[Property]:
    """Return the properties of a variant that a compatible machine may lack.

    Versions of other packages do not depend on the machine.
    """
    return [
        Property(namespace, feature, value)
        for namespace, features in manifest.variant(label).features.items()
        if manifest.provider(namespace).builtin != ABI_DEPENDENCY
        for feature, values in features.items()
        if len(values) > 1
        for value in values
    ]


def depends_on_machine(requirement: str, manifest: Manifest, label: str) -> list[str]:
    """Return the properties that a dependency of a variant may depend on.

    :param requirement: the requirement in the metadata of the variant.
    :return: the properties in the marker that a compatible machine may lack; usually none.
    """
    if not is_about_variant(requirement):
        return []
    named = "".join(requirement.split()).replace('"', "'")
    return [str(e) for e in uncertain(manifest, label) if f"'{'::'.join(e)}'" in named]


#: The types that both JSON and TOML have. Keys that the schemas define have no other types.
_COMMON = (str, bool, list, Mapping)


def _common(value: Any) -> Any:
    """Drop values that exist only in JSON or only in TOML."""
    if isinstance(value, Mapping):
        return {
            k: _common(item) for k, item in value.items() if isinstance(item, _COMMON)
        }
    if isinstance(value, list):
        return [_common(item) for item in value if isinstance(item, _COMMON)]
    return value


class LockingRelease(Release):
    """A release that locks all of its builds, one at a time."""

    is_for_any = True

    def __init__(self, *args: Any, selected: Mapping[str, LockedVariant]) -> None:
        """Create the release.

        :param selected: the variants of the current resolution; other packages get their
            least demanding variant.
        """
        super().__init__(*args)
        self._selected = selected

    @property
    def _providers(self) -> ProviderChain:
        target = self._run.target
        return target.providers if self.is_for_any else target.detected

    @cached_property
    def source(self) -> str | None:
        """The first source with compatible variants, from which pip locks variants, or None."""
        for source, selection in self.fetch_selections().items():
            if selection.ranking.compatible:
                return source
        return None

    @cached_property
    def builds(self) -> tuple[LockedVariant, ...]:
        """The builds to lock, least demanding last; empty without variants.

        If the user chose labels, only builds with these labels.
        """
        if self.source is None:
            return ()
        selection = self.fetch_selections()[self.source]
        ordered = sorted(
            selection.ranking.compatible,
            key=lambda label: (not selection.properties(label), label),
        )
        labels: Sequence[str | None] = ordered
        wanted = self._run.overrides.applying_labels(self.project, self.labels)
        if not set(wanted) <= set(ordered):
            return ()
        if wanted:
            labels = [label for label in ordered if label in wanted]
        elif any(map(_is_plain_wheel, self.links)):
            labels = [*ordered, None]
        return tuple(LockedVariant(self.project, label) for label in labels)

    def fetch_ranked(self) -> list[Link]:
        """Return the links of the current build, or else of all builds.

        Among all builds, the least demanding build comes first.
        """
        self.reached = True
        self._run.reporter.report(problems_of(self))
        if self.source is None:
            chosen = self.chosen_label is not None
            return [link for link in self.links if not chosen and not label_of(link)]
        build = self._selected.get(self.project)
        builds = [build] if build in self.builds else reversed(self.builds)
        return [link for each in builds for link in self.links_of(each)]

    def links_of(self, build: LockedVariant) -> list[Link]:
        """Return the wheels of a build, best for this platform first."""
        if build.label is None:
            return list(filter(_is_plain_wheel, self.links))
        assert self.source is not None, "it has variants"
        wheels = self.wheels[self.source]
        return [link for link in wheels if label_of(link) == build.label]


class LockedRelease(LockingRelease):
    """A release in a lock file, with one build selected for the target.

    pip selects one build even to lock the release again: a lock file may have many packages
    that nobody requested.

    :ivar files: the entries of the lock file, by location.
    :ivar chosen: the selected file, which never changes; None before the selection.
    """

    is_for_any = False

    def __init__(
        self,
        run: Run,
        package: Package,
        version: Version,
        files: Mapping[Link, PackageWheel | PackageSdist],
        place: str,
    ) -> None:
        """Create the release with the lock file as its only source.

        :param place: the path or URL of the lock file.
        """
        super().__init__(run, package.name, version, [*files], [place], selected={})
        self._variants_json = vars(package).get("variants_json")
        self.files = files
        self.chosen: Link | None = None

    @property
    def builds(self) -> tuple[LockedVariant, ...]:
        """The selected variant; empty if no variant is selected."""
        label = None if self.chosen is None else label_of(self.chosen)
        return () if label is None else (LockedVariant(self.project, label),)

    def fetch_ranked(self) -> list[Link]:
        """Return the link of the selected file, or all ranked links before the selection."""
        return Release.fetch_ranked(self) if self.chosen is None else [self.chosen]

    def links_of(self, build: LockedVariant) -> list[Link]:  # noqa: ARG002
        """Return the selected file; empty before the selection."""
        return [] if self.chosen is None else [self.chosen]

    def _manifest(
        self,
        source: str,
        wheels: Mapping[str, Link],  # noqa: ARG002
    ) -> tuple[Manifest, Origin]:
        where = redact_auth_from_url(source)
        what = f"its variants-json in {where}"
        if self._variants_json is None:
            raise ManifestUnavailable(f"{what} is missing", LOCK_AGAIN)
        try:
            manifest = read_inlined(self._variants_json)
        except InvalidManifest as error:
            problem = f"{what} cannot be used: {error}"
            raise ManifestUnavailable(problem, LOCK_AGAIN) from None
        return manifest, Origin(OriginKind.LOCK, where)


def _is_plain_wheel(link: Link) -> bool:
    return link.is_wheel and label_of(link) is None
