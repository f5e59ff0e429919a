"""The user's requests: projects, labels, and variants on or off.

A label may apply to all projects. If the user named a project, pip then selects its newest
release with the label, or the usual release if no release has the label. For a dependency,
pip always selects the usual release, and uses the label if that release has it. Configured
labels work as for dependencies, and need not exist; any typed label is stronger. If a release
has several of the labels, the label that was typed last counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from pip._vendor.packaging.utils import canonicalize_name

from pip._internal.variants.settings import NO_VARIANTS, STRICT_VARIANTS, VARIANT

if TYPE_CHECKING:
    from pip._vendor.packaging.requirements import Requirement
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version
    from pip._vendor.wheel_variants.preferences import Preference

    from pip._internal.metadata import BaseDistribution
    from pip._internal.variants.option_values import LabelChoice
    from pip._internal.variants.settings import Settings

    #: The version of each project.
    Versions = Mapping[NormalizedName, Version]


class Request:
    """The requirements of one resolution, and the versions that pip may keep.

    :ivar named: the projects that the user named.
    :ivar may_switch: whether an option of a mode allows pip to replace installed builds.
    :ivar leaves_fork: whether the user requires a specific version or file of pip, which may
        replace the fork.
    :ivar dists: the installed packages that the resolver sees, by normalized name.
    :ivar locked_versions: the versions from a lock file, by project; without projects that have
        several versions there.
    :ivar locked_labels: the labels from lock files, by project; None for a plain build.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.named: Collection[NormalizedName] = ()
        self.may_switch = self.leaves_fork = False
        self.dists: Mapping[NormalizedName, BaseDistribution] = {}
        self.locked_versions: Mapping[NormalizedName, Version] = {}
        self.locked_labels: dict[NormalizedName, str | None] = {}

    def installed(self, project: NormalizedName) -> Version | None:
        """Return the locked version, or else the installed version, of a project, or None.

        The installed version does not count if pip upgrades the project.
        """
        if project in self.locked_versions:
            return self.locked_versions[project]
        dist = self.dists.get(project)
        return None if dist is None or self.is_upgraded(project) else dist.version

    def fixed_reason(self, project: NormalizedName) -> str | None:
        """Return the reason why pip cannot choose a version of *project* with ``--no-deps``.

        :return: the reason; None if pip can choose a version.
        """
        is_free = project in self.named or project in self.locked_versions
        if is_free or not self._settings.ignore_dependencies:
            return None
        dist = self.dists.get(project)
        if dist is None:
            return f"'{project}' is not installed, and --no-deps does not install it"
        return f"{project} {dist.version} is installed, and --no-deps keeps it"

    def conflicts(
        self, wanted: Iterable[Requirement], found: Versions = MappingProxyType({})
    ) -> Iterator[tuple[BaseDistribution, Requirement]]:
        """Yield installed packages that violate a requirement, each with the requirement.

        :param wanted: the requirements.
        :param found: the versions in the solution. A project without a version there keeps its
            installed version, and is ignored if pip upgrades it.
        """
        for each in wanted:
            name = canonicalize_name(each.name)
            dist = self.dists.get(name)
            if dist is None or (name not in found and self.is_upgraded(name)):
                continue
            version = found.get(name, dist.version)
            if not each.specifier.contains(version, prereleases=True):
                yield dist, each

    def is_upgraded(self, project: NormalizedName) -> bool:
        """Return whether the user asked for the newest version of *project*."""
        settings = self._settings
        return settings.upgrade and (settings.is_eager or project in self.named)


