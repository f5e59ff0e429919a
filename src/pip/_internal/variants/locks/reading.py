"""Choose among the builds in a lock file for the machine that installs from it."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pip._vendor.packaging.markers import (
    Marker,
    UndefinedComparison,
    UndefinedEnvironmentName,
)
from pip._vendor.packaging.pylock import Package, PackageSdist, PackageWheel, Pylock
from pip._vendor.packaging.tags import create_compatible_tags_selector, sys_tags
from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename
from pip._vendor.packaging.version import InvalidVersion
from pip._vendor.wheel_variants.labels import split_label

from pip._internal.models.link import Link
from pip._internal.utils.pylock import (
    package_sdist_requirement_url,
    package_wheel_requirement_url,
)
from pip._internal.variants.errors import (
    BuiltForThisMachine,
    DroppedVariants,
    VariantError,
    VariantsDisabled,
)
from pip._internal.variants.index.links import label_of, renamed
from pip._internal.variants.locks.conditions import (
    Group,
    LockedVariant,
    PropertyCondition,
    group_names,
)
from pip._internal.variants.locks.documents import property_conditions_of
from pip._internal.variants.locks.release import LockedRelease, RelockedRelease
from pip._internal.variants.output.announcing import report_agreement
from pip._internal.variants.output.refusals import nothing_left
from pip._internal.variants.selection.agreement import (
    Agreed,
    agreed_on_runtime,
    are_mixed,
)
from pip._internal.variants.selection.neighbors import ComparedBuild, chosen_build
from pip._internal.variants.selection.run import Run, noting_host
from pip._internal.variants.slots import RUN

if TYPE_CHECKING:
    from pip._vendor.packaging.markers import Environment
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import FormatControl
    from pip._internal.network.session import PipSession
    from pip._internal.variants.providers.target import Target
    from pip._internal.variants.selection.release import Release

__all__ = ["aimed", "narrowed"]


def narrowed(
    lock: Pylock,
    session: PipSession,
    path_or_url: str,
    format_control: FormatControl | None,
    extras: Collection[str] | None,
    dependency_groups: Iterable[str],
    include_default_groups: bool,
) -> Pylock:
    """Leave in a lock file just the builds to install, and what these need.

    Whatever else there is to a lock file is left to upstream.

    :param session: it knows the run of the command, since upstream passes no finder.
    :param path_or_url: where the file was read.
    :param extras: those asked for.
    :param dependency_groups: those asked for.

    :raises LockedForOthers: if the file is for other machines.
    :raises BuiltForThisMachine: if something would have to be built for another kind.
    :raises NoCompatibleVariant: if none of the builds of a package runs.
    :raises VariantLabelNotFound: if a label was chosen by hand that a package lacks.
    :raises UnsupportedVariant: if it has it, and the target cannot run that.
    :raises VariantLost: if a variant cannot be judged, and the user is strict.
    :raises VariantsDisabled: if variants are off, and a package has nothing else.
    """
    run = RUN.of(session, Run)
    target = None if run is None else run.target.described
    of_target = {} if target is None else target.environment
    with noting_host(None if run is None else run.settings):
        _refuse_others(lock, path_or_url, of_target)
        groups = (extras, dependency_groups, include_default_groups)
        if any(map(_has_variants, lock.packages)):
            if run is not None:
                run.request.locked_versions = _only_versions(lock, of_target)
            choices = _Choices(run, path_or_url, format_control)
            lock = _with_choices(lock, choices, of_target, *groups)
        _refuse_sources(lock, path_or_url, target)
    return lock


def aimed(lock: Pylock, session: PipSession) -> Pylock:
    """Let pip select from *lock* for the target, by default for this machine."""
    run = RUN.of(session, Run)
    target = None if run is None else run.target.described
    if target is None:
        return lock
    select = functools.partial(
        lock.select,
        environment=cast("Environment", target.environment),
        tags=target.python.get_sorted_tags(),
    )
    # pip uses nothing else of it.
    made = SimpleNamespace(default_groups=lock.default_groups, select=select)
    return cast("Pylock", made)


def _with_choices(
    lock: Pylock,
    choices: _Choices,
    of_target: Mapping[str, str],
    extras: Collection[str] | None,
    dependency_groups: Iterable[str],
    include_default_groups: bool,
) -> Pylock:
    """Leave just the builds to install, and what these need.

    :param of_target: the environment of a target that was described.
    """
    names = _group_names([each for each in lock.packages if _has_variants(each)])
    own = set(names.values()).intersection(lock.default_groups or ())
    groups = {str(canonicalize_name(name)) for name in dependency_groups}
    if include_default_groups:
        groups |= {*(lock.default_groups or ())} - own

    def select() -> _Needed:
        environment: dict[str, Any] = {**of_target, "extras": frozenset(extras or ())}
        on = set(groups)
        while True:
            environment["dependency_groups"] = frozenset(on)
            held = [(each, _holds(each.marker, environment)) for each in lock.packages]
            needed = [each for each in held if each[1] is not False]
            # What a build needs may have builds to choose from too.
            chosen = frozenset[Group]().union(
                *(choices.groups(each) for each, _ in needed if _has_variants(each))
            )
            new = own & {names[group] for group in chosen if group in names}
            if new <= on:
                return needed
            on |= new

    packages = [
        # What cannot be evaluated is left as it is: upstream tells the user.
        narrow if holds is None else replace(narrow, marker=None)
        for (_, holds), narrow in choices.settled(select)
    ]
    return replace(lock, packages=packages)


def _refuse_others(lock: Pylock, place: str, target: Mapping[str, str]) -> None:
    """Refuse a lock file that is for other machines.

    :raises LockedForOthers: if it says so.
    """
    environments = lock.environments or ()
    if environments and all(_holds(each, target) is False for each in environments):
        raise LockedForOthers(place, environments)


def _refuse_sources(lock: Pylock, place: str, target: Target | None) -> None:
    """Refuse what would have to be built for another kind of machine.

    :raises BuiltForThisMachine: if there is no wheel for it.
    """
    if target is None or not target.is_elsewhere:
        return
    tags = frozenset(target.python.get_unsorted_tags())
    for package in lock.packages:
        if not _holds(package.marker, target.environment):
            continue
        wheels = (each.filename for each in package.wheels or ())
        if package.sdist is not None and not any(
            tags & parse_wheel_filename(name)[-1] for name in wheels
        ):
            what = f"{package.sdist.filename} in {place}"
            raise BuiltForThisMachine(what, target.host.path)


def _only_versions(
    lock: Pylock, of_target: Mapping[str, str]
) -> dict[NormalizedName, Version]:
    """Return the versions of projects that have just one for the target.

    :param of_target: the environment of a target that was described.
    """
    environment = {
        **of_target,
        "dependency_groups": frozenset(lock.default_groups or ()),
    }
    is_for_several = len(lock.environments or ()) > 1
    packages = [
        # With all groups on, what is for other environments does not hold.
        each
        for each in lock.packages
        if not is_for_several or _holds(each.marker, environment) is not False
    ]
    entries = Counter(package.name for package in packages)
    return {
        package.name: package.version
        for package in packages
        if package.version is not None and entries[package.name] == 1
    }


def _group_names(packages: Iterable[Package]) -> Mapping[Group, str]:
    """Name the groups that packages with variants have in a lock file."""
    builds: set[LockedVariant] = set()
    facts: list[PropertyCondition] = []
    for package in packages:
        own = {_build(package, wheel) for wheel in package.wheels or ()}
        found = property_conditions_of(package.name, vars(package).get("variants_json"))
        builds |= own
        facts += [each for each in found if each.build in own]
    return group_names([*builds, *facts])


def _has_variants(package: Package) -> bool:
    return any(split_label(each.filename)[1] for each in package.wheels or ())


def _build(package: Package, wheel: PackageWheel) -> LockedVariant:
    return LockedVariant(package.name, split_label(wheel.filename)[1])


def _holds(marker: Marker | None, environment: Mapping[str, Any]) -> bool | None:
    """Evaluate a marker; None if that cannot be done."""
    try:
        return marker is None or marker.evaluate(dict(environment), "lock_file")
    except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion):
        return None


class LockedForOthers(VariantError):
    """A lock file says for which machines it is, and the target is none of these."""

    reference = "locked-for-other-machines"
    form = "{} is for other machines."
    usual_hint = (
        "Make a lock file for this one: pip lock, here or with --environment NAME, once for "
        "each platform. To install for such a machine: --target DIR --variant-host HOST."
    )

    def __init__(self, place: str, environments: Sequence[Marker]) -> None:
        super().__init__(
            place, [f"It is for {each}." for each in environments[:_SHOWN]]
        )


class NotLockedForHere(VariantError):
    """A lock file has no build of a package for the platform and Python of the target."""

    reference = "not-locked-for-this-platform"
    form = "{} has nothing for this platform and Python."
    usual_hint = "Lock for this platform and Python too: pip lock --environment NAME, once for each."

    def __init__(self, package: Package, place: str) -> None:
        names = sorted({each.filename for each in package.wheels or ()})
        super().__init__(
            f"{package.name} {package.version} in {place}",
            [f"It has {name}." for name in names[:_SHOWN]],
        )


#: How many wheels an error tells of.
_SHOWN = 5


class _Choice(NamedTuple):
    """What was chosen of a package with variants.

    :ivar package: with just the chosen file; without variants if there is no choice.
    :ivar release: what was chosen from.
    """

    package: Package
    release: LockedRelease | None = None
    link: Link | None = None


#: A package in a lock file, and whether its marker holds; None if nobody can tell.
_Need = tuple[Package, "bool | None"]
_Needed = Sequence[_Need]


class _Choices:
    """The choices among the builds in one lock file, each made when it is needed."""

    def __init__(
        self,
        run: Run | None,
        path_or_url: str,
        format_control: FormatControl | None,
    ) -> None:
        self._run = run
        self._path_or_url = path_or_url
        self._format_control = format_control
        target = None if run is None else run.target.described
        tags = sys_tags() if target is None else target.python.get_sorted_tags()
        self._best_first = create_compatible_tags_selector(tags)
        self._made: dict[int, _Choice] = {}

    def groups(self, package: Package) -> frozenset[Group]:
        """Return the build of a package that is chosen, and what holds of it."""
        if id(package) not in self._made:
            self._made[id(package)] = self._choose(package)
        choice = self._made[id(package)]
        wheels = choice.package.wheels
        # If several are left, or none, these are no variants.
        build = (
            _build(package, wheels[0]) if wheels else LockedVariant(package.name, None)
        )
        if build.label is None or choice.release is None or choice.link is None:
            return frozenset([build])
        selection = choice.release.fetch_selection_of(choice.link)
        assert selection is not None, "it was chosen by that"
        supported = selection.properties(build.label)
        return frozenset(
            [build, *(PropertyCondition(build, str(each)) for each in supported)]
        )

    def _choose(self, package: Package) -> _Choice:
        wheels = package.wheels or ()
        plain = [each for each in wheels if not _build(package, each).label]
        no_choice = _Choice(replace(package, wheels=plain or None))
        run = self._run
        if run is None or not run.enabled:
            if not plain and package.sdist is None:
                raise VariantsDisabled(wheels[0].filename)
            return no_choice
        files = self._files(package, run)
        if not files:
            if not plain and package.sdist is None:
                raise NotLockedForHere(package, self._path_or_url)
            return no_choice
        _, version, *_ = parse_wheel_filename(wheels[0].filename)
        release = run.decisions.release(
            (package.name, version, tuple(files)),
            lambda: LockedRelease(
                *(run, package.name, version, list(files), [self._path_or_url]),
                variants_json=vars(package).get("variants_json"),
                hashes={link: each.hashes for link, each in files.items()},
            ),
        )
        assert isinstance(release, LockedRelease), "nothing else has these links"
        if not release.fetch_ranked():
            what = f"{package.name}=={version}"
            raise nothing_left(what, [release], run.overrides.label_for(package.name))
        link = release.fetch_ranked()[0]
        chosen = files[link]
        if isinstance(chosen, PackageSdist):
            narrow = replace(package, wheels=None)
        else:
            narrow = replace(package, wheels=[chosen], sdist=None)
        return _Choice(narrow, release, link)

    def _files(
        self, package: Package, run: Run
    ) -> dict[Link, PackageWheel | PackageSdist]:
        """Return the files to choose from, by location; none if they hold no variant."""
        formats = frozenset({"binary", "source"})
        if self._format_control is not None:
            formats = self._format_control.get_allowed_formats(package.name)
        if "binary" not in formats and package.sdist is not None:
            return {}
        wheels = package.wheels or ()
        tagged = ((each, parse_wheel_filename(each.filename)[-1]) for each in wheels)
        files: dict[Link, PackageWheel | PackageSdist] = {
            self._link(package_wheel_requirement_url(self._path_or_url, each)): each
            for each in self._best_first(tagged)
        }
        for link, each in list(files.items()):
            # Such a file would be judged as one build and be another.
            if label_of(link) != split_label(each.filename)[1]:
                run.reporter.report([self._misplaced(each, link)])
                del files[link]
        if not any(map(label_of, files)):
            return {}
        if "source" in formats and package.sdist is not None:
            url = package_sdist_requirement_url(self._path_or_url, package.sdist)
            files[self._link(url)] = package.sdist
        return files

    def _misplaced(
        self, wheel: PackageWheel | PackageSdist, link: Link
    ) -> DroppedVariants:
        """Tell of a wheel with the label of one file, and the location of another."""
        reason = f"its location is that of another file: {link.redacted_url}"
        what = f"{wheel.filename} in {self._path_or_url}"
        return DroppedVariants(
            what,
            reason,
            f"Ignoring {what}: {reason}",
            follows="chooses among the others",
            hints=["pip lock writes a lock file in which both agree"],
        )

    def _link(self, url: str) -> Link:
        return renamed(Link(url, comes_from=self._path_or_url))

    def settled(self, select: Callable[[], _Needed]) -> list[tuple[_Need, Package]]:
        """Return what is needed, each with just the files that are chosen for good.

        If they can, the builds agree on what they compute on.

        :param select: returns what is needed with the builds that are chosen.
        """
        needed, run = select(), self._run
        if run is not None and are_mixed(before := self._compared_builds(needed)):
            made = self._made

            def select_again() -> _Needed:
                self._made = {}
                return select()

            again = agreed_on_runtime(run, select_again, self._compared_builds, needed)
            if again is None:
                self._made = made
            else:
                report_agreement(run, Agreed(before, self._compared_builds(again)))
            needed, run.attempt.agreement = again or needed, None
        return [(each, self._settle(each[0])) for each in needed]

    def _compared_builds(self, needed: _Needed) -> list[ComparedBuild]:
        found = (self._made[id(each)] for each, _ in needed if id(each) in self._made)
        return [
            build
            for choice in found
            if choice.release is not None and choice.link is not None
            if (build := chosen_build(choice.release, choice.link)) is not None
        ]

    def _settle(self, package: Package) -> Package:
        choice = self._made.get(id(package))
        if choice is None:
            return package
        release, link, run = choice.release, choice.link, self._run
        if release is not None and link is not None and run is not None:
            release.chosen = link
            run.request.locked_labels[release.project] = label_of(link)
            # So it is the same decision when the resolver comes to this one file.
            alone: Release = release
            if run.overrides.may_take_several:
                from pip._internal.variants.locks.mode import Locks

                # In no other mode several are taken.
                locks = next(each for each in run.modes if isinstance(each, Locks))
                alone = RelockedRelease(release, link, locks.selected)
            run.decisions.release(
                (release.project, release.version, (link,)), lambda: alone
            )
        return choice.package
