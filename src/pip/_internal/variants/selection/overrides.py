"""The labels that the user chose, and whether there are variants at all."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.wheel_variants.preferences import Preference

    from pip._internal.variants.selection.option_values import LabelChoice
    from pip._internal.variants.selection.request import Request
    from pip._internal.variants.selection.settings import Settings

__all__ = ["Overrides"]


class Overrides:
    """What the user chose for one run, in options and in requirements files.

    :ivar enabled: whether variant wheels are candidates at all.
    :ivar choices: the labels, the strongest last.
    :ivar may_take_several: whether several builds of one project may be wanted.
    :ivar offered: of the projects that were named, the labels of all files that may be
        taken, by version.
    """

    def __init__(self, settings: Settings, request: Request, *, enabled: bool) -> None:
        self._settings = settings
        self._request = request
        off = settings.no_variants or settings.legacy_resolver
        self.enabled = enabled and not off
        self.may_take_several = self.enabled and settings.several_builds
        self.choices: list[LabelChoice] = list(settings.variants)
        self.offered: dict[NormalizedName, Mapping[str, Collection[str]]] = {}
        self._labels_of_named: dict[NormalizedName, list[str]] = {}
        self._turned_off_in: str | None = None

    def add(self, choices: Sequence[LabelChoice]) -> None:
        """Add choices of a requirements file.

        They override the configuration, and the command line overrides them.

        :raises ContradictoryOptions: if there are two for one project.
        """
        if choices:
            from pip._internal.variants.selection.contradictions import (
                with_choices_of_file,
            )

            self.choices = with_choices_of_file(
                *(self.choices, choices, self._turned_off_in),
                may_be_several=self.may_take_several,
            )

    def disable(self, where: str) -> None:
        """Turn variants off from here on.

        :param where: the requirements file that says so.
        :raises ContradictoryOptions: if the user chose among variants.
        """
        from pip._internal.variants.selection.contradictions import (
            refuse_without_variants,
        )

        off = f"--no-variants in {where}"
        refuse_without_variants(self._settings, self.choices, off)
        self.enabled, self._turned_off_in = False, where

    def label_for(self, project: NormalizedName) -> str | None:
        """Return the label that *project* must have, if the user chose one."""
        labels = self.labels_for(project)
        return labels[-1] if labels else None

    def labels_for(self, project: NormalizedName) -> list[str]:
        """Return all labels of which *project* must have one, the strongest last.

        They were chosen for just this project; or for all, if the user named it and a
        release of it has them.
        """
        own = [each.label for each in self.choices if each.project == project]
        return own or self._labels_of_named.get(project, [])

    def labels_for_all(self) -> list[str]:
        """Return the labels chosen for each project that has them, the strongest first."""
        labels = [choice.label for choice in self.choices if choice.project is None]
        return list(dict.fromkeys(reversed(labels)))

    def applying_labels(
        self, project: NormalizedName | None, labels: Container[str]
    ) -> list[str]:
        """Return the labels chosen by hand of which a build must have one.

        Those chosen for just its project apply whether it has them or not; without any,
        those chosen for all that it has.

        :param project: None if nobody knows which it is.
        :param labels: of what there is to choose from.
        :return: the strongest first.
        """
        own = [] if project is None else self.labels_for(project)
        return own[::-1] or [each for each in self.labels_for_all() if each in labels]

    def is_open(self, project: NormalizedName) -> bool:
        """Return whether a label for all may be one that *project* must have."""
        return (
            project in self._request.named
            and any(choice.project is None for choice in self.choices)
            and not (project in self._labels_of_named or self.labels_for(project))
        )

    def settle(
        self, project: NormalizedName, files: Iterable[tuple[object, str | None]]
    ) -> None:
        """Settle which labels for all a project that the user named must have.

        :param files: the version and the label of each that may be taken, the newest
            first; the label of a plain one is None.
        :raises ContradictoryOptions: if two labels may be meant.
        """
        if self.is_open(project):
            from pip._internal.variants.selection.contradictions import labels_meant

            offered: dict[str, dict[str, None]] = {}
            for version, label in files:
                if label is not None:
                    offered.setdefault(str(version), {})[label] = None
            self.offered[project] = offered
            labels = {label for found in offered.values() for label in found}
            self._labels_of_named[project] = labels_meant(
                *(self.choices, project, labels, project),
                may_be_several=self.may_take_several,
            )

    @cached_property
    def preferences(self) -> Sequence[Preference]:
        """What the user prefers among what runs, the strongest first.

        :raises WrongUse: if one in the configuration or environment is invalid.
        """
        if not self._settings.preferences:
            return ()
        from pip._internal.variants.selection.option_values import preferences_in_order

        return preferences_in_order(self._settings.preferences)
