"""Select the builds in a lock file for the target."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from pip._vendor.packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from pip._vendor.packaging.pylock import Package, PackageSdist, PackageWheel, Pylock
from pip._vendor.packaging.tags import create_compatible_tags_selector, sys_tags
from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename
from pip._vendor.packaging.version import InvalidVersion
from pip._vendor.wheel_variants.labels import split_label
from pip._vendor.wheel_variants.markers import is_about_variant

from pip._internal.console import printable
from pip._internal.exceptions import InstallationError
from pip._internal.models.link import Link
from pip._internal.utils.pylock import _package_dist_url
from pip._internal.variants import errors
from pip._internal.variants.index.links import label_of, renamed
from pip._internal.variants.locks.conditions import LockedVariant, group_name
from pip._internal.variants.locks.release import LockedRelease
from pip._internal.variants.output.announcing import report_agreement
from pip._internal.variants.output.refusals import nothing_left
from pip._internal.variants.selection import agreement
from pip._internal.variants.selection.agreement import Agreed, ComparedBuild
from pip._internal.variants.selection.run import Run, noting_host
from pip._internal.variants.slots import RUN

if TYPE_CHECKING:
    from pip._vendor.packaging.markers import Environment, Marker
    from pip._vendor.packaging.utils import NormalizedName
    from pip._vendor.packaging.version import Version

    from pip._internal.index.package_finder import FormatControl
    from pip._internal.network.session import PipSession

_CANNOT_SELECT = "Cannot select requirements from the lock file"


def narrowed(
    lock: Pylock,
    session: PipSession,
    path_or_url: str,
    format_control: FormatControl | None,
    extras: Collection[str] | None,
    dependency_groups: Iterable[str],
    include_default_groups: bool,
) -> Pylock:
    """Reduce a lock file to the packages to install.

    Upstream handles the rest of a lock file.

    :param session: the session of the command, to which the run is attached; upstream passes
        no finder.
    :param path_or_url: the path or URL of the lock file.
    :param extras: the requested extras.
    :param dependency_groups: the requested groups.
    :raises LockedForOthers: if the file, or all wheels of a package, are for other machines.
    :raises InvalidVariantWheel: if the URL and the name of a wheel are for different variants.
    :raises NothingToInstall: if no build of a package runs on the target, or a package lacks
        the user's label.
    :raises UnsupportedVariant: if the target cannot run the variant with the user's label.
    :raises VariantLost: if pip cannot check a variant, in strict mode.
    :raises VariantsDisabled: if variants are off, and a package has only variants.
    """
    run = RUN.of(session, Run)
    assert run is not None, "the command made a finder"
    target = run.target.described
    environment: Mapping[str, Any] = {} if target is None else target.environment
    with noting_host(run.settings):
        _refuse_others(lock, path_or_url, environment)
        for each in lock.packages:
            if is_about_variant(f"x; {each.marker}"):
                why = f"the marker of {each.name} is about variants: {each.marker}"
                raise InstallationError(printable(f"{_CANNOT_SELECT}: {why}"))
        # An installed variant is another build than a plain wheel.
        run.request.locked_labels |= {p.name: None for p in lock.packages if p.wheels}
        if any(map(_has_variants, lock.packages)):
            run.request.locked_versions = _only_versions(lock, environment)
            groups = {str(canonicalize_name(name)) for name in dependency_groups}
            if include_default_groups:
                groups.update(lock.default_groups or ())
            reader = _LockReader(run, path_or_url, format_control)
            environment = {**environment, "extras": frozenset(extras or ())}
            lock = _with_choices(lock, reader, environment, groups)
    if target is None:
        return lock
    select = functools.partial(
        lock.select,
        environment=cast("Environment", target.environment),
        tags=target.python.get_sorted_tags(),
    )
    # pip uses no other attributes of the lock.
    made = SimpleNamespace(default_groups=lock.default_groups, select=select)
    return cast("Pylock", made)


def _with_choices(
    lock: Pylock,
    reader: _LockReader,
    environment: Mapping[str, Any],
    groups: Collection[str],
) -> Pylock:
    """Reduce packages to the selected builds and their dependencies.

    The builds use the same accelerator, if possible.

    :param environment: the environment of markers, without groups.
    :param groups: the active groups; the group of a variant is active only if pip selects that
        variant.
    """
    own, run = _groups_of_variants(lock).intersection(groups), reader.run

    def select() -> list[Package]:
        on = {*groups} - own
        while True:
            markers = {**environment, "dependency_groups": frozenset(on)}
            needed = [each for each in lock.packages if _holds(each.marker, markers)]
            # The dependencies of a build may have variants too.
            chosen = own & reader.groups(needed)
            if chosen <= on:
                return needed
            on |= chosen

    def compared(needed: Iterable[Package]) -> list[ComparedBuild]:
        releases = filter(None, map(reader.release_of, needed))
        found = (
            agreement.chosen_build(each, each.fetch_ranked()[0]) for each in releases
        )
        return [build for build in found if build is not None]

    needed = select()
    if agreement.are_mixed(before := compared(needed)):
        again = agreement.agreed_on_runtime(run, select, compared, needed)
        if again is not None:
            needed = again
            report_agreement(Agreed(before, compared(needed)))
    packages = [replace(reader.narrowed(each), marker=None) for each in needed]
    run.attempt.agreement = None
    return replace(lock, packages=packages)


def _refuse_others(lock: Pylock, place: str, target: Mapping[str, str]) -> None:
    """Raise an error if a lock file is for other machines.

    :raises LockedForOthers: if the file does not include the target.
    """
    environments = lock.environments or ()
    if environments and not any(_holds(each, target) for each in environments):
        why = [f"The lock file is for {x}." for x in environments[:_SHOWN]]
        raise LockedForOthers(place, why)


def _only_versions(
    lock: Pylock, environment: Mapping[str, str]
) -> dict[NormalizedName, Version]:
    """Return the version of each project that has only one version for the target.

    :param environment: the environment of a described target; may be empty.
    """
    # With all groups active, only markers for other environments are false.
    markers = {**environment, "dependency_groups": frozenset(lock.default_groups or ())}
    packages = [each for each in lock.packages if _holds(each.marker, markers)]
    entries = Counter(package.name for package in packages)
    return {
        package.name: package.version
        for package in packages
        if package.version is not None and entries[package.name] == 1
    }


def _groups_of_variants(lock: Pylock) -> set[str]:
    """Return the default groups that belong to variants."""
    names = {
        group_name(LockedVariant(package.name, split_label(wheel.filename)[1]))
        for package in filter(_has_variants, lock.packages)
        for wheel in package.wheels or ()
    }
    return names.intersection(lock.default_groups or ())


def _has_variants(package: Package) -> bool:
    return not all(map(_is_plain, package.wheels or ()))


def _is_plain(wheel: PackageWheel) -> bool:
    return split_label(wheel.filename)[1] is None


def _holds(marker: Marker | None, environment: Mapping[str, Any]) -> bool:
    """Evaluate a marker.

    :raises InstallationError: if the marker cannot be evaluated.
    """
    try:
        return marker is None or marker.evaluate(dict(environment), "lock_file")
    except (UndefinedComparison, UndefinedEnvironmentName, InvalidVersion) as error:
        raise InstallationError(printable(f"{_CANNOT_SELECT}: {error}")) from None


class LockedForOthers(errors.VariantError):
    """The target is not among the machines of a lock file."""

    reference = "locked-for-other-machines"
    form = "{} is for other machines."
    usual_hint = (
        "Make a lock file for this machine: run pip lock here, or anywhere with "
        "--environment NAME. To install for a machine in the lock file: --target DIR "
        "--variant-host HOST."
    )


#: The maximum number of environments or wheels in an error.
_SHOWN = 5


class _LockReader:
    """Selects builds of packages in one lock file."""

    def __init__(
        self, run: Run, path_or_url: str, format_control: FormatControl | None
    ) -> None:
        self.run = run
        self._path_or_url = path_or_url
        self._format_control = format_control
        target = run.target.described
        tags = sys_tags() if target is None else target.python.get_sorted_tags()
        self._best_first = create_compatible_tags_selector(tags)

    def groups(self, packages: Iterable[Package]) -> set[str]:
        """Return the dependency groups of the selected builds."""
        found: set[str] = set()
        for package in filter(_has_variants, packages):
            release = self.release_of(package)
            label = None if release is None else label_of(release.fetch_ranked()[0])
            found.add(group_name(LockedVariant(package.name, label)))
        return found

    def release_of(self, package: Package) -> LockedRelease | None:
        """Return the release of a package, or None if no variants are for the target.

        :raises PipError: if there is no build to select.
        """
        if not _has_variants(package):
            return None
        run, wheels = self.run, package.wheels or ()
        files = self._files(package) if run.enabled else {}
        if not files:
            if package.sdist is not None or any(map(_is_plain, wheels)):
                return None
            if not run.enabled:
                raise errors.VariantsDisabled(wheels[0].filename)
            names = sorted({each.filename for each in wheels})[:_SHOWN]
            what = f"{package.name} {package.version}"
            why = [f"For {what}, the lock file lists {name}." for name in names]
            raise LockedForOthers(self._path_or_url, why)
        _, version, *_ = parse_wheel_filename(wheels[0].filename)
        release = run.decisions.release(
            (package.name, version, tuple(files)),
            lambda: LockedRelease(run, package, version, files, self._path_or_url),
        )
        assert isinstance(release, LockedRelease), "nothing else has these links"
        if not release.fetch_ranked():
            what = f"'{package.name}=={version}'"
            raise nothing_left(run, what, [release])
        return release

    def narrowed(self, package: Package) -> Package:
        """Return a package with only the selected file."""
        if not _has_variants(package):
            return package
        release, run = self.release_of(package), self.run
        if release is None:
            plain = list(filter(_is_plain, package.wheels or ()))
            return replace(package, wheels=plain or None)
        link = release.chosen = release.fetch_ranked()[0]
        run.request.locked_labels[release.project] = label_of(link)
        # Record the decision for this file, for the resolver.
        run.decisions.release(
            (release.project, release.version, (link,)), lambda: release
        )
        chosen = release.files[link]
        if isinstance(chosen, PackageSdist):
            return replace(package, wheels=None)
        return replace(package, wheels=[chosen], sdist=None)

    def _files(self, package: Package) -> dict[Link, PackageWheel | PackageSdist]:
        """Return the files of a package by location; empty if none of them is a variant."""
        formats = frozenset({"binary", "source"})
        if self._format_control is not None:
            formats = self._format_control.get_allowed_formats(package.name)
        if "binary" not in formats and package.sdist is not None:
            return {}
        wheels = package.wheels or ()
        tagged = ((each, parse_wheel_filename(each.filename)[-1]) for each in wheels)
        files: dict[Link, PackageWheel | PackageSdist] = {}
        for each in self._best_first(tagged):
            link = self._link(each)
            if label_of(link) != split_label(each.filename)[1]:
                # pip would check one build and install another.
                problem = f"its URL is that of another file: {link.redacted_url}"
                raise errors.InvalidVariantWheel(each.filename, problem)
            files[link] = each
        if not any(map(label_of, files)):
            return {}
        if "source" in formats and package.sdist is not None:
            files[self._link(package.sdist)] = package.sdist
        return files

    def _link(self, file: PackageWheel | PackageSdist) -> Link:
        place = self._path_or_url
        url = _package_dist_url(place, file.path, file.url)
        return renamed(Link(url, place, hashes=file.hashes))