class Overrides:
    """The user's selections for one run, in options and requirements files.

    :ivar enabled: whether variant wheels are candidates.
    :ivar choices: the labels, the strongest last.
    :ivar may_take_several: whether pip may select several builds of one project.
    :ivar offered: for named projects, the labels of all candidate files, by version.
    """

    def __init__(self, settings: Settings, request: Request, *, enabled: bool) -> None:
        self._settings = settings
        self._request = request
        off = settings.no_variants or settings.legacy_resolver
        self.enabled = enabled and not off
        self.may_take_several = self.enabled and settings.several_builds
        self.choices: list[LabelChoice] = list(settings.variants)
        self.offered: dict[NormalizedName, Mapping[str, Collection[str]]] = {}
        self._labels_of_named: dict[NormalizedName | None, set[str]] = {}
        self._of_files: list[LabelChoice] = []
        self._turned_off_in: str | None = None

    def add(self, choices: Sequence[LabelChoice]) -> None:
        """Add the selections of a requirements file.

        These selections override the configuration; the command line overrides these selections.

        :raises ContradictoryOptions: if files select two labels for one project, or a file
            disables variants.
        """
        of_file = [each.in_file() for each in choices]
        if of_file and self._turned_off_in is not None:
            refuse_without_variants(
                f"--no-variants in {self._turned_off_in}", [of_file[0].written]
            )
        if not self.may_take_several:
            self._of_files += of_file
            refuse_two_labels(self._of_files)
        self.choices = sorted([*self.choices, *of_file], key=lambda each: each.place)

    def disable(self, where: str) -> None:
        """Disable variants.

        :param where: the requirements file that disables variants.
        :raises ContradictoryOptions: if the user selected a variant.
        """
        typed = [str(each) for each in self._settings.typed if each.row.needs_variants]
        written = [each.written for each in self._of_files]
        refuse_without_variants(f"--no-variants in {where}", [*typed, *written])
        self.enabled, self._turned_off_in = False, where

    def label_for(
        self, project: NormalizedName, labels: Collection[str] = ()
    ) -> str | None:
        """Return the strongest label, or None if no label is for *project* in particular.

        :param labels: the labels of a release; a typed one for all projects may be stronger
            than a configured one for *project*.
        """
        is_for_it = bool(self.applying_labels(project, ()))
        return self.applying_labels(project, labels)[0] if is_for_it else None

    def labels_for_all(self) -> list[str]:
        """Return the labels for all projects, strongest first."""
        labels = [choice.label for choice in self.choices if choice.project is None]
        return list(dict.fromkeys(reversed(labels)))

    def applying_labels(
        self, project: NormalizedName | None, labels: Collection[str]
    ) -> list[str]:
        """Return the user's labels that apply to a release.

        Typed labels take precedence over configured ones, and then labels for the project over
        labels for all. Labels for the project apply even if the release lacks them. Labels for
        all apply only if the release has them, or, if they are typed and the user named the
        project, if any of its files has them.

        :param project: the project; None if unknown.
        :param labels: the available labels.
        :return: the labels, the strongest first.
        """
        available = self._labels_of_named.get(project) or labels
        found: dict[tuple[bool, bool], list[str]] = {}
        for each in self.choices:
            is_for_all = each.project is None
            if each.label in available if is_for_all else each.project == project:
                strength = each.is_configured, is_for_all
                found.setdefault(strength, []).append(each.label)
        return found[min(found)][::-1] if found else []

    def _typed_for_all(self) -> set[str]:
        """Return the unconfigured labels that apply to all projects."""
        return {x.label for x in self.choices if not x.project and not x.is_configured}

    def may_need_label(self, project: NormalizedName) -> bool:
        """Return whether labels for all projects may still apply to *project*."""
        return (
            project in self._request.named
            and project not in self._labels_of_named
            and bool(self._typed_for_all())
        )

    def settle_labels(
        self, project: NormalizedName, files: Iterable[tuple[object, str | None]]
    ) -> None:
        """Record which of the labels for all projects apply to a named project.

        :param files: the version and the label of each candidate file, the newest first;
            the label of a plain file is None.
        """
        if self.may_need_label(project):
            offered: dict[str, dict[str, None]] = {}
            for version, label in files:
                if label is not None:
                    offered.setdefault(str(version), {})[label] = None
            self.offered[project] = offered
            has = {label for labels in offered.values() for label in labels}
            self._labels_of_named[project] = self._typed_for_all() & has

    @cached_property
    def preferences(self) -> Sequence[Preference]:
        """The user's preferences, strongest first.

        :raises WrongUse: if a configured preference is invalid.
        """
        given = self._settings.preferences
        if not given:
            return ()
        from pip._vendor.wheel_variants.preferences import Preference

        # pip splits configured values at blanks, also at those around "::".
        words = " ".join(each for each in given if isinstance(each, str))
        words = words.replace(" :: ", "::").replace(":: ", "::").replace(" ::", "::")
        try:
            configured = [Preference.parse(each) for each in words.split()]
        except ValueError as error:
            from pip._internal.variants.errors import WrongUse

            raise WrongUse(
                f"prefer-variant in the configuration, or PIP_PREFER_VARIANT: {error}"
            ) from None
        typed = [each for each in given if isinstance(each, Preference)]
        return tuple(dict.fromkeys([*typed, *configured]))


def refuse_contradictions(settings: Settings) -> None:
    """Raise an error for contradictory options, before any request.

    :raises ContradictoryOptions: if two options contradict each other.
    """
    typed = settings.typed
    if not settings.several_builds:
        refuse_two_labels(each.value for each in typed if each.row is VARIANT)
    off, needing = None, [str(each) for each in typed if each.row.needs_variants]
    if settings.legacy_resolver:
        off = "--use-deprecated=legacy-resolver"
        # This resolver checks no variants.
        needing += [str(each) for each in typed if each.row is STRICT_VARIANTS]
        required = sorted(settings.required_accelerators)
        needing += [f"--require-accelerator {each}" for each in required]
    elif any(each.row is NO_VARIANTS for each in typed):
        off = NO_VARIANTS.name
    elif settings.no_variants:
        off = f"no-variants in the configuration or {NO_VARIANTS.variable}"
    if off is not None:
        refuse_without_variants(off, needing)


def refuse_without_variants(off: str, choices: Iterable[str]) -> None:
    """Raise an error for options that need variants.

    :param off: the option that disables variants.
    :raises ContradictoryOptions: if there is any such option.
    """
    for choice in choices:
        from pip._internal.variants.errors import ContradictoryOptions

        raise ContradictoryOptions(off, choice, ContradictoryOptions.WITHOUT_VARIANTS)


def refuse_two_labels(choices: Iterable[LabelChoice]) -> None:
    """Raise an error for two labels of one project.

    :param choices: all labels from one source.
    :raises ContradictoryOptions: if a project has two labels.
    """
    chosen: dict[NormalizedName, LabelChoice] = {}
    for each in choices:
        if each.project is None:
            continue
        other = chosen.setdefault(each.project, each)
        if other.label != each.label:
            from pip._internal.variants.errors import ContradictoryOptions

            why = ContradictoryOptions.ONE_BUILD.format(each.project)
            raise ContradictoryOptions(other.written, each.written, why)
