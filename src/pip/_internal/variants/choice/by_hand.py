"""Labels chosen by hand for whatever has them: of which packages, and of which release.

A project that the user named comes in the newest release that has such a label, if any
has it. Of what depends on it, the label is taken where the release that is chosen as ever
has it. What stands in the configuration, for many commands, is no more than that for any
project: it chooses no older release, and it is no error if nothing has it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from pip._internal.variants.choice.installed import installed_build
from pip._internal.variants.choice.option_values import LabelChoice, Place
from pip._internal.variants.errors import ContradictoryOptions
from pip._internal.variants.wheels.links import BuildLink, label_of, public

if TYPE_CHECKING:
    from pip._vendor.packaging.specifiers import SpecifierSet
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.models.candidate import InstallationCandidate
    from pip._internal.resolution.resolvelib.factory import Factory
    from pip._internal.utils.hashes import Hashes

__all__ = [
    "WITHOUT_VARIANTS",
    "files_to_settle_by",
    "labels_of_named",
    "refuse_two_labels",
    "refuse_two_labels_for_all",
    "typed_for_all",
    "with_choices_of_file",
    "written",
]


#: Why a choice contradicts that variants are off.
WITHOUT_VARIANTS = "Without variants there is nothing to choose from."


def typed_for_all(choices: Iterable[LabelChoice]) -> list[LabelChoice]:
    """Give the labels for all that the user wrote for this run, the strongest last.

    :param choices: all of the run.
    """
    return [
        each
        for each in choices
        if each.project is None and each.place is not Place.CONFIGURATION
    ]


def with_choices_of_file(
    choices: Iterable[LabelChoice],
    added: Iterable[LabelChoice],
    turned_off_in: str | None,
    *,
    may_be_several: bool,
) -> list[LabelChoice]:
    """Give the choices of a run and those that a file adds, the strongest last.

    :param turned_off_in: the file that turned variants off, if one did.
    :param may_be_several: whether a project may have several labels.
    :raises ContradictoryOptions: if files choose two labels for one project, or turn
        variants off too.
    """
    of_files = [each._replace(place=Place.FILE) for each in added]
    if turned_off_in is not None:
        raise ContradictoryOptions(
            f"--no-variants in {turned_off_in}", written(of_files[0]), WITHOUT_VARIANTS
        )
    ordered = sorted([*choices, *of_files], key=lambda each: each.place)
    if not may_be_several:
        refuse_two_labels(each for each in ordered if each.place is Place.FILE)
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
                f"Only one build of {each.project} is installed.",
            )


def labels_of_named(
    choices: Iterable[LabelChoice],
    project: NormalizedName,
    labels: Collection[str],
    *,
    may_be_several: bool,
) -> list[str]:
    """Give the labels for all that a project must have which the user named.

    :param labels: of its files.
    :param may_be_several: whether it may have several.
    :return: one; if there may be several, all of which there are any.
    :raises ContradictoryOptions: if two may be meant.
    """
    applying = [each for each in typed_for_all(choices) if each.label in labels]
    if not may_be_several:
        applying = _strongest(applying)
        _refuse_several(applying, project, project)
    return list(dict.fromkeys(each.label for each in applying))


def refuse_two_labels_for_all(
    choices: Iterable[LabelChoice],
    project: NormalizedName,
    labels: Collection[str],
    what: str,
) -> None:
    """Refuse two labels for all if one release has both.

    :param labels: of the release.
    :param what: the release, for people.
    :raises ContradictoryOptions: then.
    """
    applying = [each for each in typed_for_all(choices) if each.label in labels]
    _refuse_several(_strongest(applying), project, what)


def _strongest(choices: Sequence[LabelChoice]) -> list[LabelChoice]:
    return [each for each in choices if each.place is choices[-1].place]


def _refuse_several(
    choices: Sequence[LabelChoice], project: NormalizedName, what: str
) -> None:
    labels = list(dict.fromkeys(each.label for each in choices))
    if len(labels) > 1:
        first, second = (written(each) for each in (choices[0], choices[-1]))
        for_one = " or ".join(f"--variant {project}={label}" for label in labels)
        raise ContradictoryOptions(
            first,
            second,
            f"{what} has variants with both labels.",
            f"Say which one is meant: {for_one}.",
        )


def written(choice: LabelChoice) -> str:
    """Give a choice as the user wrote it, and where if not on the command line."""
    where = " in a requirements file" if choice.place is Place.FILE else ""
    return f"--variant {choice}{where}"


def files_to_settle_by(
    choices: Iterable[LabelChoice],
    factory: Factory,
    project: NormalizedName,
    specifier: SpecifierSet,
    hashes: Hashes,
) -> list[tuple[Version, str | None]] | None:
    """Give what tells which label a project that the user named must have.

    What is installed as one of them need not be looked up.

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
    """Give the version of a release, of which each build may have one of its own."""
    is_build = isinstance(candidate.link, BuildLink)
    return public(candidate.version) if is_build else candidate.version
