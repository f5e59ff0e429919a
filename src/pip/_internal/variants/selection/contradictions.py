"""What the user typed and chose by hand: which labels are meant, and what contradicts itself.

What is typed is meant for this very command: a mistake in it is worth an error, before any
request, or a warning. The configuration and the environment are for many commands, most of
which have nothing to do with what stands there; it gives way to what is typed, as ever. The
one exception is ``no-variants``, which leaves nothing that could be typed in its place.

A label may be chosen for whatever has it. A project that the user named comes in the newest
release that has such a label, if any has it. Its dependencies come in the release that is
chosen as ever, with the label if that has it. The same holds for any project where the label
is configured: it chooses no older release, and it is no error if nothing has it.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pip._internal.variants.errors import ContradictoryOptions
from pip._internal.variants.index.links import LocalVersionWheel, label_of, public
from pip._internal.variants.selection.installed import installed_build
from pip._internal.variants.selection.option_values import LabelChoice, OptionSource
from pip._internal.variants.selection.settings import (
    DISABLE_PROVIDER,
    ENABLE_PROVIDER,
    NO_VARIANTS,
    PREFER_VARIANT,
    PROVIDER_KIND,
    VARIANT,
)

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.utils.hashes import Hashes
    from pip._internal.variants.selection.settings import OptionRow, Settings

__all__ = [
    "Typed",
    "files_to_settle_by",
    "labels_meant",
    "refuse_contradictions",
    "refuse_without_variants",
    "typed_for_all",
    "typed_options",
    "with_choices_of_file",
    "written",
]


def typed_for_all(choices: Iterable[LabelChoice]) -> list[LabelChoice]:
    """Return the labels for all that were written for this run, the strongest last.

    :param choices: all of the run.
    """
    return [
        each
        for each in choices
        if each.project is None and each.place is not OptionSource.CONFIGURATION
    ]


def with_choices_of_file(
    choices: Iterable[LabelChoice],
    added: Iterable[LabelChoice],
    turned_off_in: str | None,
    *,
    may_be_several: bool,
) -> list[LabelChoice]:
    """Return the choices of a run and those that a file adds, the strongest last.

    :param turned_off_in: the file that turned variants off, if one did.
    :param may_be_several: whether a project may have several labels.
    :raises ContradictoryOptions: if files choose two labels for one project, or turn
        variants off too.
    """
    of_files = [each._replace(place=OptionSource.FILE) for each in added]
    if turned_off_in is not None:
        raise ContradictoryOptions(
            f"--no-variants in {turned_off_in}",
            written(of_files[0]),
            ContradictoryOptions.WITHOUT_VARIANTS,
        )
    ordered = sorted([*choices, *of_files], key=lambda each: each.place)
    if not may_be_several:
        refuse_two_labels(each for each in ordered if each.place is OptionSource.FILE)
    return ordered


def refuse_two_labels(choices: Iterable[LabelChoice]) -> None:
    """Refuse two labels of one project, of which one build is installed.

    :param choices: all of one place.
    :raises ContradictoryOptions: then.
    """
    chosen: dict[NormalizedName, LabelChoice] = {}
    for each in choices:
        if each.project is None:
            continue
        other = chosen.setdefault(each.project, each)
        if other.label != each.label:
            raise ContradictoryOptions(
                written(other),
                written(each),
                ContradictoryOptions.ONE_BUILD.format(each.project),
            )


def labels_meant(
    choices: Iterable[LabelChoice],
    project: NormalizedName,
    labels: Collection[str],
    what: str,
    *,
    may_be_several: bool,
) -> list[str]:
    """Return those labels for all that apply to a project or a release.

    :param labels: all that it has.
    :param what: a project or a release, for people.
    :param may_be_several: whether it may have several.
    :return: one; if there may be several, all of which there are any.
    :raises ContradictoryOptions: if two may be meant.
    """
    meant = [each for each in typed_for_all(choices) if each.label in labels]
    if not may_be_several:
        meant = [each for each in meant if each.place is meant[-1].place]
    labels = list(dict.fromkeys(each.label for each in meant))
    if len(labels) > 1 and not may_be_several:
        first, second = (written(each) for each in (meant[0], meant[-1]))
        for_one = " or ".join(f"--variant {project}={label}" for label in labels)
        raise ContradictoryOptions(
            first,
            second,
            ContradictoryOptions.BOTH_LABELS.format(what),
            ContradictoryOptions.WHICH_LABEL.format(for_one),
        )
    return labels


def written(choice: LabelChoice) -> str:
    """Return a choice as the user wrote it, and where if not on the command line."""
    where = " in a requirements file" if choice.place is OptionSource.FILE else ""
    return f"--variant {choice}{where}"


def files_to_settle_by(
    choices: Iterable[LabelChoice],
    factory: Factory,
    project: NormalizedName,
    specifier: SpecifierSet,
    hashes: Hashes,
) -> list[tuple[Version, str | None]] | None:
    """Return the files that decide which label a named project must have.

    An installed build that has one of the labels spares the lookup.

    :param specifier: of requirements and constraints.
    :return: versions with their labels, the newest first; None if there is no question.
    """
    typed = {each.label for each in typed_for_all(choices)}
    dist = factory._installed_dists.get(project)
    if dist is not None and not factory.force_reinstall:
        build = installed_build(dist)
        fits = specifier.contains(dist.version, prereleases=True)
        if fits and build is not None and build.label in typed:
            labels = [build.label, *build.labels]
            return [(dist.version, label) for label in labels]
    if not typed:
        return None
    found = factory._finder.find_best_candidate(project, specifier, hashes)
    return [
        (_release(each), label_of(each.link))
        for each in reversed(found.applicable_candidates)
        if not each.link.is_yanked
    ]


def _release(candidate: InstallationCandidate) -> Version:
    """Return the version of a release, whose builds may have versions of their own."""
    is_build = isinstance(candidate.link, LocalVersionWheel)
    return public(candidate.version) if is_build else candidate.version


class Typed(NamedTuple):
    """An option as it stands on a command line.

    :ivar option: as it is called, ``--variant``.
    :ivar value: checked and converted; None for a flag.
    """

    row: OptionRow
    option: str
    value: Any = None

    def __str__(self) -> str:
        if self.value is None:
            return self.option
        if self.row is PROVIDER_KIND:
            return f"{self.option} {'='.join(self.value)}"
        return f"{self.option} {shlex.quote(str(self.value))}"

    @property
    def namespace(self) -> str | None:
        """Return the namespace that it is about, if any."""
        named: str | None = None
        if self.row in (ENABLE_PROVIDER, DISABLE_PROVIDER):
            named = self.value
        elif self.row is PROVIDER_KIND:
            named, _ = self.value
        elif self.row is PREFER_VARIANT:
            named = self.value.namespace
        return named


def typed_options(settings: Settings) -> list[Typed]:
    """Return the options about variants that were typed, in their order."""
    return [Typed(*each) for each in settings.typed]


#: Two options that contradict each other if they are about the same namespace, and why,
#: with a field for it.
_PAIRS = (
    (
        *(ENABLE_PROVIDER, DISABLE_PROVIDER),
        ContradictoryOptions.ASKED_OR_NOT,
    ),
    (
        *(DISABLE_PROVIDER, PREFER_VARIANT),
        ContradictoryOptions.NOTHING_TO_PREFER,
    ),
    (
        *(DISABLE_PROVIDER, PROVIDER_KIND),
        ContradictoryOptions.NOT_ASKED,
    ),
    (*(PROVIDER_KIND, PROVIDER_KIND), ContradictoryOptions.ONE_PROVIDER),
)


def refuse_contradictions(settings: Settings) -> None:
    """Refuse what was typed if parts of it contradict each other.

    :raises ContradictoryOptions: then.
    """
    typed = typed_options(settings)
    if not settings.several_builds:
        refuse_two_labels(each.value for each in typed if each.row is VARIANT)
    off = None
    if any(each.row is NO_VARIANTS for each in typed):
        off = NO_VARIANTS.name
    elif settings.no_variants:
        off = f"no-variants in the configuration or {NO_VARIANTS.variable}"
    elif settings.legacy_resolver:
        off = "--use-deprecated=legacy-resolver"
    if off is not None:
        refuse_without_variants(settings, (), off)
    for first, second, why in _contradicting(typed):
        raise ContradictoryOptions(str(first), str(second), why)


def refuse_without_variants(
    settings: Settings, choices: Iterable[LabelChoice], off: str
) -> None:
    """Refuse options that were typed if they need variants.

    :param choices: those that may be of requirements files.
    :param off: what turns variants off.
    :raises ContradictoryOptions: then.
    """
    typed = [str(e) for e in typed_options(settings) if e.row.needs_variants]
    typed += [written(each) for each in choices if each.place is OptionSource.FILE]
    for each in typed:
        raise ContradictoryOptions(off, each, ContradictoryOptions.WITHOUT_VARIANTS)


def _contradicting(typed: Sequence[Typed]) -> Iterator[tuple[Typed, Typed, str]]:
    for one, other, why in _PAIRS:
        for first in typed:
            for second in typed:
                is_pair = (first.row, second.row) == (one, other)
                is_same = one is other and first.value == second.value
                if is_pair and first.namespace == second.namespace and not is_same:
                    yield first, second, why.format(first.namespace)
